//! The signal that ends a process, in words: which access it is of, and what is there.
//!
//! No more is said than the kernel and the processor's registers tell.

use std::fs;

use libc::{c_int, siginfo_t, ucontext_t};

use crate::engine::{Engine, name_of_signal};
use crate::memory::mappings;
use crate::verdict::{Bug, BugKind, Fault};

/// Addresses below this are null, with the offset of a field or an element.
const NULL: usize = 4096;
/// The code of a signal that the kernel knows no address for.
const OF_KERNEL: c_int = 0x80;
/// Codes of `siginfo_t` that libc has no names for here.
const MISALIGNED: c_int = 1;
const BEHIND_END: c_int = 2;
const DIVISION: c_int = 1;

/// A signal, as its handler is told of it.
pub(super) struct Arrived<'a> {
    signal: c_int,
    about: &'a siginfo_t,
    context: &'a mut ucontext_t,
    /// It was no code that the program has come to.
    has_jumped: bool,
}

impl Arrived<'_> {
    /// A signal with the kernel's information.
    ///
    /// # Safety
    ///
    /// They must be what the kernel gave to the handler that is running.
    pub(super) unsafe fn of(
        signal: c_int,
        about: *const siginfo_t,
        context: *mut ucontext_t,
    ) -> Self {
        // SAFETY: the kernel's places outlive the handler.
        let (about, context) = unsafe { (&*about, &mut *context) };
        let mut arrived = Arrived {
            signal,
            about,
            context,
            has_jumped: false,
        };
        arrived.has_jumped =
            signal == libc::SIGSEGV && arrived.address() == Some(arrived.counter());
        arrived
    }

    /// The address that the signal is about, if the kernel tells one.
    pub(super) fn address(&self) -> Option<usize> {
        let is_told = match self.signal {
            libc::SIGSEGV => self.about.si_code != OF_KERNEL,
            libc::SIGBUS | libc::SIGILL | libc::SIGFPE => true,
            _ => false,
        };
        // SAFETY: for these signals the kernel fills it in, unless somebody has sent them.
        (is_told && !self.is_sent()).then(|| unsafe { self.about.si_addr() }.addr())
    }

    /// Has the unwinder begin at a call, where that has led to no code: its return address is all that is
    /// known of it.
    pub(super) fn go_back_from_call(&mut self, engine: &Engine) {
        let stack = self.stack();
        if !self.has_jumped || engine.worker_with_stack(stack).is_none() {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: the stack pointer is on a stack, where the call has put its return address.
            let back = unsafe { (stack as *const usize).read() };
            let registers = &mut self.context.uc_mcontext.gregs;
            registers[libc::REG_RIP as usize] = back.wrapping_sub(1).cast_signed() as i64;
            registers[libc::REG_RSP as usize] = (stack + size_of::<usize>()).cast_signed() as i64;
        }
        #[cfg(target_arch = "aarch64")]
        {
            const LINK: usize = 30;
            let context = &mut self.context.uc_mcontext;
            context.pc = context.regs[LINK].wrapping_sub(4);
        }
    }

    /// The bug that it is of the current worker, which goes by this name.
    pub(super) fn bug(&self, engine: &Engine, name: &str) -> Bug {
        let (kind, message, means) = match self.signal {
            libc::SIGABRT => (BugKind::Abort, aborted(engine, name), String::new()),
            _ if self.is_sent() => {
                let means = format!("sent by {}", self.sender());
                let message = format!("{name} was sent {} by {}", self.name(), self.sender());
                (BugKind::Signal, message, means)
            }
            libc::SIGSEGV | libc::SIGBUS => self.access(engine, name),
            _ => {
                let means = self.reason();
                let message = format!("{name} was ended by {}: {means}", self.name());
                (BugKind::Signal, message, means)
            }
        };
        let fault = Fault {
            signal: self.signal,
            name: self.name().to_owned(),
            address: self.address().map(|address| address as u64),
            means,
        };
        Bug::new(kind, message, None, None).with_fault(fault)
    }

    /// The bug that it is of a thread that is not under control.
    pub(super) fn bug_of_another_thread(&self) -> Bug {
        let name = self.name();
        let means = if self.is_sent() {
            format!("sent by {}", self.sender())
        } else if let Some(address) = self.address() {
            format!("at {address:#x}")
        } else {
            self.reason()
        };
        let message = format!("a thread that is not under control was ended by {name}: {means}");
        let fault = Fault {
            signal: self.signal,
            name: name.to_owned(),
            address: self.address().map(|address| address as u64),
            means,
        };
        let kind = match self.signal {
            libc::SIGABRT => BugKind::Abort,
            _ => BugKind::Signal,
        };
        Bug::new(kind, message, None, None).with_fault(fault)
    }

    /// An access to memory: the kind of bug, the message, and what is there.
    fn access(&self, engine: &Engine, name: &str) -> (BugKind, String, String) {
        let signal = self.name();
        let Some(address) = self.address() else {
            let means = format!("no process has such an address{}", self.of_freed_memory());
            let message = format!("{name} used an address that the kernel does not tell");
            return (
                BugKind::Signal,
                format!("{message} ({signal}: {means})"),
                means,
            );
        };
        let guarded = engine.worker_with_guard(address);
        if guarded.is_some() && guarded == Some(engine.whereabouts().0) {
            let means = "the guard of its own stack".to_owned();
            let message = format!("{name} has overflowed its stack");
            return (BugKind::StackOverflow, message, means);
        }
        if is_beyond_mapped_stack(address, self.stack()) {
            let means = "the end of a stack that the program made".to_owned();
            let message = format!("{name} has overflowed a stack that the program made");
            return (BugKind::StackOverflow, message, means);
        }
        let means = match guarded {
            Some(other) => format!("the guard of the stack of worker {other}"),
            None => self.what_is_at(address),
        };
        let means = means + self.of_freed_memory();
        let verb = self.verb();
        let message = format!("{name} {verb} {address:#x} ({signal}: {means})");
        (BugKind::Signal, message, means)
    }

    fn what_is_at(&self, address: usize) -> String {
        if address < NULL {
            return match address {
                0 => "null".to_owned(),
                1 => "null, and a byte on".to_owned(),
                offset => format!("null, and {offset} bytes on"),
            };
        }
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        // Between the program's mappings there is what they are made in.
        let is_between = mappings::contains(address) && mappings::around(address).is_none();
        let mapping = Mapping::at(&maps, address).filter(|_| !is_between);
        let Some(mapping) = mapping else {
            return "nothing is mapped there".to_owned();
        };
        match (self.signal, self.about.si_code) {
            (libc::SIGBUS, MISALIGNED) => "it is not aligned".to_owned(),
            (libc::SIGBUS, BEHIND_END) if mapping.has_file() => {
                format!("behind the end of the mapped file `{}`", mapping.name())
            }
            (libc::SIGBUS, _) => "there is no memory behind it".to_owned(),
            _ => mapping.denies(),
        }
    }

    /// The reason of a signal that is about no memory.
    fn reason(&self) -> String {
        let reason = match (self.signal, self.about.si_code) {
            (libc::SIGFPE, DIVISION) => {
                "a division of integers by zero, or with a result that is too large"
            }
            (libc::SIGFPE, _) => "an arithmetic error",
            (libc::SIGILL, _) => "an instruction that does not exist, or a trap of compiled code",
            (libc::SIGTRAP, _) => "a breakpoint, or a trap of compiled code",
            _ => "the kernel does not tell why",
        };
        reason.to_owned()
    }

    /// A hint that an address may come of memory that was freed.
    fn of_freed_memory(&self) -> &'static str {
        const HINT: &str = "; a register has 0xdddd…, with which freed memory is filled";
        let is_poison = |register: u64| register >> 16 == 0xDDDD_DDDD_DDDD;
        if self.registers().any(is_poison) {
            HINT
        } else {
            ""
        }
    }

    /// True if somebody has sent it, be it the test itself.
    fn is_sent(&self) -> bool {
        self.about.si_code <= 0
    }

    fn sender(&self) -> String {
        // SAFETY: a signal that was sent has its sender, and the other asks for a number.
        let (sender, own) = unsafe { (self.about.si_pid(), libc::getpid()) };
        if sender == own {
            "the test itself".to_owned()
        } else {
            format!("process {sender}")
        }
    }

    fn name(&self) -> &'static str {
        name_of_signal(self.signal)
    }

    /// The way of an access in words, as far as the processor tells.
    fn verb(&self) -> &'static str {
        if self.has_jumped {
            return "jumped to";
        }
        #[cfg(target_arch = "x86_64")]
        {
            const PAGE_FAULT: i64 = 14;
            const WRITES: i64 = 2;
            let registers = &self.context.uc_mcontext.gregs;
            if registers[libc::REG_TRAPNO as usize] == PAGE_FAULT {
                let error = registers[libc::REG_ERR as usize];
                return if error & WRITES == 0 {
                    "read"
                } else {
                    "wrote to"
                };
            }
        }
        "accessed"
    }

    #[cfg(target_arch = "x86_64")]
    fn counter(&self) -> usize {
        self.context.uc_mcontext.gregs[libc::REG_RIP as usize].cast_unsigned() as usize
    }

    #[cfg(target_arch = "x86_64")]
    fn stack(&self) -> usize {
        self.context.uc_mcontext.gregs[libc::REG_RSP as usize].cast_unsigned() as usize
    }

    #[cfg(target_arch = "x86_64")]
    fn registers(&self) -> impl Iterator<Item = u64> {
        const GENERAL: usize = 16;
        let registers = &self.context.uc_mcontext.gregs[..GENERAL];
        registers.iter().map(|register| register.cast_unsigned())
    }

    #[cfg(target_arch = "aarch64")]
    fn counter(&self) -> usize {
        self.context.uc_mcontext.pc as usize
    }

    #[cfg(target_arch = "aarch64")]
    fn stack(&self) -> usize {
        self.context.uc_mcontext.sp as usize
    }

    #[cfg(target_arch = "aarch64")]
    fn registers(&self) -> impl Iterator<Item = u64> {
        self.context.uc_mcontext.regs.iter().copied()
    }
}

/// True if memory that the program has mapped, and may not access, is at the end of the stack in use.
fn is_beyond_mapped_stack(address: usize, stack_pointer: usize) -> bool {
    mappings::contains(address)
        && mappings::contains(stack_pointer)
        && address.abs_diff(stack_pointer) < mappings::GAP
}

/// The words for a worker that has aborted the process.
fn aborted(engine: &Engine, name: &str) -> String {
    let Some((panic, before)) = engine.panics_under_way() else {
        return format!("{name} aborted the process");
    };
    let message = &panic.message;
    let Some(before) = before else {
        return format!("{name} aborted the process while it panicked: {message}");
    };
    let first = &before.message;
    let place = before.site.as_ref();
    let place = place.map_or_else(String::new, |site| format!(" at {site}"));
    format!("{name} aborted the process: {message}; it had panicked{place}: {first}")
}

/// A line of the kernel's list of mappings.
#[derive(Debug)]
struct Mapping<'a> {
    rights: &'a str,
    path: &'a str,
}

impl<'a> Mapping<'a> {
    /// The one with this address.
    fn at(maps: &'a str, address: usize) -> Option<Mapping<'a>> {
        maps.lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let number = |text| usize::from_str_radix(text, 16).ok();
            let is_it = (number(start)?..number(end)?).contains(&address);
            let rights = rest.get(..4)?;
            // Rights, offset, device, inode, path.
            let path = rest.splitn(5, ' ').nth(4).unwrap_or_default().trim_start();
            is_it.then_some(Mapping { rights, path })
        })
    }

    fn has_file(&self) -> bool {
        self.path.starts_with('/')
    }

    /// The name of its file, or of its kind of memory.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The reason for which an access is denied.
    fn denies(&self) -> String {
        let of = if self.path.is_empty() {
            String::new()
        } else {
            format!(" of `{}`", self.name())
        };
        let rights = self.rights.as_bytes();
        match (rights[0], rights[1]) {
            (b'r', b'w') => format!("memory{of} that is no code"),
            (b'r', _) => format!("memory{of} that may only be read"),
            _ => format!("memory{of} that may not be accessed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55550000-55560000 r--p 00000000 fe:00 1234                     /home/me/a test
7fff0000-7fff8000 rw-p 00000000 00:00 0 
7fff8000-7fff9000 ---p 00000000 00:00 0                        [guard]
";

    #[test]
    fn a_mapping_says_why_an_access_is_denied() {
        let denies = |address| Mapping::at(MAPS, address).map(|mapping| mapping.denies());
        let expected = "memory of `a test` that may only be read";
        assert_eq!(denies(0x5555_0000).as_deref(), Some(expected));
        let data = denies(0x7fff_7fff);
        assert_eq!(data.as_deref(), Some("memory that is no code"));
        let guard = denies(0x7fff_8000);
        let expected = "memory of `[guard]` that may not be accessed";
        assert_eq!(guard.as_deref(), Some(expected));
        assert_eq!(denies(0x7fff_9000), None);
    }
}
