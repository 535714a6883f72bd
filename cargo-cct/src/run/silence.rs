//! How long a test has given no sign of life, without the time in which it had no processor.
//!
//! A machine may have more to do than it has processors. A thread that would run but waits for one is late,
//! and does not hang.

use std::time::{Duration, Instant};

/// A silence, made of the times between looks.
#[derive(Debug, Default)]
pub(super) struct Silence {
    lasts: Duration,
    looked: Option<Look>,
    /// How many times between two looks it is made of.
    parts: u32,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    /// The processor time of the thread; `None` if it slept, or the kernel does not tell.
    used: Option<Duration>,
}

impl Silence {
    /// There was a sign of life: it begins anew with the next look.
    pub(super) fn end(&mut self) {
        *self = Silence::default();
    }

    /// Adds the time since the last look: what the thread used of it if it runs, else all.
    pub(super) fn look(&mut self, at: Instant, used: Option<Duration>) {
        if let Some(before) = self.looked.replace(Look { at, used }) {
            let passed = at.saturating_duration_since(before.at);
            let ran = used.zip(before.used);
            let ran = ran.map(|(now, before)| now.saturating_sub(before));
            self.lasts += ran.map_or(passed, |ran| ran.min(passed));
            self.parts += 1;
        }
    }

    /// True if it has lasted longer than this, and more than once between two looks: a machine that stands
    /// still for a moment takes the thread's time.
    pub(super) fn is_longer_than(&self, patience: Duration) -> bool {
        self.lasts > patience && self.parts > 1
    }

    /// How long it has lasted.
    pub(super) fn lasts(&self) -> Duration {
        self.lasts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The silence after looks a second apart that found these processor times, in milliseconds.
    fn after(used: &[Option<u64>]) -> u128 {
        let began = Instant::now();
        let mut silence = Silence::default();
        for (second, used) in (0..).zip(used) {
            let used = used.map(Duration::from_millis);
            silence.look(began + Duration::from_secs(second), used);
        }
        silence.lasts().as_millis()
    }

    #[test]
    fn a_thread_that_runs_is_silent_for_what_it_used() {
        assert_eq!(after(&[Some(500), Some(600), Some(600), Some(900)]), 400);
        assert_eq!(after(&[Some(0), Some(5000)]), 1000);
    }

    #[test]
    fn one_that_sleeps_is_silent_all_the_time() {
        assert_eq!(after(&[None, None, Some(100), Some(200), None]), 3100);
    }

    #[test]
    fn one_look_is_not_enough() {
        let began = Instant::now();
        let mut silence = Silence::default();
        silence.look(began, None);
        silence.look(began + Duration::from_secs(9), None);
        assert!(!silence.is_longer_than(Duration::from_secs(1)));
        silence.look(began + Duration::from_secs(10), None);
        assert!(silence.is_longer_than(Duration::from_secs(9)));
    }

    #[test]
    fn a_sign_of_life_ends_it() {
        let mut silence = Silence::default();
        let began = Instant::now();
        silence.look(began, None);
        silence.look(began + Duration::from_secs(1), None);
        silence.end();
        silence.look(began + Duration::from_secs(3), None);
        silence.look(began + Duration::from_secs(5), None);
        assert_eq!(silence.lasts(), Duration::from_secs(2));
    }
}
