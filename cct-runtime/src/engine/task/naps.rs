//! Which awaited futures are sleeps: told by the names of their types, since a runtime's timer does not
//! say what it is for.
//!
//! A name that is missing here makes sleeps of that kind end early in some schedules; one too many makes
//! time-outs late that need not be. Neither changes what a program can do.

use crate::engine::decide::{Engine, engine, outside};
use crate::known::{BODY, SLEEPS, behind_pointers};

/// Whether an await waits for a sleep, and in which iteration it was counted.
#[derive(Debug, Default)]
pub(crate) struct Nap(u64);

impl Nap {
    /// One that has not begun.
    pub(crate) const fn none() -> Nap {
        Nap(0)
    }

    /// A future of this type is about to be polled: its timer may run before the poll is over.
    #[inline]
    pub(crate) fn begin(&mut self, engine: *mut Engine, future: &'static str) {
        // SAFETY: the caller's engine is live; no switch happens in here.
        unsafe {
            if (*engine).time.early.is_possible() && self.0 == 0 && is_known_sleep(engine, future) {
                self.0 = (*engine).iteration.number;
                outside(|| (*engine).begin_nap());
            }
        }
    }

    /// The future is ready, or is not awaited any longer.
    #[inline]
    pub(crate) fn end(&mut self, is_ready: bool) {
        if self.0 != 0 {
            self.end_counted(is_ready);
        }
    }

    #[cold]
    fn end_counted(&mut self, is_ready: bool) {
        let (engine, iteration) = (engine(), std::mem::take(&mut self.0));
        // SAFETY: a set engine is live; what an earlier iteration counted is forgotten.
        unsafe {
            if iteration != 0 && !engine.is_null() && iteration == (*engine).iteration.number {
                outside(|| (*engine).end_nap(is_ready));
            }
        }
    }
}

impl Drop for Nap {
    #[inline]
    fn drop(&mut self) {
        self.end(false);
    }
}

/// [`is_sleep`] of a name that was most often asked for before.
///
/// # Safety
///
/// The engine is live.
unsafe fn is_known_sleep(engine: *mut Engine, future: &'static str) -> bool {
    // SAFETY: the caller's.
    let answers = unsafe { &mut (*engine).tasks.sleeps };
    answers.of(future, "", |future, _| is_sleep(future))
}

/// True if a future of this type waits for time, and for nothing else.
fn is_sleep(future: &str) -> bool {
    // A reference polls just the future behind it.
    let name = behind_pointers(future);
    let name = name.split('<').next().unwrap_or(name);
    let name = name.trim_end_matches('>');
    let name = name.strip_suffix(BODY).unwrap_or(name);
    let last = name.rsplit("::").next().unwrap_or(name);
    SLEEPS.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::is_sleep;

    #[test]
    fn sleeps_are_told_by_the_last_name() {
        for sleep in [
            "tokio::time::sleep::Sleep",
            "core::pin::Pin<&mut tokio::time::sleep::Sleep>",
            "core::pin::Pin<alloc::boxed::Box<tokio::time::sleep::Sleep>>",
            "&mut async_io::Timer",
            "futures_timer::native::delay::Delay",
            "tokio::time::interval::Interval::tick::{{closure}}",
            "async_std::task::sleep::sleep::{{closure}}",
        ] {
            assert!(is_sleep(sleep), "{sleep}");
        }
        for other in [
            "tokio::time::timeout::Timeout<tokio::time::sleep::Sleep>",
            "tokio::sync::mpsc::bounded::Receiver<u8>::recv::{{closure}}",
            "app::sleepy::{{closure}}",
            "core::future::poll_fn::PollFn<app::run::{{closure}}>",
        ] {
            assert!(!is_sleep(other), "{other}");
        }
    }
}
