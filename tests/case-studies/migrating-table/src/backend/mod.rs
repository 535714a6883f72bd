//! Calls of the backend tables, as clients and the migrator make them.

mod calls;
mod notes;
mod steps;

use cct::actor::ActorRef;

use crate::bug::Bug;
use crate::operation::{CallError, Done};
use crate::tables::{Outcome, Request, Tables};

/// More calls than these within one operation are taken for an endless loop.
const MOST_CALLS: u32 = 100;

/// A way to the tables, which counts calls and keeps linearization points.
#[derive(Clone, Debug)]
pub struct Backend {
    tables: ActorRef<Tables>,
    bug: Option<Bug>,
    request: Option<Request>,
    points: Vec<Point>,
    calls: u32,
}

/// A linearization point that was reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The results of a batch that succeeded.
    pub done: Vec<Done>,
    /// The outcome on the reference.
    pub outcome: Outcome,
}

fn gone() -> CallError {
    CallError::Internal("the tables have ended".to_owned())
}

impl Backend {
    /// Creates a way to these tables.
    #[must_use]
    pub fn new(tables: ActorRef<Tables>, bug: Option<Bug>) -> Backend {
        Backend {
            tables,
            bug,
            request: None,
            points: Vec::new(),
            calls: 0,
        }
    }

    /// Returns the tables.
    #[must_use]
    pub fn tables(&self) -> &ActorRef<Tables> {
        &self.tables
    }

    /// Tells whether this mistake is switched on.
    #[must_use]
    pub fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Begins an operation, whose linearization point is to be reported.
    pub fn begin(&mut self, request: Request) {
        self.request = Some(request);
        self.points.clear();
        self.calls = 0;
    }

    /// Returns the linearization points since the operation began.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    fn count(&mut self) -> Result<(), CallError> {
        self.calls += 1;
        if self.calls > MOST_CALLS {
            return Err(CallError::Internal("an endless loop".to_owned()));
        }
        Ok(())
    }
}
