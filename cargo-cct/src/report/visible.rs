//! Text of the program under test, as it can be shown.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text without styles, with an escape such as `\u{8}` for each character that moves the cursor, or
/// turns the direction of the text behind it; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| matches!(letter, '\n' | '\t'))
}

/// The same for what must stay on a line.
pub(crate) fn visible_on_a_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_plain = |letter: char| stays(letter) || !(letter.is_control() || turns(letter));
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let text = if text.contains('\u{1b}') {
        Cow::Owned(anstream::adapter::strip_str(text).to_string())
    } else {
        Cow::Borrowed(text)
    };
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_plain(letter) {
            out.push(letter);
        } else {
            write!(out, "{}", letter.escape_default()).expect("a string takes all");
        }
    }
    Cow::Owned(out)
}

/// Marks of the bidirectional algorithm (Unicode Standard Annex 9), and separators of lines.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(visible("a\tb\nc"), "a\tb\nc");
        assert_eq!(visible("\u{1b}[31mred\u{1b}[0m\u{202e}"), "red\\u{202e}");
        assert_eq!(visible("red\r\u{8}"), "red\\r\\u{8}");
        assert_eq!(
            visible_on_a_line("two\nlines \u{202e}desrever"),
            "two\\nlines \\u{202e}desrever"
        );
        assert_eq!(visible_on_a_line("größer → 7 🦀"), "größer → 7 🦀");
    }
}
