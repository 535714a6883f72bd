//! The history of an object: the last write to it, and the workers that accessed it.

use super::super::WorkerId;
use super::coverage::{Coverage, Pair};
use super::event::{Event, Events};

/// The last write to an object, and who accessed it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub(super) last: Event,
    pub(super) writer: WorkerId,
    /// The writes before the last, the latest of them first, where they are kept.
    earlier: [Event; 7],
    accesses: [(Event, u16); 8],
    count: u8,
}

/// In the place of a worker: several.
const SEVERAL: u16 = u16::MAX;

impl Object {
    pub(super) fn new() -> Object {
        Object {
            last: Event::INITIAL,
            // Nobody: reading what an object began with is always news from elsewhere.
            writer: WorkerId(u32::MAX),
            earlier: [Event::INITIAL; 7],
            accesses: [(Event::INITIAL, 0); 8],
            count: 0,
        }
    }

    /// The write before so many others; an older one than are kept counts as that before all.
    pub(super) fn write(&self, back: u32) -> Event {
        match back.checked_sub(1) {
            None => self.last,
            Some(index) => {
                let kept = self.earlier.get(index as usize);
                kept.copied().unwrap_or(Event::INITIAL)
            }
        }
    }

    /// The last write is one before the last from here on.
    pub(super) fn keep_last(&mut self) {
        self.earlier.copy_within(..6, 1);
        self.earlier[0] = self.last;
    }

    /// Notes who accesses the object, and which pairs can come of that.
    #[inline]
    pub(super) fn learn(
        &mut self,
        event: Event,
        worker: WorkerId,
        events: &Events,
        coverage: &mut Coverage,
    ) {
        let worker = worker.0.min(u32::from(SEVERAL) - 1) as u16;
        let known = &self.accesses[..usize::from(self.count)];
        let is_known =
            |&(other, who): &(Event, u16)| other == event && (who == worker || who == SEVERAL);
        if !known.iter().any(is_known) {
            self.learn_new(event, worker, events, coverage);
        }
    }

    #[cold]
    fn learn_new(&mut self, event: Event, worker: u16, events: &Events, coverage: &mut Coverage) {
        let count = usize::from(self.count);
        let mut is_listed = false;
        for (other, who) in &mut self.accesses[..count] {
            if *who != worker {
                for (write, read) in [(event, *other), (*other, event)] {
                    if events.role(write).writes && events.role(read).reads {
                        coverage.add(Pair { write, read });
                    }
                }
            }
            if *other == event {
                (*who, is_listed) = (SEVERAL, true);
            }
        }
        if !is_listed && count < self.accesses.len() {
            self.accesses[count] = (event, worker);
            self.count += 1;
        }
    }
}
