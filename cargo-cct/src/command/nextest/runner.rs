//! `cargo-cct run-test`: what cargo and nextest start in place of a test executable.
//!
//! A single test is explored, and reported as by `cargo cct test`; its failure is kept. All else, as a list
//! of the tests, is left to the executable itself.

use std::cell::RefCell;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::Context as _;
use cct::codec::Wire as _;
use cct::origin::{self, Table};
use cct::wire;

use super::setup::Setup;
use super::{ENV_SETUP, lossy};
use crate::build::cargo::{Executable, linked_facts};
use crate::build::marker::{Kind, Marker};
use crate::build::workspace::{OWN_TARGET, Workspace};
use crate::build::{layer, wrapper};
use crate::cli::{ExploreArgs, RunTestArgs};
use crate::command::fall_short;
use crate::command::keeper::Keeper;
use crate::command::known::Known;
use crate::config::ConfigFile;
use crate::exit::Exit;
use crate::failure::{Record, Store};
use crate::report::{Human, Report, Reporter as _};
use crate::run::{Explorer, Outcome, RunSeed, Scratch, Stop, TestName};

/// Does it.
pub(crate) fn run(args: &RunTestArgs) -> anyhow::Result<Exit> {
    let (program, words) = args
        .words
        .split_first()
        .context("there is nothing to run")?;
    let test = single_test(words);
    let setup = env::var_os(ENV_SETUP).context("`CCT_NEXTEST` is not set")?;
    let setup = Setup::read(Path::new(&setup))?;
    forget();
    let path = std::path::absolute(program)?;
    let is_harness = Marker::read(&path).is_none_or(|marker| marker.kind == Kind::Harness);
    match test.filter(|_| is_harness) {
        Some(test) => explore(&setup, path, &test),
        None => Err(Command::new(program).args(words).exec())
            .with_context(|| format!("cannot run `{}`", lossy(program))),
    }
}

/// The test that is to run, if it is exactly one.
fn single_test(words: &[OsString]) -> Option<String> {
    let words: Vec<String> = words.iter().map(lossy).collect();
    let has = |word: &str| words.iter().any(|it| it == word);
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    match (names.next(), names.next()) {
        (Some(name), None) if has("--exact") && !has("--list") => Some(name.clone()),
        _ => None,
    }
}

/// Removes what is for the build: a cargo that the test starts is none of ours.
fn forget() {
    let is_ours = |name: &str| {
        let exact = [
            "RUSTC_WRAPPER",
            "CARGO_BUILD_BUILD_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_DIR",
            wrapper::ENV_SYSROOT,
            wrapper::ENV_CHAINED,
            layer::ENV_SHADOW,
            wire::ENV_CODE,
            OWN_TARGET,
            ENV_SETUP,
        ];
        let is_runner = name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER");
        exact.contains(&name) || is_runner || name.starts_with("CCT_REWRITE_")
    };
    let names: Vec<_> = env::vars_os().map(|(name, _)| name).collect();
    for name in names.iter().filter(|name| is_ours(&name.to_string_lossy())) {
        crate::run::remove_variable(name);
    }
}

fn explore(setup: &Setup, path: PathBuf, test: &str) -> anyhow::Result<Exit> {
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    stop.with_parent().context("cannot look at the parent")?;
    let typed = ExploreArgs::of_environment()?;
    let file = ConfigFile::read(&setup.root)?;
    let mut workspace = Workspace::restored(
        (&setup.root, &setup.folder, &setup.manifest, &setup.target),
        file,
        &setup.profile,
    )?;
    workspace.use_target(&|_| ())?;
    let origins = fs::read(&setup.origins).ok();
    if let Some(table) = origins.and_then(|bytes| Table::from_bytes(&bytes)) {
        origin::install(table);
    }
    let executables = [executable(setup, &workspace, path)?];
    let executable = &executables[0];
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let seed = match (env::var("NEXTEST_RUN_ID").ok(), executable.config.seed) {
        // All tests of a run have one seed, as they do without nextest.
        (Some(run), None) => RunSeed::choose(typed.settings.seed, Some(RunSeed::of_text(&run))),
        (_, configured) => RunSeed::choose(typed.settings.seed, configured),
    };
    let store = Store::new(workspace.failures());
    let settings = executable.config_of(test);
    let is_tried = typed.settings.clone().over(settings).known();
    let mut known = Known::new(
        (store.clone(), &*workspace.root, &*setup.selection),
        is_tried,
        &typed.settings,
        &scratch,
        &stop,
    );
    for error in known.add_kept_of(executable, test, &workspace) {
        let word = crate::report::warning_word();
        crate::report::remark_line!("{word}: {error:#}");
    }
    let mut overrides = typed.settings.clone();
    overrides.seed = None;
    let explorer = Explorer {
        seed,
        overrides,
        part: None,
        scratch: &scratch,
        stop: stop.clone(),
        first: &known,
    };
    let keeper = Keeper {
        workspace: &workspace,
        toolchain: &setup.toolchain,
        executables: &executables,
        selection: setup.selection.clone(),
        chosen: &setup.chosen,
        store,
        run_seed: seed.number(),
    };
    let name = TestName {
        binary: executable.label.clone(),
        test: test.to_owned(),
    };
    let kept: RefCell<Option<(Record, Report)>> = RefCell::new(None);
    let result = RefCell::new(Ok(()));
    let run = explorer.explore(executable, test, None, 1, &|_| {}, &|finding| {
        let mut kept = kept.borrow_mut();
        let before = kept.as_ref().map(|(record, _)| record);
        let before = before.filter(|before| before.is_of_search_of(finding));
        match keeper.keep(name.clone(), 0, finding, before) {
            Ok(now) => *kept = Some(now),
            Err(error) => *result.borrow_mut() = Err(error),
        }
    })?;
    result.into_inner()?;
    keeper.mark_all_gone(&run);
    let kept = kept.into_inner();
    let kept = kept.map(|kept| keeper.told(kept));
    let has_failed = matches!(run.outcome, Outcome::Failed(_));
    let failure = kept
        .as_ref()
        .filter(|_| has_failed)
        .map(|(record, report)| (record, report));
    Human::new(false, false).ended(&run, None, failure)?;
    if let Some(trouble) = &run.trouble {
        fall_short(trouble);
    }
    Ok(match run.outcome {
        Outcome::Passed => Exit::Success,
        Outcome::Failed(_) | Outcome::FailedNatively(_) | Outcome::Unfinished => Exit::Failed,
        Outcome::Refused(_) => Exit::Setup,
        Outcome::Stopped => Exit::Interrupted,
    })
}

/// The executable, by what cargo or nextest says of it in variables.
fn executable(setup: &Setup, workspace: &Workspace, path: PathBuf) -> anyhow::Result<Executable> {
    let var = |name: &str| env::var(name).ok();
    let package = var("CARGO_PKG_NAME").context("`CARGO_PKG_NAME` is not set")?;
    let label = var("NEXTEST_BINARY_ID").unwrap_or_else(|| package.clone());
    let (kind, target) = kind_and_target(&label, &package);
    Ok(Executable {
        linked: linked_facts(&path),
        marker: Marker::read(&path),
        path,
        config: setup.settings_of(&package)?,
        overrides: workspace.profile.overrides.clone(),
        package,
        kind,
        target,
        label,
        folder: env::current_dir().context("there is no current folder")?,
        root: setup.root.clone(),
        env: Vec::new(),
        origins: setup.origins.clone(),
        hash: OnceLock::new(),
    })
}

/// Nextest's ids are our labels: `package`, `package::test`, `package::bin/name`.
fn kind_and_target(label: &str, package: &str) -> (String, String) {
    let (kind, target) = match label.split_once("::") {
        None => ("lib", package.replace('-', "_")),
        Some((_, rest)) => match rest.split_once('/') {
            None => ("test", rest.to_owned()),
            Some((kind, name)) => (kind, name.to_owned()),
        },
    };
    (kind.to_owned(), target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_test_is_explored() {
        let single = |text: &str| {
            let words: Vec<_> = text.split_whitespace().map(OsString::from).collect();
            single_test(&words)
        };
        assert_eq!(single("--exact a::b --nocapture").as_deref(), Some("a::b"));
        assert_eq!(
            single("--exact a --nocapture --ignored").as_deref(),
            Some("a")
        );
        assert_eq!(single("a --nocapture"), None);
        assert_eq!(single("--exact a b"), None);
        assert_eq!(single("--list --format terse"), None);
    }

    #[test]
    fn ids_tell_kind_and_target() {
        let of = |label| kind_and_target(label, "my-bank");
        let pair = |kind: &str, target: &str| (kind.to_owned(), target.to_owned());
        assert_eq!(of("my-bank"), pair("lib", "my_bank"));
        assert_eq!(of("my-bank::two"), pair("test", "two"));
        assert_eq!(of("my-bank::bin/tool"), pair("bin", "tool"));
    }
}
