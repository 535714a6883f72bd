//! The calls that led to where the program is, as places in its executable.
//!
//! A test process reads no debug information, cargo-cct does: that takes memory, locks and time, and a
//! crash may have left the process without. It walks its stack by the unwinder's tables, which are exact at
//! each instruction, through the frame of a signal, and on a worker's stack up to its first function, or
//! that of a stack that the program has made. Frame pointers are not needed. The walk takes no memory and
//! writes to its own frame only, so that a handler may do it, on a stack of its own if the program's is
//! exhausted.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;

use crate::engine::{Suspended, call_under};
use crate::wire::Board;

/// The calls, the innermost first, each as an offset from where the executable begins in memory.
#[derive(Debug)]
pub(crate) struct Frames {
    places: [u64; Board::FRAMES],
    count: usize,
    /// The frames so far are those of a handler, which do not count.
    is_before_signal: bool,
}

/// A frame, as the unwinder knows it.
#[repr(C)]
struct Context {
    opaque: [u8; 0],
}

/// Go on with the frame around this one.
const GO_ON: c_int = 0;
/// Stop here.
const STOP: c_int = 4;

unsafe extern "C" {
    // Of the unwinder that std panics with.
    fn _Unwind_Backtrace(
        visit: extern "C" fn(*mut Context, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut Context, is_next: *mut c_int) -> usize;
    // The linker's: where the executable begins, and where its code ends.
    static __executable_start: u8;
    static etext: u8;
    // And where its data does.
    static _end: u8;
}

impl Frames {
    /// Returns the frames around the caller; from within a handler also those that the signal interrupted.
    #[inline(never)]
    pub(crate) fn here() -> Frames {
        let mut frames = Frames::none();
        // SAFETY: `visit` gets the frames that are given here, and the unwinder reads this stack only.
        unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) };
        frames
    }

    /// Returns the frames that a signal interrupted, from within its handler.
    #[inline(never)]
    pub(crate) fn interrupted() -> Frames {
        let mut frames = Frames {
            is_before_signal: true,
            ..Frames::none()
        };
        // SAFETY: as in `here`.
        unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) };
        frames
    }

    fn none() -> Frames {
        Frames {
            places: [0; Board::FRAMES],
            count: 0,
            is_before_signal: false,
        }
    }

    /// Returns the frames of a stack that is suspended at this context.
    ///
    /// # Safety
    ///
    /// A switch has saved the context, and nobody goes on there any more.
    pub(crate) unsafe fn at(context: Suspended) -> Frames {
        unsafe extern "C" fn walk(frames: *mut Frames) {
            // SAFETY: the caller's, below.
            unsafe { _Unwind_Backtrace(visit, frames.cast()) };
        }
        let mut frames = Frames::none();
        // SAFETY: the caller's; the walk only reads that stack.
        unsafe { call_under(context, &raw mut frames, walk) };
        frames
    }

    /// The places.
    pub(crate) fn places(&self) -> &[u64] {
        &self.places[..self.count]
    }
}

/// The address of the executable's code or data as an offset from where it begins in memory; 0 for others.
pub(crate) fn offset_of(address: usize) -> u32 {
    let start = (&raw const __executable_start).addr();
    address
        .checked_sub(start)
        .and_then(|offset| u32::try_from(offset).ok())
        .unwrap_or(0)
}

/// True for an address of the executable's code or data.
pub(crate) fn is_of_executable(address: usize) -> bool {
    let start = (&raw const __executable_start).addr();
    let end = (&raw const _end).addr();
    (start..end).contains(&address)
}

/// Visits the frames around the caller as [`Frames`] has them, the innermost first, as long as it is to go
/// on.
#[inline(never)]
pub(crate) fn walk(mut each: &mut dyn FnMut(u64) -> ControlFlow<()>) {
    extern "C" fn visit(context: *mut Context, data: *mut c_void) -> c_int {
        // SAFETY: `walk` gave it, and is suspended.
        let each = unsafe { &mut *data.cast::<&mut dyn FnMut(u64) -> ControlFlow<()>>() };
        match place_of(context).map(each) {
            Some(ControlFlow::Break(())) => STOP,
            _ => GO_ON,
        }
    }
    // SAFETY: `visit` gets what is given here, and the unwinder reads this stack only.
    unsafe { _Unwind_Backtrace(visit, (&raw mut each).cast()) };
}

extern "C" fn visit(context: *mut Context, data: *mut c_void) -> c_int {
    // SAFETY: `here` gave its own frames, and is suspended.
    let frames = unsafe { &mut *data.cast::<Frames>() };
    if frames.is_before_signal {
        let mut is_interrupted: c_int = 0;
        // SAFETY: the unwinder gave the context.
        unsafe { _Unwind_GetIPInfo(context, &raw mut is_interrupted) };
        if is_interrupted == 0 {
            return GO_ON;
        }
        frames.is_before_signal = false;
    }
    if let Some(place) = place_of(context) {
        frames.places[frames.count] = place;
        frames.count += 1;
    }
    if frames.count < Board::FRAMES {
        GO_ON
    } else {
        STOP
    }
}

/// The call of a frame, as an offset from where the executable begins; none if it is elsewhere.
fn place_of(context: *mut Context) -> Option<u64> {
    let mut is_next: c_int = 0;
    // SAFETY: the unwinder gave the context.
    let address = unsafe { _Unwind_GetIPInfo(context, &raw mut is_next) };
    // A call's return address is the instruction after it, which may be of another line or function; where a
    // signal came, the address is that of the instruction itself.
    let address = address.wrapping_sub(usize::from(is_next == 0));
    let start = (&raw const __executable_start).addr();
    let end = (&raw const etext).addr();
    (start..end)
        .contains(&address)
        .then(|| (address - start) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn deeper(depth: u32) -> (usize, u64) {
        if depth > 0 {
            let found = deeper(depth - 1);
            return std::hint::black_box(found);
        }
        let frames = Frames::here();
        (frames.count, frames.places[0])
    }

    #[test]
    fn each_call_is_a_frame_up_to_the_bound() {
        let ((few, place), (more, same)) = (deeper(1), deeper(6));
        assert_eq!(more, few + 5);
        assert_eq!(place, same);
        assert_eq!(deeper(10 * Board::FRAMES as u32).0, Board::FRAMES);
    }
}
