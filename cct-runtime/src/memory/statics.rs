//! The program's statics and thread-locals, put back before each iteration.
//!
//! All writable data that the symbol table names, std's included: what an iteration initialised lazily
//! points into its arena. Left out are our own, and what the C start-up code keeps; and all C
//! data when the program has a global allocator of its own, which may be written in C and then keeps what
//! it knows of memory there, while the memory itself is not put back.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hint::black_box;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::c_locals::CLocals;
use super::elf::{DataSymbol, Executable, TlsSegment};
use super::mangling::{crate_of, home_of, path_of};
use crate::engine::engine_cell;

/// The modules whose statics survive. A crate's name would not do: one of the program may have the same, as
/// a test in `tests/cct.rs` has. libtest, crate `test`, has no writable ones. A static of ours in another
/// module fails `tests/cli/statics.rs`.
const OURS: &[(&str, &str)] = &[
    ("cct", "engine"),
    ("cct", "harness"),
    ("cct", "memory"),
    ("cct", "origin"),
    ("cct_shims", "std"),
    ("cct_shims", "symbols"),
];
/// Symbols of the C start-up code and of copies of the C library's own data.
const START_UP: &[&str] = &[
    "environ",
    "__environ",
    "_environ",
    "stdin",
    "stdout",
    "stderr",
];

/// The statics as they were before the first iteration.
#[derive(Debug)]
pub(crate) struct Statics {
    areas: Vec<Area>,
    saved: Vec<u8>,
    names: Vec<(Range<usize>, &'static str)>,
    /// The two words of std's hash keys of this thread.
    hash_keys: Option<[*mut u64; 2]>,
    /// The first of them, as it was put back.
    first_key: Cell<u64>,
    c_locals: CLocals,
}

/// Whether the program has a global allocator of its own, once that is known.
static OWN_ALLOCATOR: AtomicBool = AtomicBool::new(false);

/// True if the program has a global allocator of its own.
///
/// It may be written in C, and takes its locks in the middle of whatever allocates: they are no place to let
/// others run, and what it keeps per thread is that of the one thread that all workers are to it.
#[inline]
pub fn has_own_allocator() -> bool {
    OWN_ALLOCATOR.load(Ordering::Relaxed)
}

/// Memory to put back.
#[derive(Debug)]
struct Area {
    address: *mut u8,
    size: usize,
    /// Where its copy lies in `saved`.
    offset: usize,
}

impl Statics {
    /// Finds and copies all statics, and the thread-locals of the calling thread.
    ///
    /// `None` if the executable has no symbol table: then nothing can be put back.
    pub(crate) fn save() -> Option<Statics> {
        // What std makes when it is first used must exist, or an iteration would make it in its arena.
        let state = RandomState::new();
        print!("");
        eprint!("");
        black_box(std::thread::current().id());

        let executable = Executable::map(Path::new("/proc/self/exe")).ok()?;
        let symbols = executable.symbols()?;
        let base = load_address(&symbols.data)?;
        let rust_only = symbols.own_allocator;
        let mut statics = Statics {
            areas: Vec::new(),
            saved: Vec::new(),
            names: Vec::new(),
            hash_keys: None,
            first_key: Cell::new(0),
            c_locals: CLocals::default(),
        };
        OWN_ALLOCATOR.store(rust_only, Ordering::Relaxed);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for symbol in symbols.data.iter().filter(|symbol| !symbol.thread_local) {
            let address = base + symbol.offset;
            let range = address..address + symbol.size;
            if is_put_back(symbol, rust_only) {
                ranges.push(range.clone());
                statics.names.push((range, symbol.name));
            }
        }
        if let Some(tls) = executable.tls() {
            let block = tls_block(tls);
            let is_keys = |symbol: &&DataSymbol| {
                symbol.thread_local
                    && symbol.name.contains("RandomState")
                    && symbol.name.contains("KEYS")
            };
            let keys = symbols.data.iter().find(is_keys);
            statics.hash_keys = keys.and_then(|symbol| {
                let cell = (block.start + symbol.offset) as *mut u64;
                find_keys(cell, symbol.size / size_of::<u64>(), &state)
            });
            let locals = symbols.data.iter().filter(|symbol| symbol.thread_local);
            let place = |symbol: &DataSymbol| {
                let start = block.start + symbol.offset;
                start..start + symbol.size
            };
            if rust_only {
                let others = locals.filter(|symbol| is_put_back(symbol, rust_only));
                ranges.extend(others.map(place));
            } else {
                let of_c = locals
                    .clone()
                    .filter(|symbol| crate_of(symbol.name).is_none());
                let mut areas: Vec<_> = of_c.map(place).collect();
                merge(&mut areas);
                let (offset, length) = tls.image;
                // SAFETY: the loader made threads' blocks of this part of the executable.
                let image =
                    unsafe { std::slice::from_raw_parts((base + offset) as *const u8, length) };
                statics.c_locals = CLocals::new(areas, block.start, image);
                let ours = locals.filter(|symbol| !is_put_back(symbol, rust_only));
                let (cell, size) = engine_cell();
                let mut ours: Vec<_> = ours.map(place).collect();
                ours.push(cell..cell + size);
                merge(&mut ours);
                // Some of the rest has no symbol.
                let mut start = block.start;
                for own in ours {
                    ranges.push(start..own.start);
                    start = own.end;
                }
                ranges.push(start..block.end);
            }
        }
        merge(&mut ranges);
        for range in ranges {
            statics.save_area(&range);
        }
        statics.names.sort_by_key(|(range, _)| range.start);
        Some(statics)
    }

    fn save_area(&mut self, range: &Range<usize>) {
        let (address, size) = (range.start as *mut u8, range.len());
        let offset = self.saved.len();
        // SAFETY: the symbol table says that this is data of the executable.
        self.saved
            .extend_from_slice(unsafe { std::slice::from_raw_parts(address, size) });
        self.areas.push(Area {
            address,
            size,
            offset,
        });
    }

    /// Puts everything back, and makes std's hash keys follow from `seed`.
    pub(crate) fn restore(&self, seed: u64) {
        for area in &self.areas {
            // SAFETY: between iterations nobody holds a reference to a static that we restore.
            unsafe {
                let saved = self.saved.as_ptr().add(area.offset);
                std::ptr::copy_nonoverlapping(saved, area.address, area.size);
            }
        }
        for (index, key) in self.hash_keys.into_iter().flatten().enumerate() {
            // SAFETY: the words of an initialised cell of this thread, whose keys are any two words.
            unsafe { key.write(crate::strategy::derive(seed, index as u64)) };
        }
        self.first_key.set(crate::strategy::derive(seed, 0));
    }

    /// True if somebody has made a `RandomState` since `restore`: std counts the first key up each time.
    pub(crate) fn has_drawn_keys(&self) -> bool {
        // SAFETY: as in `restore`.
        self.hash_keys
            .is_some_and(|[first, _]| unsafe { first.read() } != self.first_key.get())
    }

    /// The thread-locals of C code.
    pub(crate) fn take_c_locals(&mut self) -> CLocals {
        std::mem::take(&mut self.c_locals)
    }

    /// Where they are, and their sizes in bytes.
    pub(crate) fn places(&self) -> Vec<(usize, usize)> {
        let areas = self.areas.iter();
        areas
            .map(|area| (area.address as usize, area.size))
            .collect()
    }

    /// The number of statics and their size in bytes.
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.names.len(), self.saved.len())
    }

    /// The path of the static that an address lies in.
    pub(crate) fn path_at(&self, address: usize) -> Option<String> {
        let after = self
            .names
            .partition_point(|(range, _)| range.start <= address);
        let (range, name) = self.names.get(after.checked_sub(1)?)?;
        range.contains(&address).then(|| path_of(name))
    }
}

/// Finds the words of std's keys in their thread-local cell, whatever its layout.
///
/// `state` was made last, so its keys are those in the cell but for the first, which counts up.
fn find_keys(cell: *mut u64, words: usize, state: &RandomState) -> Option<[*mut u64; 2]> {
    const { assert!(size_of::<RandomState>() == 2 * size_of::<u64>()) };
    // SAFETY: a `RandomState` is two words; the cell lies in this thread's block.
    let (made, cell_words) = unsafe {
        let made = std::ptr::from_ref(state).cast::<[u64; 2]>().read();
        (made, std::slice::from_raw_parts(cell, words))
    };
    let place_of = |key: u64| {
        let index = cell_words.iter().position(|&word| word == key)?;
        Some(cell.wrapping_add(index))
    };
    let [first, second] = made;
    Some([
        place_of(first.wrapping_add(1)).or_else(|| place_of(first))?,
        place_of(second)?,
    ])
}

/// A writable static or thread-local of an executable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Static {
    /// Its crate; none if it is C's.
    pub krate: Option<String>,
    /// Its path for people, such as `bank::ACCOUNTS`.
    pub path: String,
    /// True if each iteration begins with the value that it has when a test's process begins.
    pub is_put_back: bool,
}

/// Lists the writable statics and thread-locals of an executable, for tests: it stays mapped.
pub fn statics_of(executable: &Path) -> io::Result<Vec<Static>> {
    let symbols = Executable::map(executable)?.symbols();
    let symbols = symbols.ok_or_else(|| io::Error::other("no symbol table"))?;
    let statics = symbols.data.iter().map(|symbol| Static {
        krate: crate_of(symbol.name).map(str::to_owned),
        path: path_of(symbol.name),
        is_put_back: is_put_back(symbol, symbols.own_allocator),
    });
    Ok(statics.collect())
}

fn is_put_back(symbol: &DataSymbol, rust_only: bool) -> bool {
    let name = symbol.name;
    match home_of(name) {
        Some(home) => !OURS.contains(&home),
        None if rust_only => false,
        None if symbol.thread_local => true,
        None => {
            !name.contains('@')
                && !START_UP.contains(&name)
                && !name.starts_with("__")
                && !name.starts_with("completed.")
        }
    }
}

/// Something of ours with a known symbol, to learn where the executable was loaded.
#[unsafe(no_mangle)]
static mut __CCT_LANDMARK: u64 = 1;

fn load_address(symbols: &[DataSymbol]) -> Option<usize> {
    let landmark = symbols
        .iter()
        .find(|symbol| symbol.name == "__CCT_LANDMARK")?;
    Some((&raw const __CCT_LANDMARK) as usize - landmark.offset)
}

/// The executable's block of thread-locals of the calling thread.
///
/// The executable is module 1, whose place is fixed by the ABI: below the thread pointer on x86-64,
/// above it and two words on aarch64.
fn tls_block(tls: TlsSegment) -> Range<usize> {
    #[cfg(target_arch = "x86_64")]
    let start = {
        let pointer: usize;
        // SAFETY: the thread control block begins with its own address.
        unsafe {
            std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags));
        }
        pointer - tls.size.next_multiple_of(tls.align)
    };
    #[cfg(target_arch = "aarch64")]
    let start = {
        let pointer: usize;
        // SAFETY: reads a register.
        unsafe {
            std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags));
        }
        pointer + (2 * size_of::<usize>()).next_multiple_of(tls.align)
    };
    start..start + tls.size
}

/// Sorts ranges and joins those that touch: fewer copies.
fn merge(ranges: &mut Vec<Range<usize>>) {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges.drain(..) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    *ranges = merged;
}
