//! What each descriptor is: filled in where it is made, or by a look at its first use.
//!
//! Descriptors of one open file have one object, which is numbered by creation: so it repeats.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use cct::engine::{self, Awaits, Source};
use libc::c_int;

use super::argument;
use crate::symbols::children;
use crate::symbols::real::system_call;

/// What a descriptor stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// A file, a terminal, a directory: calls on it pass straight on.
    Plain = 1,
    /// An eventfd.
    Eventfd,
    /// One end of a pipe.
    Pipe,
    /// One of two sockets that were made together.
    Pair,
    /// A socket that the kernel connects to another one: of TCP,
    Tcp,
    /// of UDP or another protocol that sends packets,
    Udp,
    /// or of this machine.
    Unix,
    /// An epoll instance.
    Epoll,
    /// A timer.
    Timer,
    /// Something that only the outside makes ready: a process, a signal, a change of a file.
    Outside,
}

const KINDS: [Kind; 10] = [
    Kind::Plain,
    Kind::Eventfd,
    Kind::Pipe,
    Kind::Pair,
    Kind::Tcp,
    Kind::Udp,
    Kind::Unix,
    Kind::Epoll,
    Kind::Timer,
    Kind::Outside,
];

/// What is known of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descriptor {
    pub(super) kind: Kind,
    /// Another process may be at the other end.
    is_shared: bool,
    serial: u32,
}

/// How many descriptors are kept; what is known of others is found out each time.
const KEPT: usize = 4096;
/// Addresses that nothing has: objects that are descriptors.
const OBJECTS: usize = 0xFD00_0000_0000_0000;

/// The descriptors, as words that are zero for those that nobody has looked at. Threads outside the engine
/// close descriptors too.
static TABLE: [AtomicU64; KEPT] = [const { AtomicU64::new(0) }; KEPT];
/// One more than the highest descriptor in the table.
static END: AtomicU32 = AtomicU32::new(0);

/// The iteration that the table is about, and how many objects it has made: for the engine's thread.
static RUN: AtomicU64 = AtomicU64::new(0);
static SERIALS: AtomicU32 = AtomicU32::new(0);

impl Descriptor {
    fn pack(self) -> u64 {
        u64::from(self.serial) << 32 | u64::from(self.is_shared) << 8 | self.kind as u64
    }

    fn unpack(word: u64) -> Option<Descriptor> {
        let kind = KINDS.get((word as u8).checked_sub(1)? as usize)?;
        Some(Descriptor {
            kind: *kind,
            is_shared: word >> 8 & 1 != 0,
            serial: (word >> 32) as u32,
        })
    }

    /// What the engine calls it.
    pub(super) fn object(self) -> usize {
        OBJECTS + ((self.serial as usize) << 4)
    }

    /// True if calls on it can matter to other workers.
    pub(super) fn matters(self) -> bool {
        self.kind != Kind::Plain
    }

    /// True if it is a socket.
    pub(super) fn is_socket(self) -> bool {
        matches!(self.kind, Kind::Pair | Kind::Tcp | Kind::Udp | Kind::Unix)
    }

    /// What it is beyond control, if it is.
    pub(super) fn source(self) -> Option<Source> {
        let source = match self.kind {
            Kind::Tcp => Source::Tcp,
            Kind::Udp => Source::Udp,
            Kind::Unix => Source::Unix,
            Kind::Outside => Source::Descriptor,
            Kind::Pair if self.is_shared => Source::Unix,
            Kind::Pipe if self.is_shared => Source::Pipe,
            Kind::Eventfd | Kind::Epoll if self.is_shared => Source::Descriptor,
            _ => return None,
        };
        Some(source)
    }

    /// Who can make it ready.
    pub(super) fn awaits(self) -> Awaits {
        match self.kind {
            Kind::Epoll => super::epoll::awaits(self.object()),
            Kind::Tcp | Kind::Udp | Kind::Unix if !self.is_shared && !children::are_there() => {
                Awaits::Kernel
            }
            _ if self.is_shared && self.matters() => Awaits::Outside,
            Kind::Outside | Kind::Tcp | Kind::Udp | Kind::Unix => Awaits::Outside,
            _ => Awaits::Workers,
        }
    }
}

/// Says that another process may have what is open now. Controlled workers only.
pub(in crate::symbols) fn share_all() {
    begin();
    let end = END.load(Relaxed) as usize;
    for slot in &TABLE[..end] {
        if let Some(known) = Descriptor::unpack(slot.load(Relaxed)) {
            let shared = Descriptor {
                is_shared: true,
                ..known
            };
            slot.store(shared.pack(), Relaxed);
        }
    }
}

/// Says that a socket may be connected to another machine. Controlled workers only.
pub(super) fn share(descriptor: c_int) {
    let what = of(descriptor);
    let shared = Descriptor {
        is_shared: true,
        ..what
    };
    note(descriptor, shared);
}

/// What the descriptor is. Controlled workers only.
pub(super) fn of(descriptor: c_int) -> Descriptor {
    begin();
    let slot = slot(descriptor);
    let known = slot.and_then(|slot| Descriptor::unpack(slot.load(Relaxed)));
    known.unwrap_or_else(|| {
        let found = Descriptor {
            kind: kind_of(descriptor),
            // Made where nobody saw it: nobody knows who has the other end.
            is_shared: true,
            serial: next_serial(),
        };
        note(descriptor, found);
        found
    })
}

/// What is known of the descriptor. From any thread; one outside the engine may meet what the last
/// iteration left.
pub(super) fn known(descriptor: c_int) -> Option<Descriptor> {
    Descriptor::unpack(slot(descriptor)?.load(Relaxed))
}

/// Says that a descriptor has just been made. Controlled workers only.
pub(super) fn made(descriptor: c_int, kind: Kind) {
    made_together([descriptor], kind);
}

/// Says that descriptors have just been made that are the ends of one thing. Controlled workers only.
pub(super) fn made_together<const N: usize>(descriptors: [c_int; N], kind: Kind) {
    begin();
    let serial = next_serial();
    for descriptor in descriptors {
        note(
            descriptor,
            Descriptor {
                kind,
                is_shared: false,
                serial,
            },
        );
    }
}

/// A descriptor of the same object, if there is one. Controlled workers only.
pub(super) fn twin(what: Descriptor) -> Option<c_int> {
    let end = END.load(Relaxed).cast_signed();
    let is_twin = |other: Descriptor| other.serial == what.serial;
    (0..end).find(|&descriptor| known(descriptor).is_some_and(is_twin))
}

/// Says that `copy` is the open file that `original` is. Controlled workers only.
pub(super) fn copied(original: c_int, copy: c_int) {
    note(copy, of(original));
}

/// Says that a descriptor is closed. From any thread.
pub(super) fn forget(descriptor: c_int) {
    if let Some(slot) = slot(descriptor) {
        slot.store(0, Relaxed);
    }
}

fn slot(descriptor: c_int) -> Option<&'static AtomicU64> {
    TABLE.get(usize::try_from(descriptor).ok()?)
}

fn note(descriptor: c_int, what: Descriptor) {
    if let Some(slot) = slot(descriptor) {
        slot.store(what.pack(), Relaxed);
        END.fetch_max(descriptor.cast_unsigned() + 1, Relaxed);
    }
}

/// Forgets all when a new iteration has begun: what the last one made has been closed behind our back.
pub(in crate::symbols) fn begin() {
    let run = engine::run_number();
    if RUN.load(Relaxed) != run {
        RUN.store(run, Relaxed);
        SERIALS.store(0, Relaxed);
        let end = END.swap(0, Relaxed) as usize;
        TABLE[..end].iter().for_each(|slot| slot.store(0, Relaxed));
        super::epoll::forget_all();
        super::timer::forget_all();
        children::forget_all();
    }
}

fn next_serial() -> u32 {
    SERIALS.fetch_add(1, Relaxed)
}

/// Asks the kernel what a descriptor is.
fn kind_of(descriptor: c_int) -> Kind {
    // SAFETY: the place is writable and may be all zeros.
    let (failed, mode) = unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        (libc::fstat(descriptor, &raw mut found), found.st_mode)
    };
    if failed != 0 {
        return Kind::Plain;
    }
    match mode & libc::S_IFMT {
        libc::S_IFIFO => Kind::Pipe,
        libc::S_IFSOCK => super::socket::kind_of(descriptor),
        0 => kind_of_anonymous(descriptor),
        _ => Kind::Plain,
    }
}

/// What has no type of its own has a name.
fn kind_of_anonymous(descriptor: c_int) -> Kind {
    let mut path = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let mut digits = [0; 10];
    let mut rest = descriptor.unsigned_abs();
    let mut count = 0;
    while count == 0 || rest > 0 {
        digits[count] = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
    }
    for (place, &digit) in path[14..].iter_mut().zip(digits[..count].iter().rev()) {
        *place = digit;
    }
    let mut name = [0_u8; 64];
    let arguments = [
        argument(libc::AT_FDCWD),
        path.as_ptr() as usize,
        name.as_mut_ptr() as usize,
        name.len(),
        0,
        0,
    ];
    // SAFETY: the path ends with a zero, and the buffer is as long as said.
    let length = unsafe { system_call(libc::SYS_readlinkat, arguments) };
    match &name[..usize::try_from(length).unwrap_or(0)] {
        b"anon_inode:[eventfd]" => Kind::Eventfd,
        b"anon_inode:[eventpoll]" => Kind::Epoll,
        b"anon_inode:[pidfd]"
        | b"anon_inode:[signalfd]"
        | b"anon_inode:inotify"
        | b"anon_inode:[timerfd]"
        | b"anon_inode:[fanotify]" => Kind::Outside,
        name if name.starts_with(b"pidfd:") => Kind::Outside,
        _ => Kind::Plain,
    }
}
