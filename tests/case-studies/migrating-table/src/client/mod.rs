//! The migrating table: a client's view of two tables as one.

mod batch;
mod query;
mod translate;

use cct::actor::{ActorRef, Runtime};

use crate::backend::Backend;
use crate::config::ConfigService;
use crate::filter::Filter;
use crate::operation::CallError;
use crate::stream::Stream;

/// A table that may be about to move. Each client has its own; they know nothing of one another.
#[derive(Debug)]
pub struct MigratingTable {
    /// The way to the tables.
    pub backend: Backend,
    config: ActorRef<ConfigService>,
}

impl MigratingTable {
    /// Creates a client of these tables.
    #[must_use]
    pub fn new(backend: Backend, config: ActorRef<ConfigService>) -> MigratingTable {
        MigratingTable { backend, config }
    }

    /// Begins a streamed query: it returns matching rows in order, each as it was at some moment since.
    ///
    /// # Errors
    ///
    /// The backend fails.
    pub async fn stream(&self, runtime: &Runtime, filter: Filter) -> Result<Stream, CallError> {
        Stream::open(runtime, &self.config, &self.backend, filter).await
    }
}
