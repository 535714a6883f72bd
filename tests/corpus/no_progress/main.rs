//! Under some schedule, somebody spins for ever, and nobody will ever change anything.

mod abandoned_ticket;
mod spun_for_holder;
mod stop_before_start;
mod stubborn_flags;
