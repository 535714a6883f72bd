//! Under some schedule, what the test asserts is not so.

mod aba;
mod aba_by_the_allocator;
mod check_then_act;
mod counter;
mod dekker;
mod double_checked;
mod once_race;
mod peterson;
mod read_then_write;
mod reference_count;
mod seqlock;
mod shared_ring;
mod thread_local_user;
mod ticket_lock;
mod timeout_and_signal;
mod unordered_handshake;
mod work_stealing;
