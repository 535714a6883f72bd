//! What the failing schedule printed: among its steps, as far as its workers and places are known, and below
//! them the rest.

use cct::trace::{Print, Trace};

use super::layout::Detail;
use super::rows::{Row, first};
use crate::failure::Record;
use crate::report::style::{FAINT, STRONG, paint};
use crate::report::visible::visible;
use crate::report::words::{count, put};
use crate::run::Repeats;

/// At most this many lines are shown among the steps, and as many below them.
const MOST: usize = 20;

/// The rows, and between them the last lines that were printed, each after the step during which it was, or all
/// of them in full detail.
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
    let mut is_among = false;
    for row in rows {
        let Row::Print(print) = row else { continue };
        is_among = true;
        let text = prints[*print].text.trim_end_matches('\r');
        if let Some(place) = lines.iter().position(|line| line == text) {
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
            put!(out, "    {}\n", visible(line));
        }
        out.push('\n');
    }
    out
}

/// The last lines that the test printed, for people; empty if there are none.
pub(super) fn last_lines(record: &Record) -> String {
    let lines = lines(record);
    lines[lines.len().saturating_sub(MOST)..].join("\n")
}

/// The output of the test, without the harness's lines.
fn lines(record: &Record) -> Vec<String> {
    // The harness leaves the line on which it names the test open.
    let named = format!("test {}", record.name.test);
    let own = |line: &str| {
        let harness = line.strip_prefix(&named);
        let harness = harness.and_then(|rest| rest.split_once(" ... "));
        harness.map_or(line, |(_, own)| own).to_owned()
    };
    let is_count = |line: &str| line.starts_with("running ") && line.ends_with(" test");
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
            "running 1 test\ntest {} ... twice\ntwice\nhere\n\nthread 'x' panicked at {site}:\nleft: 1\n\nright: 2\nafter\n",
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
}
