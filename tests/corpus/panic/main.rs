//! Under some schedule, an `unwrap`, an index or an `expect` panics.

mod bounded_queue_if;
mod channel_disconnect;
mod not_the_last_owner;
mod overdraft;
mod stale_index;
mod take_twice;
