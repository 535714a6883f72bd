//! Reports in all their forms: wide and narrow, with and without UTF-8 and colour, of few workers and many.

use std::path::Path;

use cct::operation::Operation as Op;
use cct::trace::{Step, Trace, Value};
use cct::wire::{Certain, Share};

use super::Report;
use super::layout::{Detail, Layout};
use crate::sample;

const LIB: &str = "examples/bank/src/lib.rs";

fn at(mut step: (Step, String), read: Option<u64>, written: Option<u64>) -> (Step, String) {
    step.0.read = read.map(Value::Unsigned);
    step.0.written = written.map(Value::Unsigned);
    step
}

/// Two workers lose an update of one object; so many others use another.
fn lost_update(others: u32) -> Trace {
    let step = |worker, op| sample::step(worker, op, LIB);
    let mut steps = Vec::new();
    for other in 0..others {
        let mut of_other = sample::step(other + 2, Op::FetchAdd, LIB);
        of_other.0.object = Some(1);
        steps.push(at(
            of_other,
            Some(u64::from(other)),
            Some(u64::from(other) + 1),
        ));
    }
    steps.extend([
        at(step(1, Op::Load), Some(1000), None),
        at(step(0, Op::Load), Some(1000), None),
        at(step(0, Op::Store), None, Some(700)),
        at(step(1, Op::Store), None, Some(900)),
        at(step(0, Op::Load), Some(900), None),
    ]);
    let mut trace = sample::trace(&steps);
    (trace.sites[0].line, trace.sites[0].column) = (47, 36);
    trace
}

fn report(trace: &Trace, layout: Layout) -> String {
    let message = "assertion `left == right` failed\n  left: 900\n right: 600";
    let mut record = sample::record(trace, message);
    // When both have read.
    record.certain = Some(Certain {
        step: u32::try_from(trace.len()).expect("it is short") - 3,
        continuations: 32,
        are_all: false,
        before: Some(Share {
            failing: 16,
            made: 32,
        }),
        is_earliest: true,
    });
    record.printed = "a line of the test\u{1b}[31m, red\u{1b}[0m\n".to_owned();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Report::of(&record, &root).text(&layout, Detail::Around)
}

fn plain(trace: &Trace, width: usize, unicode: bool) -> String {
    let text = report(trace, Layout { width, unicode });
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn wide() {
    insta::assert_snapshot!(plain(&lost_update(0), 120, true));
}

#[test]
fn narrow() {
    insta::assert_snapshot!(plain(&lost_update(0), 60, true));
}

#[test]
fn without_unicode() {
    let text = plain(&lost_update(0), 80, false);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn of_many_workers() {
    insta::assert_snapshot!(plain(&lost_update(12), 120, true));
}

#[test]
fn of_many_workers_and_narrow() {
    insta::assert_snapshot!(plain(&lost_update(12), 60, true));
}

/// Styles change no text.
#[test]
fn in_colour() {
    let text = report(
        &lost_update(0),
        Layout {
            width: 120,
            unicode: true,
        },
    );
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

/// No line is wider than the terminal, but for what was printed and paths.
#[test]
fn lines_fit() {
    for (width, others) in [(60, 0), (60, 12), (80, 1), (100, 3), (120, 12), (160, 2)] {
        let text = plain(&lost_update(others), width, true);
        let steps = text.lines().skip_while(|line| !line.contains("step "));
        for line in steps.take_while(|line| !line.contains("printed in")) {
            let length = line.chars().count();
            let hint = line.find("◀ overwrites").map_or(0, |_| 24);
            assert!(length <= width + hint, "{width}: {length}: {line}");
        }
    }
}
