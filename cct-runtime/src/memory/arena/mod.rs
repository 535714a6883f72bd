//! The iteration arena: the heap of controlled workers.
//!
//! The arena is a bump allocator over one region at a fixed address, so that an iteration has the same
//! addresses whenever it is made. Each block has a header with its size and state, by which a double free is
//! detected. Freed memory is overwritten (of a great block the first part), so that a use after free does not
//! look right by accident, and rests to the end of the iteration, unless that uses very much memory.
//!
//! A compare-and-exchange that mistakes a new block for the old one at its place (ABA) shows only if
//! blocks are used again. So in some iterations they are, in an order that is chosen at random.
//!
//! Code of the program that runs for the engine's records, which makes the texts of events for example, has
//! its blocks in a margin of the region.
//!
//! The C library's allocation functions, taken over by symbol, lead here.

mod block;
mod freed;
mod heap;
mod live;
mod rest;

pub use heap::{
    allocate, allocate_zeroed, check_foreign, contains, free, is_beside, is_in_use, is_of_margin,
    resize_in_place, size_of_block,
};

pub(crate) use heap::{beside, open, region, reset, tell_blocks, used};
pub(crate) use live::{block_around, is_address, is_block, is_freed, live_words, small_blocks};
