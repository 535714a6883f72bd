//! The engine, as the shims see it. (interface; bodies follow)
#![allow(missing_docs, unused_variables, reason = "interface draft")]
use crate::operation::Operation;
use crate::trace::Value;
use std::panic::{Location, PanicHookInfo};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerId(pub u32);

/// True on a controlled worker: the shim must not block the OS thread and must declare its operations.
pub fn is_controlled() -> bool { unimplemented!() }
/// The worker that calls, if it is controlled.
pub fn current() -> Option<WorkerId> { unimplemented!() }
/// A number that no other iteration of this process has; handles of older iterations are stale. 0 outside.
pub fn iteration() -> u64 { unimplemented!() }
/// Runs `f` as if it were not controlled: engine-owned allocations, no scheduling points.
pub fn outside<R>(f: impl FnOnce() -> R) -> R { unimplemented!() }

/// An operation under way; tells the recorder what it read and wrote. Does nothing when nobody records.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Step(());
impl Step {
    /// The operation read this. (Load)
    pub fn read(self, value: impl Into<Value>) {}
    /// The operation wrote this. (Store)
    pub fn wrote(self, value: impl Into<Value>) {}
    /// The operation read one value and wrote another (Swap, FetchAdd, successful CompareExchange).
    pub fn exchanged(self, read: impl Into<Value>, written: impl Into<Value>) {}
    /// A `MayWrite` operation changed nothing (failed CAS: with the value read; try_lock: none).
    pub fn refused(self, read: Option<Value>) {}
    /// A `MayWrite` operation without values succeeded (try_lock, try_send…).
    pub fn succeeded(self) {}
    /// Nothing to tell.
    pub fn done(self) {}
}

/// Declares a visible operation and lets the strategy decide who runs; returns when the caller may carry it out.
/// Does nothing (and costs a thread-local read) outside a controlled worker. `object` is an address or 0.
#[track_caller]
pub fn point(operation: Operation, object: usize) -> Step { point_at(operation, object, Location::caller()) }
/// The same with the site given (guards keep the site of their acquire).
pub fn point_at(operation: Operation, object: usize, site: &'static Location<'static>) -> Step { unimplemented!() }

/// A deadline that never comes. Deadlines are nanoseconds of virtual time.
pub const NEVER: u64 = u64::MAX;
/// The deadline this long from now. Controlled workers only.
pub fn deadline_after(duration: Duration) -> u64 { unimplemented!() }

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakeup { Woken, TimedOut }

/// Takes the current worker out of the enabled set until somebody wakes `object` or the deadline comes. It is a scheduling
/// point of its own: use it INSTEAD of `point` when the operation cannot go ahead now, and after it check again (wake-ups
/// may be spurious): `if free { point(Lock) } ; while !try_acquire() { wait(Lock, addr, NEVER, holder) }`. `holder`: who has it, for deadlock detection.
/// Panics outside a controlled worker.
#[track_caller]
pub fn wait(operation: Operation, object: usize, deadline: u64, holder: Option<WorkerId>) -> Wakeup { unimplemented!() }
pub fn wait_at(operation: Operation, object: usize, deadline: u64, holder: Option<WorkerId>, site: &'static Location<'static>) -> Wakeup { unimplemented!() }
/// Makes all workers that wait for `object` enabled again. From an uncontrolled thread: tells the engine to look again.
pub fn wake_all(object: usize) { unimplemented!() }
/// Wakes one of the workers waiting for `object`, chosen by the strategy and recorded; false when nobody waits.
pub fn wake_one(object: usize) -> bool { unimplemented!() }

/// Creates a worker (includes the `Spawn` point). Its locals are destroyed when `body` returned. `body` must not unwind.
#[track_caller]
pub fn spawn(name: Option<String>, stack_size: Option<usize>, body: Box<dyn FnOnce()>) -> WorkerId { unimplemented!() }
/// True when the worker has ended (no scheduling point).
pub fn is_finished(worker: WorkerId) -> bool { unimplemented!() }
/// Waits for the worker's end, `Join` point included; its panic counts as noticed.
#[track_caller]
pub fn join(worker: WorkerId) { unimplemented!() }
/// The object id to wait on for a worker's end, and by which `unpark` tokens are seen; unique per worker.
pub fn worker_object(worker: WorkerId) -> usize { unimplemented!() }
/// std's park/park_timeout: consumes the token or waits for it. Spurious returns do not happen.
#[track_caller]
pub fn park(deadline: u64) { unimplemented!() }
#[track_caller]
pub fn unpark(worker: WorkerId) { unimplemented!() }
/// `Operation::YieldNow` or `SpinLoop`: gives way within the yield budget.
#[track_caller]
pub fn give_way(operation: Operation) { unimplemented!() }
#[track_caller]
pub fn sleep(deadline: u64) { unimplemented!() }

/// One of `0..n`, chosen by the strategy, recorded and replayed. Panics when `n` is 0.
pub fn choose_index(n: usize) -> usize { unimplemented!() }
/// Virtual nanoseconds since the iteration began; moves time a little.
#[track_caller]
pub fn clock_read() -> u64 { unimplemented!() }
/// Bytes that follow from the iteration's seed.
pub fn random_bytes(out: &mut [u8]) { unimplemented!() }

/// Where a worker-local lives; a `static` inside `thread_local!`.
#[derive(Debug)]
pub struct LocalSlot(std::sync::atomic::AtomicU32);
impl LocalSlot { pub const fn new() -> Self { LocalSlot(std::sync::atomic::AtomicU32::new(0)) } }
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Local { Missing, Alive(*mut u8), Destroyed }
/// The current worker's value in this slot. Controlled workers only.
pub fn local(slot: &'static LocalSlot) -> Local { unimplemented!() }
/// Stores it. `destroy` runs at the worker's end, latest first, with the slot already `Destroyed`; may register new ones.
/// # Safety
/// `destroy(value)` must be sound once.
pub unsafe fn set_local(slot: &'static LocalSlot, value: *mut u8, destroy: Option<unsafe fn(*mut u8)>) { unimplemented!() }

/// How many panics the current worker is unwinding from; the shims' `thread::panicking`. Controlled workers only.
pub fn panic_count() -> usize { unimplemented!() }
/// `catch_unwind` puts back the count from before; `resume_unwind` adds one.
pub fn set_panic_count(count: usize) { unimplemented!() }
/// The worker's panic reached its top (spawned closure); remembered as unobserved until joined.
pub fn worker_panicked() { unimplemented!() }
pub type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;
/// The test's own panic hook for this iteration; returns the one before.
pub fn replace_hook(hook: Option<Hook>) -> Option<Hook> { unimplemented!() }

/// `process::exit` and `process::abort` of a controlled worker: ends the iteration with that verdict.
#[track_caller]
pub fn exit(code: i32) -> ! { unimplemented!() }
#[track_caller]
pub fn abort() -> ! { unimplemented!() }
