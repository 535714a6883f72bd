//! Failures of actors.

use std::error::Error;
use std::fmt;

/// Why an actor could not go on.
#[derive(Debug)]
pub enum Failure {
    /// No state handles the event.
    Unhandled {
        /// The event's name.
        event: &'static str,
        /// The state in which it came; none for an actor without states.
        state: Option<&'static str>,
    },
    /// A handler returned this error.
    Error(Box<dyn Error + Send + Sync>),
    /// It ended with an event in its inbox, or got one afterwards, that was to be handled.
    Dropped {
        /// The event's name.
        event: &'static str,
    },
    /// An event came of which there were as many in the inbox as there may be.
    TooMany {
        /// The event's name.
        event: &'static str,
        /// How many there may be.
        most: u32,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unhandled {
                event,
                state: Some(state),
            } => write!(
                f,
                "it got the event `{event}` in the state `{state}`, which cannot handle it"
            ),
            Failure::Unhandled { event, state: None } => {
                write!(f, "it got the event `{event}`, which it cannot handle")
            }
            Failure::Error(error) => write!(f, "a handler returned an error: {error}"),
            Failure::Dropped { event } => {
                write!(
                    f,
                    "it ended without handling the event `{event}`, which must be handled"
                )
            }
            Failure::TooMany { event, most } => {
                write!(
                    f,
                    "more than {most} of the event `{event}` are in its inbox"
                )
            }
        }
    }
}
