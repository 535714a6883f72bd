//! Words of a run that are not about the outcome of its tests, and who hears the rest.

use anyhow::Context as _;

use super::name_of;
use crate::build::cargo::Executable;
use crate::build::workspace::Workspace;
use crate::cli::{HarnessArgs, TestArgs};
use crate::command::profiled::junit;
use crate::command::tested::Tested;
use crate::exit::Exit;
use crate::report::{GitHub, Human, JUnit, Json, Many, Reporter, crates, say};
use crate::run::Plan;

/// All who are told of the run.
pub(super) fn reporter(
    args: &TestArgs,
    harness: &HarnessArgs,
    workspace: &Workspace,
    plan: &Plan,
    executables: &[Executable],
) -> anyhow::Result<Many> {
    let mut all: Vec<Box<dyn Reporter>> = vec![if args.output.json {
        Box::new(Json)
    } else {
        Box::new(Human::new(args.output.verbose > 0, harness.show_output))
    }];
    if let Some(path) = &junit(args, workspace) {
        let tests = plan.jobs.iter().map(|job| name_of(job, executables));
        let junit = JUnit::new(path, tests);
        all.push(Box::new(
            junit.with_context(|| format!("cannot write `{}`", path.display()))?,
        ));
    }
    let var = |name: &str| std::env::var(name).ok();
    let asked = args.servers.annotations;
    let annotations = asked.unwrap_or(workspace.profile.annotations);
    if annotations.is_for_github(var) {
        all.push(Box::new(GitHub::new(&workspace.root, var)));
    }
    Ok(Many(all))
}

/// With `--no-run`, programs may want to know what was built.
pub(super) fn executables(args: &TestArgs, executables: &[Executable]) -> anyhow::Result<Exit> {
    if args.output.json {
        Json::executables(executables)?;
    }
    Ok(Exit::Success)
}

/// Tells how crates were built: what is out of sight, and with `-v` all.
pub(super) fn crates_of(args: &TestArgs, tested: &Tested) -> anyhow::Result<()> {
    let (workspace, built) = (&tested.workspace, &tested.built);
    for line in crates::warnings(&built.crates, &tested.chosen) {
        crate::report::remark_line!("{}: {line}", crate::report::warning_word());
    }
    if args.output.verbose == 0 {
        return Ok(());
    }
    let settings = args.explore.settings.clone();
    let settings = settings.over(workspace.config.clone());
    if args.output.json {
        for built in &built.crates {
            Json::line("crate", crates::json(built, &settings))?;
        }
    } else {
        crate::report::remark!("{}", crates::table(&built.crates));
        let grains = crates::grains(&built.crates, &settings);
        crate::report::remark!("{grains}{}", crates::seen(&built.crates));
    }
    Ok(())
}

/// Lists the tests.
pub(super) fn tests(plan: &Plan, executables: &[Executable]) -> anyhow::Result<()> {
    for job in &plan.jobs {
        say(format_args!("{}\n", name_of(job, executables)))?;
    }
    Ok(())
}
