//! `cargo cct show`: a failure's report again, without running anything; or its picture.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use cct::origin;

use super::{picture, relative, tested};
use crate::build::workspace::Workspace;
use crate::cli::ShowArgs;
use crate::exit::Exit;
use crate::failure::{Record, Store};
use crate::report::{
    Detail, Json, Layout, Report, Stacks, chrome_trace, log, opened, say, say_plainly,
};

/// Does it.
pub(super) fn run(args: &ShowArgs) -> anyhow::Result<Exit> {
    let workspace = tested::workspace(&args.place.cargo_args(), &args.unpacked)?;
    let store = Store::new(workspace.failures());
    let file = store.find(&args.failure)?;
    let record = store.read(&args.failure)?;
    origin::install(record.provenance.origins.clone());
    let report = Report::of(&record, &workspace.root).with_stacks(Stacks::of_environment());
    let folder = file.parent().unwrap_or(Path::new("."));
    if args.open {
        open(&store, folder, &record, &report, &workspace)?;
    } else if let Some(path) = &args.perfetto {
        export(path, &record, &report)?;
    } else if args.log {
        let lines = record.trace.as_ref().and_then(log);
        say(lines.with_context(|| format!("`{}` has no actors", record.id))?)?;
    } else if args.output.json {
        Json::line("report", report.json())?;
    } else {
        let detail = if args.full {
            Detail::Full
        } else {
            Detail::Around
        };
        let path = picture::in_folder(folder);
        let path = path.map(|path| relative(&path, &workspace.folder));
        let report = report.with_picture(path);
        say(report.text(&Layout::of_terminal(), detail))?;
    }
    Ok(Exit::Success)
}

/// Opens the picture; one is made if the failure has none, as before there were pictures.
fn open(
    store: &Store,
    folder: &Path,
    record: &Record,
    report: &Report,
    workspace: &Workspace,
) -> anyhow::Result<()> {
    let path = match picture::in_folder(folder) {
        Some(path) => Some(path),
        None => picture::write(store, folder, record, report, &workspace.root)
            .with_context(|| format!("cannot write to `{}`", folder.display()))?,
    };
    let path = path.with_context(|| without_steps(record))?;
    let (is_open, shown) = (picture::open(&path), relative(&path, &workspace.folder));
    say(opened(is_open, picture::OPENER, &shown))?;
    Ok(())
}

/// Writes the trace for other viewers.
fn export(path: &Path, record: &Record, report: &Report) -> anyhow::Result<()> {
    let trace = chrome_trace(report).with_context(|| without_steps(record))?;
    if path == Path::new("-") {
        say_plainly(trace)?;
        return Ok(());
    }
    fs::write(path, trace.to_string()).with_context(|| format!("cannot write `{}`", path.display()))
}

fn without_steps(record: &Record) -> String {
    format!(
        "the steps of `{}` are not known: no process lived to tell them",
        record.id
    )
}
