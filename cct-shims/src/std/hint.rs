//! Saying that one spins.

use cct::engine;
use cct::operation::Operation;

/// Tells that the caller waits for others in a loop; on a controlled worker, gives way to them.
#[inline]
#[track_caller]
pub fn spin_loop() {
    if engine::is_controlled() {
        engine::give_way(Operation::SpinLoop);
    } else {
        real::hint::spin_loop();
    }
}
