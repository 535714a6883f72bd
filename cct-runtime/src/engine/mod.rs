//! The engine: runs one worker at a time and decides, at each scheduling point, which.
//!
//! Everything a shim needs is re-exported here; its parts in reading order:
mod state;

mod granularity;
mod point;
mod step;

mod decide;
mod driver;
mod early;
mod enabled;
mod fiber;
mod stack;

pub(crate) mod aside;
pub(crate) mod conditions;
mod heat;
mod hush;
pub(crate) mod monitors;
mod naps;

mod alone;
mod deadlock;
mod glances;
mod image;
mod look;
mod overtime;
mod stall;
mod vain;
mod wait;
mod waiters;

mod children;
mod clock;
mod external;
mod local;
mod panic;
mod prints;
mod signals;
mod task;
mod thread;
mod wake;
mod worker;

mod classes;
mod iteration;
mod record;
mod replay;
mod state_hash;
mod tape;
mod watch;

pub use children::note_child;
pub use clock::{NEVER, clock_read, deadline_after, deadline_at, now, wall_clock};
pub use external::{Source, stir};
pub use glances::glance;
pub use granularity::statement;
pub use hush::{hushed, is_at_work};
pub use local::{Local, LocalSlot, local, set_local};
pub use look::{Awaits, Look, look_again, look_by, wait_until};
pub use panic::{
    Hook, PanicId, last_panic, leave_panic, panic_count, replace_hook, set_panic_count, told_at,
    told_of, told_of_worker, worker_panicked,
};
pub use point::{give_way, last_site, point, point_at, point_on_both};
pub use prints::{begin_print, end_print, looks_on, prints_are_steps, step_number};
pub use signals::{is_thread_of_workers, note_handled_signal};
pub use state::{
    current, current_thread, is_controlled, iteration, leave, leave_out, outside, run_number,
};
pub use state_hash::state_hash;
pub use step::{Step, step_under_way};
pub use task::{Gate, Task, handing_is_over, own_clock};
pub use thread::{
    abort, chain_of, choose_index, exit, is_finished, join, join_until, look_whether_ended,
    look_whether_over, note_over, park, random_bytes, sleep, spawn, spawn_at, spawn_in, stack_of,
    unpark, worker_name, worker_object,
};
pub use wait::{
    TakesNext, Wakeup, retract, retract_those, wait, wait_and_take, wait_at, wait_for, wait_marked,
    wake_all, wake_if, wake_one,
};
pub use watch::{is_watched, look, touch};
pub use worker::end_worker;

pub use crate::strategy::WorkerId;

pub(crate) use external::{Patience, mark_engine_thread, uncontrolled_threads_exist, uses};
pub(crate) use granularity::Granularity;
pub(crate) use heat::HeatId;
pub(crate) use iteration::{End, Order, Plan, Record};
pub(crate) use panic::{install_hook, message_of};
pub(crate) use prints::with_seed as prints_with_seed;
pub(crate) use replay::Replay;
pub(crate) use signals::{forget as forget_signals, forget_thread, os_thread};
pub(crate) use state::{Engine, engine as current_engine, engine_cell};
pub(crate) use tape::Tape;
pub(crate) use wait::bad_memory;
