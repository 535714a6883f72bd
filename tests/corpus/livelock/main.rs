//! Under some schedule, workers spin or poll for ever, and no worker will ever change anything.

mod abandoned_ticket;
mod alone;
mod joint;
mod polls;
mod spun_for_holder;
mod stop_before_start;
mod stubborn_flags;
mod ticker_beside_a_deadlock;
