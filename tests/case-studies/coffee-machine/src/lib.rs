//! The firmware of a coffee machine that fails over, and **overlooks that the hopper is empty**.
//!
//! The firmware reads its sensors, heats the water, grinds beans, and makes shots. It is ended at some moment
//! and starts anew, while the hardware goes on as it was left. It breaks if the grinder is turned on without
//! beans, or heater or pump without water.
//!
//! This is Coyote's sample *Failover coffee machine*, twice, as there: as state machines ([`actors`]) and as
//! `async` functions on tokio ([`tasks`]). The firmware knows hardware by its interface alone, which a model
//! stands behind: it runs by timers of its own, and its levels at the beginning are choices.
//!
//! [`Variant`] chooses the bug: [`Variant::ComparesWithZero`] is the sample's own. A hopper that runs out in
//! the middle of a tick is at less than nothing, and the firmware that starts next takes this for beans. In
//! [`Variant::EndsInNoOrder`] the driver does not wait for the end of the one before.
//!
//! ```text
//! cargo cct test -p coffee-machine
//! ```

pub mod actors;
mod specification;
pub mod tasks;
mod variant;

pub use specification::{JobsAreFinished, Progress};
pub use variant::Variant;

/// A level that is full, in percent.
pub const FULL: i32 = 100;

/// By how much a tick of the hardware changes a level.
pub const TICK: i32 = 10;

/// The temperature of water that is hot.
pub const HOT: i32 = 100;
