//! `cargo cct show`: a failure's report again, without running anything.

use cct::origin;

use super::load;
use crate::cli::ShowArgs;
use crate::exit::Exit;
use crate::failure::Store;
use crate::report::{Detail, Json, Layout, Report};

/// Does it.
pub(super) fn run(args: &ShowArgs) -> anyhow::Result<Exit> {
    let (_, workspace) = load(&args.place.cargo_args())?;
    let record = Store::new(workspace.failures()).read(&args.failure)?;
    origin::install(record.provenance.origins.clone());
    let report = Report::of(&record, &workspace.root);
    if args.output.json {
        Json::line("report", report.json())?;
    } else {
        let detail = if args.full {
            Detail::Full
        } else {
            Detail::Around
        };
        anstream::print!("{}", report.text(&Layout::of_terminal(), detail));
    }
    Ok(Exit::Success)
}
