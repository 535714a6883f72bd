//! `read`, `write` and the like.

use cct::engine;
use cct::harness::{note_output, report_unwritten};
use cct::operation::{Access, Operation};
use libc::{c_int, c_short, c_void, iovec, off_t, size_t, ssize_t};

use super::ready::{End, Waiting, changed, is_ready};
use super::table::{self, Descriptor, Kind};
use super::{argument, call, messages, would_block};
use crate::symbols::file_times;
use crate::symbols::real::system_call;

/// The number of bytes that a blocking pipe takes without waiting whenever it is ready for writing.
const PIPE_CHUNK: usize = libc::PIPE_BUF;

/// Takes over the C library's `read`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn read(
    descriptor: c_int,
    place: *mut c_void,
    count: size_t,
) -> ssize_t {
    let arguments = [argument(descriptor), place as usize, count, 0, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { receive(descriptor, || call(libc::SYS_read, arguments)) }
}

/// Takes over the C library's `readv`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn readv(
    descriptor: c_int,
    parts: *const iovec,
    count: c_int,
) -> ssize_t {
    let arguments = [
        argument(descriptor),
        parts as usize,
        argument(count),
        0,
        0,
        0,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { receive(descriptor, || call(libc::SYS_readv, arguments)) }
}

/// Takes over the C library's `write`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn write(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
) -> ssize_t {
    let part = iovec {
        iov_base: bytes.cast_mut(),
        iov_len: count,
    };
    let arguments = [argument(descriptor), bytes as usize, count, 0, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { send(descriptor, &[part], || call(libc::SYS_write, arguments)) }
}

/// Takes over the C library's `writev`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn writev(
    descriptor: c_int,
    parts: *const iovec,
    count: c_int,
) -> ssize_t {
    let arguments = [
        argument(descriptor),
        parts as usize,
        argument(count),
        0,
        0,
        0,
    ];
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's arguments are those of the system call.
    unsafe {
        let parts = if count == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(parts, count)
        };
        send(descriptor, parts, || call(libc::SYS_writev, arguments))
    }
}

/// Takes over the C library's `sendfile`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn sendfile(
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    count: size_t,
) -> ssize_t {
    let arguments = [argument(to), argument(from), offset as usize, count, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { between(from, to, || call(libc::SYS_sendfile, arguments)) }
}

/// Takes over the C library's `splice`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn splice(
    from: c_int,
    from_offset: *mut libc::loff_t,
    to: c_int,
    to_offset: *mut libc::loff_t,
    count: size_t,
    flags: libc::c_uint,
) -> ssize_t {
    let arguments = [
        argument(from),
        from_offset as usize,
        argument(to),
        to_offset as usize,
        count,
        flags as usize,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { between(from, to, || call(libc::SYS_splice, arguments)) }
}

/// Takes over the C library's `pwrite`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn pwrite(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
    offset: off_t,
) -> ssize_t {
    let offset = offset.cast_unsigned() as usize;
    let arguments = [argument(descriptor), bytes as usize, count, offset, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    change(descriptor, || unsafe {
        call(libc::SYS_pwrite64, arguments)
    })
}

/// Takes over the C library's `pwrite64`, which is the same.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn pwrite64(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
    offset: off_t,
) -> ssize_t {
    // SAFETY: the caller's arguments.
    unsafe { pwrite(descriptor, bytes, count, offset) }
}

/// Takes over the C library's `ftruncate`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn ftruncate(descriptor: c_int, length: off_t) -> c_int {
    let length = length.cast_unsigned() as usize;
    let arguments = [argument(descriptor), length, 0, 0, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    let cut = || unsafe { call(libc::SYS_ftruncate, arguments) };
    if !engine::is_controlled() {
        return cut() as c_int;
    }
    let result = cut();
    if result >= 0 {
        note_change(descriptor);
    }
    result as c_int
}

/// Takes over the C library's `ftruncate64`, which is the same.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn ftruncate64(descriptor: c_int, length: off_t) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { ftruncate(descriptor, length) }
}

/// Takes over the C library's `copy_file_range`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn copy_file_range(
    from: c_int,
    from_offset: *mut libc::loff_t,
    to: c_int,
    to_offset: *mut libc::loff_t,
    count: size_t,
    flags: libc::c_uint,
) -> ssize_t {
    let arguments = [
        argument(from),
        from_offset as usize,
        argument(to),
        to_offset as usize,
        count,
        flags as usize,
    ];
    change(to, || {
        engine::note_reading(from);
        // SAFETY: the caller's arguments are those of the system call.
        unsafe { call(libc::SYS_copy_file_range, arguments) }
    })
}

/// A call that changes an open file of the file system.
fn change(file: c_int, act: impl Fn() -> isize) -> isize {
    if engine::is_controlled() {
        write_into(file, act)
    } else {
        act()
    }
}

/// A call that takes bytes out of the descriptor.
unsafe fn receive(descriptor: c_int, take: impl Fn() -> isize) -> isize {
    if !engine::is_controlled() {
        return uncontrolled(descriptor, take);
    }
    let what = table::of(descriptor);
    let operation = match what.kind {
        Kind::Plain => {
            engine::note_reading(descriptor);
            return take();
        }
        Kind::Eventfd => Operation::EventfdRead,
        Kind::Pipe => Operation::PipeRead,
        Kind::Pair | Kind::Tcp | Kind::Udp | Kind::Unix => {
            let waiting = Waiting::on(Operation::SocketRead, descriptor, what);
            return messages::receive(descriptor, what, waiting, false, take);
        }
        Kind::Timer => Operation::TimerRead,
        Kind::Epoll | Kind::Outside => Operation::DescriptorRead,
    };
    let waits = !is_nonblocking(descriptor);
    carry_out(
        descriptor,
        what,
        Waiting::on(operation, descriptor, what),
        waits,
        libc::POLLIN,
        take,
    )
}

/// A call that puts bytes into the descriptor; `put` all of them, unless it must do so piece by piece.
unsafe fn send(descriptor: c_int, parts: &[iovec], put: impl Fn() -> isize) -> isize {
    if descriptor == libc::STDOUT_FILENO || descriptor == libc::STDERR_FILENO {
        note_output();
        let result = put();
        if result < 0 {
            report_unwritten(descriptor);
        }
        return result;
    }
    if !engine::is_controlled() {
        return uncontrolled(descriptor, put);
    }
    let what = table::of(descriptor);
    let operation = match what.kind {
        Kind::Plain => return write_into(descriptor, put),
        Kind::Eventfd => Operation::EventfdWrite,
        Kind::Pipe => Operation::PipeWrite,
        Kind::Pair | Kind::Tcp | Kind::Udp | Kind::Unix => {
            let waiting = Waiting::on(Operation::SocketWrite, descriptor, what);
            // SAFETY: the caller's parts are readable.
            return unsafe { messages::send_parts(descriptor, what, waiting, parts, 0) };
        }
        Kind::Epoll | Kind::Timer | Kind::Outside => Operation::DescriptorWrite,
    };
    let waits = !is_nonblocking(descriptor);
    let waiting = Waiting::on(operation, descriptor, what);
    let total: usize = parts.iter().map(|part| part.iov_len).sum();
    if what.kind != Kind::Pipe || !waits || total <= PIPE_CHUNK {
        return carry_out(descriptor, what, waiting, waits, libc::POLLOUT, put);
    }
    in_pieces(parts, PIPE_CHUNK, |bytes, has_part| {
        let arguments = [
            argument(descriptor),
            bytes.as_ptr() as usize,
            bytes.len(),
            0,
            0,
            0,
        ];
        let waiting = waiting.with_part(has_part);
        carry_out(descriptor, what, waiting, true, libc::POLLOUT, || {
            // SAFETY: the bytes are readable.
            unsafe { call(libc::SYS_write, arguments) }
        })
    })
}

/// Puts all the bytes, no more than so many at a time; `put` is told whether there were some before. Bytes
/// that have been put count, whatever comes then.
pub(super) fn in_pieces(
    parts: &[iovec],
    most: usize,
    mut put: impl FnMut(&[u8], bool) -> isize,
) -> isize {
    let mut done = 0;
    for part in parts.iter().filter(|part| part.iov_len > 0) {
        // SAFETY: whoever writes has readable bytes.
        let mut left =
            unsafe { std::slice::from_raw_parts(part.iov_base.cast::<u8>(), part.iov_len) };
        while !left.is_empty() {
            match put(&left[..left.len().min(most)], done > 0) {
                error if error < 0 => return if done > 0 { done } else { error },
                count => {
                    done += count;
                    left = &left[count.cast_unsigned()..];
                }
            }
        }
    }
    done
}

/// A call that takes bytes out of one descriptor and puts them into another.
unsafe fn between(from: c_int, to: c_int, pass: impl Fn() -> isize) -> isize {
    if !engine::is_controlled() {
        return uncontrolled(to, pass);
    }
    let (source, target) = (table::of(from), table::of(to));
    for (descriptor, what, events) in [(from, source, libc::POLLIN), (to, target, libc::POLLOUT)] {
        if what.matters() && !is_nonblocking(descriptor) {
            let operation = match events {
                libc::POLLIN => operation_in(what),
                _ => Operation::DescriptorWrite,
            };
            let waiting = Waiting::on(operation, descriptor, what);
            if waiting.until(|| is_ready(descriptor, events)) == End::Interrupted {
                return crate::symbols::fail(libc::EINTR);
            }
        }
        engine::touch(what.object(), Access::Writes);
    }
    let pass = || {
        engine::note_reading(from);
        pass()
    };
    let result = match target.kind {
        Kind::Plain => write_into(to, pass),
        _ => pass(),
    };
    if result >= 0 && (source.matters() || target.matters()) {
        changed(source);
        changed(target);
    }
    result
}

/// A call that changes the open file, where it takes bytes. Controlled workers only.
fn write_into(file: c_int, write: impl Fn() -> isize) -> isize {
    let result = write();
    if result > 0 {
        note_change(file);
    }
    result
}

/// A worker has changed this open file.
fn note_change(file: c_int) {
    engine::note_change();
    file_times::note_write(file);
}

fn operation_in(what: Descriptor) -> Operation {
    match what.kind {
        Kind::Pipe => Operation::PipeRead,
        Kind::Pair | Kind::Tcp | Kind::Udp | Kind::Unix => Operation::SocketRead,
        _ => Operation::DescriptorRead,
    }
}

/// One scheduling point, a wait if it has to be, and the call. `act` does not wait in the kernel when the
/// descriptor is ready.
pub(super) fn carry_out(
    descriptor: c_int,
    what: Descriptor,
    waiting: Waiting<'_>,
    waits: bool,
    events: c_short,
    act: impl Fn() -> isize,
) -> isize {
    let ready = || is_ready(descriptor, events);
    if !waits {
        let step = waiting.point();
        let result = act();
        if would_block(result) {
            step.refused(None);
        } else {
            step.succeeded();
            changed(what);
        }
        return result;
    }
    let mut end = waiting.until(ready);
    loop {
        // Another may have been faster.
        if ready() {
            let result = act();
            if !would_block(result) {
                changed(what);
                return result;
            }
        }
        match end {
            End::Ready => end = waiting.again(ready),
            End::TooLate => return crate::symbols::fail(libc::EAGAIN),
            End::Interrupted => return crate::symbols::fail(libc::EINTR),
        }
    }
}

/// True if calls on the descriptor fail instead of waiting.
pub(super) fn is_nonblocking(descriptor: c_int) -> bool {
    let arguments = [argument(descriptor), argument(libc::F_GETFL), 0, 0, 0, 0];
    // SAFETY: asks for flags.
    let flags = unsafe { system_call(libc::SYS_fcntl, arguments) };
    flags >= 0 && flags as c_int & libc::O_NONBLOCK != 0
}

/// A call of a thread outside the engine: workers may wait for the descriptor.
pub(super) fn uncontrolled(descriptor: c_int, act: impl Fn() -> isize) -> isize {
    let result = act();
    if result >= 0 && table::known(descriptor).is_some() {
        engine::evaluate_predicates();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts these texts, no more than four bytes at a time, where each call takes as many as `takes` says.
    fn put(texts: &[&str], takes: impl Fn(usize, &[u8]) -> isize) -> (isize, Vec<String>) {
        let parts: Vec<iovec> = texts
            .iter()
            .map(|text| iovec {
                iov_base: text.as_ptr().cast_mut().cast(),
                iov_len: text.len(),
            })
            .collect();
        let mut calls = Vec::new();
        let done = in_pieces(&parts, 4, |bytes, _| {
            calls.push(String::from_utf8_lossy(bytes).into_owned());
            takes(calls.len(), bytes)
        });
        (done, calls)
    }

    #[test]
    fn everything_is_put_piece_by_piece() {
        let all = |_, bytes: &[u8]| bytes.len().cast_signed();
        let (done, calls) = put(&["abcdef", "", "gh"], all);
        assert_eq!(done, 8);
        assert_eq!(calls, ["abcd", "ef", "gh"]);
        assert_eq!(put(&[""], all), (0, Vec::new()));
    }

    #[test]
    fn the_rest_of_a_piece_is_put_again() {
        let (done, calls) = put(&["abcdef"], |_, _| 2);
        assert_eq!(done, 6);
        assert_eq!(calls, ["abcd", "cdef", "ef"]);
    }

    #[test]
    fn an_error_is_told_if_nothing_was_put_before() {
        assert_eq!(put(&["abcdef"], |_, _| -1).0, -1);
        let (done, calls) = put(&["abcdef"], |call, _| if call == 1 { 4 } else { -1 });
        assert_eq!((done, calls.len()), (4, 2));
    }
}
