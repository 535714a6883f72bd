//! Nondeterminism that a test asks for: values that the strategy chooses.
//!
//! Each choice is a step, recorded, replayed and shown with its value. Where no engine is, the
//! answer is the plainest one: false, the first, no failure.

use std::panic::Location;

use crate::engine;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::trace::Value;

/// True or false, as the strategy chooses; false where no engine is.
///
/// ```
/// let delivered_twice = cct::nondet_bool();
/// # let _ = delivered_twice;
/// ```
#[track_caller]
pub fn nondet_bool() -> bool {
    chosen(Operation::NondetBool, 2, |index| Value::Bool(index == 1)) == 1
}

/// One of `0..n`, as the strategy chooses; 0 where no engine is. Panics when `n` is 0.
///
/// ```
/// let crashes = cct::nondet_index(3);
/// assert!(crashes < 3);
/// ```
#[track_caller]
pub fn nondet_index(n: usize) -> usize {
    index_at(n, Location::caller())
}

/// [`nondet_index`] at a given site.
pub(crate) fn index_at(n: usize, site: &'static Location<'static>) -> usize {
    chosen_at(Operation::NondetIndex, n, Into::into, site)
}

/// One of these, as the strategy chooses; the first where no engine is. Panics when there is none.
///
/// ```
/// let order = cct::choose(&["first", "second"]);
/// # let _ = order;
/// ```
#[track_caller]
pub fn choose<T>(from: &[T]) -> &T {
    &from[chosen(Operation::Choose, from.len(), Into::into)]
}

/// A fault that may happen: `fail`'s result in some schedules, `Ok(())` in the others. Never
/// happens where no engine is.
///
/// ```
/// use std::io;
///
/// fn save(text: &str) -> io::Result<()> {
///     cct::maybe_fail(|| Err(io::Error::other("disk full")))?;
///     println!("{text}");
///     Ok(())
/// }
/// save("all is well").unwrap();
/// ```
#[track_caller]
pub fn maybe_fail<E>(fail: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    match chosen(Operation::MaybeFail, 2, |index| Value::Bool(index == 1)) {
        0 => Ok(()),
        _ => fail(),
    }
}

/// The step of a choice among `n`.
#[track_caller]
fn chosen(operation: Operation, n: usize, value: fn(usize) -> Value) -> usize {
    chosen_at(operation, n, value, Location::caller())
}

fn chosen_at(
    operation: Operation,
    n: usize,
    value: fn(usize) -> Value,
    site: &'static Location<'static>,
) -> usize {
    assert!(n > 0, "there is nothing to choose from");
    if !engine::is_controlled() {
        return 0;
    }
    let step = engine::point_at(operation, ObjectId::NONE, site);
    let index = engine::choose_index(n);
    step.read(value(index));
    index
}
