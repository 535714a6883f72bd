//! What an exploration did, in words: the few of a status line, and the table of `-v`.

use cct::strategy::Progress;
use cct::wire::Counters;

use super::style::{FAINT, paint};
use super::words::{count, number, put};
use crate::run::{Outcome, TestRun};

/// How much was explored without finding anything.
pub(super) fn explored(counters: &Counters, repeats: Repeatable) -> String {
    if counters.exhausted {
        return exhausted(counters, repeats);
    }
    let schedules = count(counters.schedules, "schedule");
    let distinct = number(counters.distinct);
    format!("{schedules}, {distinct} distinct{}", cut_off(counters))
}

/// Whether the first schedule was the same when it ran a second time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repeatable {
    /// It was.
    Yes,
    /// It was not: something is not under control, and who knows what else it can do.
    No,
}

/// There were no more schedules: all is known, but for what the engine decided by itself and what the
/// strategy leaves out.
fn exhausted(counters: &Counters, repeats: Repeatable) -> String {
    let made = counters
        .progress
        .as_ref()
        .map_or(counters.schedules, |progress| progress.made);
    let all = match made {
        1 => "the only schedule".to_owned(),
        n => format!("all {}", count(n, "schedule")),
    };
    let reduces = counters.progress.is_some_and(|progress| progress.reduces);
    if reduces && counters.is_proof() && repeats == Repeatable::Yes {
        let executions = count(made, "execution");
        return format!("proved over all interleavings: {executions}");
    }
    let mut out = format!("{all} explored");
    if let Some(progress) = &counters.progress {
        match progress.bound {
            Some(bound) if progress.leaves_out => put!(out, " up to bound {bound}"),
            _ if progress.leaves_out => out.push_str(" within the bound"),
            _ => {}
        }
    }
    let astray = counters.progress.map_or(0, |progress| progress.astray);
    if astray > 0 || repeats == Repeatable::No {
        out.push_str(", not all repeat");
    }
    let limits = counters.limits;
    if limits.yields || limits.stalls {
        out.push_str(", with spinning bounded");
    }
    if limits.time {
        out.push_str(", time-outs in one order");
    }
    out.push_str(&cut_off(counters));
    out
}

fn cut_off(counters: &Counters) -> String {
    match counters.cut_offs {
        0 => String::new(),
        n => format!(", {} cut off", number(n)),
    }
}

/// All counters of a test, a line each.
pub(super) fn table(run: &TestRun) -> String {
    if run.started.is_none() || run.counters.sequential {
        return String::new();
    }
    let mut out = String::new();
    for (name, value) in lines(run) {
        put!(
            out,
            "{:>13}{} {value}\n",
            "",
            paint(FAINT, &format!("{name:<12}"))
        );
    }
    out
}

fn lines(run: &TestRun) -> Vec<(&'static str, String)> {
    let counters = &run.counters;
    let mut lines = Vec::new();
    if let Some(started) = &run.started {
        lines.push(("strategy", started.strategy.clone()));
    }
    if let Outcome::Failed(finding) = &run.outcome {
        lines.push((
            "first bug",
            format!("in schedule {}", number(finding.iteration)),
        ));
    }
    lines.push((
        "schedules",
        format!(
            "{}, {} distinct{}",
            number(counters.schedules),
            number(counters.distinct),
            cut_off(counters)
        ),
    ));
    if counters.watched > 0 {
        lines.push(("behaviours", behaviours(counters)));
    }
    if let Some(progress) = &counters.progress
        && !counters.exhausted
    {
        lines.push(("to go", to_go(progress)));
    }
    lines.push((
        "steps",
        format!(
            "{}, {} contested; {} in the longest schedule",
            number(counters.steps),
            number(counters.contested),
            number(counters.longest)
        ),
    ));
    lines.push(("switches", number(counters.switches)));
    lines.push((
        "concurrency",
        format!(
            "{} at a step at most, of {}",
            count(counters.concurrency.into(), "candidate"),
            count(counters.workers.into(), "worker")
        ),
    ));
    if let Some(nanos) = nanos_per_step(counters) {
        lines.push(("speed", format!("{} ns a step", number(nanos))));
    }
    lines
}

/// Schedules told apart by the order of dependent steps alone, and how long there was no new one.
fn behaviours(counters: &Counters) -> String {
    let watched = if counters.watched < counters.schedules {
        format!(" in {} watched", count(counters.watched, "schedule"))
    } else {
        String::new()
    };
    let ago = match counters.schedules.saturating_sub(counters.last_new) {
        0 => "the last schedule was new".to_owned(),
        n => format!("the last new one {} ago", count(n, "schedule")),
    };
    format!("{}{watched}; {ago}", number(counters.behaviours))
}

/// How far a strategy is that enumerates.
fn to_go(progress: &Progress) -> String {
    let open = count(progress.open, "open alternative");
    let expected = count(progress.expected, "schedule");
    let bound = match progress.bound {
        Some(bound) => format!("; all up to bound {bound} are made"),
        None => String::new(),
    };
    format!("about {expected}, {open}{bound}")
}

/// The time of a step, everything around it included.
pub(super) fn nanos_per_step(counters: &Counters) -> Option<u64> {
    counters.nanos.checked_div(counters.steps)
}

#[cfg(test)]
mod tests {
    use cct::strategy::Limits;

    use super::*;

    fn counters(limits: Limits, cut_offs: u64) -> Counters {
        Counters {
            schedules: 315,
            distinct: 315,
            cut_offs,
            exhausted: true,
            limits,
            ..Counters::default()
        }
    }

    #[test]
    fn exhaustion_is_told_with_its_limits() {
        let none = Limits::default();
        let all = "all 315 schedules explored";
        assert_eq!(explored(&counters(none, 0), Repeatable::Yes), all);
        let yields = Limits {
            yields: true,
            ..none
        };
        let text = explored(&counters(yields, 0), Repeatable::Yes);
        assert_eq!(text, format!("{all}, with spinning bounded"));
        let time = Limits { time: true, ..none };
        let text = explored(&counters(time, 0), Repeatable::Yes);
        assert_eq!(text, format!("{all}, time-outs in one order"));
        let steps = Limits {
            steps: true,
            ..none
        };
        assert_eq!(
            explored(&counters(steps, 7), Repeatable::Yes),
            format!("{all}, 7 cut off")
        );
    }

    #[test]
    fn what_a_strategy_leaves_out_is_told() {
        let bounded = Progress {
            made: 9,
            bound: Some(2),
            leaves_out: true,
            ..Progress::default()
        };
        let some = Counters {
            progress: Some(bounded),
            ..counters(Limits::default(), 0)
        };
        assert_eq!(
            explored(&some, Repeatable::Yes),
            "all 9 schedules explored up to bound 2"
        );
        assert_eq!(
            to_go(&Progress {
                open: 1,
                expected: 40,
                ..bounded
            }),
            "about 40 schedules, 1 open alternative; all up to bound 2 are made"
        );
    }

    #[test]
    fn a_proof_is_told_as_one() {
        let some = Counters {
            progress: Some(Progress {
                made: 20,
                reduces: true,
                ..Progress::default()
            }),
            ..counters(Limits::default(), 0)
        };
        assert_eq!(
            explored(&some, Repeatable::Yes),
            "proved over all interleavings: 20 executions"
        );
        assert_eq!(
            explored(&some, Repeatable::No),
            "all 20 schedules explored, not all repeat"
        );
    }

    #[test]
    fn saturation_is_told() {
        let some = Counters {
            schedules: 1000,
            watched: 300,
            behaviours: 12,
            last_new: 600,
            ..Counters::default()
        };
        let text = "12 in 300 schedules watched; the last new one 400 schedules ago";
        assert_eq!(behaviours(&some), text);
    }

    #[test]
    fn what_is_not_exhausted_is_counted() {
        let some = Counters {
            exhausted: false,
            ..counters(Limits::default(), 0)
        };
        assert_eq!(
            explored(&some, Repeatable::Yes),
            "315 schedules, 315 distinct"
        );
    }
}
