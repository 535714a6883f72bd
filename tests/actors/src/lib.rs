//! Tools of the tests: a record of what happened, and an executor.

mod executor;
mod log;

pub use executor::on_threads;
pub use log::Log;
