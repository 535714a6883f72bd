//! The output of the failing schedule: among its steps, as far as its workers and places are known, and below
//! them the rest.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cct::trace::{Print, Trace};

use super::layout::Detail;
use super::rows::{Row, first};
use crate::failure::Record;
use crate::report::style::{FAINT, STRONG, paint};
use crate::report::visible::visible;
use crate::report::words::{count, put};
use crate::run::{Repeats, tests_of};

/// At most this many lines are shown among the steps, and as many below them.
const MOST: usize = 20;
/// So many lines of a message are.
const MOST_OF_MESSAGE: usize = 60;
/// So many characters of a line are.
const LONGEST: usize = 400;

/// The rows, and between them the last lines that were printed, each after the step during which it
/// was, or all of them in full detail.
pub(super) fn among(rows: Vec<Row>, trace: &Trace, detail: Detail) -> Vec<Row> {
    let hidden = match detail {
        Detail::Full => 0,
        Detail::Around => trace.prints.len().saturating_sub(MOST),
    };
    let shown = trace.prints.iter().enumerate().skip(hidden);
    let mut shown = shown
        .filter(|(_, print)| !print.text.trim().is_empty())
        .peekable();
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let is_before = |print: &Print| first(&row) >= print.after as usize;
        while let Some((print, _)) = shown.next_if(|(_, print)| is_before(print)) {
            out.push(Row::Print(print));
        }
        out.push(row);
    }
    out.extend(shown.map(|(print, _)| Row::Print(print)));
    out
}

/// The output of the failing schedule below its steps: the lines that are not among the rows, and not the
/// message that the report begins with.
pub(super) fn below(record: &Record, rows: &[Row]) -> String {
    let prints = record.trace.as_ref().map_or(&[][..], |trace| &trace.prints);
    let mut lines = without_message(record, lines(record));
    let print_of = |row: &Row| match row {
        Row::Print(print) => Some(*print),
        _ => None,
    };
    let shown: BTreeSet<usize> = rows.iter().filter_map(print_of).collect();
    let is_among = !shown.is_empty();
    for (text, parts) in whole_lines(prints) {
        let has_all = parts.iter().all(|&part| is_shown(part, &shown, prints));
        let place = lines.iter().position(|line| *line == text);
        if let Some(place) = place.filter(|_| has_all) {
            lines.remove(place);
        }
    }
    // The words for what is left of a repetition's output, which may be another.
    let title = match &record.repeats {
        Repeats::No(_) => "printed in the schedule that failed",
        _ if is_among => "also printed in this schedule",
        _ => "printed in this schedule",
    };
    let mut out = String::new();
    let hidden = lines.len().saturating_sub(MOST);
    if lines.iter().any(|line| !line.trim().is_empty()) {
        put!(out, "  {}\n", paint(STRONG, title));
        if hidden > 0 {
            let hidden = format!("({} more in output.txt)", count(hidden as u64, "line"));
            put!(out, "    {}\n", paint(FAINT, &hidden));
        }
        for line in &lines[hidden..] {
            put!(out, "    {}\n", clipped(&visible(line)));
        }
        out.push('\n');
    }
    out
}

/// True if the print is among these; a blank one is nowhere.
fn is_shown(print: usize, shown: &BTreeSet<usize>, prints: &[Print]) -> bool {
    shown.contains(&print) || prints[print].text.trim().is_empty()
}

/// The lines that prints make up, each with the numbers of its parts. Several workers may have printed one.
fn whole_lines(prints: &[Print]) -> Vec<(String, Vec<usize>)> {
    let mut lines = Vec::new();
    for is_error in [false, true] {
        let (mut text, mut parts) = (String::new(), Vec::new());
        let own = prints.iter().enumerate();
        for (number, print) in own.filter(|(_, print)| print.is_error == is_error) {
            text.push_str(print.text.trim_end_matches('\r'));
            parts.push(number);
            if print.ends_line {
                lines.push((std::mem::take(&mut text), std::mem::take(&mut parts)));
            }
        }
        lines.push((text, parts));
    }
    lines
}

/// The first lines of a message, and how many there are more.
pub(super) fn head_of(message: &str) -> Cow<'_, str> {
    let more = message.lines().count().saturating_sub(MOST_OF_MESSAGE);
    if more == 0 {
        return Cow::Borrowed(message);
    }
    let head: Vec<&str> = message.lines().take(MOST_OF_MESSAGE).collect();
    let more = count(more as u64, "line");
    Cow::Owned(format!("{}\n… ({more} more)", head.join("\n")))
}

/// A line that is not endless.
pub(super) fn clipped(line: &str) -> String {
    let left = line.chars().count().saturating_sub(LONGEST);
    if left == 0 {
        return line.to_owned();
    }
    let shown: String = line.chars().take(LONGEST).collect();
    format!("{shown} … ({} more)", count(left as u64, "character"))
}

/// The last lines that the test printed, for people; empty if there are none.
pub(super) fn last_lines(record: &Record) -> String {
    let lines = lines(record);
    let last = lines[lines.len().saturating_sub(MOST)..].iter();
    last.map(|line| clipped(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The output of the test, without the harness's lines.
fn lines(record: &Record) -> Vec<String> {
    // The harness leaves the line on which it names the test open. Of tests that run together it takes all
    // but the last for failed.
    let tests: Vec<&str> = tests_of(&record.name.test).collect();
    let own = |line: &str| {
        let named = line.strip_prefix("test ");
        let of_test = |test: &&str| named?.strip_prefix(test)?.split_once(" ... ");
        match tests.iter().find_map(of_test) {
            Some((_, "FAILED")) if tests.len() > 1 => String::new(),
            Some((_, own)) => own.to_owned(),
            None => line.to_owned(),
        }
    };
    let count = count(tests.len() as u64, "test");
    let is_count = |line: &str| line.strip_prefix("running ") == Some(&count);
    let lines = record.printed.lines().map(own);
    lines
        .filter(|line| !line.is_empty() && !is_count(line))
        .collect()
}

/// The lines without the words by which the panic that is the bug was printed.
fn without_message(record: &Record, mut lines: Vec<String>) -> Vec<String> {
    let Some((bug, site)) = record
        .bug
        .as_ref()
        .and_then(|bug| Some((bug, bug.site.as_ref()?)))
    else {
        return lines;
    };
    let place = format!("' panicked at {}:{}:", site.file, site.line);
    let is_message = |lines: &[String]| {
        let message = bug.message.lines().filter(|line| !line.is_empty());
        let mut rest = lines[1..].iter();
        lines[0].starts_with("thread '")
            && lines[0].contains(&place)
            && message
                .clone()
                .all(|line| rest.next().is_some_and(|other| other == line))
    };
    if let Some(first) = (0..lines.len())
        .rev()
        .find(|&first| is_message(&lines[first..]))
    {
        let length = bug.message.lines().filter(|line| !line.is_empty()).count();
        lines.drain(first..=first + length);
    }
    lines
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation;

    use super::*;
    use crate::sample;

    fn print(worker: u32, after: u32, text: &str) -> Print {
        Print {
            worker,
            after,
            is_error: false,
            text: text.to_owned(),
            ends_line: true,
        }
    }

    #[test]
    fn lines_are_after_the_step_that_they_were_printed_in() {
        let steps: Vec<_> = (0..3)
            .map(|_| sample::step(0, Operation::Load, "src/a.rs"))
            .collect();
        let mut trace = sample::trace(&steps);
        trace.prints = vec![
            print(0, 0, "first"),
            print(1, 2, "a"),
            print(0, 2, " "),
            print(0, 3, "last"),
        ];
        let rows = vec![Row::Step(0), Row::Step(1), Row::Step(2)];
        let expected = [
            Row::Print(0),
            Row::Step(0),
            Row::Step(1),
            Row::Print(1),
            Row::Step(2),
            Row::Print(3),
        ];
        assert_eq!(among(rows, &trace, Detail::Around), expected);
    }

    #[test]
    fn each_line_is_shown_once() {
        let mut trace = sample::trace(&[sample::step(0, Operation::Load, "src/a.rs")]);
        trace.prints = vec![print(0, 0, "twice"), print(0, 1, "here")];
        let mut record = sample::record(&trace, "left: 1\n\nright: 2");
        let site = trace.sites[0].clone();
        if let Some(bug) = &mut record.bug {
            bug.site = Some(site.clone());
        }
        record.printed = format!(
            "running 1 test\ntest {} ... twice\ntwice\nhere\n\nthread 'x' panicked at {site}:\n\
             left: 1\n\nright: 2\nafter\n",
            record.name.test
        );
        let rows = [Row::Print(0), Row::Step(0), Row::Print(1)];
        let text = anstream::adapter::strip_str(&below(&record, &rows)).to_string();
        assert_eq!(
            text,
            "  also printed in this schedule\n    twice\n    after\n\n"
        );
        record.printed = "here\n".to_owned();
        assert_eq!(below(&record, &rows), "");
    }

    #[test]
    fn a_line_of_several_parts_is_shown_once_if_all_of_them_are() {
        let mut trace = sample::trace(&[sample::step(0, Operation::Load, "src/a.rs")]);
        let part = |text: &str, ends_line| Print {
            ends_line,
            ..print(0, 0, text)
        };
        trace.prints = vec![part("one ", false), part("line", true)];
        let mut record = sample::record(&trace, "left: 1");
        record.printed = "one line\n".to_owned();
        assert_eq!(below(&record, &[Row::Print(0), Row::Print(1)]), "");
        let text = anstream::adapter::strip_str(&below(&record, &[Row::Print(1)])).to_string();
        assert_eq!(text, "  also printed in this schedule\n    one line\n\n");
    }

    #[test]
    fn endless_lines_are_cut() {
        let text = clipped(&"x".repeat(LONGEST + 7));
        assert!(text.ends_with("x … (7 characters more)"), "{text}");
    }
}
