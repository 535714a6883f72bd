//! `AtomicBool`.

use cct::engine::{self, Atomic};
use cct::object::ObjectId;
use cct::operation::Operation;
use real::fmt;
use real::sync::atomic::Ordering;

use super::order;

/// `std::sync::atomic::AtomicBool`.
#[repr(transparent)]
pub struct AtomicBool(real::sync::atomic::AtomicBool);

shared_methods!(pub AtomicBool, real::sync::atomic::AtomicBool, bool);
derived_methods!([] AtomicBool, "AtomicBool", real::sync::atomic::AtomicBool, bool);
read_modify_write! {
    pub AtomicBool, bool;
    fetch_and(FetchAnd) |old, val| old & val;
    fetch_nand(FetchNand) |old, val| !(old & val);
    fetch_or(FetchOr) |old, val| old | val;
    fetch_xor(FetchXor) |old, val| old ^ val;
}

impl AtomicBool {
    /// See `std::sync::atomic::AtomicBool::fetch_not`.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        if !engine::is_controlled() {
            return self.0.fetch_not(order);
        }
        let step = engine::point(Operation::FetchNot, self.object());
        let before = self.0.fetch_not(Ordering::SeqCst);
        step.replaced(self.with(order), before, !before);
        before
    }
}
