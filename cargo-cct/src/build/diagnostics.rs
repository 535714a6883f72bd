//! The compiler's messages about a crate whose text was changed: users see those about the text as written.

use std::collections::HashMap;
use std::fs;

use serde_json::Value;

use super::rustc_args;

/// True if a message quotes a line that the file of that name does not have there.
pub(super) fn quotes_other_text(said: &[u8]) -> bool {
    let mut files = HashMap::new();
    messages(said).any(|(_, message)| quotes_other(&message, &mut files))
}

/// The messages of one call about files that it has made, and those of another one about the source.
pub(super) fn joined(made: &[u8], told: &[u8]) -> Vec<u8> {
    let of_files = messages(made).filter(|(_, message)| is_of_file(message));
    let of_source = messages(told).filter(|(_, message)| !is_of_file(message));
    let lines = of_files
        .chain(of_source)
        .map(|(line, _)| [line, b"\n"].concat());
    lines.collect::<Vec<_>>().concat()
}

/// All but what the lints say that [take](rustc_args::OURS) ours for the user's.
pub(super) fn without_ours(said: &[u8]) -> Vec<u8> {
    let is_ours = |line: &[u8]| {
        let message: Option<Value> = serde_json::from_slice(line).ok();
        let lint = message
            .as_ref()
            .and_then(|message| message["code"]["code"].as_str());
        lint.is_some_and(|lint| rustc_args::OURS.contains(&lint))
    };
    let lines = said.split_inclusive(|&byte| byte == b'\n');
    lines
        .filter(|line| !is_ours(line))
        .collect::<Vec<_>>()
        .concat()
}

/// The lines that are messages for cargo.
fn messages(said: &[u8]) -> impl Iterator<Item = (&[u8], Value)> {
    let lines = said.split(|&byte| byte == b'\n');
    lines.filter_map(|line| Some((line, serde_json::from_slice(line).ok()?)))
}

/// True for news of a file that is written, which cargo waits for.
fn is_of_file(message: &Value) -> bool {
    message["$message_type"] == "artifact"
}

/// The lines of the files that were named, or none.
type Files = HashMap<String, Option<Vec<String>>>;

fn quotes_other(message: &Value, files: &mut Files) -> bool {
    let all = |key: &str| message[key].as_array().into_iter().flatten();
    all("spans").any(|span| is_of_other_text(span, files))
        || all("children").any(|child| quotes_other(child, files))
}

fn is_of_other_text(span: &Value, files: &mut Files) -> bool {
    let (Some(name), Some(first)) = (span["file_name"].as_str(), span["line_start"].as_u64())
    else {
        return false;
    };
    let lines = files.entry(name.to_owned()).or_insert_with(|| {
        let text = fs::read_to_string(name).ok()?;
        Some(text.lines().map(str::to_owned).collect())
    });
    let Some(lines) = lines else {
        return false;
    };
    let quoted = span["text"].as_array().into_iter().flatten();
    let is_other = |(line, quoted): (u64, &Value)| {
        let written = usize::try_from(line)
            .ok()
            .and_then(|line| lines.get(line - 1));
        quoted["text"].as_str() != written.map(String::as_str)
    };
    (first..).zip(quoted).any(is_other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(file: &str, line: u32, text: &str) -> Vec<u8> {
        let span = json!({"file_name": file, "line_start": line, "text": [{"text": text}]});
        let message = json!({
            "$message_type": "diagnostic", "spans": [], "children": [{"spans": [span], "children": []}],
        });
        format!("{message}\n").into_bytes()
    }

    #[test]
    fn a_line_is_compared_with_that_of_its_file() {
        let file = std::env::temp_dir().join(format!("cct-diagnostics.{}", std::process::id()));
        fs::write(&file, "one\ntwo").expect("a file");
        let name = file.to_str().expect("a text");
        assert!(!quotes_other_text(&said(name, 2, "two")));
        assert!(quotes_other_text(&said(name, 2, "two; ours();")));
        assert!(quotes_other_text(&said(name, 3, "three")));
        // A file of the compiler's, which need not be here.
        assert!(!quotes_other_text(&said(
            "/rustc/0123/library/core/src/option.rs",
            1,
            "x"
        )));
        assert!(!quotes_other_text(b"error: no JSON\n"));
        fs::remove_file(&file).expect("removable");
    }

    #[test]
    fn lints_that_take_ours_for_the_users_are_silent() {
        let message = |lint: &str| format!("{}\n", json!({"code": {"code": lint}}));
        let said = format!(
            "no message\n{}{}{}the rest",
            message("unused_crate_dependencies"),
            message("unused_variables"),
            message("unused_unsafe")
        );
        let expected = format!("no message\n{}the rest", message("unused_variables"));
        assert_eq!(without_ours(said.as_bytes()), expected.as_bytes());
    }

    #[test]
    fn files_are_those_of_one_call_and_warnings_those_of_another() {
        let artifact = b"{\"$message_type\":\"artifact\",\"artifact\":\"/lib.rmeta\"}\n";
        let made = [&artifact[..], &said("a.rs", 1, "changed")].concat();
        let told = [&said("a.rs", 1, "written")[..], artifact].concat();
        let expected = [&artifact[..], &said("a.rs", 1, "written")].concat();
        assert_eq!(joined(&made, &told), expected);
    }
}
