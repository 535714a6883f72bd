//! Functions that the C library carries out as ever: that a worker has called them is told, for claims.
//!
//! They ask what another process, machine or user may answer otherwise, or change what is not put back
//! before the next iteration. The same is told of system calls by number.

use std::ffi::CStr;

use cct::claim::Exception;
use cct::engine;
use libc::c_long;

use super::real::Real;

/// Defines them, by what is told, with the system calls that do the same. Arguments are passed in as many
/// registers as any of them takes. The symbols are weak: a program that has such a function of its own keeps
/// it.
macro_rules! passed_on {
    ($($exception:ident: $($name:ident $(= $number:ident)?),+;)*) => {
        $($(
            unsafe extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
                type Function =
                    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;
                static REAL: Real<Function> = {
                    let name = concat!(stringify!($name), "\0").as_bytes();
                    let Ok(name) = CStr::from_bytes_with_nul(name) else {
                        panic!("it ends with a zero");
                    };
                    // SAFETY: registers are passed on as they are.
                    unsafe { Real::named(name) }
                };
                engine::leave_out(Exception::$exception);
                // SAFETY: the caller's arguments.
                unsafe { REAL.get()(a, b, c, d, e, f) }
            }

            // Nobody looks at the register.
            super::caller::weak_with_caller!($name, "rax", "x16", $name);
        )+)*

        /// The system calls among them, with what is told.
        const NUMBERS: &[(c_long, Exception)] = &[
            $($($((libc::$number, Exception::$exception),)?)+)*
        ];
    };
}

passed_on! {
    Clocks:
        clock, times = SYS_times, getrusage = SYS_getrusage;
    // The process, its user, its machine.
    Environment:
        getpid = SYS_getpid, getppid = SYS_getppid, getpgid = SYS_getpgid, getpgrp, getsid = SYS_getsid,
        getuid = SYS_getuid, geteuid = SYS_geteuid, getgid = SYS_getgid, getegid = SYS_getegid,
        getgroups = SYS_getgroups, getpriority = SYS_getpriority, getrlimit = SYS_getrlimit, getrlimit64,
        sched_getcpu, sched_getscheduler = SYS_sched_getscheduler, sched_getparam = SYS_sched_getparam,
        getcpu = SYS_getcpu, gethostname, getdomainname, getloadavg, sysinfo = SYS_sysinfo,
        uname = SYS_uname, get_phys_pages, get_avphys_pages, isatty;
    // Memory and messages that processes share.
    Outside:
        shmget = SYS_shmget, shmat = SYS_shmat, semget = SYS_semget, semop = SYS_semop, semctl = SYS_semctl,
        msgget = SYS_msgget, msgsnd = SYS_msgsnd, msgrcv = SYS_msgrcv, shm_open, shm_unlink,
        mq_open = SYS_mq_open, mq_unlink = SYS_mq_unlink, syslog, openlog;
    StateLeftBehind:
        // Of the C library.
        rand, srand, random, srandom, initstate, setstate, on_exit,
        textdomain, bindtextdomain, bind_textdomain_codeset, setlogmask,
        // Of the kernel.
        setrlimit = SYS_setrlimit, setrlimit64, prlimit = SYS_prlimit64, prlimit64,
        setpriority = SYS_setpriority, nice, alarm, ualarm, setitimer = SYS_setitimer,
        timer_create = SYS_timer_create, prctl = SYS_prctl, personality = SYS_personality,
        setuid = SYS_setuid, setgid = SYS_setgid, setreuid = SYS_setreuid, setregid = SYS_setregid,
        setresuid = SYS_setresuid, setresgid = SYS_setresgid, setgroups = SYS_setgroups,
        setsid = SYS_setsid, setpgid = SYS_setpgid, setpgrp, sched_setaffinity = SYS_sched_setaffinity,
        sched_setscheduler = SYS_sched_setscheduler, sched_setparam = SYS_sched_setparam,
        mlock = SYS_mlock, mlockall = SYS_mlockall, unshare = SYS_unshare, setns = SYS_setns,
        chroot = SYS_chroot, sethostname = SYS_sethostname, setfsuid = SYS_setfsuid,
        setfsgid = SYS_setfsgid, sigaltstack = SYS_sigaltstack;
}

/// System calls without a function that leave something behind.
const WITHOUT_FUNCTION: &[c_long] = &[
    libc::SYS_ioprio_set,
    libc::SYS_set_mempolicy,
    libc::SYS_membarrier,
    libc::SYS_keyctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
];

/// A system call of this number is carried out.
pub(super) fn note_number(number: c_long) {
    for (_, exception) in NUMBERS.iter().filter(|(noted, _)| *noted == number) {
        engine::leave_out(*exception);
    }
    if WITHOUT_FUNCTION.contains(&number) {
        engine::leave_out(Exception::StateLeftBehind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbols_are_ours_and_pass_on() {
        // SAFETY: the name ends with a zero.
        let real = unsafe { libc::dlsym(libc::RTLD_NEXT, c"getppid".as_ptr()) };
        let linked = libc::getppid as *const libc::c_void;
        assert!(!real.is_null() && !std::ptr::eq(real, linked));
        // SAFETY: asks for numbers.
        let (ours, kernels) = unsafe { (libc::getppid(), libc::syscall(libc::SYS_getppid)) };
        assert_eq!(c_long::from(ours), kernels);
    }

    #[test]
    fn errors_and_results_by_pointers_come_back() {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the place is writable.
        unsafe {
            assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
            assert!(limit.rlim_cur > 0);
            assert_eq!(libc::getrlimit(u32::MAX, &raw mut limit), -1);
            assert_eq!(*libc::__errno_location(), libc::EINVAL);
        }
    }

    #[test]
    fn a_number_is_told_as_one_thing() {
        for (number, _) in NUMBERS {
            let same = NUMBERS.iter().filter(|(other, _)| other == number);
            assert_eq!(same.count(), 1, "{number}");
        }
    }
}
