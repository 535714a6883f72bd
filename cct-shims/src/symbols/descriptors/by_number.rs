//! The same functions, for those who call them by number through `syscall`.

use libc::{c_int, c_long};

use super::{closing, epoll, eventfd, pipe, poll, socket, transfer};

#[expect(
    clippy::many_single_char_names,
    reason = "what they mean is up to the number"
)]
/// Carries out the system call as the function of its name does; `None` if it is none of them.
///
/// # Safety
///
/// The arguments must be those of the system call.
pub(in crate::symbols) unsafe fn carry_out(
    number: c_long,
    [a, b, c, d, e, f]: [usize; 6],
) -> Option<isize> {
    // SAFETY: the caller's.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        let old = match number {
            libc::SYS_epoll_create => Some(epoll::epoll_create(int(a)) as isize),
            libc::SYS_epoll_wait => {
                Some(epoll::epoll_wait(int(a), b as _, int(c), int(d)) as isize)
            }
            libc::SYS_eventfd => Some(eventfd::eventfd(a as _, 0) as isize),
            libc::SYS_pipe => Some(pipe::pipe(a as _) as isize),
            libc::SYS_poll => Some(poll::poll(a as _, b as _, int(c)) as isize),
            libc::SYS_dup2 => Some(closing::dup2(int(a), int(b)) as isize),
            _ => None,
        };
        #[cfg(not(target_arch = "x86_64"))]
        let old = None;
        old.or_else(|| {
            let result = match number {
                libc::SYS_read => return Some(transfer::read(int(a), b as _, c)),
                libc::SYS_readv => return Some(transfer::readv(int(a), b as _, int(c))),
                libc::SYS_write => return Some(transfer::write(int(a), b as _, c)),
                libc::SYS_writev => return Some(transfer::writev(int(a), b as _, int(c))),
                libc::SYS_recvfrom => {
                    return Some(socket::recvfrom(int(a), b as _, c, int(d), e as _, f as _));
                }
                libc::SYS_sendto => {
                    return Some(socket::sendto(int(a), b as _, c, int(d), e as _, f as _));
                }
                libc::SYS_recvmsg => return Some(socket::recvmsg(int(a), b as _, int(c))),
                libc::SYS_sendmsg => return Some(socket::sendmsg(int(a), b as _, int(c))),
                libc::SYS_epoll_create1 => epoll::epoll_create1(int(a)),
                libc::SYS_epoll_ctl => epoll::epoll_ctl(int(a), int(b), int(c), d as _),
                libc::SYS_epoll_pwait => epoll::epoll_pwait(int(a), b as _, int(c), int(d), e as _),
                libc::SYS_epoll_pwait2 => {
                    epoll::epoll_pwait2(int(a), b as _, int(c), d as _, e as _)
                }
                libc::SYS_eventfd2 => eventfd::eventfd(a as _, int(b)),
                libc::SYS_pipe2 => pipe::pipe2(a as _, int(b)),
                libc::SYS_ppoll => poll::ppoll(a as _, b as _, c as _, d as _),
                libc::SYS_close => closing::close(int(a)),
                libc::SYS_dup => closing::dup(int(a)),
                libc::SYS_dup3 => closing::dup3(int(a), int(b), int(c)),
                libc::SYS_fcntl => closing::fcntl(int(a), int(b), c),
                libc::SYS_socket => socket::socket(int(a), int(b), int(c)),
                libc::SYS_socketpair => socket::socketpair(int(a), int(b), int(c), d as _),
                libc::SYS_accept => socket::accept(int(a), b as _, c as _),
                libc::SYS_accept4 => socket::accept4(int(a), b as _, c as _, int(d)),
                libc::SYS_connect => socket::connect(int(a), b as _, c as _),
                libc::SYS_shutdown => socket::shutdown(int(a), int(b)),
                _ => return None,
            };
            Some(result as isize)
        })
    }
}

/// An argument that is an `int`: the register's lower half.
fn int(argument: usize) -> c_int {
    (argument as u32).cast_signed()
}
