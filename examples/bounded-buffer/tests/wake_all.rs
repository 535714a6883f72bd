//! The buffer without the bug.

mod shift;

#[test]
fn all_jobs_are_done_when_all_waiters_are_woken() {
    shift::work(bounded_buffer::Wakes::All);
}
