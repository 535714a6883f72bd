//! The lines about what a data race leads to.

use super::layout::Layout;
use crate::failure::LeadsTo;
use crate::report::commands::command;
use crate::report::style::{BAD, STRONG, paint};
use crate::report::words::{count, put};

/// The lines, indented.
pub(super) fn text(leads_to: &LeadsTo, layout: &Layout) -> String {
    let points: Vec<&str> = leads_to.points.iter().map(|point| short(point)).collect();
    let points = format!("with scheduling points at {}", points.join(" and "));
    let mut out = String::new();
    let Some(failure) = &leads_to.failure else {
        let schedules = count(leads_to.schedules, "schedule");
        let nothing = format!("no failure in {schedules} {points}");
        return format!("  {}  {nothing}\n", paint(STRONG, "leads to"));
    };
    let (label, how) = if leads_to.is_independent {
        (
            "beside it",
            "also without scheduling points there".to_owned(),
        )
    } else {
        ("leads to ", points)
    };
    put!(
        out,
        "  {} {} {how}: {}\n",
        paint(STRONG, label),
        paint(BAD, &failure.status),
        command("replay", &failure.id.to_string()),
    );
    let story = layout.wrapped(&layout.text(&failure.story));
    for line in failure.headline.lines().chain(story.lines()) {
        put!(out, "            {line}\n");
    }
    out
}

/// A line without the folders of its file.
fn short(point: &str) -> &str {
    point.rsplit('/').next().unwrap_or(point)
}
