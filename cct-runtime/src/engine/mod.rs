//! The engine: runs one worker at a time and decides, at each scheduling point, which.
//!
//! Everything a shim needs is re-exported here; its parts in reading order:
mod state;

mod point;
mod step;

mod decide;
mod enabled;
mod fiber;
mod stack;

mod deadlock;
mod stall;
mod wait;
mod waiters;

mod clock;
mod external;
mod local;
mod panic;
mod thread;
mod worker;

mod iteration;
mod record;
mod replay;
mod tape;

pub use clock::{NEVER, clock_read, deadline_after, deadline_at, wall_clock};
pub use local::{Local, LocalSlot, local, set_local};
pub use panic::{Hook, panic_count, replace_hook, set_panic_count, worker_panicked};
pub use point::{give_way, last_site, point, point_at};
pub use state::{current, is_controlled, iteration, outside};
pub use step::Step;
pub use thread::{
    abort, choose_index, exit, is_finished, join, park, random_bytes, sleep, spawn, unpark,
    worker_name, worker_object,
};
pub use wait::{Wakeup, retract, wait, wait_at, wake_all, wake_one};

pub use crate::strategy::WorkerId;

pub(crate) use iteration::{Order, Plan};
pub(crate) use panic::{install_hook, message_of};
pub(crate) use replay::Replay;
pub(crate) use state::{Engine, engine as current_engine, engine_cell};
pub(crate) use tape::Tape;
pub(crate) use wait::bad_memory;
