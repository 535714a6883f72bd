//! Under some schedule, the body can never finish: everybody waits.

mod ab_ba;
mod barrier_reuse;
mod channel_circle;
mod early_notification;
mod guard_across_join;
mod last_sender;
mod lost_wakeup;
mod missed_signal;
mod park_token_stolen;
mod park_tokens;
mod philosophers;
mod recursive_read;
mod semaphore_miscount;
mod sleeping_barber;
mod smokers;
mod two_kinds_of_waiters;
mod upgrade;
