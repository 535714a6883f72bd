//! `syscall`: functions that are taken over by name are taken over by number, too.
//!
//! Crates call the kernel by number for what their C library, or the `libc` crate of their time, had no
//! function for: the futex, timers on descriptors, `epoll_pwait2`. One table says for each function which
//! number it has, and how the registers become its arguments. Threads outside the engine go through it as
//! well, since each function tells the engine what it has to know of them; a row without a meaning for
//! them leaves the call to the kernel.

use libc::{c_int, c_long, c_uint, c_ulong};

use super::real::system_call;
use super::{
    children, clock, descriptors, ends, files, futex, identity, mappings, passed_on, processors,
    random, signal_mask, signals,
};
use descriptors::{closing, epoll, eventfd, messages, pipe, poll, socket, timer, transfer};

/// Takes over the C library's `syscall`.
///
/// The C library's is variadic; on both architectures that are supported, six arguments in registers are
/// passed alike.
///
/// # Safety
///
/// As the C library's.
#[expect(
    clippy::many_single_char_names,
    reason = "what they mean is up to the number"
)]
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    let arguments = [a, b, c, d, e, f];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe {
        by_number(number, arguments).unwrap_or_else(|| {
            files::note_number(number);
            passed_on::note_number(number);
            super::result_of(system_call(number, arguments))
        })
    }
}

/// Defines `by_number` from rows of a symbol, the number of its system call, and the function that carries
/// it out with the registers in their order; registers that it has no use for are left out at the end.
macro_rules! system_calls {
    ($(
        $(#[$only:meta])?
        $symbol:ident = $number:ident => $($function:ident)::+($($argument:ident),*);
    )*) => {
        /// Carries out the system call as the function of its name does; `None` if that is the kernel's
        /// business.
        ///
        /// # Safety
        ///
        /// The arguments must be those of the system call.
        unsafe fn by_number(number: c_long, arguments: [usize; 6]) -> Option<isize> {
            // SAFETY: the caller's arguments are those of the system call, and so of the function.
            unsafe {
                match number {
                    $($(#[$only])? libc::$number => {
                        let [$($argument,)* ..] = arguments;
                        $($function)::+($(Register::read($argument)),*).answer()
                    })*
                    _ => None,
                }
            }
        }

        /// The symbols that have numbers, with the names of these.
        #[cfg(test)]
        const NUMBERED: &[(&str, &str, c_long)] = &[
            $($(#[$only])? (stringify!($symbol), stringify!($number), libc::$number),)*
        ];
    };
}

system_calls! {
    // Futexes, clocks, chance and processors.
    syscall = SYS_futex => futex::by_number(word, operation, value, timeout);
    sched_yield = SYS_sched_yield => clock::sched_yield();
    clock_gettime = SYS_clock_gettime => clock::clock_gettime(clock, place);
    gettimeofday = SYS_gettimeofday => clock::gettimeofday(place, zone);
    #[cfg(target_arch = "x86_64")]
    time = SYS_time => clock::time(place);
    nanosleep = SYS_nanosleep => clock::nanosleep(duration, left);
    clock_nanosleep = SYS_clock_nanosleep => clock::sleep_by_number(clock, flags, time, left);
    getrandom = SYS_getrandom => random::getrandom(buffer, length, flags);
    sched_getaffinity = SYS_sched_getaffinity => processors::affinity_by_number(process, size, set);

    // Memory.
    mmap = SYS_mmap => mappings::map_by_number(at, size, protection, flags, descriptor, offset);
    munmap = SYS_munmap => mappings::munmap(at, size);
    mremap = SYS_mremap => mappings::remap_by_number(old, old_size, size, flags, at);
    mprotect = SYS_mprotect => mappings::mprotect(at, size, protection);

    // Bytes in and out of descriptors.
    read = SYS_read => transfer::read(descriptor, place, count);
    readv = SYS_readv => transfer::readv(descriptor, parts, count);
    write = SYS_write => transfer::write(descriptor, bytes, count);
    writev = SYS_writev => transfer::writev(descriptor, parts, count);
    sendfile = SYS_sendfile => transfer::sendfile(to, from, offset, count);
    pwrite = SYS_pwrite64 => transfer::pwrite(descriptor, bytes, count, offset);
    ftruncate = SYS_ftruncate => transfer::ftruncate(descriptor, length);
    copy_file_range = SYS_copy_file_range =>
        transfer::copy_file_range(from, from_offset, to, to_offset, count, flags);
    splice = SYS_splice => transfer::splice(from, from_offset, to, to_offset, count, flags);

    // Sockets.
    socket = SYS_socket => socket::socket(domain, kind, protocol);
    socketpair = SYS_socketpair => socket::socketpair(domain, kind, protocol, ends);
    accept = SYS_accept => socket::accept(listener, address, length);
    accept4 = SYS_accept4 => socket::accept4(listener, address, length, flags);
    connect = SYS_connect => socket::connect(descriptor, address, length);
    shutdown = SYS_shutdown => socket::shutdown(descriptor, how);
    sendto = SYS_sendto => messages::sendto(descriptor, bytes, count, flags, address, length);
    sendmsg = SYS_sendmsg => messages::sendmsg(descriptor, message, flags);
    recvfrom = SYS_recvfrom => messages::recvfrom(descriptor, place, count, flags, address, length);
    recvmsg = SYS_recvmsg => messages::recvmsg(descriptor, message, flags);

    // Other descriptors, and pollers.
    #[cfg(target_arch = "x86_64")]
    pipe = SYS_pipe => pipe::pipe(ends);
    pipe2 = SYS_pipe2 => pipe::pipe2(ends, flags);
    #[cfg(target_arch = "x86_64")]
    eventfd = SYS_eventfd => old_eventfd(count);
    eventfd = SYS_eventfd2 => eventfd::eventfd(count, flags);
    timerfd_create = SYS_timerfd_create => timer::timerfd_create(clock, flags);
    timerfd_settime = SYS_timerfd_settime => timer::timerfd_settime(descriptor, flags, new, old);
    timerfd_gettime = SYS_timerfd_gettime => timer::timerfd_gettime(descriptor, place);
    #[cfg(target_arch = "x86_64")]
    epoll_create = SYS_epoll_create => epoll::epoll_create(size);
    epoll_create1 = SYS_epoll_create1 => epoll::epoll_create1(flags);
    epoll_ctl = SYS_epoll_ctl => epoll::epoll_ctl(epoll, order, descriptor, event);
    #[cfg(target_arch = "x86_64")]
    epoll_wait = SYS_epoll_wait => epoll::epoll_wait(epoll, events, capacity, timeout);
    epoll_pwait = SYS_epoll_pwait => epoll::epoll_pwait(epoll, events, capacity, timeout, mask);
    epoll_pwait2 = SYS_epoll_pwait2 => epoll::epoll_pwait2(epoll, events, capacity, timeout, mask);
    #[cfg(target_arch = "x86_64")]
    poll = SYS_poll => poll::poll(descriptors, count, timeout);
    ppoll = SYS_ppoll => poll::ppoll(descriptors, count, timeout, mask);
    #[cfg(target_arch = "x86_64")]
    select = SYS_select => poll::select(end, read, write, special, timeout);
    pselect = SYS_pselect6 => poll::pselect_by_number(end, read, write, special, timeout, mask);
    close = SYS_close => closing::close(descriptor);
    close_range = SYS_close_range => closing::close_range(first, last, flags);
    dup = SYS_dup => closing::dup(original);
    #[cfg(target_arch = "x86_64")]
    dup2 = SYS_dup2 => closing::dup2(original, copy);
    dup3 = SYS_dup3 => closing::dup3(original, copy, flags);
    fcntl = SYS_fcntl => closing::fcntl(descriptor, order, value);

    // Processes and signals.
    #[cfg(target_arch = "x86_64")]
    fork = SYS_fork => children::fork();
    #[cfg(target_arch = "x86_64")]
    vfork = SYS_vfork => children::vfork();
    fork = SYS_clone => children::clone_by_number(flags, stack);
    wait4 = SYS_wait4 => children::wait4(process, status, options, usage);
    waitid = SYS_waitid => children::waitid_by_number(kind, id, information, options, usage);
    sigaction = SYS_rt_sigaction => signals::action_by_number(signal, new, old, size);
    sigprocmask = SYS_rt_sigprocmask => signal_mask::mask_by_number(how, new, old, size);
    sigpending = SYS_rt_sigpending => signal_mask::pending_by_number(set, size);
    sigtimedwait = SYS_rt_sigtimedwait => signal_mask::wait_by_number(set, place, time, size);
    _exit = SYS_exit_group => ends::exit_group(code);
    kill = SYS_kill => signals::kill(process, signal);
    tgkill = SYS_tgkill => signals::tgkill(process, thread, signal);
    tgkill = SYS_tkill => signals::tkill(thread, signal);
    gettid = SYS_gettid => identity::gettid();
}

#[cfg(target_arch = "x86_64")]
fn old_eventfd(count: c_uint) -> c_int {
    eventfd::eventfd(count, 0)
}

/// The source of an argument: a register, of which narrow types have the lower half.
trait Register {
    fn read(register: usize) -> Self;
}

impl Register for c_int {
    fn read(register: usize) -> c_int {
        (register as u32).cast_signed()
    }
}

impl Register for c_uint {
    fn read(register: usize) -> c_uint {
        register as c_uint
    }
}

impl Register for libc::off_t {
    fn read(register: usize) -> libc::off_t {
        register.cast_signed() as libc::off_t
    }
}

impl Register for c_ulong {
    fn read(register: usize) -> c_ulong {
        register as c_ulong
    }
}

impl Register for usize {
    fn read(register: usize) -> usize {
        register
    }
}

impl<T> Register for *const T {
    fn read(register: usize) -> *const T {
        std::ptr::with_exposed_provenance(register)
    }
}

impl<T> Register for *mut T {
    fn read(register: usize) -> *mut T {
        std::ptr::with_exposed_provenance_mut(register)
    }
}

/// Returns a function's result as `syscall` has it.
trait Answer {
    fn answer(self) -> Option<isize>;
}

impl Answer for c_int {
    fn answer(self) -> Option<isize> {
        Some(self as isize)
    }
}

impl Answer for isize {
    fn answer(self) -> Option<isize> {
        Some(self)
    }
}

#[cfg(target_arch = "x86_64")]
impl Answer for libc::time_t {
    fn answer(self) -> Option<isize> {
        Some(self as isize)
    }
}

impl Answer for Option<isize> {
    fn answer(self) -> Option<isize> {
        self
    }
}

#[cfg(test)]
mod tests;
