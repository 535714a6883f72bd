//! libtest's main thread, which starts a test's thread and waits for its end.
//!
//! On its way there it takes memory and writes to statics. A process is kept, and put back, as it is when
//! that thread sleeps: a change in the middle of an iteration would be the iteration's, and never come again.

use std::time::Duration;

/// How often, and how long each time, it is waited for. A main thread that never sleeps is not libtest's.
const ATTEMPTS: u32 = 100;
const ATTEMPT: Duration = Duration::from_millis(10);
/// It mostly sleeps at once.
const SOON: Duration = Duration::from_micros(50);

/// Waits until the process's main thread sleeps, for a second at most; at once if the calling one is that.
#[expect(
    clippy::disallowed_methods,
    reason = "real time, before the first iteration"
)]
pub(super) fn wait_until_asleep() {
    // SAFETY: the calls have no precondition.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    if process == thread {
        return;
    }
    let path = format!("/proc/self/task/{process}/stat");
    for attempt in 0..ATTEMPTS {
        let asleep = std::fs::read_to_string(&path).map(|stat| sleeps(&stat));
        if asleep.unwrap_or(true) {
            return;
        }
        std::thread::sleep(if attempt < 10 { SOON } else { ATTEMPT });
    }
}

/// True if a thread sleeps by its line in `/proc`: its number, its name in parentheses, its state, ….
fn sleeps(stat: &str) -> bool {
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_none_or(|state| !state.starts_with(['R', 'D']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_parenthesis() {
        assert!(sleeps("7 (S) R) S 1 7"));
        assert!(!sleeps("7 (S) S) R 1 7"));
        assert!(!sleeps("7 (main) D 1 7"));
    }
}
