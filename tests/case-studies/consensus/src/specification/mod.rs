//! The specifications: Raft's invariants, and progress.

mod completeness;
mod leaders;
mod logs;
mod progress;
mod states;

pub use completeness::{LeadersAreComplete, Office};
pub use leaders::TermsHaveOneLeader;
pub use logs::{LogEvent, LogsMatch};
pub use progress::{ALeaderIsElected, Leadership, Proposal, ProposalsAreApplied};
pub use states::StatesAgree;
