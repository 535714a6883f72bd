//! A failure detector that pings nodes in rounds of at most two attempts, and **takes late answers for new
//! ones**.
//!
//! A node that has answered in a round is alive, whichever ping it answers. So a node that is slow in each
//! round is never taken for dead, and unanswered pings gather: after three rounds there are four.
//!
//! Machines: the [`Detector`], and its [`Node`]s, which may fail.

mod detector;
mod node;
mod pings;
mod scenario;

pub use detector::{
    AttemptIsOver, Detector, Pong, Probing, Resting, RoundIsDue, Settings, Variant,
};
pub use node::{Fail, Node, NodeId, Ping};
pub use pings::{PingEvent, PingsAreAnswered};
pub use scenario::run;
