//! Calls of functions that are not thread-safe: each is an access to what its group shares.

use super::memory::compare;
use super::order::with_races;
use super::point::point_at_plain;
use crate::engine::decide::outside;
use crate::engine::observe::calls::thing_at;
use crate::engine::state::places;
use crate::frames::offset_of;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::race::Way;
use crate::tsvd::Api;

/// The current worker is about to call a function that is not thread-safe, which accesses the byte at this
/// address, or the only object of its group, as compiled code would memory. Does nothing outside a controlled
/// worker.
pub(crate) fn access_by_call(api: &'static Api, address: Option<usize>, returns_to: usize) {
    let way = if api.writes { Way::Write } else { Way::Read };
    let place = offset_of(returns_to);
    with_races(|engine, races, number| {
        // SAFETY: the engine is live, and the caller is its current worker.
        let is_own = |address| unsafe { (*(*engine).roster.current).stack.has(address) };
        let is_shared = match (address, api.group.number) {
            (Some(address), None) => races.concerns(address) && !is_own(address),
            _ => true,
        };
        if races.is_hushed || !races.aims.at_memory || place == 0 || !is_shared {
            return;
        }
        let thing = address.unwrap_or(std::ptr::from_ref(api.group).addr());
        let address = match (address, api.group.number) {
            (None, _) => thing,
            (Some(address), None) => address,
            (Some(address), Some(number)) => {
                races.has_things = true;
                thing_at(address, number)
            }
        };
        let memory = (address, 1);
        // SAFETY: the engine is live, and the caller is its current worker; no reference is kept across a
        // switch.
        unsafe {
            if races.aims.for_points && places::is_point(place) {
                let operation = if api.writes {
                    Operation::Change
                } else {
                    Operation::Use
                };
                point_at_plain(operation, ObjectId::at(thing));
            }
            if let Some(races) = &mut (*engine).observers.races {
                if !races.aims.for_calls {
                    return;
                }
                outside(|| races.calls.make(number, place, api));
                compare((engine, races), memory, way, place);
            }
            if let Some(races) = &mut (*engine).observers.races {
                races.calls.is_made();
            }
        }
    });
}
