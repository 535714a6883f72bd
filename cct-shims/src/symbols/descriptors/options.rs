//! Options of sockets and flags of descriptors, as the kernel has them.

use std::time::Duration;

use cct::engine;
use libc::{c_int, socklen_t, timeval};

use super::{argument, call};

/// The virtual deadline of a call on the socket: its own timeout, if it has one.
pub(super) fn deadline(descriptor: c_int, option: c_int) -> u64 {
    let mut timeout = timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    let failed = get_option(descriptor, option, &mut timeout) < 0;
    if failed || (timeout.tv_sec == 0 && timeout.tv_usec == 0) {
        return engine::NEVER;
    }
    let seconds = Duration::from_secs(timeout.tv_sec.cast_unsigned());
    engine::deadline_after(seconds + Duration::from_micros(timeout.tv_usec.cast_unsigned()))
}

/// Takes the error that the socket has kept.
pub(super) fn error_of(descriptor: c_int) -> c_int {
    let mut error: c_int = 0;
    get_option(descriptor, libc::SO_ERROR, &mut error);
    error
}

/// Reads an option of a socket into a place of its type; negative if there is none.
pub(super) fn get_option<T>(descriptor: c_int, option: c_int, place: &mut T) -> isize {
    let mut length = size_of::<T>() as socklen_t;
    let arguments = [
        argument(descriptor),
        argument(libc::SOL_SOCKET),
        argument(option),
        std::ptr::from_mut(place) as usize,
        (&raw mut length) as usize,
        0,
    ];
    // SAFETY: the place is as long as said.
    unsafe { call(libc::SYS_getsockopt, arguments) }
}

/// Has calls on the descriptor fail instead of waiting, or wait.
pub(super) fn set_nonblocking(descriptor: c_int, on: bool) {
    // SAFETY: touches no memory.
    unsafe {
        let flags = call(
            libc::SYS_fcntl,
            [argument(descriptor), argument(libc::F_GETFL), 0, 0, 0, 0],
        ) as c_int;
        let flags = if on {
            flags | libc::O_NONBLOCK
        } else {
            flags & !libc::O_NONBLOCK
        };
        let arguments = [
            argument(descriptor),
            argument(libc::F_SETFL),
            argument(flags),
            0,
            0,
            0,
        ];
        call(libc::SYS_fcntl, arguments);
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::os::fd::AsRawFd as _;

    use super::super::transfer::is_nonblocking;
    use super::*;

    #[test]
    fn options_are_the_kernels() {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let descriptor = socket.as_raw_fd();
        let mut kind: c_int = 0;
        assert!(get_option(descriptor, libc::SO_TYPE, &mut kind) >= 0);
        assert_eq!(kind, libc::SOCK_DGRAM);
        assert_eq!(error_of(descriptor), 0);
        assert_eq!(deadline(descriptor, libc::SO_RCVTIMEO), engine::NEVER);
        assert_eq!(deadline(-1, libc::SO_RCVTIMEO), engine::NEVER);
    }

    #[test]
    fn the_other_flags_of_a_descriptor_stay() {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let descriptor = socket.as_raw_fd();
        for on in [true, false, true] {
            set_nonblocking(descriptor, on);
            assert_eq!(is_nonblocking(descriptor), on);
        }
        // SAFETY: asks for flags.
        let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
        assert_eq!(flags & libc::O_ACCMODE, libc::O_RDWR);
    }
}
