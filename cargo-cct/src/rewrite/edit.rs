//! One span of a file and what takes its place.

use std::ops::Range;

/// One change.
///
/// Neither side has a line break, so that each line of the result is the same line of the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    /// The bytes that go; empty for an insertion.
    pub range: Range<usize>,
    /// The text that takes its place.
    pub text: String,
}

impl Edit {
    /// Puts `text` before the byte `at`.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Edit {
        Edit::replace(at..at, text)
    }

    /// Puts `text` in place of `range`.
    pub(crate) fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit {
            range,
            text: text.into(),
        }
    }

    /// Tells whether the edit may be made in `text`.
    fn fits(&self, text: &str) -> bool {
        let gone = text.get(self.range.clone());
        gone.is_some_and(|gone| !gone.contains('\n')) && !self.text.contains('\n')
    }
}

/// Sorts edits by place; those at one place stay in the order of their passes.
///
/// An edit that does not fit, or overlaps the one before, is a mistake of its pass: code that is not
/// rewritten loses points, code that is rewritten wrongly loses its meaning.
pub(super) fn in_order(text: &str, mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut end = 0;
    edits.retain(|edit| {
        let sound = edit.fits(text) && edit.range.start >= end;
        debug_assert!(sound, "an edit that breaks lines or overlaps: {edit:?}");
        if sound {
            end = edit.range.end;
        }
        sound
    });
    edits
}

/// Makes edits that are in order.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + edits.len() * 32);
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, edits: Vec<Edit>) -> String {
        apply(text, &in_order(text, edits))
    }

    #[test]
    fn edits_are_made_from_left_to_right() {
        let edits = vec![
            Edit::insert(3, ")"),
            Edit::insert(0, "("),
            Edit::replace(1..2, "é"),
        ];
        assert_eq!(made("abc", edits), "(aéc)");
    }

    #[test]
    fn insertions_at_one_place_stay_in_order_and_come_before_what_is_replaced_there() {
        let edits = vec![
            Edit::replace(1..2, "B"),
            Edit::insert(1, "1"),
            Edit::insert(1, "2"),
        ];
        assert_eq!(made("abc", edits), "a12Bc");
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic = "breaks lines or overlaps")]
    fn of_edits_that_overlap_the_first_counts() {
        let edits = vec![Edit::replace(0..2, "x"), Edit::replace(1..3, "y")];
        assert_eq!(made("abc", edits), "xc");
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic = "breaks lines or overlaps")]
    fn a_line_break_is_never_lost() {
        assert_eq!(made("a\nb", vec![Edit::replace(0..3, "ab")]), "a\nb");
    }
}
