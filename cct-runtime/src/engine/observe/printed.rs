//! The texts that workers print, each with its place among the steps.

use std::collections::VecDeque;

use crate::strategy::WorkerId;
use crate::trace::Print;

/// So many bytes are kept, the last ones.
const KEPT: usize = 1 << 18;
/// So many lines are, also if they are short.
const MOST: usize = 1 << 14;
/// So many of one line; what follows is left out.
const LONGEST: usize = 1 << 12;

/// The texts of an iteration, in order.
#[derive(Debug, Default)]
pub(super) struct Prints {
    texts: VecDeque<Text>,
    bytes: usize,
}

/// A line, or a part of one.
#[derive(Debug)]
struct Text {
    worker: WorkerId,
    after: u32,
    is_error: bool,
    bytes: Vec<u8>,
    is_whole: bool,
}

impl Prints {
    /// The worker prints this, when there were so many steps. Lines are told apart, and so are the
    /// parts of a line between which there were steps.
    pub(super) fn add(&mut self, worker: WorkerId, after: u32, is_error: bool, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let text = self.part_of(worker, after, is_error);
            text.is_whole = piece.ends_with(b"\n");
            let room = LONGEST.saturating_sub(text.bytes.len());
            let piece = piece.strip_suffix(b"\n").unwrap_or(piece);
            let piece = &piece[..piece.len().min(room)];
            text.bytes.extend_from_slice(piece);
            self.bytes += piece.len();
        }
        while (self.bytes > KEPT || self.texts.len() > MOST)
            && let Some(first) = self.texts.pop_front()
        {
            self.bytes -= first.bytes.len();
        }
    }

    /// The part of a line that the worker is about to print, or a new one.
    fn part_of(&mut self, worker: WorkerId, after: u32, is_error: bool) -> &mut Text {
        let key = (worker, after, is_error);
        let is_it = |text: &Text| (text.worker, text.after, text.is_error) == key && !text.is_whole;
        if !self.texts.back().is_some_and(is_it) {
            self.texts.push_back(Text {
                worker,
                after,
                is_error,
                bytes: Vec::new(),
                is_whole: false,
            });
        }
        self.texts.back_mut().expect("there is one")
    }

    /// The texts, as text.
    pub(super) fn into_texts(self) -> Vec<Print> {
        let texts = self.texts.into_iter().map(|text| Print {
            worker: text.worker.0,
            after: text.after,
            is_error: text.is_error,
            text: String::from_utf8_lossy(&text.bytes).into_owned(),
            ends_line: text.is_whole,
        });
        texts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(prints: Prints) -> Vec<(u32, u32, String)> {
        let texts = prints.into_texts().into_iter();
        texts
            .map(|print| (print.worker, print.after, print.text))
            .collect()
    }

    #[test]
    fn the_parts_of_a_line_between_steps_are_apart() {
        let mut prints = Prints::default();
        prints.add(WorkerId(1), 3, false, b"ha");
        prints.add(WorkerId(1), 3, false, b"lf ");
        prints.add(WorkerId(2), 4, false, b"one\ntwo\n");
        prints.add(WorkerId(1), 5, true, b"error\n");
        prints.add(WorkerId(1), 6, false, b"line\n\n");
        let expected = [
            (1, 3, "half "),
            (2, 4, "one"),
            (2, 4, "two"),
            (1, 5, "error"),
            (1, 6, "line"),
            (1, 6, ""),
        ];
        let expected = expected.map(|(worker, after, text)| (worker, after, text.to_owned()));
        assert_eq!(told(prints), expected);
    }

    #[test]
    fn of_too_many_the_last_are_kept() {
        let mut prints = Prints::default();
        let line = [b"x".repeat(LONGEST + 9), b"\n".to_vec()].concat();
        for number in 0..100 {
            prints.add(WorkerId(0), number, false, &line);
        }
        let told = told(prints);
        assert_eq!(told.len(), KEPT / LONGEST);
        assert_eq!(told.last().map(|(_, after, _)| *after), Some(99));
        assert!(told.iter().all(|(_, _, text)| text.len() == LONGEST));
    }
}
