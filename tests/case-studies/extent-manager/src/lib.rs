//! A manager of replicated extents that **a late report deceives**: an extent that lacks a replica is never
//! repaired.
//!
//! An extent is kept by several extent nodes. The [`ExtentManager`] hears of them by heartbeats, which say
//! that a node lives, and by sync reports, which list the extents that it holds. It forgets a node that it
//! has not heard of for a while, with its replicas, and has another node copy an extent that lacks
//! replicas.
//!
//! This is the case of Azure Storage vNext in Deligiannis et al., *Uncovering Bugs in Distributed Storage
//! Systems during Testing (Not in Production!)*, FAST 2016, section 3, with its bug
//! `ExtentNodeLivenessViolation`: a sync report that a node has sent before it failed is handled after the
//! node was forgotten. The replica is in the manager's books again; and since nobody hears of heartbeats
//! that a forgotten node lacks, it stays there. The manager sees no need for repair, for ever.
//!
//! The manager is a real component of plain structs: [`ExtentCenter`], [`NodeMap`], a loop for expiration
//! and one for repair, and the trait [`NetworkEngine`]. The [`harness`] wraps it in a machine, whose timers
//! drive the loops; extent nodes are models.
//!
//! ```text
//! cargo cct test -p extent-manager
//! ```

pub mod harness;
mod manager;

pub use manager::{
    ExtentCenter, ExtentId, ExtentManager, Message, NetworkEngine, NodeId, NodeMap, Repair,
    Settings, Variant,
};
