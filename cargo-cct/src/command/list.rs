//! `cargo cct list`: the failures that were found, latest first; a line for each bug.

use serde_json::json;

use super::tested::workspace;
use crate::cli::ListArgs;
use crate::exit::Exit;
use crate::failure::Store;
use crate::report::{Json, Report, list_line, say, seen_json};

/// Does it.
pub(super) fn run(args: &ListArgs) -> anyhow::Result<Exit> {
    let workspace = workspace(&args.place.cargo_args(), &args.unpacked)?;
    let (records, errors) = Store::new(workspace.failures()).all()?;
    let is_empty = records.is_empty() && errors.is_empty();
    for record in &records {
        if args.output.json {
            let report = Report::of(record, &workspace.root).json();
            let pick = |key: &str| report[key].clone();
            Json::line(
                "failure",
                json!({
                    "id": record.id,
                    "status": pick("status"),
                    "binary": record.name.binary,
                    "test": record.name.test,
                    "message": record.bug.as_ref().map(|bug| &bug.message),
                    "repeats": record.repeats,
                    "found_at": record.provenance.found_at,
                    "seen": seen_json(&record.history),
                }),
            )?;
        } else {
            say(format_args!("{}\n", list_line(record)))?;
        }
    }
    for error in errors {
        let error = anyhow::Error::from(error);
        crate::report::remark_line!("{}: {error:#}", crate::report::warning_word());
    }
    if is_empty && !args.output.json {
        crate::report::remark_line!("no failure in `{}`", workspace.failures().display());
    }
    Ok(Exit::Success)
}
