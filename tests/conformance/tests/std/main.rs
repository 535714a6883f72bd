//! std's documented behaviour, one module for each shim. The bodies know of no tool: natively each
//! runs once, under control in many schedules, and the assertions hold in every one.

mod atomic;
mod barrier;
mod builder;
mod condvar;
mod lazy;
mod local;
mod mpsc;
mod mutex;
mod once;
mod panic;
mod park;
mod rw_lock;
mod scope;
mod sync_channel;
mod thread;
mod time;
mod waker;
