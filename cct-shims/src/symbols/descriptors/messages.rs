//! Messages and bytes that go through sockets.

use cct::engine;
use cct::operation::Operation;
use libc::{c_int, c_void, iovec, msghdr, size_t, sockaddr, socklen_t, ssize_t};

use super::options::deadline;
use super::ready::Waiting;
use super::table::{self, Descriptor};
use super::transfer::{carry_out, in_pieces, is_nonblocking, uncontrolled};
use super::{argument, call};

/// Takes over the C library's `send`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn send(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's bytes are readable; nothing at null is read.
    unsafe { sendto(descriptor, bytes, count, flags, std::ptr::null(), 0) }
}

/// Takes over the C library's `sendto`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn sendto(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
    flags: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> ssize_t {
    let arguments = |flags| {
        let (address, length) = (address as usize, length as usize);
        [
            argument(descriptor),
            bytes as usize,
            count,
            argument(flags),
            address,
            length,
        ]
    };
    if !engine::is_controlled() {
        // SAFETY: the caller's arguments are those of the system call.
        return uncontrolled(descriptor, || unsafe {
            call(libc::SYS_sendto, arguments(flags))
        });
    }
    let what = table::of(descriptor);
    let waiting = Waiting::on(Operation::SocketWrite, descriptor, what);
    if address.is_null() {
        let part = iovec {
            iov_base: bytes.cast_mut(),
            iov_len: count,
        };
        // SAFETY: the caller's bytes are readable.
        return unsafe { send_parts(descriptor, what, waiting, &[part], flags) };
    }
    let waits = flags & libc::MSG_DONTWAIT == 0 && !is_nonblocking(descriptor);
    // SAFETY: as above.
    let act = || unsafe { call(libc::SYS_sendto, arguments(flags | libc::MSG_DONTWAIT)) };
    carry_out(
        descriptor,
        what,
        until_timeout(waiting, descriptor, waits, libc::SO_SNDTIMEO),
        waits,
        libc::POLLOUT,
        act,
    )
}

/// Takes over the C library's `sendmsg`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn sendmsg(
    descriptor: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's arguments are those of the system call.
    let act = |flags| unsafe { with_message(libc::SYS_sendmsg, descriptor, message, flags) };
    if !engine::is_controlled() {
        return uncontrolled(descriptor, || act(flags));
    }
    let what = table::of(descriptor);
    let waiting = Waiting::on(Operation::SocketWrite, descriptor, what);
    let waits = flags & libc::MSG_DONTWAIT == 0 && !is_nonblocking(descriptor);
    let waiting = until_timeout(waiting, descriptor, waits, libc::SO_SNDTIMEO);
    let sent = carry_out(descriptor, what, waiting, waits, libc::POLLOUT, || {
        act(flags | libc::MSG_DONTWAIT)
    });
    // SAFETY: the caller's message is readable, and so are its parts.
    unsafe {
        let parts = std::slice::from_raw_parts((*message).msg_iov, (*message).msg_iovlen);
        if !waits || sent < 0 || sent.cast_unsigned() == total(parts) {
            return sent;
        }
        // The ancillary data have gone with the first bytes.
        let mut skip = sent.cast_unsigned();
        let rest = in_pieces(parts, usize::MAX, |bytes, _| {
            let skipped = skip.min(bytes.len());
            skip -= skipped;
            if skipped > 0 {
                return skipped.cast_signed();
            }
            let part = iovec {
                iov_base: bytes.as_ptr().cast_mut().cast(),
                iov_len: bytes.len(),
            };
            send_parts(descriptor, what, waiting.with_part(true), &[part], flags)
        });
        rest.max(sent)
    }
}

/// Takes over the C library's `recv`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn recv(
    descriptor: c_int,
    place: *mut c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    let nowhere = std::ptr::null_mut();
    // SAFETY: the caller's place is writable; nothing is written to null.
    unsafe { recvfrom(descriptor, place, count, flags, nowhere, nowhere.cast()) }
}

/// Takes over the C library's `recvfrom`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn recvfrom(
    descriptor: c_int,
    place: *mut c_void,
    count: size_t,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    let arguments = |place: usize, count, flags| {
        let (address, length) = (address as usize, length as usize);
        [
            argument(descriptor),
            place,
            count,
            argument(flags),
            address,
            length,
        ]
    };
    if !engine::is_controlled() {
        let arguments = arguments(place as usize, count, flags);
        // SAFETY: the caller's arguments are those of the system call.
        return uncontrolled(descriptor, || unsafe {
            call(libc::SYS_recvfrom, arguments)
        });
    }
    let what = table::of(descriptor);
    let waiting = Waiting::on(Operation::SocketRead, descriptor, what);
    let dont_wait = flags & libc::MSG_DONTWAIT != 0;
    let mut done = 0;
    loop {
        let arguments = arguments(
            place as usize + done,
            count - done,
            flags | libc::MSG_DONTWAIT,
        );
        let waiting = waiting.with_part(done > 0);
        // SAFETY: as above.
        let result = receive(descriptor, what, waiting, dont_wait, || unsafe {
            call(libc::SYS_recvfrom, arguments)
        });
        match usize::try_from(result) {
            Ok(received) => done += received,
            Err(_) if done > 0 => return done.cast_signed(),
            Err(_) => return result,
        }
        let goes_on = flags & libc::MSG_WAITALL != 0 && !dont_wait && result > 0 && done < count;
        if !goes_on || is_nonblocking(descriptor) {
            return done.cast_signed();
        }
    }
}

/// Takes over the C library's `recvmsg`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn recvmsg(
    descriptor: c_int,
    message: *mut msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's arguments are those of the system call.
    let act = |flags| unsafe { with_message(libc::SYS_recvmsg, descriptor, message, flags) };
    if !engine::is_controlled() {
        return uncontrolled(descriptor, || act(flags));
    }
    let what = table::of(descriptor);
    let waiting = Waiting::on(Operation::SocketRead, descriptor, what);
    let dont_wait = flags & libc::MSG_DONTWAIT != 0;
    receive(descriptor, what, waiting, dont_wait, || {
        act(flags | libc::MSG_DONTWAIT)
    })
}

/// `sendmsg` or `recvmsg`, in the kernel.
unsafe fn with_message(
    number: libc::c_long,
    descriptor: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    let arguments = [
        argument(descriptor),
        message as usize,
        argument(flags),
        0,
        0,
        0,
    ];
    // SAFETY: the caller's.
    unsafe { call(number, arguments) }
}

/// A call that receives from a socket, and does not wait in the kernel when there is something.
pub(super) fn receive(
    descriptor: c_int,
    what: Descriptor,
    waiting: Waiting<'_>,
    dont_wait: bool,
    take: impl Fn() -> isize,
) -> isize {
    let waits = !dont_wait && !is_nonblocking(descriptor);
    let waiting = until_timeout(waiting, descriptor, waits, libc::SO_RCVTIMEO);
    carry_out(descriptor, what, waiting, waits, libc::POLLIN, take)
}

/// Sends all the parts, waiting in the engine if the socket is one that waits.
///
/// # Safety
///
/// The parts must be readable.
pub(super) unsafe fn send_parts(
    descriptor: c_int,
    what: Descriptor,
    waiting: Waiting<'_>,
    parts: &[iovec],
    flags: c_int,
) -> isize {
    let waits = flags & libc::MSG_DONTWAIT == 0 && !is_nonblocking(descriptor);
    let waiting = until_timeout(waiting, descriptor, waits, libc::SO_SNDTIMEO);
    let flags = argument(flags | libc::MSG_DONTWAIT);
    // SAFETY: all zeros is a message without anything.
    let mut message: msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = parts.as_ptr().cast_mut();
    message.msg_iovlen = parts.len() as _;
    let arguments = [
        argument(descriptor),
        (&raw const message) as usize,
        flags,
        0,
        0,
        0,
    ];
    // SAFETY: the message's parts are readable.
    let first = carry_out(descriptor, what, waiting, waits, libc::POLLOUT, || unsafe {
        call(libc::SYS_sendmsg, arguments)
    });
    if !waits || first < 0 || first.cast_unsigned() == total(parts) {
        return first;
    }
    let mut skip = first.cast_unsigned();
    let waiting = waiting.with_part(true);
    let all = in_pieces(parts, usize::MAX, |bytes, _| {
        if skip > 0 {
            let skipped = skip.min(bytes.len());
            skip -= skipped;
            return skipped.cast_signed();
        }
        let (start, count) = (bytes.as_ptr() as usize, bytes.len());
        let arguments = [argument(descriptor), start, count, flags, 0, 0];
        // SAFETY: the bytes are readable.
        carry_out(descriptor, what, waiting, true, libc::POLLOUT, || unsafe {
            call(libc::SYS_sendto, arguments)
        })
    });
    all.max(first)
}

fn total(parts: &[iovec]) -> usize {
    parts.iter().map(|part| part.iov_len).sum()
}

/// With the socket's own timeout as deadline, if it waits.
fn until_timeout(
    waiting: Waiting<'_>,
    descriptor: c_int,
    waits: bool,
    option: c_int,
) -> Waiting<'_> {
    let deadline = if waits {
        deadline(descriptor, option)
    } else {
        waiting.deadline
    };
    Waiting {
        deadline,
        ..waiting
    }
}
