//! The detector against the definition of happens-before: random sequences of events are given to both.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::definition::{Act, Event, Touch, all_before, conflicts};
use super::detector::{Accessed, Conflict, Detector, Way};
use super::shadow::first_part;
use crate::strategy::Rng;

/// A sequence has at most so many events, about.
const MOST: u32 = 100;

fn way(touch: Touch) -> Way {
    match touch {
        Touch::Read => Way::Read,
        Touch::Write => Way::Write,
        Touch::AtomicRead => Way::AtomicRead,
        Touch::AtomicWrite => Way::AtomicWrite,
        Touch::Free => Way::Free,
    }
}

/// The first event at which the detector finds a conflict.
fn detected(detector: &mut Detector, events: &[Event]) -> Option<(usize, Conflict)> {
    detector.begin();
    for (index, event) in events.iter().enumerate() {
        let thread = event.thread;
        match event.act {
            Act::Access {
                first,
                size,
                way: touch,
            } => {
                let way = way(touch);
                let memory = (0x2000_0000_0000 + first, size);
                let (mut next, end) = (memory.0, memory.0 + size);
                while next < end {
                    // As the engine does.
                    next = detector.access_many(thread, (next, end), way, 0);
                    if next == end {
                        break;
                    }
                    let part = first_part(next, end);
                    next += part.1;
                    let is_known = matches!(way, Way::Read | Way::Write)
                        && detector.is_known(thread, part, way == Way::Write);
                    let accessed = detector.access(thread, part, way, 0);
                    assert!(!is_known || accessed == Accessed::Known, "{events:#?}");
                    if let Accessed::Conflict(conflict) = accessed {
                        return Some((index, conflict));
                    }
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
    let length = 4 + rng.below(MOST - 10) as usize;
    let orders = [Relaxed, Relaxed, Acquire, Release, AcqRel, SeqCst];
    while events.len() < length {
        let thread = rng.below(u32::from(threads)) as u16;
        let any = |rng: &mut Rng, of: &[Ordering]| of[rng.below(of.len() as u32) as usize];
        let key = 0x1000 + u64::from(rng.below(2));
        let act = match rng.below(16) {
            0..6 => {
                let ways = [
                    Touch::Read,
                    Touch::Read,
                    Touch::Write,
                    Touch::AtomicRead,
                    Touch::AtomicWrite,
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
                    way: if is_free { Touch::Free } else { way },
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

/// An access that was pushed out is missed, and a race that is told is one.
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
                && self::way(way) == conflict.way
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

#[test]
fn what_is_kept_is_known() {
    let mut detector = Detector::new().expect("there is address space");
    detector.begin();
    for address in (0x2000_0000_0000..0x2000_0000_1000).step_by(8) {
        for (way, size) in [
            (Way::Read, 8),
            (Way::Write, 8),
            (Way::Read, 1),
            (Way::Write, 4),
        ] {
            let memory = (address, size);
            let is_known = detector.access(0, memory, way, 0) == Accessed::Known;
            assert_eq!(is_known, size < 8, "{memory:?} {way:?}");
            assert_eq!(detector.access(0, memory, way, 0), Accessed::Known);
            assert!(detector.is_known(0, memory, way == Way::Write));
        }
    }
}

/// Whichever of the accesses before are kept.
#[test]
fn freed_memory_is_not_known() {
    let mut detector = Detector::new().expect("there is address space");
    let accesses = [
        (0, Way::Read),
        (0, Way::Write),
        (4, Way::Read),
        (4, Way::Write),
    ];
    for which in 0..16 {
        detector.begin();
        let block = 0x2000_0000_0000;
        for (bit, (offset, way)) in accesses.into_iter().enumerate() {
            if which >> bit & 1 != 0 {
                detector.access(0, (block + offset, 4), way, 0);
            }
        }
        detector.access(0, (block, 8), Way::Free, 0);
        for (offset, way) in accesses {
            let result = detector.access(0, (block + offset, 4), way, 0);
            assert!(
                matches!(result, Accessed::Conflict(_)),
                "{which} {offset} {way:?}"
            );
        }
    }
}

#[test]
fn much_memory_is_forgotten_and_nothing_beside_it() {
    let mut detector = Detector::new().expect("there is address space");
    let megabyte = 1 << 20;
    for (start, size) in [
        (0x2000_0000_0008, 24),
        (0x2000_0000_0018, megabyte + 8),
        // Over the end of the shadow, and more than it has.
        (0x2000_07ff_0010, 3 * megabyte),
        (0x2000_0000_0008, 200 * megabyte),
    ] {
        detector.begin();
        detector.fork(0);
        let inside = [start, start + size / 16 * 8, start + size - 8];
        let beside = [start - 8, start + size];
        let is_apart = size < 128 * megabyte;
        for address in inside.into_iter().chain(beside) {
            detector.access(0, (address, 8), Way::Write, 0);
        }
        detector.forget(start, size);
        for address in inside {
            let result = detector.access(1, (address, 8), Way::Write, 0);
            assert!(
                matches!(result, Accessed::Kept(_)),
                "{start:x} {size} {address:x}"
            );
        }
        for address in beside.into_iter().filter(|_| is_apart) {
            let result = detector.access(1, (address, 8), Way::Write, 0);
            assert!(
                matches!(result, Accessed::Conflict(_)),
                "{start:x} {size} {address:x}"
            );
        }
    }
}
