//! The counters of an exploration, in words: the few of a status line, and the table of `-v`.

use cct::strategy::Progress;
use cct::wire::Counters;

use super::claim;
use super::style::{FAINT, paint};
use super::words::{count, distinct, number, put, told_apart};
use crate::run::{Claim, Outcome, TestRun};

/// How much was explored without finding anything: what may be claimed of all schedules, or how many were
/// made and why that is all that can be said.
pub(super) fn explored(run: &TestRun) -> String {
    if let Some(claim) = Claim::of(run) {
        return claim::text(&claim);
    }
    let counters = &run.counters;
    if run.seen.is_some() && counters.schedules == 0 {
        return "another shard makes all schedules".to_owned();
    }
    let mut out = if counters.exhausted || counters.sequential {
        let made = counters.progress.as_ref().map(|progress| progress.made);
        let made = made.unwrap_or(counters.schedules);
        format!("{} explored", count(made, "schedule"))
    } else {
        format!(
            "{}, {}",
            count(counters.schedules, "schedule"),
            distinct(counters.distinct)
        )
    };
    let astray = counters.progress.map_or(0, |progress| progress.astray);
    if (astray > 0 || run.diverged.is_some()) && counters.exhausted {
        out.push_str(", not all repeat");
    }
    out.push_str(&cut_off(counters));
    if counters.exhausted && counters.limits.steps && counters.cut_offs == 0 {
        out.push_str(", detached workers cut off");
    }
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
            "{}, {}{}",
            number(counters.schedules),
            distinct(counters.distinct),
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
            "{}, {} of them choice points; {} in the longest schedule",
            number(counters.steps),
            number(counters.choice_points),
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
    format!("{}{watched}; {ago}", told_apart(counters.behaviours))
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
    use cct::claim::{Exception, Exceptions};
    use cct::strategy::Limits;
    use cct::wire::Divergence;

    use super::*;
    use crate::sample;

    fn run(counters: Counters) -> TestRun {
        sample::run(counters, Outcome::Passed)
    }

    fn whole() -> Counters {
        Counters {
            schedules: 315,
            distinct: 315,
            workers: 2,
            exhausted: true,
            ..Counters::default()
        }
    }

    fn told(counters: Counters) -> String {
        explored(&run(counters))
    }

    #[test]
    fn all_is_claimed_but_for_what_was_left_out() {
        assert_eq!(told(whole()), "all 315 schedules explored");
        let mut left_out = Exceptions::of(Exception::WeakOrderings);
        let weak = Counters {
            left_out,
            ..whole()
        };
        let text = "all 315 schedules explored, but for weak orderings";
        assert_eq!(told(weak), text);
        left_out.add(Exception::Files);
        let alone = Counters {
            left_out,
            workers: 1,
            sequential: true,
            ..whole()
        };
        let text = "1 schedule: nothing to interleave, but for files";
        assert_eq!(told(alone), text);
    }

    #[test]
    fn a_proof_is_told_as_one() {
        let proved = Counters {
            progress: Some(Progress {
                made: 20,
                reduces: true,
                ..Progress::default()
            }),
            ..whole()
        };
        let text = "proved over all interleavings: 20 executions";
        assert_eq!(told(proved.clone()), text);
        let differs = TestRun {
            diverged: Some(Divergence {
                step: 1,
                expected: String::new(),
                found: String::new(),
            }),
            ..run(proved)
        };
        assert_eq!(explored(&differs), "20 schedules explored, not all repeat");
    }

    #[test]
    fn nothing_is_claimed_where_a_bound_was_met() {
        let limits = Limits {
            steps: true,
            ..Limits::default()
        };
        let cut = Counters {
            cut_offs: 7,
            limits,
            ..whole()
        };
        assert_eq!(told(cut.clone()), "315 schedules explored, 7 cut off");
        let alone = Counters {
            schedules: 1,
            cut_offs: 1,
            exhausted: false,
            sequential: true,
            ..cut
        };
        assert_eq!(told(alone), "1 schedule explored, 1 cut off");
        let detached = Counters { limits, ..whole() };
        let text = "315 schedules explored, detached workers cut off";
        assert_eq!(told(detached), text);
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
            ..whole()
        };
        assert_eq!(told(some), "all 9 schedules explored up to bound 2");
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
            ..whole()
        };
        assert_eq!(told(some), "315 schedules, 315 distinct");
    }
}
