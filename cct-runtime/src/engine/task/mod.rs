//! Tasks: futures that an executor drives, as workers of their own.
//!
//! An executor polls a task on one of its threads. From the beginning of a poll to its end the task is
//! the worker that runs, in the thread's place and on its stack. A task needs no stack in between, so it
//! can be *held back*: it leaves its waker with the engine and returns `Pending`, which its executor
//! cannot tell from any other wait. It stays a candidate; when it is picked, its waker is called, and
//! whatever executor drives it polls it again. So each task that can run is a candidate of its own,
//! however few threads there are, and no executor needs to be known.
//!
//! A task is held back where it begins, where it goes on after a wait, and before an await: never where
//! somebody between the executor and the await could tell, see [`Gate`]. One that wakes itself, as those that
//! give way do, would be polled only to be asked where it goes on: it is asked at the end of that poll. Its
//! executor has been told by then, and is not told again when the task is picked: one that loses what it is
//! told loses it under control, too.

mod executor;
mod gate;
mod handle;
mod hold;
mod naps;
mod poll;

mod types;
mod waker;

pub use executor::own_clock;
pub use gate::Gate;
pub use handle::{Task, handing_is_over};
