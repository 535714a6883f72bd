//! `cargo cct nextest` and `cargo cct show-env`: other tools that build and run the tests under control.
//!
//! Cargo and nextest build with the variables of our own builds, and start each test executable through this
//! tool, as the target's runner. The facts that a runner has to know of the workspace lie in a file.

mod runner;
mod selection;
mod setup;

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use anyhow::Context as _;

pub(super) use runner::run as run_test;

use self::selection::selection;
use self::setup::Setup;
use super::profiled::refuse_typos;
use super::{cargo, load, prepare};
use crate::build::chosen::Chosen;
use crate::build::workspace::OWN_TARGET;
use crate::cli::{CargoArgs, EnvShell, ExploreArgs, NextestArgs, Output, ShowEnvArgs};
use crate::exit::Exit;
use crate::report::say;

/// Names the file with the setup, to runners.
pub(super) const ENV_SETUP: &str = "CCT_NEXTEST";
/// The verb that runners are started with.
const RUNNER: &str = "run-test";

/// Becomes cargo-nextest.
pub(super) fn run(args: &NextestArgs) -> anyhow::Result<Exit> {
    let words: Vec<String> = args.words.iter().map(lossy).collect();
    let build = selection(&words);
    let place = CargoArgs {
        manifest_path: build.manifest_path.clone(),
        ..CargoArgs::default()
    };
    let profile = env::var("CCT_PROFILE").ok();
    let variables = variables(&place, profile.as_deref(), &build.words, Output::default())?;
    let error = Command::new("cargo-nextest")
        .arg("nextest")
        .args(&args.words)
        .envs(variables)
        .exec();
    Err(error)
        .context("cannot run `cargo-nextest`: `cargo install cargo-nextest --locked` installs it")
}

/// Prints the variables.
pub(super) fn show_env(args: &ShowEnvArgs) -> anyhow::Result<Exit> {
    let build = args.cargo.packages_and_build();
    let profile = args.cct_profile.as_deref();
    for (name, value) in variables(&args.cargo, profile, &build, args.output)? {
        let value = value.into_string().ok();
        let value = value.filter(|value| args.shell != EnvShell::Plain || !value.contains('\n'));
        let value = value.with_context(|| format!("the value of `{name}` cannot be printed"))?;
        match args.shell {
            EnvShell::Sh => {
                // A package's name may have a `-`, which no shell lets a variable have.
                if name.contains('-') {
                    continue;
                }
                say(format_args!(
                    "export {name}='{}'\n",
                    value.replace('\'', "'\\''")
                ))?;
            }
            EnvShell::Fish => {
                if name.contains('-') {
                    continue;
                }
                let value = value.replace('\\', "\\\\").replace('\'', "\\'");
                say(format_args!("set -gx {name} '{value}'\n"))?;
            }
            EnvShell::Plain => say(format_args!("{name}={value}\n"))?,
        }
    }
    Ok(Exit::Success)
}

/// The variables by which cargo, and what calls it, builds what is under control and runs it through us.
fn variables(
    place: &CargoArgs,
    profile: Option<&str>,
    build: &[String],
    output: Output,
) -> anyhow::Result<Vec<(String, OsString)>> {
    refuse_typos()?;
    let (toolchain, mut workspace) = load(place)?;
    if let Some(name) = profile {
        workspace.choose(name)?;
    }
    let typed = ExploreArgs::of_environment()?;
    let sysroot = prepare(&toolchain, &mut workspace, output)?;
    let chosen = Chosen::new(&typed.settings, &workspace);
    let setup = Setup::write(&workspace, &toolchain, &sysroot, &chosen, build)?;
    let this = env::current_exe().context("cannot find this executable")?;
    anyhow::ensure!(
        !lossy(this.as_os_str()).contains(char::is_whitespace),
        "`{}` has a space in its path, and cargo splits runners at spaces: install it elsewhere",
        this.display()
    );
    let mut runner = this.into_os_string();
    runner.push(" ");
    runner.push(RUNNER);
    let triple = toolchain.host.to_ascii_uppercase().replace('-', "_");
    let mut all = cargo(&toolchain, &sysroot, &workspace, &chosen, output).variables();
    let mut set = |name: &str, value: OsString| all.push((name.to_owned(), value));
    set("CARGO_TARGET_DIR", workspace.target.clone().into());
    set("CARGO_BUILD_TARGET", toolchain.host.clone().into());
    set(&format!("CARGO_TARGET_{triple}_RUNNER"), runner);
    set(ENV_SETUP, setup.into());
    set(OWN_TARGET, workspace.target.clone().into());
    Ok(all)
}

fn lossy(word: impl AsRef<OsStr>) -> String {
    word.as_ref().to_string_lossy().into_owned()
}
