//! Columns as the compiler tells them in the places of panics and calls: a tab is as wide as four characters,
//! a wide character as two, and one that only changes the one before it has no width (rustc's `char_width`).
//!
//! Debug information has columns of its own, in bytes.

use unicode_width::UnicodeWidthChar as _;

const TAB: usize = 4;

/// The width of a text.
pub(crate) fn width(text: &str) -> usize {
    let width = |c: char| match c {
        '\t' => TAB,
        _ => c.width().unwrap_or(1),
    };
    text.chars().map(width).sum()
}

/// The column, from 1, of what begins at this byte of a line.
pub(crate) fn of(line: &str, at: usize) -> u32 {
    u32::try_from(width(&line[..at]) + 1).unwrap_or(u32::MAX)
}

/// The byte of a line at which the character of a column begins, or the line's end; none if there is none.
pub(crate) fn at(line: &str, column: u32) -> Option<usize> {
    let wanted = usize::try_from(column).ok()?.checked_sub(1)?;
    let begins = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    let mut begins = begins.skip_while(|&at| width(&line[..at]) < wanted);
    begins.next().filter(|&at| width(&line[..at]) == wanted)
}

/// The column of a place that is told in bytes, from 1. The line may have been longer when it was compiled:
/// what was put in has the same width in both.
pub(crate) fn of_bytes(line: &str, column: u32) -> u32 {
    let bytes = usize::try_from(column)
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    let end = (0..=bytes.min(line.len()))
        .rev()
        .find(|&end| line.is_char_boundary(end));
    let before = &line[..end.unwrap_or(0)];
    let told = bytes + 1 + width(before) - before.len().min(bytes + 1);
    u32::try_from(told).unwrap_or(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_wide_characters_count_as_the_compiler_has_them() {
        let line = "\t値.lock(é)";
        for (column, at, rest) in [
            (1, 0, "\t値"),
            (5, 1, "値."),
            (7, 4, ".lock"),
            (8, 5, "lock"),
        ] {
            assert_eq!(super::at(line, column), Some(at));
            assert!(line[at..].starts_with(rest));
            assert_eq!(of(line, at), column);
        }
        assert_eq!(super::at(line, 6), None, "it is within a character");
        assert_eq!(super::at(line, 99), None);
        assert_eq!(of_bytes(line, 6), 8);
        assert_eq!(of_bytes("    lock", 5), 5);
        // A marker of the source layer stands before the call.
        assert_eq!(of_bytes("\tlock", 30), 33);
    }
}
