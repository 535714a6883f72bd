//! A data race that was found: whether it is meant, and the end that it brings.

use super::ending::end_by;
use crate::engine::state::places;
use crate::memory::arena;
use crate::race::{Conflict, Way};
use crate::tsvd::Api;
use crate::tsvd::told::Severity;
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
        let call = races.and_then(|races| races.calls.under_way());
        let earlier = races.and_then(|races| races.calls.made_by(conflict.thread, conflict.place));
        let function =
            |call: Option<&'static Api>| call.map_or_else(String::new, |api| api.name.to_owned());
        let group = call.or(earlier).map(|api| api.group);
        let race = Race {
            address: conflict.address as u64,
            group: group.map_or_else(String::new, |group| group.name.to_owned()),
            static_path: None,
            earlier: RacyAccess {
                worker: before.map_or(thread.map_or(0, |thread| thread.0), |it| it.worker),
                way: conflict.way.into(),
                function: function(earlier),
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
                function: function(call),
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
            match group.map(|group| group.severity) {
                None => (
                    BugKind::Race,
                    "nothing orders two accesses to the same memory",
                ),
                Some(Severity::Undefined) => (
                    BugKind::Violation,
                    "nothing orders two calls of functions that share what is not thread-safe, which is \
                     undefined behaviour",
                ),
                Some(Severity::Contract | Severity::Logical) => (
                    BugKind::Violation,
                    "nothing orders two calls of functions that may change the same thing, against their \
                     contract",
                ),
            }
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
