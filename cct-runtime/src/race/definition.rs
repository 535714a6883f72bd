//! Happens-before as C++20 and Rust's reference define it, over a sequence of events. It shares no code with
//! the detector, and tests compare the two; those of whole programs, in `tests/races`, take it from here as
//! well.
//!
//! Before an event are: those of its thread that came before it, a fork for all that the child does, a
//! release for the acquires of the same key after it; and by *synchronizes-with*, for a load, or an acquire
//! fence after it, the heads of the release sequence that it reads from, or release fences before the writes
//! of it.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Release, SeqCst};

/// The ways to access memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Touch {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    Free,
}

/// Something that a thread does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Act {
    Access {
        first: usize,
        size: usize,
        way: Touch,
    },
    Load {
        atomic: u64,
        order: Ordering,
    },
    Store {
        atomic: u64,
        order: Ordering,
    },
    Replace {
        atomic: u64,
        order: Ordering,
    },
    Fence {
        order: Ordering,
    },
    Release {
        key: u64,
    },
    Acquire {
        key: u64,
    },
    Fork {
        child: u16,
    },
}

/// An event of a sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Event {
    pub(crate) thread: u16,
    pub(crate) act: Act,
}

/// A bit for each event.
pub(crate) type Set = u128;

/// The events before each event.
pub(crate) fn all_before(events: &[Event]) -> Vec<Set> {
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
pub(crate) fn conflicts(events: &[Event], before: &[Set], late: usize) -> Vec<(usize, bool)> {
    let Act::Access { first, size, way } = events[late].act else {
        return Vec::new();
    };
    let writes = |way| matches!(way, Touch::Write | Touch::AtomicWrite | Touch::Free);
    let is_atomic = |way| matches!(way, Touch::AtomicRead | Touch::AtomicWrite);
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
        if overlap && (races && !is_before || other == Touch::Free) {
            found.push((early, is_before));
        }
    }
    found
}
