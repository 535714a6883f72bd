//! How long a test has given no sign of life, without the time in which it had no processor.
//!
//! A machine may have more to do than it has processors. A thread that would run but waits for one is late,
//! and does not hang.

use std::time::{Duration, Instant};

/// A look counts for no more than this: a machine that stands still for longer is no silence of its own.
const MOST: Duration = Duration::from_millis(500);

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
            let passed = at.saturating_duration_since(before.at).min(MOST);
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

    const SECOND: Duration = Duration::from_secs(1);

    /// The silence after looks a tenth of a second apart that found these processor times, in milliseconds.
    fn after(used: &[Option<u64>]) -> u128 {
        let began = Instant::now();
        let mut silence = Silence::default();
        for (look, used) in (0..).zip(used) {
            silence.look(began + look * SECOND / 10, used.map(Duration::from_millis));
        }
        silence.lasts().as_millis()
    }

    #[test]
    fn a_thread_that_runs_is_silent_for_what_it_used() {
        assert_eq!(after(&[Some(50), Some(60), Some(60), Some(90)]), 40);
        assert_eq!(after(&[Some(0), Some(500)]), 100);
    }

    #[test]
    fn one_that_sleeps_is_silent_all_the_time() {
        assert_eq!(after(&[None, None, Some(10), Some(20), None]), 310);
    }

    #[test]
    fn one_look_is_not_enough() {
        let began = Instant::now();
        let mut silence = Silence::default();
        silence.look(began, None);
        silence.look(began + SECOND / 2, None);
        assert!(!silence.is_longer_than(SECOND / 10));
        silence.look(began + SECOND * 6 / 10, None);
        assert!(silence.is_longer_than(SECOND / 2));
    }

    #[test]
    fn a_machine_that_stands_still_is_not_silent() {
        let began = Instant::now();
        let mut silence = Silence::default();
        for look in [0, 1, 2, 600, 1200] {
            silence.look(began + look * SECOND / 10, Some(look * SECOND / 10));
        }
        assert!(!silence.is_longer_than(2 * SECOND), "{silence:?}");
    }

    #[test]
    fn a_sign_of_life_ends_it() {
        let mut silence = Silence::default();
        let began = Instant::now();
        silence.look(began, None);
        silence.look(began + SECOND / 10, None);
        silence.end();
        silence.look(began + SECOND * 3 / 10, None);
        silence.look(began + SECOND * 5 / 10, None);
        assert_eq!(silence.lasts(), SECOND / 5);
    }
}
