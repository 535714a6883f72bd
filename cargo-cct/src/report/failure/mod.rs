//! The report of one failure: what happened, step by step, and how to see it again.

mod layout;

use std::path::Path;

use serde_json::{Value, json};

pub(crate) use layout::{Detail, Layout};

use super::status::kind_label;
use super::style::{BAD, STRONG, paint};
use crate::failure::Record;

/// A failure with everything looked up that its report shows.
#[derive(Debug)]
pub(crate) struct Report {
    record: Record,
}

impl Report {
    /// Looks up what the report needs; `root` is the workspace that the sites' paths start from.
    pub(crate) fn of(record: &Record, _root: &Path) -> Report {
        Report { record: record.clone() }
    }

    /// The report for people.
    pub(crate) fn text(&self, layout: &Layout, _detail: Detail) -> String {
        let record = &self.record;
        let label = kind_label(record.bug.kind);
        let rule = layout.pick("─", "-").repeat(3);
        format!(
            "{rule} {} {} {rule} {} {rule}\n{}\n\n  replay    cargo cct replay {}\n",
            paint(BAD, label),
            paint(STRONG, &record.name.to_string()),
            paint(STRONG, &record.id.to_string()),
            record.bug.message,
            record.id,
        )
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        json!({ "id": self.record.id, "bug": self.record.bug })
    }
}
