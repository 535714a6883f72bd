//! Actors as an explorer sees them: counts of what machines do are those that the machines have of
//! themselves, and those of the logs; strategies see the chains of their events; and faults come at any of
//! them.

mod ball;
mod chains;
mod moments;

use std::collections::{BTreeMap, BTreeSet};

use cct::config::{Resolved, Settings};
use cct::covered::{Covered, Fate, On, To};
use cct::harness::Explorer;
use cct::strategy::Spec;
use cct::trace::{Did, Doing, Trace};

use ball::{Ball, Seen};

/// One test, since there is one explorer in a process.
#[test]
fn what_is_seen_of_actors() {
    let mut search = Explorer::new(&Settings::default());
    counts_are_those_that_a_machine_has_of_itself_and_those_of_its_logs(&mut search);
    requests_have_priorities_of_their_own(&mut search);
    crashes_come_early_and_late(&mut search);
}

/// The node crashes in half of the schedules: within 8 events in 99 on the average, with a standard
/// deviation of 9, after 64 or more in 34, with one of 6.
fn crashes_come_early_and_late(search: &mut Explorer) {
    for strategy in ["random", "pos", "surw"] {
        let settings = settings(strategy, 400);
        let (mut early, mut late) = (0, 0);
        let strategies = settings.strategy.build();
        let explored = search.explore_each(settings, strategies, moments::body, &mut |_| {
            let event = moments::crashed_at();
            early += u32::from(event.is_some_and(|event| event < 8));
            late += u32::from(event.is_some_and(|event| event >= 64));
        });
        assert_eq!(explored.found, None, "{strategy}");
        assert!(early > 60, "{strategy}: {early}");
        assert!(late > 10, "{strategy}: {late}");
    }
}

/// Of 400 schedules 133 on the average, with a standard deviation of 9: the first request's priority is lower
/// than the other's and than that of who sends both. By priorities of actors 29: that of its first actor is
/// lower than those of 13 others.
fn requests_have_priorities_of_their_own(search: &mut Explorer) {
    let mut times = |strategy: &str, happens: &dyn Fn() -> bool| {
        let settings = settings(strategy, 400);
        let strategies = settings.strategy.build();
        let mut times = 0;
        let explored = search.explore_each(settings, strategies, chains::body, &mut |_| {
            times += u32::from(happens());
        });
        assert_eq!(explored.found, None, "{strategy}");
        times
    };
    let mut overtaken = |strategy| times(strategy, &chains::overtook);
    let (by_chains, by_actors) = (overtaken("task-pct:1"), overtaken("pct:1"));
    assert!((95..=172).contains(&by_chains), "{by_chains}");
    assert!(by_actors < 60, "{by_actors}");
    // A delay of a chain makes the other's turn, and then it is the first one's again.
    assert_eq!(times("task-delay:1", &|| chains::turns() > 3), 0);
    assert!(times("task-delay:1", &|| chains::turns() == 3) > 40);
    // By actors, the two requests take turns.
    assert!(times("delay:1", &|| chains::turns() > 3) > 360);
}

fn settings(strategy: &str, iterations: u64) -> Resolved {
    let settings = Settings {
        iterations: Some(iterations),
        strategy: Some(Spec::parse(strategy).expect("a strategy")),
        seed: Some(11),
        ..Settings::default()
    };
    settings.resolve()
}

fn counts_are_those_that_a_machine_has_of_itself_and_those_of_its_logs(search: &mut Explorer) {
    let mut all = BTreeSet::new();
    for strategy in ["random", "pct:3", "sticky:20", "pos"] {
        let settings = settings(strategy, 150);
        let strategies = settings.strategy.build();
        let mut own: BTreeMap<Seen, u64> = BTreeMap::new();
        let mut schedules = Vec::new();
        let explored = search.explore_each(settings, strategies, ball::body, &mut |schedule| {
            // The first schedule is executed twice, and is one.
            schedules.push(schedule);
            for (seen, times) in ball::seen() {
                *own.entry(seen).or_default() += times;
            }
        });
        assert_eq!(explored.found, None, "{strategy}");
        assert_eq!(explored.covered.schedules, schedules.len() as u64);
        assert_eq!(explored.covered.schedules, explored.counters.schedules);
        let balls = explored.covered.machines.iter();
        let mut balls = balls.filter(|it| it.path == std::any::type_name::<Ball>());
        let ball = balls.next().expect("there was one");
        assert!(balls.next().is_none());
        own.retain(|_, times| *times > 0);
        assert_eq!(told(ball), own, "{strategy}");
        // Each schedule again, with everything recorded.
        let mut logged: BTreeMap<Seen, u64> = BTreeMap::new();
        for schedule in &schedules {
            let trace = search.replay(schedule, ball::body).trace;
            for doing in &trace.log.doings {
                if let Some(seen) = seen_in(&trace, doing) {
                    *logged.entry(seen).or_default() += 1;
                }
            }
        }
        assert_eq!(logged, own, "{strategy}");
        all.extend(own.into_keys());
    }
    // There is a count of each kind.
    assert_eq!(all, Seen::ALL.iter().copied().collect());
}

/// The coverage in words.
fn told(covered: &Covered) -> BTreeMap<Seen, u64> {
    let mut told = BTreeMap::new();
    let state = |state: Option<u32>| match state {
        Some(state) => &*covered.states[state as usize].name,
        None => "none",
    };
    let event = |event: u32| &*covered.events[event as usize];
    let mut tell = |what: String, times: u64| {
        told.insert(seen_as(&what), times);
    };
    tell("created".to_owned(), covered.created);
    tell("halted".to_owned(), covered.halted);
    for state in covered.states.iter().filter(|state| state.entered > 0) {
        tell(format!("enters {}", state.name), state.entered);
    }
    for pair in &covered.pairs {
        for fate in Fate::ALL.into_iter().filter(|&fate| pair.times(fate) > 0) {
            let (state, event) = (state(pair.state), event(pair.event));
            tell(
                format!("{} {event} in {state}", fate.name()),
                pair.times(fate),
            );
        }
    }
    for transition in covered.transitions.iter().filter(|it| it.times > 0) {
        let on = match transition.on {
            On::Event(number) => event(number),
            On::Entry => "entry",
            On::Exit => "exit",
        };
        let to = match transition.to {
            To::Goto(to) => format!("goto {}", state(Some(to))),
            To::Push(to) => format!("push {}", state(Some(to))),
            To::Pop => "pop".to_owned(),
            To::Halt => "halt".to_owned(),
        };
        tell(
            format!("{} on {on}: {to}", state(transition.from)),
            transition.times,
        );
    }
    told
}

fn seen_as(what: &str) -> Seen {
    let known = Seen::ALL.iter().find(|seen| seen.name() == what);
    *known.unwrap_or_else(|| panic!("the machine knows nothing of `{what}`"))
}

/// The meaning of a line of a log, if it is of a ball and counts.
fn seen_in(trace: &Trace, doing: &Doing) -> Option<Seen> {
    if trace.log.actors[doing.actor as usize].path != std::any::type_name::<Ball>() {
        return None;
    }
    let text = |index: Option<u32>| index.map_or("none", |index| &*trace.labels[index as usize]);
    let (state, event, to) = (text(doing.state), text(doing.event), text(doing.to));
    let fate = |name: &str| format!("{name} {event} in {state}");
    let goes = |way: &str| format!("{state} on {event}: {way}");
    let what = match doing.did {
        Did::Sent | Did::Dequeued | Did::Raised => return None,
        Did::Created => "created".to_owned(),
        Did::Halted => "halted".to_owned(),
        Did::Entered => format!("enters {state}"),
        Did::Handled => fate("handled"),
        Did::Deferred => fate("deferred"),
        Did::Ignored => fate("ignored"),
        Did::Received => fate("received"),
        Did::Dropped => fate("dropped"),
        Did::Unhandled => fate("unhandled"),
        Did::Goto => goes(&format!("goto {to}")),
        Did::Push => goes(&format!("push {to}")),
        Did::Pop => goes("pop"),
        Did::Halt => goes("halt"),
    };
    Some(seen_as(&what))
}
