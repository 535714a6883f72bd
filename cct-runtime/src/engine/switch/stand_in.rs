//! Stand-ins: threads that a debugger sees in the place of suspended stacks.
//!
//! A debugger knows the threads of the operating system, and workers are none. A *stand-in* is a thread whose
//! registers are those of a suspended stack: its stack pointer is the saved one, and the rules by which a
//! debugger unwinds are those of [`switch`](super::switch()). It sleeps in the kernel and never writes to
//! memory but to its own record, so nothing changes on the stack that it shows, and the execution is the same
//! as without it.

use std::ffi::c_long;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

use super::Context;

/// The longest name of a thread, with the zero at its end.
const NAME: usize = 16;

/// A thread in the place of a suspended stack. Not dropped while its thread lives: see [`StandIn::end`].
#[derive(Debug)]
pub(crate) struct StandIn {
    slot: &'static Slot,
}

/// The conversation with the thread. The assembly below knows this layout.
#[repr(C)]
#[derive(Debug)]
struct Slot {
    /// The context that it shows; null ends it.
    context: AtomicUsize,
    /// How often there was something new to show, and how much of that it has seen. Equal: it sleeps, or is
    /// about to.
    told: AtomicU32,
    seen: AtomicU32,
    name: [AtomicU8; NAME],
}

/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How many threads of this process are stand-ins.
pub(crate) fn stand_ins() -> usize {
    COUNT.load(Ordering::Relaxed)
}

impl StandIn {
    /// A thread that shows the stack which is suspended at this context; none where the system has no more,
    /// or where stand-ins are not known.
    pub(crate) fn of(context: Context, name: &str) -> Option<StandIn> {
        // The thread may outlive whoever has this.
        let slot: &'static Slot = Box::leak(Box::new(Slot {
            context: AtomicUsize::new(context as usize),
            told: 1.into(),
            seen: 0.into(),
            name: Default::default(),
        }));
        slot.set_name(name);
        let thread = without_signals(|| {
            // SAFETY: the slot lives for ever, and the thread touches nothing else.
            unsafe { start(slot, FLAGS, context) }
        });
        if thread < 0 {
            return None;
        }
        COUNT.fetch_add(1, Ordering::Relaxed);
        slot.await_seen();
        Some(StandIn { slot })
    }

    /// From here on it shows the stack which is suspended at this context.
    pub(crate) fn show(&self, context: Context, name: &str) {
        self.slot.set_name(name);
        self.slot.tell(context as usize);
    }

    /// Ends the thread.
    pub(crate) fn end(self) {
        self.slot.tell(0);
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Slot {
    fn set_name(&self, name: &str) {
        let mut bytes = name.bytes();
        for place in &self.name[..NAME - 1] {
            place.store(bytes.next().unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// Tells the thread what to show, and waits until it does.
    fn tell(&self, context: usize) {
        self.context.store(context, Ordering::Relaxed);
        self.told.fetch_add(1, Ordering::Release);
        // SAFETY: wakes a thread that sleeps on this number.
        unsafe {
            let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
            libc::syscall(libc::SYS_futex, self.told.as_ptr(), wake, 1);
        }
        self.await_seen();
    }

    fn await_seen(&self) {
        while self.seen.load(Ordering::Acquire) != self.told.load(Ordering::Relaxed) {
            // SAFETY: takes nothing.
            unsafe { libc::sched_yield() };
        }
    }
}

/// Gives the calling thread this name, for debuggers.
pub(crate) fn name_this_thread(name: &str) {
    let mut bytes = [0; NAME];
    for (place, byte) in bytes[..NAME - 1].iter_mut().zip(name.bytes()) {
        *place = byte;
    }
    // SAFETY: the name ends with a zero.
    unsafe { libc::prctl(libc::PR_SET_NAME, bytes.as_ptr()) };
}

/// Threads that begin in `f` have all signals blocked: a handler would run on a suspended stack.
fn without_signals<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: the sets are places of ours.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let result = f();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        result
    }
}

/// A thread like any other, but for its thread-locals, which are the caller's: it looks at none.
const FLAGS: c_long = (libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD
    | libc::CLONE_SYSVSEM) as c_long;

/// Starts the thread of a slot, on the stack that it shows; returns its number, or an error below zero.
///
/// # Safety
///
/// The slot stays for ever.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn start(slot: &'static Slot, flags: c_long, context: Context) -> c_long {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbx, 0",
        "mov rbx, rdi",
        // clone(flags, stack, no place for numbers, no thread-locals)
        "mov rdi, rsi",
        "mov rsi, rdx",
        "xor edx, edx",
        "xor r10d, r10d",
        "xor r8d, r8d",
        "mov eax, 56",
        "syscall",
        "test rax, rax",
        "jz {suspended}",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        suspended = sym worker_is_suspended,
    )
}

/// The work of a stand-in, whose slot is in `rbx`. It writes nothing to its stack, which is another's.
///
/// # Safety
///
/// Only [`start`] goes here.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn worker_is_suspended() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        // As `switch` has saved them.
        ".cfi_def_cfa rsp, 56",
        ".cfi_offset rbp, -16",
        ".cfi_offset rbx, -24",
        ".cfi_offset r12, -32",
        ".cfi_offset r13, -40",
        ".cfi_offset r14, -48",
        ".cfi_offset r15, -56",
        "2:",
        // prctl(PR_SET_NAME, name)
        "mov edi, 15",
        "lea rsi, [rbx + 16]",
        "mov eax, 157",
        "syscall",
        // The count is taken first: all that it counts has been seen then.
        "mov ecx, [rbx + 8]",
        "mov rsp, [rbx]",
        "test rsp, rsp",
        "jz 4f",
        "mov [rbx + 12], ecx",
        "3:",
        // futex(told, FUTEX_WAIT_PRIVATE, seen, no time-out)
        "lea rdi, [rbx + 8]",
        "mov esi, 128",
        "mov edx, [rbx + 12]",
        "xor r10d, r10d",
        "mov eax, 202",
        "syscall",
        "mov ecx, [rbx + 8]",
        "cmp ecx, [rbx + 12]",
        "je 3b",
        "jmp 2b",
        "4:",
        "mov [rbx + 12], ecx",
        // exit(0)
        "xor edi, edi",
        "mov eax, 60",
        "syscall",
        "ud2",
        ".cfi_endproc",
    )
}

/// Elsewhere there are none.
///
/// # Safety
///
/// None is needed.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn start(_: &'static Slot, _: c_long, _: Context) -> c_long {
    -1
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::{Stacks, prepare};
    use super::*;

    /// The names of this process's threads.
    fn names() -> Vec<String> {
        let tasks = std::fs::read_dir("/proc/self/task").expect("there is /proc");
        let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
        tasks
            .filter_map(|task| name(task.ok()?).ok())
            .map(|name| name.trim_end().to_owned())
            .collect()
    }

    extern "C" fn never() -> ! {
        unreachable!("nobody switches here")
    }

    #[test]
    fn a_stand_in_goes_by_the_name_of_whom_it_shows() {
        let mut stacks = Stacks::reserve();
        // SAFETY: the stacks are in nobody's use.
        let mut context = |worker| unsafe {
            let stack = stacks.get(worker, None).expect("there is memory");
            prepare(stack.base, never)
        };
        let is_there = |name: &str| names().iter().any(|other| other == name);
        let stand_in = StandIn::of(context(0), "w1 first").expect("a thread");
        assert!(is_there("w1 first"));
        assert_eq!(stand_ins(), 1);
        stand_in.show(context(1), "w2 with a name that is too long");
        assert!(is_there("w2 with a name ") || is_there("w2 with a name"));
        assert!(!is_there("w1 first"));
        stand_in.end();
        assert_eq!(stand_ins(), 0);
    }
}
