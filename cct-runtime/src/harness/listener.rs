//! The process that listens to this one, if there is one; and the end of this one, after its last event.

use std::io::Write as _;
use std::sync::OnceLock;

use super::channel::Channel;
use crate::engine::{is_controlled, outside};
use crate::memory::output;
use crate::wire::Event;

static CHANNEL: OnceLock<Channel> = OnceLock::new();

/// Opens the channel that the environment names; ends the process if it names none, unless it may be `alone`.
pub(crate) fn open(alone: bool) {
    let Some(channel) = Channel::open() else {
        if alone {
            return;
        }
        let reason = "`CCT_MODE` is set, but `CCT_EVENTS_FD` names no descriptor";
        // Nobody else could be told that this cannot be written.
        let _ = writeln!(std::io::stderr(), "cct: {reason}");
        // SAFETY: ends the process.
        unsafe { libc::_exit(96) }
    };
    let _ = CHANNEL.set(channel);
}

/// Sends an event, if somebody listens.
pub(crate) fn send(event: &Event) {
    if let Some(channel) = CHANNEL.get() {
        channel.send(event);
    }
}

/// Ends the process without running anything that the iterations left behind.
pub(super) fn leave() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

/// Says why the process cannot do what it was asked for, and ends it.
pub(crate) fn refuse(reason: String) -> ! {
    if CHANNEL.get().is_none() {
        let _ = writeln!(std::io::stderr(), "cct: {reason}");
    }
    send(&Event::Refused(reason));
    leave()
}

/// Says that the calling worker uses something that the engine does not control, and ends the process:
/// the wait would stop every worker. Does nothing elsewhere.
pub fn report_uncontrolled(what: &str) {
    if is_controlled() {
        outside(|| give_up(what));
    }
}

/// Says that what the test prints cannot be written, if the machine is to blame for the error of a write to
/// this descriptor, and ends the process: what comes of it is no verdict about the test.
pub fn report_unwritten(descriptor: libc::c_int) {
    outside(|| {
        if let Some(lack) = output::lack(descriptor) {
            end_with(|| Event::Refused(lack));
        }
    });
}

/// Says that the engine waits for something that is not under control, and ends the process, so that the
/// test is run natively. Does nothing where nobody listens.
pub(super) fn give_up(what: &str) {
    end_with(|| Event::Uncontrolled(what.to_owned()));
}

/// Says that the engine itself has panicked, and ends the process. Does nothing where nobody listens.
pub(super) fn report_internal_error(message: &str) {
    end_with(|| Event::Refused(format!("internal error of cargo-cct: {message}")));
}

/// Ends the process with this event, if somebody listens.
fn end_with(event: impl FnOnce() -> Event) {
    if let Some(channel) = CHANNEL.get() {
        channel.send(&event());
        leave()
    }
}
