//! The profile's part in what was typed, and typos in names that nobody else would notice.

use std::env;
use std::path::PathBuf;

use cct::wire;
use clap::CommandFactory as _;

use crate::build::profiles::has_build_profile;
use crate::build::workspace::{OWN_TARGET, Workspace};
use crate::build::{layer, wrapper};
use crate::cli::{Cli, TestArgs};
use crate::config::{Place, check_crates, check_variables};
use crate::report::warning_word;
use crate::run::SHARDS;

/// Variables for users that stand for no option.
const OTHERS: [&str; 2] = ["CCT_CACHE_DIR", SHARDS];

/// Variables by which processes of the tool speak with one another.
const OWN: [&str; 22] = [
    wire::ENV_MODE,
    wire::ENV_EVENTS,
    wire::ENV_ANSWERS,
    wire::ENV_PART,
    wire::ENV_BOARD,
    wire::ENV_SCHEDULE,
    wire::ENV_GUIDE,
    wire::ENV_STOPS,
    wire::ENV_OVERRIDES,
    wire::ENV_DEFAULTS,
    wire::ENV_ORIGINS,
    wrapper::ENV_SYSROOT,
    wrapper::ENV_CHAINED,
    wrapper::ENV_RUSTDOC,
    layer::ENV_SHADOW,
    wire::ENV_CODE,
    wire::ENV_LOOKS,
    wire::ENV_TSVD,
    wire::ENV_TSVD_PAIRS,
    super::nextest::ENV_SETUP,
    OWN_TARGET,
    wire::ENV_DEBUGGED,
];

/// Has the profile count that was asked for, and refuses names that mean nothing.
pub(super) fn profiled(args: &TestArgs, workspace: &mut Workspace) -> anyhow::Result<TestArgs> {
    refuse_typos()?;
    let mut args = args.clone();
    let typed = args.servers.cct_profile.clone();
    // Users of nextest type `--profile ci`, and cargo would only say that it has no such build profile.
    let is_ours = |name: &String| {
        typed.is_none()
            && workspace.file.has(name)
            && !has_build_profile(workspace, &args.cargo, name)
    };
    let meant = args.cargo.profile.clone().filter(is_ours);
    if meant.is_some() {
        args.cargo.profile = None;
    }
    if let Some(name) = typed.or(meant) {
        workspace.choose(&name)?;
    }
    args.fail_fast |= workspace.profile.fail_fast && !args.no_fail_fast;
    check_names(&args, workspace)?;
    Ok(args)
}

/// The variables that stand for options, of any verb.
fn for_users() -> Vec<String> {
    let command = Cli::command();
    let verbs = command.get_subcommands();
    let variables = verbs.flat_map(|verb| verb.get_arguments().filter_map(|arg| arg.get_env()));
    let variables = variables.map(|name| name.to_string_lossy().into_owned());
    let ours = variables.filter(|name| name.starts_with("CCT_"));
    ours.chain(OTHERS.map(str::to_owned)).collect()
}

/// Refuses variables that are much like one of ours, and tells of others.
pub(super) fn refuse_typos() -> anyhow::Result<()> {
    let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for name in check_variables(names, &for_users(), &OWN)? {
        let word = warning_word();
        crate::report::remark_line!("{word}: the variable `{name}` means nothing to cargo-cct");
    }
    Ok(())
}

/// Refuses names of crates that are not in the graph, and filters that fit nothing.
pub(super) fn check_names(args: &TestArgs, workspace: &Workspace) -> anyhow::Result<()> {
    let wrong = |error| anyhow::anyhow!("wrong `filter` in `{}`: {error}", crate::config::PATH);
    workspace.check_filters().map_err(wrong)?;
    let members = workspace.packages.values().map(|member| &member.config);
    let overrides = workspace.profile.overrides.iter();
    let files = members.chain(overrides.map(|it| &it.settings));
    let sources: Vec<_> = [&args.explore.settings].into_iter().chain(files).collect();
    let named = sources.iter().flat_map(|settings| {
        let atomic = settings
            .atomic
            .iter()
            .flatten()
            .map(|name| ("atomic", name.as_str()));
        let interleave = settings.interleave.iter().flatten();
        atomic.chain(interleave.map(|name| ("interleave", name.as_str())))
    });
    Ok(check_crates(&workspace.root, named)?)
}

/// Where the results go as JUnit XML, if anywhere.
pub(super) fn junit(args: &TestArgs, workspace: &Workspace) -> Option<PathBuf> {
    let configured = workspace.profile.junit.as_ref();
    let configured = configured.map(|place| match place {
        Place::Root(path) => workspace.root.join(path),
        Place::Target(path) => workspace.target.join(path),
    });
    args.servers.junit.clone().or(configured)
}
