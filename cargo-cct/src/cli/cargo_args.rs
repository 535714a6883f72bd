//! The flags of `cargo test` that choose and build, taken and handed on.

use clap::Args;

/// The arguments for cargo. Names and meanings are cargo's own.
#[derive(Clone, PartialEq, Eq, Debug, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of cargo's flags"
)]
pub(crate) struct CargoArgs {
    /// Packages to test.
    #[arg(short, long, value_name = "SPEC", help_heading = "Packages", num_args = 0..=1)]
    #[arg(default_missing_value = "", action = clap::ArgAction::Append)]
    pub package: Vec<String>,
    /// Tests all packages of the workspace.
    #[arg(long, alias = "all", help_heading = "Packages")]
    pub workspace: bool,
    /// Packages to leave out.
    #[arg(long, value_name = "SPEC", help_heading = "Packages")]
    pub exclude: Vec<String>,

    /// Tests the library.
    #[arg(long, help_heading = "Targets")]
    pub lib: bool,
    /// Tests these binaries.
    #[arg(long, value_name = "NAME", help_heading = "Targets")]
    pub bin: Vec<String>,
    /// Tests all binaries.
    #[arg(long, help_heading = "Targets")]
    pub bins: bool,
    /// Tests these test targets.
    #[arg(long, value_name = "NAME", help_heading = "Targets")]
    pub test: Vec<String>,
    /// Tests all targets that have tests.
    #[arg(long, help_heading = "Targets")]
    pub tests: bool,
    /// Tests these examples.
    #[arg(long, value_name = "NAME", help_heading = "Targets")]
    pub example: Vec<String>,
    /// Tests all examples.
    #[arg(long, help_heading = "Targets")]
    pub examples: bool,
    /// Tests these benchmarks.
    #[arg(long, value_name = "NAME", help_heading = "Targets")]
    pub bench: Vec<String>,
    /// Tests all benchmarks.
    #[arg(long, help_heading = "Targets")]
    pub benches: bool,
    /// Tests all targets, but not the documentation.
    #[arg(long, help_heading = "Targets")]
    pub all_targets: bool,
    /// Tests the documentation alone.
    #[arg(long, help_heading = "Targets")]
    pub doc: bool,

    /// Features to switch on.
    #[arg(short = 'F', long, value_name = "FEATURES", help_heading = "Features")]
    pub features: Vec<String>,
    /// Switches on all features.
    #[arg(long, help_heading = "Features")]
    pub all_features: bool,
    /// Leaves the default feature off.
    #[arg(long, help_heading = "Features")]
    pub no_default_features: bool,

    /// Builds optimised.
    #[arg(short, long, help_heading = "Build")]
    pub release: bool,
    /// The profile to build with; or, if cargo has none of that name, as `-P`.
    #[arg(long, value_name = "NAME", help_heading = "Build")]
    pub profile: Option<String>,
    /// The target triple; only this machine's own can be tested.
    #[arg(long, value_name = "TRIPLE", help_heading = "Build")]
    pub target: Option<String>,
    /// The target folder; everything goes into `cct` inside it.
    #[arg(long, value_name = "PATH", help_heading = "Build")]
    pub target_dir: Option<String>,
    /// How many jobs build, and how many tests run, at a time.
    #[arg(short, long, value_name = "N", help_heading = "Build")]
    pub jobs: Option<String>,
    /// Builds as much as possible after an error.
    #[arg(long, help_heading = "Build")]
    pub keep_going: bool,
    /// Ignores `rust-version` in manifests.
    #[arg(long, help_heading = "Build")]
    pub ignore_rust_version: bool,
    /// Records how long each build step took.
    #[arg(long, help_heading = "Build")]
    pub timings: bool,

    /// The manifest.
    #[arg(long, value_name = "PATH", help_heading = "Manifest")]
    pub manifest_path: Option<String>,
    /// Fails when `Cargo.lock` would change.
    #[arg(long, help_heading = "Manifest")]
    pub locked: bool,
    /// Does without the network.
    #[arg(long, help_heading = "Manifest")]
    pub offline: bool,
    /// `--locked` and `--offline`.
    #[arg(long, help_heading = "Manifest")]
    pub frozen: bool,
    /// Overrides cargo's configuration.
    #[arg(long, value_name = "KEY=VALUE|PATH", help_heading = "Manifest")]
    pub config: Vec<String>,
    /// Unstable flags of cargo.
    #[arg(short = 'Z', value_name = "FLAG", help_heading = "Manifest")]
    pub unstable: Vec<String>,
}

impl CargoArgs {
    /// True when tests of the documentation are wanted: alone, or because nothing was chosen.
    pub(crate) fn wants_doctests(&self) -> bool {
        self.doc || !self.chooses_targets()
    }

    fn chooses_targets(&self) -> bool {
        let flags = [
            self.lib,
            self.bins,
            self.tests,
            self.examples,
            self.benches,
            self.all_targets,
        ];
        let names = [&self.bin, &self.test, &self.example, &self.bench];
        flags.contains(&true) || names.iter().any(|names| !names.is_empty())
    }

    /// The arguments that decide which files are built and how: enough to build the same executables again.
    pub(crate) fn selection(&self) -> Vec<String> {
        let mut args = self.packages_and_build();
        let mut words = Words(&mut args);
        words.flag("--lib", self.lib);
        words.values("--bin", &self.bin);
        words.flag("--bins", self.bins);
        words.values("--test", &self.test);
        words.flag("--tests", self.tests);
        words.values("--example", &self.example);
        words.flag("--examples", self.examples);
        words.values("--bench", &self.bench);
        words.flag("--benches", self.benches);
        words.flag("--all-targets", self.all_targets);
        args
    }

    /// The same without the choice of targets, which `--doc` does not go with.
    pub(crate) fn packages_and_build(&self) -> Vec<String> {
        let mut args = Vec::new();
        let mut words = Words(&mut args);
        words.values("--package", &self.package);
        words.flag("--workspace", self.workspace);
        words.values("--exclude", &self.exclude);
        words.values("--features", &self.features);
        words.flag("--all-features", self.all_features);
        words.flag("--no-default-features", self.no_default_features);
        words.flag("--release", self.release);
        words.values("--profile", self.profile.as_slice());
        words.flag("--ignore-rust-version", self.ignore_rust_version);
        words.values("--config", &self.config);
        words.values("-Z", &self.unstable);
        args
    }

    /// The arguments that decide how cargo builds, and not the result.
    pub(crate) fn manner(&self) -> Vec<String> {
        let mut args = Vec::new();
        let mut words = Words(&mut args);
        words.values("--jobs", self.jobs.as_slice());
        words.flag("--keep-going", self.keep_going);
        words.flag("--timings", self.timings);
        words.flag("--locked", self.locked);
        words.flag("--offline", self.offline);
        words.flag("--frozen", self.frozen);
        args
    }

    /// The arguments of these that `cargo metadata` takes.
    pub(crate) fn for_metadata(&self) -> Vec<String> {
        let mut args = Vec::new();
        let mut words = Words(&mut args);
        words.flag("--locked", self.locked);
        words.flag("--offline", self.offline);
        words.flag("--frozen", self.frozen);
        words.values("--config", &self.config);
        words.values("-Z", &self.unstable);
        args
    }
}

/// Writes options as cargo reads them.
struct Words<'a>(&'a mut Vec<String>);

impl Words<'_> {
    fn flag(&mut self, name: &str, set: bool) {
        if set {
            self.0.push(name.to_owned());
        }
    }

    fn values(&mut self, name: &str, values: &[String]) {
        for value in values {
            self.0.push(name.to_owned());
            // `-p` alone makes cargo list the packages.
            if !value.is_empty() {
                self.0.push(value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_chosen_is_handed_on() {
        let args = CargoArgs {
            package: vec!["a".to_owned(), "b".to_owned()],
            test: vec!["t".to_owned()],
            release: true,
            offline: true,
            ..CargoArgs::default()
        };
        assert_eq!(
            args.selection().join(" "),
            "--package a --package b --release --test t"
        );
        assert_eq!(args.manner(), ["--offline"]);
        assert!(!args.wants_doctests());
    }

    #[test]
    fn the_documentation_is_tested_unless_something_else_is_chosen() {
        assert!(CargoArgs::default().wants_doctests());
        assert!(
            CargoArgs {
                doc: true,
                ..CargoArgs::default()
            }
            .wants_doctests()
        );
        assert!(
            !CargoArgs {
                all_targets: true,
                ..CargoArgs::default()
            }
            .wants_doctests()
        );
    }
}
