//! The engine: runs one worker at a time and decides, at each scheduling point, which.
//!
//! The line that matters is between code that runs *on a worker*, which may switch to another, and code *in
//! the decision*, which never does. The first is in `worker/`, `task/` and `aside/`, the second in
//! `decide/`. Below are those who look on (`observe/`), what there is to decide about (`state/`), and how
//! stacks are switched (`switch/`). Each imports from those below it and never from those above.
//!
//! A worker declares an operation (`worker/point.rs`). As long as the fuse of the budget (`state/budget.rs`)
//! burns that is all. Otherwise it hands over: its registers are saved, and `decide/next.rs` names the one
//! that goes on, before anything moves.
//!
//! Everything that a shim needs is re-exported here.

mod aside;
mod decide;
mod observe;
mod state;
mod switch;
mod task;
mod worker;

pub(crate) use aside::allocator::is_in_allocator;
pub use aside::allocator::{hushed, is_at_work};
pub use decide::deadlines::NEVER;
pub use decide::engine::outside;
pub use decide::outside::{Source, with_handler};
pub use observe::debugged::cct_stopped_here;
pub use observe::races::UNSEEN;
pub use observe::shares::heeds_shares;
pub use state::file_times::{Change, FileId, Stamp};
pub use state::iteration::Hook;
pub use state::locals::{Local, LocalSlot};
pub use state::panics::PanicId;
pub use state::worker::{Awaits, ReadyPredicate, TakesNext};
pub use task::{Gate, Task, handing_is_over, own_clock};
pub use worker::chain::{chain_to, go_on_in, heeds_chains};
pub use worker::choice::{choose_index, random_bytes};
pub use worker::clock::{
    clock_read, deadline_after, deadline_at, file_time, leap, note_file, now, wall_clock,
};
pub use worker::counts::{part_of_step, point_at_count};
pub use worker::ending::{abort, end_by_signal, end_worker, exit, exit_by};
pub use worker::facts::{
    current, current_thread, is_controlled, iteration, leave, leave_out, records, run_number,
};
pub(crate) use worker::facts::{expect_panic, expects_panic};
pub use worker::interrupt::{TakeSignals, interrupt, tell_handler};
pub use worker::local::{local, set_local};
pub use worker::memory::{
    Atomic, AtomicAct, access, access_atomic, note_drop, note_free, note_reuse, pass_fence, unseen,
};
pub use worker::order::{acquire, meet_all, release};
pub use worker::outside_use::{note_change, note_child, note_reading, stir};
pub use worker::panic::{
    last_panic, leave_panic, panic_count, replace_hook, set_panic_count, told_at, told_of,
    told_of_worker, worker_panicked,
};
pub use worker::point::{give_way, last_site, point, point_at, point_on_both};
pub use worker::prints::{
    begin_print, end_print, is_aside, prints_are_steps, step_number, tell_print, tells_prints,
};
pub use worker::ready::{evaluate_predicates, evaluate_predicates_by, wait_until};
pub use worker::share::{note_shared, use_shared};
pub use worker::signal::{
    Waiting as WaitingSignals, discard_signal, hold_signal, is_signal_blocked, mask_at_arrival,
    set_signal_mask, signal_has_arrived, signal_information, signal_mask,
};
pub use worker::step::{Step, step_under_way};
pub use worker::thread::{
    chain_of, check_ended, check_over, exists, is_finished, join, join_until, keep_token,
    note_over, park, sleep, sleep_until_signal, spawn, spawn_at, spawn_in, stack_of, unpark,
    worker_name,
};
pub use worker::touch::{is_watched, read, touch};
pub use worker::wait::{
    Wakeup, declare_wait, retract, retract_those, wait, wait_and_take, wait_at, wait_for,
    wait_marked, wake_all, wake_if, wake_one,
};
pub use worker::weak::Plain;
pub use worker::{glance, state_hash, statement};

pub use decide::signals::{is_thread_of_workers, note_handled_signal};

pub use crate::strategy::WorkerId;

pub(crate) use aside::{conditions, holds, monitors};
pub(crate) use decide::engine::{Engine, engine as current_engine, engine_cell};
pub(crate) use decide::outside::{Allowance, mark_engine_thread, uncontrolled_threads_exist, uses};
pub(crate) use decide::replay::Replay;
pub(crate) use decide::signals::{
    forget as forget_signals, forget_thread, name_of as name_of_signal, os_thread,
};
pub(crate) use observe::races::{
    Aims, hear_of_order, look_at_nothing as see_nothing, memory_is_seen, see_memory, see_natively,
};
pub(crate) use observe::shares::{heed as heed_shares, profiles};
pub(crate) use observe::tape::Tape;
pub(crate) use state::granularity::Granularity;
pub(crate) use state::iteration::{End, prints_are_steps_with};
pub(crate) use state::monitors::HeatId;
pub(crate) use state::places::{Places, have_points};
pub(crate) use switch::{Context as Suspended, call_under, on_stack};
pub use switch::{SignalMask, set_of, signals_of};
pub(crate) use worker::call::access_by_call;
pub(crate) use worker::covered::{
    count as count_of_machine, record_actor, table_of as table_of_machine,
    tell_event as tell_event_of_machine,
};
pub(crate) use worker::ending::{bad_free, end_with, fail, note_block};
pub(crate) use worker::facts::{is_severed, sever_when};
pub(crate) use worker::memory::{mean_races, note_mapped};
pub(crate) use worker::order::{
    acquire_all, acquire_lock, acquire_one, looks_for_races, release_lock, release_one,
    release_shared_lock,
};
pub(crate) use worker::panic::{install_hook, message_of, panic_noticed};
pub(crate) use worker::run::{Order, Plan, Record};
pub(crate) use worker::signal::without_waiting as without_waiting_signals;
pub(crate) use worker::step::note;
