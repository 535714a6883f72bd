//! libtest's main thread, which starts a test's thread and waits for its end.
//!
//! On its way there it takes memory and writes to statics. A process is kept, and put back, as it is when
//! that thread sleeps: a change in the middle of an iteration would be the iteration's, and never come again.

use std::time::Duration;

use crate::asleep::sleeps;

/// How often, and how long each time, it is waited for. A main thread that never sleeps is not libtest's.
const ATTEMPTS: u32 = 100;
const ATTEMPT: Duration = Duration::from_millis(10);
/// It mostly sleeps at once.
const SOON: Duration = Duration::from_micros(50);

/// Waits until the process's main thread sleeps, for a second at most; at once if the calling one is that.
#[expect(
    clippy::disallowed_methods,
    reason = "real time, while no iteration is under way"
)]
pub(super) fn wait_until_asleep() {
    // SAFETY: the calls have no precondition.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    if process == thread {
        return;
    }
    let main = format!("/proc/self/task/{process}");
    for attempt in 0..ATTEMPTS {
        if sleeps(&main) {
            return;
        }
        std::thread::sleep(if attempt < 10 { SOON } else { ATTEMPT });
    }
}
