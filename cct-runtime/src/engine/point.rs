//! The scheduling point: where a worker says what it is about to do.

use std::panic::Location;

use super::fiber::hand_over;
use super::stall::PATIENCE;
use super::state::{Engine, Request, engine};
use super::step::Step;
use crate::operation::{Effect, Operation};

/// Declares a visible operation and lets the strategy decide who runs; returns when the caller may carry
/// it out.
///
/// `object` is the address of what it is about, or 0. Outside a controlled worker it does nothing, for
/// the price of a thread-local read.
#[inline]
#[track_caller]
pub fn point(operation: Operation, object: usize) -> Step {
    point_at(operation, object, Location::caller())
}

/// [`point`] at a given site, for a guard, which keeps the site of its acquire.
#[inline]
pub fn point_at(operation: Operation, object: usize, site: &'static Location<'static>) -> Step {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live, and the caller is its current worker.
        unsafe { declare(engine, operation, object, site) };
    }
    Step::of(engine)
}

/// The site of the current worker's last operation, for operations that come from the C library and have
/// none of their own. Controlled workers only.
pub fn last_site() -> &'static Location<'static> {
    // SAFETY: a controlled worker's engine is live and has a current worker.
    unsafe { (*(*engine()).current).site }
}

/// `yield_now` and `spin_loop`: the worker says that it waits for others.
///
/// Gives way within the yield budget. Controlled workers only.
#[track_caller]
pub fn give_way(operation: Operation) {
    point_at(operation, 0, Location::caller()).done();
}

#[inline]
unsafe fn declare(
    engine: *mut Engine,
    operation: Operation,
    object: usize,
    site: &'static Location<'static>,
) {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let worker = (*engine).current;
        let spins = match operation.effect() {
            Effect::Writes => {
                (*engine).idle = 0;
                false
            }
            Effect::Yields => {
                (*engine).idle += 1;
                true
            }
            Effect::Reads | Effect::MayWrite => {
                (*engine).idle += 1;
                // Looking again from the same place: nothing else happened to this worker in between,
                // or a success would have cleared the object.
                operation.can_spin()
                    && (*worker).object == object
                    && std::ptr::eq((*worker).site, site)
            }
        };
        (*worker).operation = operation;
        (*worker).object = object;
        (*worker).site = site;
        if (*engine).fuse > 0 && !spins && (*engine).idle < PATIENCE {
            (*engine).fuse -= 1;
        } else {
            (*engine).request = if spins {
                Request::Yield
            } else {
                Request::Point
            };
            hand_over(engine);
            if matches!(operation.effect(), Effect::Writes) {
                // It happens only now: others may have spun since it was declared.
                (*engine).idle = 0;
            }
        }
    }
}

/// Crates whose operations are no scheduling points, but for the first of a row of them.
///
/// Caller locations cannot tell two calls into such a crate from one: only the first operation after one
/// of another crate is a point.
#[derive(Debug)]
pub(super) struct AtomicCrates {
    /// Parts of paths of their files: `/<name>-<version>/` in a registry, `/<name>/src/` elsewhere.
    names: Vec<String>,
    /// Sites already looked up, by address.
    known: Vec<(usize, bool)>,
}

const KNOWN: usize = 1024;

impl AtomicCrates {
    pub(super) fn new(names: &[String]) -> Self {
        let known = if names.is_empty() {
            Vec::new()
        } else {
            vec![(0, false); KNOWN]
        };
        AtomicCrates {
            names: names.to_vec(),
            known,
        }
    }

    /// True if any crate is atomic.
    pub(super) fn is_any(&self) -> bool {
        !self.names.is_empty()
    }

    /// True if the site lies in an atomic crate.
    pub(super) fn contains(&mut self, site: &'static Location<'static>) -> bool {
        let address = std::ptr::from_ref(site) as usize;
        let slot = (address >> 3) % KNOWN;
        if self.known[slot].0 != address {
            self.known[slot] = (address, self.look_up(site.file()));
        }
        self.known[slot].1
    }

    fn look_up(&self, file: &str) -> bool {
        file.split('/').any(|part| {
            self.names
                .iter()
                .any(|name| match part.strip_prefix(name.as_str()) {
                    Some("") => true,
                    Some(rest) => {
                        let version = rest.strip_prefix('-').unwrap_or_default();
                        version.starts_with(|c: char| c.is_ascii_digit())
                    }
                    None => false,
                })
        })
    }
}
