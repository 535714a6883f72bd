//! `fixtures/verdicts`, explored once for all tests that look at what was found.

use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

/// Where copies are kept that tests share.
const KEPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/cli");

/// A test that is left out: it hangs, which takes its time.
pub(crate) const HANGS: &str = "in_a_loop_without_points";
/// More that are left out: they go on for long, and for ever.
pub(crate) const ALONE: &str = "alone";

/// The fixture, and what was told of it.
pub(crate) struct Explored {
    pub(crate) workspace: Workspace,
    pub(crate) events: Events,
}

/// All tests but these, with a small budget.
pub(crate) static EXPLORED: LazyLock<Explored> = LazyLock::new(|| {
    let workspace = Workspace::kept_of_fixture(KEPT, "verdicts");
    let clean = ["clean", "--failures", "--quiet"];
    Finished::of(workspace.cct().args(clean)).expect(0);
    let args = [
        "--iterations",
        "100",
        "--",
        "--skip",
        HANGS,
        "--skip",
        ALONE,
    ];
    let events = workspace.explore(&args, 100);
    Explored { workspace, events }
});

/// The source line of a site in the fixture; empty elsewhere.
pub(crate) fn line_at(site: &Value) -> String {
    let file = EXPLORED.workspace.path(text(&site["file"]));
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let line = site["line"].as_u64().unwrap_or_default();
    let index = usize::try_from(line).unwrap_or_default().wrapping_sub(1);
    source.lines().nth(index).unwrap_or_default().to_owned()
}

/// A JSON value as text; empty when it is none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
