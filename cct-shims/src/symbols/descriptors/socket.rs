//! Sockets: made, connected and shut down.

use std::net::{Ipv4Addr, Ipv6Addr};

use cct::engine;
use cct::operation::Operation;
use libc::{c_int, sockaddr, socklen_t};

use super::options::{deadline, error_of, get_option, set_nonblocking};
use super::ready::{End, Waiting, changed, is_ready};
use super::table::{self, Kind};
use super::transfer::{carry_out, is_nonblocking, uncontrolled};
use super::{argument, call};

/// Takes over the C library's `socket`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    let arguments = [
        argument(domain),
        argument(kind),
        argument(protocol),
        0,
        0,
        0,
    ];
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { call(libc::SYS_socket, arguments) } as c_int;
    if engine::is_controlled() && descriptor >= 0 {
        table::made(descriptor, kind_by(domain, kind));
    }
    descriptor
}

/// The kind of a socket of this domain and type.
fn kind_by(domain: c_int, kind: c_int) -> Kind {
    match (domain, kind & !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK)) {
        (libc::AF_UNIX, _) => Kind::Unix,
        (_, libc::SOCK_STREAM) => Kind::Tcp,
        _ => Kind::Udp,
    }
}

/// The kind of a socket that was made unseen.
pub(super) fn kind_of(descriptor: c_int) -> Kind {
    let (mut domain, mut kind) = (0, 0);
    get_option(descriptor, libc::SO_DOMAIN, &mut domain);
    get_option(descriptor, libc::SO_TYPE, &mut kind);
    kind_by(domain, kind)
}

/// Takes over the C library's `socketpair`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn socketpair(
    domain: c_int,
    kind: c_int,
    protocol: c_int,
    ends: *mut c_int,
) -> c_int {
    let arguments = [
        argument(domain),
        argument(kind),
        argument(protocol),
        ends as usize,
        0,
        0,
    ];
    // SAFETY: the caller's place has room for two.
    unsafe {
        let result = call(libc::SYS_socketpair, arguments);
        if engine::is_controlled() && result == 0 {
            table::made_together([*ends, *ends.add(1)], Kind::Pair);
        }
        result as c_int
    }
}

/// Takes over the C library's `accept`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn accept(
    listener: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    // SAFETY: the caller's places are writable, or null.
    unsafe { accept4(listener, address, length, 0) }
}

/// Takes over the C library's `accept4`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn accept4(
    listener: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    let arguments = [
        argument(listener),
        address as usize,
        length as usize,
        argument(flags),
        0,
        0,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    let act = || unsafe { call(libc::SYS_accept4, arguments) };
    if !engine::is_controlled() {
        return act() as c_int;
    }
    let what = table::of(listener);
    let waits = !is_nonblocking(listener);
    let waiting = Waiting {
        deadline: deadline(listener, libc::SO_RCVTIMEO),
        ..Waiting::on(Operation::Accept, listener, what)
    };
    let descriptor = carry_out(listener, what, waiting, waits, libc::POLLIN, act) as c_int;
    if descriptor >= 0 {
        table::made(descriptor, what.kind);
    }
    descriptor
}

/// Takes over the C library's `connect`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn connect(
    descriptor: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> c_int {
    let arguments = [
        argument(descriptor),
        address as usize,
        length as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    let act = || unsafe { call(libc::SYS_connect, arguments) };
    if !engine::is_controlled() {
        return uncontrolled(descriptor, act) as c_int;
    }
    let what = table::of(descriptor);
    let waiting = Waiting::on(Operation::Connect, descriptor, what);
    // SAFETY: the caller's address is readable.
    if unsafe { is_far(address, length) } {
        table::share(descriptor);
    }
    waiting.point().done();
    let waits = !is_nonblocking(descriptor);
    if waits {
        set_nonblocking(descriptor, true);
    }
    let mut result = act();
    if waits {
        // SAFETY: `errno` is a place of this thread.
        let under_way = result < 0 && unsafe { *libc::__errno_location() } == libc::EINPROGRESS;
        if under_way {
            while waiting.again(|| is_ready(descriptor, libc::POLLOUT)) != End::Ready {}
            result = match error_of(descriptor) {
                0 => 0,
                error => crate::symbols::fail(error),
            };
        }
        set_nonblocking(descriptor, false);
    }
    changed(what);
    result as c_int
}

/// True if the address may be that of another machine.
unsafe fn is_far(address: *const sockaddr, length: socklen_t) -> bool {
    // SAFETY: the caller's address is as long as it says, and begins with its family.
    unsafe {
        if address.is_null() || (length as usize) < size_of::<libc::sa_family_t>() {
            return false;
        }
        match c_int::from((*address).sa_family) {
            libc::AF_INET if length as usize >= size_of::<libc::sockaddr_in>() => {
                let bits = address
                    .cast::<libc::sockaddr_in>()
                    .read_unaligned()
                    .sin_addr
                    .s_addr;
                !Ipv4Addr::from(u32::from_be(bits)).is_loopback()
            }
            libc::AF_INET6 if length as usize >= size_of::<libc::sockaddr_in6>() => {
                let address = address.cast::<libc::sockaddr_in6>().read_unaligned();
                let address = Ipv6Addr::from(address.sin6_addr.s6_addr);
                !address
                    .to_ipv4_mapped()
                    .map_or(address.is_loopback(), |old| old.is_loopback())
            }
            _ => false,
        }
    }
}

/// Takes over the C library's `shutdown`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn shutdown(descriptor: c_int, how: c_int) -> c_int {
    // SAFETY: touches no memory.
    let act = || unsafe {
        call(
            libc::SYS_shutdown,
            [argument(descriptor), argument(how), 0, 0, 0, 0],
        )
    };
    if !engine::is_controlled() {
        return uncontrolled(descriptor, act) as c_int;
    }
    let what = table::of(descriptor);
    Waiting::on(Operation::Shutdown, descriptor, what)
        .point()
        .done();
    let result = act();
    changed(what);
    result as c_int
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_socket_is_what_its_domain_and_type_say() {
        let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        for flags in [0, flags] {
            let kind = |domain, kind: c_int| kind_by(domain, kind | flags);
            assert_eq!(kind(libc::AF_INET, libc::SOCK_STREAM), Kind::Tcp);
            assert_eq!(kind(libc::AF_INET6, libc::SOCK_STREAM), Kind::Tcp);
            assert_eq!(kind(libc::AF_INET, libc::SOCK_DGRAM), Kind::Udp);
            assert_eq!(kind(libc::AF_UNIX, libc::SOCK_STREAM), Kind::Unix);
            assert_eq!(kind(libc::AF_UNIX, libc::SOCK_DGRAM), Kind::Unix);
        }
    }

    /// Whether this address is another machine's, and whether its first bytes alone are.
    fn is_far_at(text: &str) -> (bool, bool) {
        // SAFETY: all zeros is an address of no family; places are as long as said.
        unsafe {
            let mut storage: libc::sockaddr_storage = std::mem::zeroed();
            let place = &raw mut storage;
            let length = match text.parse().expect("an address") {
                IpAddr::V4(address) => {
                    let place = place.cast::<libc::sockaddr_in>();
                    (*place).sin_family = libc::AF_INET as libc::sa_family_t;
                    (*place).sin_addr.s_addr = u32::from(address).to_be();
                    size_of::<libc::sockaddr_in>()
                }
                IpAddr::V6(address) => {
                    let place = place.cast::<libc::sockaddr_in6>();
                    (*place).sin6_family = libc::AF_INET6 as libc::sa_family_t;
                    (*place).sin6_addr.s6_addr = address.octets();
                    size_of::<libc::sockaddr_in6>()
                }
            };
            let far = |length: usize| is_far(place.cast(), length as socklen_t);
            (far(length), far(length - 1))
        }
    }

    #[test]
    fn an_address_is_near_if_it_is_this_machines() {
        for near in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(is_far_at(near), (false, false), "{near}");
        }
        for far in ["10.0.0.1", "0.0.0.0", "fe80::1", "::ffff:10.0.0.1"] {
            assert_eq!(is_far_at(far), (true, false), "{far}");
        }
        // SAFETY: nothing is read of no address.
        assert!(!unsafe { is_far(std::ptr::null(), 16) });
    }
}
