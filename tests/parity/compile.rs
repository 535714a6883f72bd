//! Checks generated source with rustc and tells which lines failed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

use crate::parity::source::Source;

/// A way to call rustc: as it is, or with the facades in std's place.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// Names the folder that this world's files go to.
    pub(crate) world: &'static str,
    /// Arguments that every call gets.
    pub(crate) args: Vec<OsString>,
}

/// An error as rustc reports it.
#[derive(Debug, Deserialize)]
struct Diagnostic {
    message: String,
    level: String,
    #[serde(default)]
    spans: Vec<Span>,
    rendered: Option<String>,
}

/// The lines that an error points to, counted from one.
#[derive(Debug, Deserialize)]
struct Span {
    file_name: PathBuf,
    line_start: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

/// The macro call that a span stands in.
#[derive(Debug, Deserialize)]
struct Expansion {
    span: Span,
}

impl Compiler {
    /// Checks a file until what is left of it compiles, and returns what had to be taken out, as
    /// name and reason.
    pub(crate) fn missing(&self, name: &str, source: &Source) -> Vec<String> {
        let mut missing = BTreeMap::new();
        loop {
            let (path, errors) = self.check(name, "2024", &source.text(&missing));
            let before = missing.len();
            for error in &errors {
                for line in error.lines(&path) {
                    missing
                        .entry(line - 1)
                        .or_insert_with(|| error.message.clone());
                }
            }
            if errors.is_empty() {
                let name = |index: usize| &source.lines[index].1;
                return missing
                    .iter()
                    .map(|(&index, reason)| format!("{}: {reason}", name(index)))
                    .collect();
            }
            assert!(
                missing.len() > before,
                "errors outside of all items: {}",
                render(&errors)
            );
        }
    }

    /// Checks a whole file and returns the errors as rustc shows them.
    pub(crate) fn errors(&self, name: &str, edition: &str, text: &str) -> String {
        render(&self.check(name, edition, text).1)
    }

    /// Runs rustc up to the end of its checks.
    fn check(&self, name: &str, edition: &str, text: &str) -> (PathBuf, Vec<Diagnostic>) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join("parity")
            .join(self.world);
        fs::create_dir_all(&folder).expect("the target folder is writable");
        let path = folder.join(format!("{name}_{edition}.rs"));
        fs::write(&path, text).expect("the target folder is writable");
        let output = Command::new("rustc")
            .args([
                "--edition",
                edition,
                "--test",
                "--emit",
                "metadata",
                "--error-format",
                "json",
            ])
            .arg("--out-dir")
            .arg(&folder)
            .args(&self.args)
            .arg(&path)
            .output()
            .expect("rustc is on the path");
        let messages = String::from_utf8_lossy(&output.stderr);
        let errors: Vec<Diagnostic> = messages
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|message: &Diagnostic| message.level == "error")
            .filter(|message| !message.message.starts_with("aborting due to"))
            .collect();
        assert!(
            output.status.success() || !errors.is_empty(),
            "rustc says: {messages}"
        );
        (path, errors)
    }
}

impl Diagnostic {
    /// Returns the lines of `path` that the error is about: those of its primary spans if they are
    /// there, else any.
    fn lines(&self, path: &PathBuf) -> Vec<usize> {
        let lines = |primary: bool| -> Vec<usize> {
            let spans = self.spans.iter().filter(|span| span.is_primary || !primary);
            spans.filter_map(|span| span.line_in(path)).collect()
        };
        let primary = lines(true);
        if primary.is_empty() {
            lines(false)
        } else {
            primary
        }
    }
}

impl Span {
    /// Returns the line in a file that the span, or the macro call around it, starts on.
    fn line_in(&self, path: &PathBuf) -> Option<usize> {
        if self.file_name == *path {
            return Some(self.line_start);
        }
        self.expansion
            .as_ref()
            .and_then(|expansion| expansion.span.line_in(path))
    }
}

/// Joins errors as rustc shows them.
fn render(errors: &[Diagnostic]) -> String {
    errors
        .iter()
        .filter_map(|error| error.rendered.as_deref())
        .collect()
}
