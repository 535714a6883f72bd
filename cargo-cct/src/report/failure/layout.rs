//! How much room a report has.

use crate::report::style;

/// The room and the alphabet that a report is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Columns of text.
    pub width: usize,
    /// More than ASCII may be used.
    pub unicode: bool,
}

/// Lines of prose are at most so wide.
const WIDEST_TEXT: usize = 100;

/// How much of the trace is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Detail {
    /// The steps around the failure; steps in other people's crates are folded.
    Around,
    /// Every step.
    Full,
}

impl Layout {
    /// For files, and for whatever is no terminal.
    pub(crate) const FILE: Layout = Layout {
        width: 120,
        unicode: true,
    };

    /// For standard output.
    pub(crate) fn of_terminal() -> Layout {
        let width = terminal_size::terminal_size_of(std::io::stdout());
        let width = width.map_or(Layout::FILE.width, |(width, _)| usize::from(width.0));
        Layout {
            width: width.clamp(60, 160),
            unicode: style::is_unicode(),
        }
    }

    /// One of two spellings.
    pub(crate) fn pick<'a>(&self, unicode: &'a str, ascii: &'a str) -> &'a str {
        if self.unicode { unicode } else { ascii }
    }

    /// A paragraph, in lines that are easy to read.
    pub(super) fn wrapped(&self, text: &str) -> String {
        let width = self.width.min(WIDEST_TEXT);
        let (mut out, mut used) = (String::new(), 0);
        for word in text.split_whitespace() {
            let length = word.chars().count();
            if used > 0 && used + 1 + length > width {
                out.push('\n');
                used = 0;
            } else if used > 0 {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += length;
        }
        if used > 0 {
            out.push('\n');
        }
        out
    }

    /// A text as it can be shown.
    pub(super) fn text(&self, text: &str) -> String {
        if self.unicode {
            return text.to_owned();
        }
        let replaced = [
            ("→", "->"),
            ("←", "<-"),
            ("›", ">"),
            ("…", "..."),
            ("✗", "x"),
            ("◀", "<"),
            ("×", "x"),
            ("⋮", ":"),
        ];
        replaced
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_fit_narrow_terminals_and_ascii() {
        let layout = Layout {
            width: 60,
            unicode: false,
        };
        let told = "w3 came to `ask(…).await` at lib.rs:27 (step 19), and w1 wrote 7 at lib.rs:48 (step 6).";
        assert_eq!(
            layout.wrapped(&layout.text(told)),
            "w3 came to `ask(...).await` at lib.rs:27 (step 19), and w1\n\
             wrote 7 at lib.rs:48 (step 6).\n"
        );
        assert_eq!(layout.wrapped(""), "");
    }
}
