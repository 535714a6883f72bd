//! Test processes: which there are, one at a time under watch, and all of them over the cores.
//!
//! Nothing here speaks to people; what happens is handed on as values.

mod allot;
pub(crate) mod board;
mod campaign;
mod certain;
mod claim;
mod confirm;
mod difference;
pub(crate) mod events;
mod explore;
mod finding;
mod first;
pub(crate) mod helper;
mod injected;
mod interact;
mod isolation;
mod leads_to;
mod length;
mod lines;
mod memory;
mod name;
mod native;
mod outcome;
mod places;
pub(crate) mod plan;
mod pool;
mod process;
mod profile;
mod scratch;
mod seed;
mod shard;
mod shrink;
mod silence;
mod spread;
pub(crate) mod stop;
pub(crate) mod threads;
pub(crate) mod warden;
mod watch;

pub(crate) use allot::{Account, Allotment};
pub(crate) use campaign::{Campaign, Keep};
pub(crate) use claim::{Claim, Scope};
pub(crate) use confirm::{Repeated, follow, repeat, same_end};
pub(crate) use difference::{Difference, difference};
pub(crate) use explore::Explorer;
pub(crate) use finding::{Finding, KnownFailure, Repeats};
pub(crate) use first::{First, NoneFirst, Tried, TriedEnd, TriedOf};
pub(crate) use injected::{Injected, Injection};
pub(crate) use interact::{Lead, Led, interact};
pub(crate) use isolation::Leak;
pub(crate) use leads_to::LeadsTo;
pub(crate) use length::{Length, is_preemption, is_switch, lane};
pub(crate) use lines::Lines;
pub(crate) use memory::shared_by;
pub(crate) use name::TestName;
pub(crate) use outcome::{Outcome, TestRun};
pub(crate) use places::{ALL, without_code};
pub(crate) use plan::{Job, Plan, Task};
pub(crate) use pool::{Notice, run_all};
pub(crate) use process::{
    Launch, Mode, is_unread_error, outlive_file_size_limit, remove_variable, spawn, tests_of,
    together,
};
pub(crate) use profile::profile;
pub(crate) use scratch::Scratch;
pub(crate) use seed::RunSeed;
pub(crate) use shard::{COUNT as SHARDS, Shard, ShardArg};
pub(crate) use shrink::{Effort, Shortened, Shrinker, Shrinking, WhyNot, reason_not_to};
pub(crate) use stop::{Stop, stopped_by};
pub(crate) use watch::signal_name;
