//! Which operations are steps: all, or none but the first of a call into a crate that is *atomic*.
//!
//! A call from interleaved code into an atomic crate is one step, with the scheduling point at the first
//! visible operation in it. It has more only where it waits, where it gives way or reads again an object
//! that has not changed, and once in a while, so that no loop is without end. An operation of interleaved
//! code, or the boundary of a statement of it, tells one call from the next.

use std::panic::Location;

use super::counts::Counts;
use super::worker::Worker;
use crate::origin::{self, Origin};

/// How many operations in a row may be no steps.
const LONGEST_CALL: u32 = 1024;
const KNOWN: usize = 1024;

/// Which operations are steps in this iteration: which crates are atomic, and what of counts of references.
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
    known: Box<[Known; KNOWN]>,
    /// The counts of references.
    pub(crate) counts: Counts,
    /// How many operations in a row have been no steps.
    unseen: u32,
    /// Whether any has been.
    has_merged: bool,
}

/// A site that was looked up.
#[derive(Clone, Copy, Debug)]
struct Known {
    site: *const Location<'static>,
    /// Where it lies in an iteration of the fine granularity, and in a coarse one.
    places: [Place; 2],
}

impl Known {
    /// An entry without a site.
    const NONE: Known = Known {
        site: std::ptr::null(),
        places: [Place::Std; 2],
    };
}

/// Where a site lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Interleaved,
    Atomic,
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
            known: Box::new([Known::NONE; KNOWN]),
            counts: Counts::default(),
            unseen: 0,
            has_merged: false,
        }
    }

    /// A new iteration begins.
    pub(crate) fn begin(&mut self, is_coarse: bool) {
        self.is_coarse = is_coarse;
        self.is_on = is_coarse || !self.atomic.is_empty();
        self.counts.begin();
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
        let known = &self.known[slot_of(site)];
        std::ptr::eq(known.site, site).then(|| known.places[usize::from(self.is_coarse)])
    }

    /// Finds out where the site lies.
    #[cold]
    pub(crate) fn learn(&mut self, site: &'static Location<'static>) {
        let places = self.look_up(site.file());
        self.known[slot_of(site)] = Known { site, places };
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
        let is_merged =
            worker.in_atomic_call && place != Place::Interleaved && self.unseen != LONGEST_CALL;
        if is_merged {
            self.unseen += 1;
            self.has_merged = true;
        } else {
            self.unseen = 0;
            match place {
                Place::Atomic => worker.in_atomic_call = true,
                Place::Std => {}
                Place::Interleaved => {
                    worker.in_atomic_call = false;
                    worker.interleaved_site = site;
                }
            }
        }
        is_merged
    }

    /// The places of a file's sites in an iteration of the fine granularity, and in a coarse one.
    fn look_up(&self, file: &str) -> [Place; 2] {
        if origin::is_of(file, &self.interleaved) {
            [Place::Interleaved; 2]
        } else if origin::is_of(file, &self.atomic) {
            [Place::Atomic; 2]
        } else {
            match Origin::of(file) {
                Origin::Std => [Place::Std; 2],
                Origin::Dependency(_) | Origin::Elsewhere => [Place::Interleaved, Place::Atomic],
                Origin::Workspace | Origin::Cct => [Place::Interleaved; 2],
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
        assert_eq!(place(&["tokio-util"], registry), [Place::Atomic; 2]);
        let by_granularity = [Place::Interleaved, Place::Atomic];
        assert_eq!(place(&["tokio"], registry), by_granularity);
        assert_eq!(place(&[], "src/lib.rs"), [Place::Interleaved; 2]);
        let flume = "/registry/flume-0.11.0/src/lib.rs";
        assert_eq!(place(&[], flume), [Place::Interleaved; 2]);
        let cell = "/rustc/0123/library/core/src/cell.rs";
        assert_eq!(place(&[], cell), [Place::Std; 2]);
        let cell = "/toolchain/lib/rustlib/src/rust/library/core/src/cell.rs";
        assert_eq!(place(&[], cell), [Place::Std; 2]);
    }
}
