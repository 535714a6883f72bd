//! The buffer with the bug.

mod shift;

/// Deadlocks under some schedules: the buffer has room again, and the one who is told is not the
/// one who waits for room.
#[test]
fn all_jobs_are_done_when_one_waiter_is_woken() {
    shift::work(bounded_buffer::Wakes::One);
}
