//! Paxos for one decree, with proposers that **take over the wrong proposal**.
//!
//! A proposer that hears of proposals that were accepted earlier has to propose the value of the latest
//! one. With the bug it takes the earliest, and may so undo what was chosen.
//!
//! Machines: three [`Proposer`]s with a value each, five [`Acceptor`]s of which two may fail, and a
//! [`Learner`].

mod acceptor;
mod learner;
mod message;
mod proposer;
mod scenario;
mod specification;

pub use acceptor::{Acceptor, Fail};
pub use learner::Learner;
pub use message::{Accept, Accepted, AcceptorId, Number, Prepare, Promise, Proposal, Value};
pub use proposer::{Accepting, Preparing, Proposer, Variant};
pub use scenario::run;
pub use specification::OneValueIsLearned;
