//! The edits of the source layer in a file.

use std::io;

use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::json::Json;
use super::style::{BAD, GOOD, NOTE, STRONG, paint};
use super::words::put;
use crate::rewrite::{Edit, apply};

/// A unified diff of one file.
pub(crate) fn diff(name: &str, text: &str, edits: &[Edit]) -> String {
    let new = apply(text, edits);
    let diff = TextDiff::from_lines(text, &new);
    let mut out = String::new();
    put!(out, "{}\n", paint(STRONG, &format!("--- a/{name}")));
    put!(out, "{}\n", paint(STRONG, &format!("+++ b/{name}")));
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        put!(out, "{}\n", paint(NOTE, &hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches(['\n', '\r']);
            let line = match change.tag() {
                ChangeTag::Equal => format!(" {line}"),
                ChangeTag::Delete => {
                    paint(BAD.effects(anstyle::Effects::new()), &format!("-{line}"))
                }
                ChangeTag::Insert => {
                    paint(GOOD.effects(anstyle::Effects::new()), &format!("+{line}"))
                }
            };
            out.push_str(&line);
            out.push('\n');
            if change.missing_newline() {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The same for programs: one line a file.
pub(crate) fn json(package: &str, name: &str, text: &str, edits: &[Edit]) -> io::Result<()> {
    let edits: Vec<_> = edits
        .iter()
        .map(|edit| {
            let before = &text[..edit.range.start];
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            json!({
                "line": line,
                "column": before[start..].chars().count() + 1,
                "byte": edit.range.start,
                "old": &text[edit.range.clone()],
                "new": edit.text,
            })
        })
        .collect();
    let value = json!({ "package": package, "file": name, "edits": edits });
    Json::line("expanded", value)
}
