//! The kinds of descriptors: filled in where one is made, or at its first use.
//!
//! Descriptors of one open file have one object, which is numbered by creation: so it repeats.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use cct::engine::{self, Awaits, Source};
use cct::object::ObjectId;
use libc::c_int;

use super::argument;
use crate::symbols::children;
use crate::symbols::real::system_call;

/// The thing behind a descriptor.
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

/// The entry of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descriptor {
    pub(super) kind: Kind,
    /// Another process may be at the other end.
    is_shared: bool,
    serial: u32,
}

/// How many descriptors are kept; what is known of others is found out each time.
const KEPT: usize = 4096;

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

    /// Its object in the engine.
    pub(super) fn object(self) -> ObjectId {
        ObjectId::descriptor(self.serial)
    }

    /// True if calls on it can matter to other workers.
    pub(super) fn matters(self) -> bool {
        self.kind != Kind::Plain
    }

    /// True if it is a socket.
    pub(super) fn is_socket(self) -> bool {
        matches!(self.kind, Kind::Pair | Kind::Tcp | Kind::Udp | Kind::Unix)
    }

    /// Its kind beyond control, if it has one.
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

    /// The farthest party that can make it ready.
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

/// The entry of the descriptor. Controlled workers only.
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

/// The entry of the descriptor. From any thread; one outside the engine may meet an entry of the last
/// iteration.
pub(super) fn known(descriptor: c_int) -> Option<Descriptor> {
    Descriptor::unpack(slot(descriptor)?.load(Relaxed))
}

/// The descriptors of a range that have an entry. Controlled workers only.
pub(super) fn known_in(first: u32, last: u32) -> impl Iterator<Item = c_int> {
    begin();
    let end = last.saturating_add(1).min(END.load(Relaxed));
    let all = (first..end).map(u32::cast_signed);
    all.filter(|&descriptor| known(descriptor).is_some())
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

/// A file without a type of its own has a name.
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd as _;

    use super::*;

    const END_OF_TABLE: c_int = KEPT.cast_signed() as c_int;

    fn descriptor(kind: Kind, is_shared: bool, serial: u32) -> Descriptor {
        Descriptor {
            kind,
            is_shared,
            serial,
        }
    }

    /// The kind of a descriptor that was made where nobody saw it; closes it.
    fn looked_at(descriptor: c_int) -> Kind {
        assert!(descriptor >= 0, "it is open");
        let kind = kind_of(descriptor);
        // SAFETY: it was opened for this.
        unsafe { libc::close(descriptor) };
        kind
    }

    #[test]
    fn a_word_of_the_table_says_everything() {
        assert!(Descriptor::unpack(0).is_none(), "nobody has looked at it");
        for (index, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, index + 1);
            for (is_shared, serial) in [(false, 0), (true, 7), (false, u32::MAX)] {
                let word = descriptor(kind, is_shared, serial).pack();
                let found = Descriptor::unpack(word).expect("a known kind");
                let found = (found.kind, found.is_shared, found.serial);
                assert_eq!(found, (kind, is_shared, serial));
            }
        }
        assert!(Descriptor::unpack(KINDS.len() as u64 + 1).is_none());
    }

    #[test]
    fn objects_are_those_of_open_files() {
        let [one, other] = [3, 4].map(|serial| descriptor(Kind::Pipe, false, serial).object());
        assert_ne!(one, other);
        assert_eq!(descriptor(Kind::Epoll, true, 3).object(), one);
    }

    #[test]
    fn the_outside_is_what_another_process_or_machine_has_an_end_of() {
        for kind in KINDS {
            let [own, shared] = [false, true].map(|it| descriptor(kind, it, 0).source());
            match kind {
                Kind::Plain | Kind::Timer => assert_eq!((own, shared), (None, None)),
                Kind::Tcp | Kind::Udp | Kind::Unix | Kind::Outside => {
                    assert!(own.is_some() && own == shared, "{kind:?}");
                }
                _ => assert!(own.is_none() && shared.is_some(), "{kind:?}"),
            }
            assert_eq!(descriptor(kind, false, 0).matters(), kind != Kind::Plain);
        }
    }

    #[test]
    fn the_ends_of_one_thing_have_one_object_and_copies_have_it_too() {
        // So high that nobody else in this process has them.
        let [read, write, copy, other] = [1, 2, 3, 4].map(|number| END_OF_TABLE - number);
        made_together([read, write], Kind::Pipe);
        made(other, Kind::Eventfd);
        copied(write, copy);
        let object = |descriptor| known(descriptor).map(Descriptor::object);
        assert_eq!(object(read), object(write));
        assert_eq!(object(copy), object(write));
        assert_ne!(object(other), object(read));
        forget(read);
        assert!(known(read).is_none());
        let what = known(write).expect("it is open");
        assert_eq!(twin(what), Some(copy), "the lowest of them");
        share(copy);
        let is_shared = |descriptor| known(descriptor).is_some_and(|known| known.is_shared);
        assert!(is_shared(copy) && !is_shared(other));
        [write, copy, other].into_iter().for_each(forget);
        assert!(twin(what).is_none());
    }

    #[test]
    fn numbers_beyond_the_table_are_known_to_nobody() {
        for descriptor in [-1, END_OF_TABLE, c_int::MAX] {
            made(descriptor, Kind::Pipe);
            assert!(known(descriptor).is_none());
        }
    }

    #[test]
    fn the_kernel_says_what_a_descriptor_is() {
        let file = File::open("/proc/self/exe").expect("a readable file");
        assert_eq!(kind_of(file.as_raw_fd()), Kind::Plain);
        assert_eq!(kind_of(-1), Kind::Plain);
        // SAFETY: the places have room for two, and all descriptors are closed.
        unsafe {
            let mut ends = [0; 2];
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            assert_eq!(ends.map(looked_at), [Kind::Pipe; 2]);
            let pair = ends.as_mut_ptr();
            assert_eq!(
                libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM, 0, pair),
                0
            );
            assert_eq!(ends.map(looked_at), [Kind::Unix; 2]);
            for (domain, kind, expected) in [
                (libc::AF_INET, libc::SOCK_STREAM, Kind::Tcp),
                (libc::AF_INET, libc::SOCK_DGRAM, Kind::Udp),
                (libc::AF_UNIX, libc::SOCK_DGRAM, Kind::Unix),
            ] {
                assert_eq!(looked_at(libc::socket(domain, kind, 0)), expected);
            }
            assert_eq!(looked_at(libc::eventfd(0, 0)), Kind::Eventfd);
            assert_eq!(looked_at(libc::epoll_create1(0)), Kind::Epoll);
            assert_eq!(looked_at(libc::inotify_init()), Kind::Outside);
            let timer = libc::timerfd_create(libc::CLOCK_MONOTONIC, 0);
            assert_eq!(looked_at(timer), Kind::Outside);
            let process = libc::syscall(libc::SYS_pidfd_open, libc::getpid(), 0);
            assert_eq!(looked_at(process as c_int), Kind::Outside);
        }
    }
}
