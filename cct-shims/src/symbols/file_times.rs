//! The times of files, by the clock of the iteration where they are new.

use cct::engine;
use libc::c_long;

use super::clock::machine_time;

const NANOS: i64 = 1_000_000_000;

/// Changes the times that a system call of this number has told to a worker.
///
/// # Safety
///
/// The call was made with these arguments, and went well.
pub(super) unsafe fn adjust(number: c_long, arguments: &[usize; 6]) {
    if !engine::is_controlled() {
        return;
    }
    match number {
        libc::SYS_statx => {
            let place = arguments[4] as *mut libc::statx;
            // SAFETY: the kernel has written there.
            let place = unsafe { &mut *place };
            for time in [
                &mut place.stx_atime,
                &mut place.stx_btime,
                &mut place.stx_ctime,
                &mut place.stx_mtime,
            ] {
                let (seconds, nanos) = seen((time.tv_sec, time.tv_nsec.into()));
                time.tv_sec = seconds;
                time.tv_nsec = nanos.cast_unsigned() as u32;
            }
        }
        libc::SYS_newfstatat => {
            let place = arguments[2] as *mut libc::stat;
            // SAFETY: as above.
            let place = unsafe { &mut *place };
            for (seconds, nanos) in [
                (&mut place.st_atime, &mut place.st_atime_nsec),
                (&mut place.st_mtime, &mut place.st_mtime_nsec),
                (&mut place.st_ctime, &mut place.st_ctime_nsec),
            ] {
                (*seconds, *nanos) = seen((*seconds, *nanos));
            }
        }
        _ => {}
    }
}

/// A time as the iteration sees it, in seconds and nanoseconds.
fn seen((seconds, nanos): (i64, i64)) -> (i64, i64) {
    let time = seconds
        .checked_mul(NANOS)
        .and_then(|whole| whole.checked_add(nanos))
        .and_then(|time| u64::try_from(time).ok());
    let Some(time) = time else {
        return (seconds, nanos);
    };
    let seen = engine::file_time(time, machine_time()).cast_signed();
    (seen / NANOS, seen % NANOS)
}
