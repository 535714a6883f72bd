//! The executable's symbol table, which tells where its statics and thread-locals are.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::ptr::null_mut;

const SECTION_SYMTAB: u32 = 2;
const SEGMENT_TLS: u32 = 7;
const SEGMENT_RELRO: u32 = 0x6474_E552;
const SYMBOL_OBJECT: u8 = 1;
const SYMBOL_FUNCTION: u8 = 2;
const SYMBOL_TLS: u8 = 6;
const WRITABLE: u64 = 1;
/// std's allocator, which `#[global_allocator]` replaces, in either mangling scheme.
const DEFAULT_ALLOCATOR: &str = "__rdl_alloc";

/// An executable's file, mapped.
#[derive(Debug)]
pub(super) struct Executable {
    bytes: &'static [u8],
}

/// The contents of a symbol table.
#[derive(Debug)]
pub(super) struct Symbols {
    pub(super) data: Vec<DataSymbol>,
    /// The program has a `#[global_allocator]`.
    pub(super) own_allocator: bool,
}

/// A symbol for a piece of data.
#[derive(Debug)]
pub(super) struct DataSymbol {
    pub(super) name: &'static str,
    /// The place relative to the executable's load address, or to the TLS block for a thread-local.
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) thread_local: bool,
}

/// The thread-local segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct TlsSegment {
    pub(super) size: usize,
    pub(super) align: usize,
    /// The place of the values of a new thread, relative to the load address, and the length of those that
    /// are not zero.
    pub(super) image: (usize, usize),
}

impl Executable {
    /// Maps an executable's file; the mapping stays.
    pub(super) fn map(path: &Path) -> io::Result<Executable> {
        let file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        // SAFETY: a private read-only mapping; cargo replaces executables, it does not write into them.
        let bytes = unsafe {
            let descriptor = file.as_raw_fd();
            let place = libc::mmap(
                null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE,
                descriptor,
                0,
            );
            if place == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            std::slice::from_raw_parts(place.cast::<u8>(), length)
        };
        Ok(Executable { bytes })
    }

    /// Returns the symbols of writable data, and whether the program has a global allocator of its own.
    ///
    /// `None` if the file has no symbol table, or is damaged.
    pub(super) fn symbols(&self) -> Option<Symbols> {
        let table = self
            .sections()
            .find(|section| section.kind == SECTION_SYMTAB)?;
        let strings = self.section(table.link as usize)?;
        let read_only = self
            .segment(SEGMENT_RELRO)
            .map_or(0..0, |segment| segment.range());
        let mut symbols = Symbols {
            data: Vec::new(),
            own_allocator: true,
        };
        for at in table.range().step_by(24) {
            let kind = *self.bytes.get(at + 4)? & 15;
            let section = usize::from(u16::from_le_bytes(self.array(at + 6)?));
            let offset = self.word(at + 8)?;
            let size = self.word(at + 16)?;
            if kind == SYMBOL_FUNCTION && size > 0 {
                let name = self.string(strings.offset + self.half(at)? as usize)?;
                symbols.own_allocator &= !name.ends_with(DEFAULT_ALLOCATOR);
            }
            let is_object = kind == SYMBOL_OBJECT && !read_only.contains(&offset);
            if size == 0 || section == 0 || !(is_object || kind == SYMBOL_TLS) {
                continue;
            }
            let writable = self
                .section(section)
                .is_some_and(|section| section.flags & WRITABLE != 0);
            if writable {
                let name = self.string(strings.offset + self.half(at)? as usize)?;
                symbols.data.push(DataSymbol {
                    name,
                    offset,
                    size,
                    thread_local: kind == SYMBOL_TLS,
                });
            }
        }
        Some(symbols)
    }

    /// Returns the thread-local segment, if there is one.
    pub(super) fn tls(&self) -> Option<TlsSegment> {
        let segment = self.segment(SEGMENT_TLS)?;
        Some(TlsSegment {
            size: segment.memory_size,
            align: segment.align.max(1),
            image: (segment.address, segment.file_size),
        })
    }

    fn sections(&self) -> impl Iterator<Item = Section> {
        let count = self.array(0x3C).map_or(0, u16::from_le_bytes);
        (0..usize::from(count)).filter_map(|index| self.section(index))
    }

    fn section(&self, index: usize) -> Option<Section> {
        let at = self.word(0x28)? + index * 64;
        Some(Section {
            kind: self.half(at + 4)?,
            flags: self.word(at + 8)? as u64,
            offset: self.word(at + 24)?,
            size: self.word(at + 32)?,
            link: self.half(at + 40)?,
        })
    }

    fn segment(&self, kind: u32) -> Option<Segment> {
        let count = u16::from_le_bytes(self.array(0x38)?);
        let table = self.word(0x20)?;
        (0..usize::from(count))
            .map(|index| table + index * 56)
            .find_map(|at| {
                (self.half(at)? == kind).then_some(Segment {
                    address: self.word(at + 16)?,
                    file_size: self.word(at + 32)?,
                    memory_size: self.word(at + 40)?,
                    align: self.word(at + 48)?,
                })
            })
    }

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..)?.first_chunk().copied()
    }

    fn half(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn word(&self, at: usize) -> Option<usize> {
        self.array(at).map(usize::from_le_bytes)
    }

    fn string(&self, at: usize) -> Option<&'static str> {
        let rest = self.bytes.get(at..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&rest[..end]).ok()
    }
}

struct Section {
    kind: u32,
    flags: u64,
    offset: usize,
    size: usize,
    link: u32,
}

impl Section {
    fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.size
    }
}

struct Segment {
    address: usize,
    file_size: usize,
    memory_size: usize,
    align: usize,
}

impl Segment {
    fn range(&self) -> Range<usize> {
        self.address..self.address + self.memory_size
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hint::black_box;
    use std::sync::atomic::AtomicU64;

    use super::*;

    static MARK_OF_THIS_TEST: AtomicU64 = AtomicU64::new(7);
    static READ_ONLY_MARK: &str = "constant";
    thread_local! {
        static LOCAL_MARK: Cell<u64> = const { Cell::new(7) };
    }

    #[test]
    fn writable_statics_of_this_executable_are_found() {
        // The linker leaves out what is not used.
        black_box((&MARK_OF_THIS_TEST, READ_ONLY_MARK));
        LOCAL_MARK.with(|mark| black_box(mark).set(8));
        let executable =
            Executable::map(Path::new("/proc/self/exe")).expect("a readable executable");
        let symbols = executable.symbols().expect("a symbol table");
        let find = |name: &str| {
            symbols
                .data
                .iter()
                .find(|symbol| symbol.name.contains(name))
        };
        let found = find("MARK_OF_THIS_TEST").expect("a writable static");
        assert!(!found.thread_local && found.size == 8);
        assert!(find("READ_ONLY_MARK").is_none());
        let local = find("LOCAL_MARK").expect("a thread-local");
        let tls = executable.tls().expect("a segment for it");
        assert!(local.thread_local && local.offset < tls.size);
    }

    #[test]
    fn damaged_files_are_no_panic() {
        let whole = Executable::map(Path::new("/proc/self/exe"))
            .expect("a readable executable")
            .bytes;
        for length in [0, 16, 63, 64, 1000, whole.len() / 2] {
            let damaged = Executable {
                bytes: &whole[..length],
            };
            assert!(damaged.symbols().is_none());
        }
    }
}
