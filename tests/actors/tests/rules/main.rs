//! The rules of actors and state machines, a test each: see `docs/actors-conformance.md`.
//!
//! Each holds natively, and under control in whichever schedule.

mod attacks;
mod ending;
mod event_groups;
mod failures;
mod faults;
mod groups;
mod hooks;
mod inbox;
mod kit;
mod options;
mod order;
mod pushed;
mod queue;
mod receive;
mod requests;
mod returns;
mod runtime;
mod shared;
mod timers;
mod transitions;
