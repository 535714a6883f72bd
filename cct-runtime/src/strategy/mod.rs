//! Strategies: the rules that pick who runs next.
//!
//! One algorithm a file. A strategy is a pure oracle: it sees the candidates and its own history, and
//! knows no locks, clocks or terminals. Everything it does follows from the seed it is given.

mod action;
mod bounded;
mod candidates;
mod census;
mod clock;
mod contract;
mod delay;
mod delays;
mod dpor;
mod first_use;
mod graph;
mod interactive;
mod keys;
mod kinds;
mod lengths;
mod members;
mod pct;
mod pctwm;
mod pending;
mod period;
mod plan;
mod pos;
mod priorities;
mod q_learning;
mod random;
mod rff;
mod ring;
mod rng;
#[cfg(test)]
mod script;
mod spec;
#[cfg(test)]
pub(crate) mod stage;
mod sticky;
mod suggest;
mod surw;
mod task_delay;
mod task_pct;
mod then;
mod ticks;
mod trap;
mod tree;
mod turns;
mod walk;
mod workers;

pub use action::{Action, Executed, Next};
pub use bounded::Bounded;
pub use candidates::{Candidates, Moment, Pick, Reason};
pub use contract::{
    Beginning, Beyond, Ending, Enumerator, IterationResult, Limits, Observer, Progress, Strategy,
};
pub use delay::Delay;
pub use dpor::Dpor;
pub(crate) use first_use::FirstUse;
pub use graph::Graph;
pub use interactive::Interactive;
pub use kinds::Kind;
pub use pct::Pct;
pub use pctwm::Pctwm;
pub use period::Period;
pub use pos::Pos;
pub use q_learning::QLearning;
pub use random::Random;
pub use rff::Rff;
pub use rng::{Rng, derive};
pub use spec::{InvalidSpec, Member, Part, Spec};
pub use sticky::Sticky;
pub use surw::Surw;
pub use task_delay::TaskDelay;
pub use task_pct::TaskPct;
pub use then::Then;
pub use trap::Trap;
pub use workers::{ChainId, Origin, WorkerId};
