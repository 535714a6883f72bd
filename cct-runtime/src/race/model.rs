//! The detector against the definition of happens-before, which shares no code with it.
//!
//! Random sequences of events are given to both. The model has a set of events before each event: by the order
//! of its thread, from a fork to the child, from a release to an acquire of one key, and by *synchronizes-with*
//! of C++20, from the heads of the release sequence that a load reads from, or from release fences before
//! writes of it, to the load, or to acquire fences after it.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::detector::{Accessed, Conflict, Detector, Way};
use crate::strategy::Rng;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Act {
    Access { first: usize, size: usize, way: Way },
    Load { atomic: u64, order: Ordering },
    Store { atomic: u64, order: Ordering },
    Replace { atomic: u64, order: Ordering },
    Fence { order: Ordering },
    Release { key: u64 },
    Acquire { key: u64 },
    Fork { child: u16 },
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: u16,
    act: Act,
}

/// A bit for each event.
type Set = u128;
const MOST: usize = 100;

/// The events before each event.
fn all_before(events: &[Event]) -> Vec<Set> {
    let mut edges: Vec<Set> = vec![0; events.len()];
    for (late, event) in events.iter().enumerate() {
        for (early, other) in events[..late].iter().enumerate() {
            let is_before = match (other.act, event.act) {
                _ if other.thread == event.thread => true,
                (Act::Fork { child }, _) => child == event.thread,
                (Act::Release { key }, Act::Acquire { key: same }) => key == same,
                _ => false,
            };
            if is_before {
                edges[late] |= 1 << early;
            }
        }
        let (Act::Load { atomic, order } | Act::Replace { atomic, order }) = event.act else {
            continue;
        };
        let mut targets = Vec::new();
        if matches!(order, Acquire | AcqRel | SeqCst) {
            targets.push(late);
        }
        targets.extend((late + 1..events.len()).filter(|&after| {
            let is_strong = |order| matches!(order, Acquire | AcqRel | SeqCst);
            events[after].thread == event.thread
                && matches!(events[after].act, Act::Fence { order } if is_strong(order))
        }));
        for head in heads(events, late, atomic) {
            for &target in &targets {
                edges[target] |= 1 << head;
            }
        }
    }
    let mut before: Vec<Set> = Vec::new();
    for direct in edges {
        let earlier = (0..before.len()).filter(|early| direct >> early & 1 != 0);
        before.push(earlier.fold(direct, |all, early| all | before[early]));
    }
    before
}

/// The events from which what came before them is handed on to a load of the atomic: releases in the sequence
/// that it reads from, and fences before its writes.
fn heads(events: &[Event], load: usize, atomic: u64) -> Vec<usize> {
    let is_strong = |order| matches!(order, Release | AcqRel | SeqCst);
    let mut heads = Vec::new();
    for write in (0..load).rev() {
        let (order, is_last) = match events[write].act {
            Act::Store { atomic: it, order } if it == atomic => (order, true),
            Act::Replace { atomic: it, order } if it == atomic => (order, false),
            _ => continue,
        };
        if is_strong(order) {
            heads.push(write);
        }
        heads.extend((0..write).filter(|&fence| {
            events[fence].thread == events[write].thread
                && matches!(events[fence].act, Act::Fence { order } if is_strong(order))
        }));
        if is_last {
            break;
        }
    }
    heads
}

/// The accesses before this one that it conflicts with, and whether they are before it.
fn conflicts(events: &[Event], before: &[Set], late: usize) -> Vec<(usize, bool)> {
    let Act::Access { first, size, way } = events[late].act else {
        return Vec::new();
    };
    let writes = |way| matches!(way, Way::Write | Way::AtomicWrite | Way::Free);
    let is_atomic = |way| matches!(way, Way::AtomicRead | Way::AtomicWrite);
    let mut found = Vec::new();
    for (early, event) in events[..late].iter().enumerate() {
        let Act::Access {
            first: from,
            size: length,
            way: other,
        } = event.act
        else {
            continue;
        };
        let overlap = first < from + length && from < first + size;
        let is_before = before[late] >> early & 1 != 0;
        let races = (writes(way) || writes(other)) && !(is_atomic(way) && is_atomic(other));
        if overlap && (races && !is_before || other == Way::Free) {
            found.push((early, is_before));
        }
    }
    found
}

/// The first event at which the detector finds a conflict.
fn detected(detector: &mut Detector, events: &[Event]) -> Option<(usize, Conflict)> {
    detector.begin();
    for (index, event) in events.iter().enumerate() {
        let thread = event.thread;
        match event.act {
            Act::Access { first, size, way } => {
                let memory = (0x2000_0000_0000 + first, size);
                if detector.knows(thread, memory, way) {
                    continue;
                }
                if let Accessed::Conflict(conflict) = detector.access(thread, memory, way, 0) {
                    return Some((index, conflict));
                }
            }
            Act::Load { atomic, order } => detector.load(thread, atomic, order),
            Act::Store { atomic, order } => detector.store(thread, atomic, order),
            Act::Replace { atomic, order } => detector.replace(thread, atomic, order),
            Act::Fence { order } => detector.fence(thread, order),
            Act::Release { key } => detector.release(thread, key),
            Act::Acquire { key } => detector.acquire(thread, key),
            Act::Fork { child } => assert_eq!(detector.fork(thread), child),
        }
    }
    None
}

/// A sequence of events of so many threads, which are made in the beginning, on two places of memory.
fn sequence(rng: &mut Rng, threads: u16, is_whole: bool) -> Vec<Event> {
    let mut events: Vec<Event> = (1..threads)
        .map(|child| Event {
            thread: 0,
            act: Act::Fork { child },
        })
        .collect();
    let length = 4 + rng.below(MOST as u32 - 10) as usize;
    let orders = [Relaxed, Relaxed, Acquire, Release, AcqRel, SeqCst];
    while events.len() < length {
        let thread = rng.below(u32::from(threads)) as u16;
        let any = |rng: &mut Rng, of: &[Ordering]| of[rng.below(of.len() as u32) as usize];
        let key = 0x1000 + u64::from(rng.below(2));
        let act = match rng.below(16) {
            0..6 => {
                let ways = [
                    Way::Read,
                    Way::Read,
                    Way::Write,
                    Way::AtomicRead,
                    Way::AtomicWrite,
                ];
                let way = ways[rng.below(if is_whole { 3 } else { 5 }) as usize];
                let is_free = rng.below(60) == 0;
                let granule = 8 * rng.below(2) as usize;
                let (first, size) = match rng.below(4) {
                    _ if is_whole => (granule, 8),
                    0 => (granule + rng.below(8) as usize, 1),
                    1 => (granule + 4 * rng.below(2) as usize, 4),
                    // Over a multiple of eight, as memory that is copied may be.
                    2 => (rng.below(9) as usize, 8),
                    _ => (0, 16),
                };
                Act::Access {
                    first,
                    size,
                    way: if is_free { Way::Free } else { way },
                }
            }
            6..8 => Act::Load {
                atomic: key,
                order: any(rng, &[Relaxed, Acquire, SeqCst]),
            },
            8..10 => Act::Store {
                atomic: key,
                order: any(rng, &[Relaxed, Release, SeqCst]),
            },
            10..12 => Act::Replace {
                atomic: key,
                order: any(rng, &orders),
            },
            12 => Act::Fence {
                order: any(rng, &[Acquire, Release, AcqRel, SeqCst]),
            },
            13 => Act::Release { key: key + 16 },
            _ => Act::Acquire { key: key + 16 },
        };
        events.push(Event { thread, act });
    }
    events
}

/// How often the two are compared.
const TIMES: u64 = 20_000;

/// Slots suffice for what two threads do to whole places by plain code: everything is found, and at once.
#[test]
fn all_races_of_two_threads_are_found() {
    let mut detector = Detector::new().expect("there is address space");
    let (mut found, mut none) = (0, 0);
    for seed in 0..TIMES {
        let events = sequence(&mut Rng::new(seed), 2, true);
        let before = all_before(&events);
        let first = (0..events.len()).find(|&late| !conflicts(&events, &before, late).is_empty());
        let detected = detected(&mut detector, &events);
        assert_eq!(
            first,
            detected.map(|(late, _)| late),
            "seed {seed}: {events:#?}"
        );
        *(if first.is_some() {
            &mut found
        } else {
            &mut none
        }) += 1;
    }
    assert!(
        found > 100 && none > 100,
        "{found} with races, {none} without"
    );
}

/// What is pushed out is missed, and what is told is so.
#[test]
fn no_race_is_told_that_is_none() {
    let mut detector = Detector::new().expect("there is address space");
    let (mut found, mut missed) = (0, 0);
    for seed in 0..TIMES {
        let mut rng = Rng::new(seed);
        let threads = 2 + rng.below(5) as u16;
        let events = sequence(&mut rng, threads, false);
        let before = all_before(&events);
        let Some((late, conflict)) = detected(&mut detector, &events) else {
            let all = (0..events.len()).flat_map(|late| conflicts(&events, &before, late));
            missed += u32::from(all.count() > 0);
            continue;
        };
        found += 1;
        let is_it = |&(early, is_before): &(usize, bool)| {
            let Act::Access { way, .. } = events[early].act else {
                return false;
            };
            events[early].thread == conflict.thread
                && way == conflict.way
                && is_before == conflict.is_before
        };
        let all = conflicts(&events, &before, late);
        assert!(
            all.iter().any(is_it),
            "seed {seed}: {conflict:?} of {events:#?}"
        );
    }
    assert!(
        found > 1000 && missed < found / 50,
        "{found} found, {missed} missed"
    );
}
