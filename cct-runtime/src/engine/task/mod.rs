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
//!
//! So a task rests, is polled, is held back or has been released, which means picked and not polled since
//! ([`Stage`](super::state::driven::Stage)). [`state::tasks`](super::state::tasks) makes each of these
//! changes, and counts for each executor which tasks it is about to poll and which the engine keeps from it.
//!
//! Which tasks their executors are going to poll, and who made a continuation runnable, the engine knows
//! from the *relays* that it lends to a task's futures: one stands for one waker of an executor's, so two of
//! them are equal exactly if the executor's are, a clone of it is a clone of the executor's and no more, and
//! waking it tells the engine and then the executor, at once.
//!
//! If there are other tasks that their executors are going to poll, the thread itself is a candidate too
//! where a task may be held back, and goes on with those. An executor that may tell its caller that there is
//! nothing to do goes on only when one of its tasks that are held back is picked and in its queue; so does
//! one that a task polls by hand, and one whose clock is paused: the clock would jump. A future that a task
//! drives itself, as a `LocalSet` in it does, goes on only with that task, and does not count while it is
//! held back.
//!
//! Whether a future that is handed to a method called `run` is a task shows at its first poll. An await is a
//! gate only if nothing but async bodies lies between it and the task, which the names of types tell: a
//! `select`, a timeout or a test that polls by hand would otherwise see a future that is not ready where
//! natively it is.

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
