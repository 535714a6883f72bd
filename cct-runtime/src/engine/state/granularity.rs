//! Which operations are steps: all, or none but the first of a call into a crate that is *atomic*.
//!
//! A call from interleaved code into an atomic crate is one step, with the scheduling point at the first
//! visible operation in it. It has more only where it waits, where it gives way or reads again an object
//! that has not changed, and once in a while, so that no loop is without end. An operation of interleaved
//! code, or the boundary of a statement of it, tells one call from the next.

use std::panic::Location;

use super::worker::Worker;
use crate::origin::{self, Origin};

/// How many operations in a row may be no steps.
const LONGEST_CALL: u32 = 1024;
const KNOWN: usize = 1024;

/// Which crates are atomic in this iteration.
#[derive(Debug)]
pub(crate) struct Granularity {
    /// Whether any crate is.
    pub(crate) is_on: bool,
    /// All crates are that are not of the workspace.
    is_coarse: bool,
    /// Packages that always are, and that never are.
    atomic: Vec<String>,
    interleaved: Vec<String>,
    /// Sites already looked up, by address.
    known: Box<[(*const Location<'static>, Place); KNOWN]>,
    /// How many operations in a row have been no steps.
    unseen: u32,
    /// Whether any has been.
    has_merged: bool,
}

/// An entry without a site.
const NOBODYS: (*const Location<'static>, Place) = (std::ptr::null(), Place::Std);

/// Where a site lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Interleaved,
    Atomic,
    /// In another package than those of the workspace.
    Dependency,
    /// In std's own code, which belongs to whoever calls it.
    Std,
}

impl Granularity {
    pub(crate) fn new(atomic: &[String], interleaved: &[String]) -> Self {
        Granularity {
            is_on: false,
            is_coarse: false,
            atomic: atomic.to_vec(),
            interleaved: interleaved.to_vec(),
            known: Box::new([NOBODYS; KNOWN]),
            unseen: 0,
            has_merged: false,
        }
    }

    /// A new iteration begins.
    pub(crate) fn begin(&mut self, is_coarse: bool) {
        self.is_coarse = is_coarse;
        self.is_on = is_coarse || !self.atomic.is_empty();
        self.unseen = 0;
        self.has_merged = false;
    }

    /// True if an operation of the iteration was part of another one's step.
    pub(crate) fn has_merged(&self) -> bool {
        self.has_merged
    }

    /// As if none had been so far.
    pub(crate) fn forget_merged(&mut self) {
        self.has_merged = false;
    }

    /// Where the site lies, if that has been looked up lately.
    #[inline]
    pub(crate) fn known_place(&self, site: &'static Location<'static>) -> Option<Place> {
        let (known, place) = self.known[slot_of(site)];
        std::ptr::eq(known, site).then_some(place)
    }

    /// Finds out where the site lies.
    #[cold]
    pub(crate) fn learn(&mut self, site: &'static Location<'static>) {
        self.known[slot_of(site)] = (site, self.look_up(site.file()));
    }

    /// The worker's operation is at a site that it knows to be interleaved.
    #[inline]
    pub(crate) fn interleave(&mut self, worker: &mut Worker) {
        worker.in_atomic_call = false;
        self.unseen = 0;
    }

    /// True if the worker's operation at this place, which is that of the site, is part of a call into an
    /// atomic crate that has had its step.
    #[inline]
    pub(crate) fn is_within_call(
        &mut self,
        worker: &mut Worker,
        place: Place,
        site: &'static Location<'static>,
    ) -> bool {
        let was_within = worker.in_atomic_call;
        // No `match`: that would be a jump that nobody can predict.
        worker.in_atomic_call = place == Place::Atomic
            || (place == Place::Dependency) & self.is_coarse
            || (place == Place::Std) & was_within;
        if place == Place::Interleaved {
            worker.interleaved_site = site;
        }
        if !(was_within && worker.in_atomic_call) || self.unseen == LONGEST_CALL {
            self.unseen = 0;
            return false;
        }
        self.unseen += 1;
        self.has_merged = true;
        true
    }

    fn look_up(&self, file: &str) -> Place {
        if origin::is_of(file, &self.interleaved) {
            Place::Interleaved
        } else if origin::is_of(file, &self.atomic) {
            Place::Atomic
        } else {
            match Origin::of(file) {
                Origin::Std => Place::Std,
                Origin::Dependency(_) | Origin::Elsewhere => Place::Dependency,
                Origin::Workspace | Origin::Cct => Place::Interleaved,
            }
        }
    }
}

/// Where what is known of the site has its place.
#[inline]
fn slot_of(site: &'static Location<'static>) -> usize {
    (std::ptr::from_ref(site).addr() >> 3) % KNOWN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_known_by_the_paths_of_their_files() {
        let registry = "/home/me/.cargo/registry/src/index/tokio-util-0.7.1/src/lib.rs";
        let place = |names: &[&str], file| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            Granularity::new(&names, &["flume".to_owned()]).look_up(file)
        };
        assert_eq!(place(&["tokio-util"], registry), Place::Atomic);
        assert_eq!(place(&["tokio"], registry), Place::Dependency);
        assert_eq!(place(&[], "src/lib.rs"), Place::Interleaved);
        let flume = "/registry/flume-0.11.0/src/lib.rs";
        assert_eq!(place(&[], flume), Place::Interleaved);
        let cell = "/rustc/0123/library/core/src/cell.rs";
        assert_eq!(place(&[], cell), Place::Std);
        let cell = "/toolchain/lib/rustlib/src/rust/library/core/src/cell.rs";
        assert_eq!(place(&[], cell), Place::Std);
    }
}
