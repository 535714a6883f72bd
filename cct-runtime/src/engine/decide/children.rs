//! Children: while a process that the test has made lives, virtual time is not ahead of real time.
//!
//! Else time would leap while it works, and whoever polls it with sleeps would give it none.

use std::time::{Duration, Instant};

use super::engine::Engine;
use super::{outside, signals};

/// The processes that the iteration's workers have made.
#[derive(Debug, Default)]
pub(crate) struct Children {
    /// The children that have not been seen to have ended.
    living: Vec<libc::pid_t>,
    /// When the first of them was made: in real time, and in virtual time.
    made: Option<(Instant, u64)>,
}

impl Children {
    /// An iteration begins.
    pub(crate) fn clear(&mut self) {
        self.living.clear();
    }

    /// A process has been made, at this virtual time.
    pub(crate) fn add(&mut self, child: libc::pid_t, now: u64) {
        self.forget_ended();
        if self.living.is_empty() {
            self.made = Some((real_now(), now));
        }
        self.living.push(child);
    }

    /// True if there was one when they were last looked at.
    pub(crate) fn had_any(&self) -> bool {
        !self.living.is_empty()
    }

    /// True if one lives.
    pub(super) fn any_lives(&self) -> bool {
        self.living.iter().any(|&child| lives(child))
    }

    fn forget_ended(&mut self) {
        self.living.retain(|&child| lives(child));
    }
}

/// Time is about to come so far: waits in real time until it has, or no child lives. True if somebody has
/// become able to run meanwhile.
///
/// Beyond the time that the engine has for the outside the test is run natively.
#[inline]
pub(crate) fn keep_pace(engine: &mut Engine, time: u64) -> bool {
    !engine.outside.children.living.is_empty() && wait_for(engine, time)
}

#[cold]
fn wait_for(engine: &mut Engine, time: u64) -> bool {
    engine.outside.children.forget_ended();
    let could_run = engine.roster.candidates().len();
    let mut is_beyond = false;
    if let (false, Some((real, since))) = (
        engine.outside.children.living.is_empty(),
        engine.outside.children.made,
    ) {
        let until = Duration::from_nanos(time.saturating_sub(since));
        let bound = engine.outside.allowance.timeout;
        let left = until
            .saturating_sub(real_now().duration_since(real))
            .min(bound);
        let end = real_now() + left;
        let is_over = |engine: &Engine| {
            engine.roster.candidates().len() > could_run
                || !engine.outside.children.any_lives()
                || real_now() >= end
        };
        outside::await_until(engine, left, is_over);
        engine.outside.children.forget_ended();
        is_beyond = until > bound;
    }
    let is_woken = |engine: &Engine| engine.roster.candidates().len() > could_run;
    let any_lives = engine.outside.children.had_any();
    if !any_lives {
        signals::take_last(engine, is_woken);
    }
    let any_woken = is_woken(engine);
    if is_beyond && !any_woken && any_lives {
        (engine.outside.allowance.give_up)("a child process that lives on");
    }
    any_woken
}

/// True if the child has not ended, or nobody can tell.
fn lives(child: libc::pid_t) -> bool {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: all zeros is information about nothing, and the place is writable.
    unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        let id = child.cast_unsigned();
        // A child that has been waited for is nobody's.
        libc::waitid(libc::P_PID, id, &raw mut found, options) == 0 && found.si_pid() == 0
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process goes by real time"
)]
fn real_now() -> Instant {
    Instant::now()
}
