//! When the ticks of an actor are due, under the engine: they come in the order of their times.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::engine::{self, NEVER};
use crate::object::ObjectId;

/// The virtual times at which an actor's timers tick next, and how many of them do.
#[derive(Default)]
pub(super) struct Due(Mutex<BTreeMap<u64, u32>>);

impl Due {
    /// A tick was due at the first time, and is at the second; [`NEVER`] is none.
    pub(super) fn replace(&self, before: u64, after: u64) {
        {
            let mut due = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(number) = due.get_mut(&before) {
                *number -= 1;
                if *number == 0 {
                    due.remove(&before);
                }
            }
            if after != NEVER {
                *due.entry(after).or_default() += 1;
            }
        }
        if engine::is_controlled() {
            engine::wake_all(self.object());
        }
    }

    /// True if no tick is due before this time.
    pub(super) fn is_next(&self, time: u64) -> bool {
        let due = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        due.keys().next().is_none_or(|&first| first >= time)
    }

    /// The object that those wait for that are not next.
    pub(super) fn object(&self) -> ObjectId {
        ObjectId::of(&self.0)
    }
}
