//! Builds packages of this workspace for tests that need their artifacts.

use std::path::PathBuf;

use serde_json::Value;

use super::{Finished, cargo};

/// The products of a build, of the package and of all it depends on.
#[derive(Debug)]
pub struct Artifacts {
    /// Libraries and procedural macros.
    pub libraries: Vec<PathBuf>,
    /// Programs.
    pub executables: Vec<PathBuf>,
}

/// Builds a package where this package's own target folder is.
#[track_caller]
pub fn build(package: &str) -> Artifacts {
    build_with(package, &[])
}

/// The same with more of cargo's options.
#[track_caller]
pub fn build_with(package: &str, options: &[&str]) -> Artifacts {
    made("build", package, options)
}

/// The same as far as crates that use the package need it to be checked: its libraries have no code.
#[track_caller]
pub fn check(package: &str) -> Artifacts {
    made("check", package, &[])
}

#[track_caller]
fn made(verb: &str, package: &str, options: &[&str]) -> Artifacts {
    let library = if verb == "check" { "rmeta" } else { "rlib" };
    let mut command = cargo();
    command
        .args([
            verb,
            "--package",
            package,
            "--message-format",
            "json",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .args(options);
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        command.env("CARGO_TARGET_DIR", folder);
    }
    let built = Finished::of(&mut command);
    built.expect(0);
    let mut artifacts = Artifacts {
        libraries: Vec::new(),
        executables: Vec::new(),
    };
    for message in built
        .stdout
        .lines()
        .filter_map(|line| line.parse::<Value>().ok())
    {
        let files = message["filenames"].as_array().into_iter().flatten();
        let files = files.filter_map(Value::as_str).map(PathBuf::from);
        artifacts.libraries.extend(files.filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == library || extension == "so")
        }));
        artifacts
            .executables
            .extend(message["executable"].as_str().map(PathBuf::from));
    }
    artifacts
}

impl Artifacts {
    /// The program of this name.
    #[track_caller]
    pub fn program(self, name: &str) -> PathBuf {
        let mut executables = self.executables.into_iter();
        let found = executables.find(|path| path.file_stem().is_some_and(|stem| stem == name));
        found.expect("the package has this program")
    }
}
