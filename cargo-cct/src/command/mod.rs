//! The verbs, one file each, and what they have in common.

mod archive;
mod clean;
mod compare;
mod completions;
mod config;
mod debug;
mod expand;
mod interactive;
mod interfere;
mod keep;
mod keeper;
mod known;
mod ledger;
mod list;
mod man;
mod merge;
mod nextest;
mod picture;
mod profiled;
mod rebuilt;
mod replay;
mod show;
mod shrink;
mod stops;
mod test;
mod tested;
mod tsvd;

use std::cell::Cell;
use std::error::Error;
use std::io;
use std::path::Path;

use clap::Parser as _;

use crate::build::cache::{Cache, News};
use crate::build::cargo::{BuildError, Cargo};
use crate::build::chosen::Chosen;
use crate::build::later::Later;
use crate::build::leftovers;
use crate::build::sysroot::Sysroot;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::cli::{CargoArgs, Cli, ListArgs, Output, ReplayArgs, ShowArgs, ShrinkArgs, Verb};
use crate::exit::Exit;
use crate::failure::Store;
use crate::report;
use crate::room;
use crate::run::{is_unread_error, outlive_file_size_limit, stop, stopped_by};

/// Reads the command line and does what it says.
pub(crate) fn run() -> Exit {
    outlive_file_size_limit();
    // Cargo calls `cargo-cct cct …`; people and the alias call `cargo-cct …`.
    let mut words: Vec<_> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "cct") {
        words.remove(1);
    }
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed terminal is no reason for another exit code.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Setup
            } else {
                Exit::Success
            };
        }
    };
    let output = match &cli.verb {
        Verb::Test(args) => args.output,
        Verb::Tsvd(args) => args.output,
        Verb::Interfere(args) => args.output,
        Verb::Replay(args) => args.output,
        Verb::List(args) => args.output,
        Verb::Show(args) => args.output,
        Verb::Shrink(args) => args.output,
        Verb::Keep(args) => args.output,
        Verb::Expand(args) => args.output,
        Verb::Clean(args) => args.output,
        Verb::Config(args) => args.output,
        Verb::ShowEnv(args) => args.output,
        Verb::Nextest(_) | Verb::RunTest(_) | Verb::Completions(_) | Verb::Man(_) => {
            Output::default()
        }
        Verb::Archive(args) => args.output,
        Verb::Merge(args) => args.output,
    };
    report::choose_color(output.color);
    set_place(&cli.verb);
    let result = match cli.verb {
        Verb::Test(args) => test::run(&args),
        Verb::Tsvd(args) => tsvd::run(&args),
        Verb::Interfere(args) => interfere::run(&args),
        Verb::Replay(args) => replay::run(&args),
        Verb::List(args) => list::run(&args),
        Verb::Show(args) => show::run(&args),
        Verb::Shrink(args) => shrink::run(&args),
        Verb::Keep(args) => keep::run(&args),
        Verb::Expand(args) => expand::run(&args),
        Verb::Clean(args) => clean::run(&args),
        Verb::Config(args) => config::run(&args),
        Verb::Nextest(args) => nextest::run(&args),
        Verb::ShowEnv(args) => nextest::show_env(&args),
        Verb::RunTest(args) => nextest::run_test(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
        Verb::Archive(args) => archive::run(&args),
        Verb::Merge(args) => merge::run(&args),
    };
    result.unwrap_or_else(|error| fail(&error)).of_all()
}

/// Has reports tell the options that lead to the failures this command is about.
fn set_place(verb: &Verb) {
    let (manifest, target, archive, results) = match verb {
        Verb::Test(args) => {
            let results = test::results_of(&args.many);
            let cargo = &args.cargo;
            (
                &cargo.manifest_path,
                &cargo.target_dir,
                &args.many.archive,
                results,
            )
        }
        Verb::Replay(ReplayArgs {
            place, unpacked, ..
        })
        | Verb::Show(ShowArgs {
            place, unpacked, ..
        })
        | Verb::List(ListArgs {
            place, unpacked, ..
        })
        | Verb::Shrink(ShrinkArgs {
            place, unpacked, ..
        }) => {
            let results = unpacked.results.clone();
            (
                &place.manifest_path,
                &place.target_dir,
                &unpacked.archive,
                results,
            )
        }
        _ => return,
    };
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let options = [
        ("--manifest-path", manifest.clone()),
        ("--target-dir", target.clone()),
        ("--archive", archive.as_deref().map(path)),
        ("--results", results.as_deref().map(path)),
    ];
    let given = options
        .iter()
        .filter_map(|(option, value)| Some((*option, value.as_deref()?)));
    report::set_place(given);
}

/// Says what went wrong, and why.
fn fail(error: &anyhow::Error) -> Exit {
    if is_interruption(error) {
        report::remark_line!("{}", report::interrupted(stopped_by()));
        return Exit::Interrupted;
    }
    if let Some(BuildError::Failed) = error.downcast_ref() {
        // Cargo has said why, if anybody listens.
        return if is_unread_error() {
            Exit::Interrupted
        } else {
            Exit::BuildFailed
        };
    }
    explain(error.as_ref());
    match error.downcast_ref() {
        Some(BuildError::Killed(_)) => Exit::BuildFailed,
        _ => Exit::Setup,
    }
}

/// True for work that was not done since the user wants the tool to end: also the build that a terminal's
/// ctrl-C has ended.
fn is_interruption(error: &anyhow::Error) -> bool {
    let is_one = |error: &(dyn Error + 'static)| {
        let of_cargo = match error
            .downcast_ref::<Box<cargo_metadata::Error>>()
            .map(AsRef::as_ref)
        {
            Some(cargo_metadata::Error::Io(error)) => Some(error),
            _ => None,
        };
        let error = of_cargo.or_else(|| error.downcast_ref::<io::Error>());
        error.is_some_and(|error| error.kind() == io::ErrorKind::Interrupted)
    };
    let is_build = matches!(
        error.downcast_ref(),
        Some(BuildError::Failed | BuildError::Killed(_))
    );
    stop::is_interrupted() && (is_build || error.chain().any(is_one))
}

/// Says why a failure that was found cannot be kept. It counts more than that, unless there is no room, or no
/// permission.
fn lose(error: &(dyn Error + 'static)) {
    explain(error);
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref().is_some_and(room::is_lack) {
            Exit::note_shortage();
        }
        cause = error.source();
    }
}

/// Says what went wrong, and that the command goes on without it.
fn fall_short(error: &(dyn Error + 'static)) {
    explain(error);
    Exit::note_shortage();
}

fn explain(error: &(dyn Error + 'static)) {
    report::remark_line!("{}: {error}", report::error_word());
    let mut advice = error.downcast_ref().and_then(room::advice);
    let mut cause = error.source();
    while let Some(error) = cause {
        report::remark_line!("  caused by: {error}");
        advice = advice.or_else(|| error.downcast_ref().and_then(room::advice));
        cause = error.source();
    }
    if let Some(advice) = advice {
        report::remark_line!("  {advice}");
    }
}

/// The toolchain and the workspace that a command is about.
fn load(cargo: &CargoArgs) -> anyhow::Result<(Toolchain, Workspace)> {
    let toolchain = Toolchain::find()?;
    if let Some(target) = cargo
        .target
        .as_ref()
        .filter(|target| **target != toolchain.host)
    {
        anyhow::bail!(
            "`--target {target}` cannot be tested here: tests run on this machine, `{}`",
            toolchain.host
        );
    }
    let workspace = Workspace::load(&toolchain, cargo)?;
    Ok((toolchain, workspace))
}

/// The sysroot, and the folder for what we build; a first build takes a moment and is announced.
fn prepare(
    toolchain: &Toolchain,
    workspace: &mut Workspace,
    output: Output,
) -> anyhow::Result<Sysroot> {
    let say = |text: String| {
        if !output.quiet {
            crate::report::remark_line!("{text}");
        }
    };
    workspace.use_target(&|target| say(report::waiting(0, target)))?;
    leftovers::sweep(&workspace.target);
    Store::new(workspace.failures()).sweep();
    let cache = Cache::find()?;
    let is_new = Cell::new(false);
    let tell = |news: News<'_>| {
        is_new.set(is_new.get() || matches!(news, News::Makes | News::Mends(_)));
        say(report::news_of_cache(news, &cache, toolchain.release()));
    };
    let sysroot = Sysroot::ensure(toolchain, &cache, &tell)?;
    if is_new.get() {
        for line in report::crates::later(&Later::of(&sysroot.lib), toolchain.release()) {
            crate::report::remark_line!("{}: {line}", report::warning_word());
        }
    }
    Ok(sysroot)
}

/// Cargo, set up for this workspace.
fn cargo<'a>(
    toolchain: &'a Toolchain,
    sysroot: &'a Sysroot,
    workspace: &'a Workspace,
    chosen: &'a Chosen,
    output: Output,
) -> Cargo<'a> {
    Cargo {
        toolchain,
        sysroot,
        workspace,
        chosen,
        output,
    }
}

/// A path from a folder, or as it is when it is elsewhere.
fn relative(path: &std::path::Path, folder: &std::path::Path) -> String {
    path.strip_prefix(folder)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}
