//! A data race that was found: whether it is meant, and the end that it brings.

use super::ending::end_by;
use crate::engine::state::places;
use crate::memory::arena;
use crate::race::{Conflict, Way};
use crate::verdict::{AccessWay, Bug, BugKind, Race, RacyAccess};

/// True if one of the two accesses is a plain one of code whose races are meant. The new one is not kept
/// then, whichever it is.
#[cold]
pub(super) fn is_meant(conflict: &Conflict, way: Way, place: u32) -> bool {
    let is_plain = |way| matches!(way, Way::Read | Way::Write);
    let is_meant = |way, place| is_plain(way) && places::are_meant_at(place);
    conflict.way != Way::Free
        && way != Way::Free
        && (is_meant(way, place) || is_meant(conflict.way, conflict.place))
}

/// Ends the iteration: the current worker is about to make an access that conflicts with an earlier one.
#[cold]
pub(super) fn end_by_race(conflict: Conflict, size: usize, way: Way, place: u32) -> ! {
    end_by(|engine, worker| {
        engine.leave_allocator();
        let races = engine.observers.races.as_ref();
        let thread = races.map(|races| races.thread(conflict.thread));
        let recorder = engine.observers.recorder.as_mut();
        let recorder = recorder.filter(|recorder| recorder.tells_calls());
        let (before, step, stack) = recorder.map_or((None, None, None), |recorder| {
            if arena::contains(conflict.address as *mut u8) {
                recorder.misused(conflict.address);
            }
            (
                recorder.last_access(conflict.slot, conflict.address),
                recorder.under_way(),
                recorder.stack(),
            )
        });
        let race = Race {
            address: conflict.address as u64,
            static_path: None,
            earlier: RacyAccess {
                worker: before.map_or(thread.map_or(0, |thread| thread.0), |it| it.worker),
                way: conflict.way.into(),
                size: before.map_or(u64::from(conflict.size), |it| it.size),
                place: u64::from(conflict.place),
                step: before.and_then(|it| it.step),
                stack: before.and_then(|it| it.stack),
                site: None,
                calls: Vec::new(),
            },
            later: RacyAccess {
                worker: worker.unwrap_or_default(),
                way: way.into(),
                size: size as u64,
                place: u64::from(place),
                step,
                stack,
                site: None,
                calls: Vec::new(),
            },
        };
        let (kind, message) = if conflict.is_before {
            (BugKind::BadMemory, "memory is used that has been freed")
        } else {
            (
                BugKind::Race,
                "nothing orders two accesses to the same memory",
            )
        };
        Bug {
            race: Some(Box::new(race)),
            ..Bug::new(kind, message.to_owned(), None, worker)
        }
    })
}

impl From<Way> for AccessWay {
    fn from(way: Way) -> Self {
        match way {
            Way::Read => AccessWay::Read,
            Way::Write => AccessWay::Write,
            Way::AtomicRead => AccessWay::AtomicRead,
            Way::AtomicWrite => AccessWay::AtomicWrite,
            Way::Free => AccessWay::Free,
        }
    }
}
