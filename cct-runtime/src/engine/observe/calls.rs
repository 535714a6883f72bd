//! Calls of functions that are not thread-safe, in the iteration: the accesses that they make are kept as
//! those of memory, and here is which function each was of.

use crate::race::ThreadNumber;
use crate::tsvd::Api;

/// The calls so far, each kind once.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    made: Vec<(ThreadNumber, u32, &'static Api)>,
    under_way: Option<&'static Api>,
}

impl Calls {
    /// A new iteration begins.
    pub(super) fn begin(&mut self) {
        self.made.clear();
        self.under_way = None;
    }

    /// This thread calls the function, from this place; until [`Calls::is_made`].
    pub(crate) fn make(&mut self, by: ThreadNumber, place: u32, api: &'static Api) {
        self.under_way = Some(api);
        if self.made_by(by, place).is_none() {
            self.made.push((by, place, api));
        }
    }

    /// The call has been looked at.
    pub(crate) fn is_made(&mut self) {
        self.under_way = None;
    }

    /// The call that is looked at.
    pub(crate) fn under_way(&self) -> Option<&'static Api> {
        self.under_way
    }

    /// The function that this thread has called from this place.
    pub(crate) fn made_by(&self, thread: ThreadNumber, place: u32) -> Option<&'static Api> {
        let of = |&&(by, from, _): &&(ThreadNumber, u32, _)| (by, from) == (thread, place);
        self.made.iter().find(of).map(|&(.., api)| api)
    }
}

/// Where in the shadow a thing is that functions of the group with this number go about: beside the memory
/// that it has. The shadow forgets those of all groups at once.
pub(crate) fn thing_at(address: usize, number: u8) -> usize {
    const BESIDE: usize = 1 << 26;
    /// No memory has such an address.
    const NOWHERE: usize = 1 << 47;
    /// Two things at the same place are so far apart.
    const APART: usize = 1 << 44;
    (address + BESIDE + usize::from(number) * APART) % NOWHERE + NOWHERE
}
