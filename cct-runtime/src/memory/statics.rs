//! The program's statics and thread-locals, put back before each iteration.
//!
//! The symbol table names all writable data. std's is put back, too: a static that an iteration has
//! initialised lazily points into its arena. Statics of ours are left out, and those of the C start-up
//! code; so is all data of C code when the program has a global allocator of its own: that may be written
//! in C, and keep there what it knows of memory that is not put back.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hint::black_box;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::c_locals::CLocals;
use super::elf::{DataSymbol, Executable, TlsSegment};
use super::hook_flag::HookFlag;
use super::mangling::{crate_of, home_of, path_of};
use crate::engine::engine_cell;

/// The modules whose statics are left out. A crate's name alone would not do: a crate of the program may
/// have the same, as a test in `tests/cct.rs` does. libtest, crate `test`, has no writable statics. A
/// static of ours in another module fails `tests/cli/statics.rs`.
const OURS: &[(&str, &str)] = &[
    ("cct", "engine"),
    ("cct", "harness"),
    ("cct", "memory"),
    ("cct", "origin"),
    ("cct", "race"),
    ("cct", "thread_unsafe"),
    ("cct", "tsvd"),
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

/// There is less padding than this between statics, as a rule.
const PADDING: usize = 32;

/// The statics as they were before the first iteration.
#[derive(Debug)]
pub(crate) struct Statics {
    areas: Vec<Area>,
    saved: Vec<u8>,
    names: Vec<(Range<usize>, &'static str)>,
    /// The places of the two words of this thread's hash keys in std.
    hash_keys: Option<[*mut u64; 2]>,
    /// The first hash key, as it was put back.
    first_key: Cell<u64>,
    c_locals: CLocals,
    hook_flag: Option<HookFlag>,
}

/// True once it is known that the program has a global allocator of its own.
static OWN_ALLOCATOR: AtomicBool = AtomicBool::new(false);

/// True if the program has a global allocator of its own.
///
/// The allocator may be written in C. It takes its locks in the middle of any code that allocates, where
/// other workers must not run; and all workers are one thread to it, and share what it keeps for each
/// thread.
#[inline]
pub fn has_own_allocator() -> bool {
    OWN_ALLOCATOR.load(Ordering::Relaxed)
}

/// Statics of ours, in order. Code of ours that is inlined into the program's uses some of them.
static OURS_AT: OnceLock<Vec<Range<usize>>> = OnceLock::new();

/// True for an address in a static of the executable, where no block of memory is: an allocator that is
/// written in Rust may give out memory of statics, but for ours.
#[inline]
pub fn is_static(address: usize) -> bool {
    unsafe extern "C" {
        // The linker's.
        static __executable_start: u8;
        static _end: u8;
    }
    let start = (&raw const __executable_start).addr();
    let end = (&raw const _end).addr();
    (start..end).contains(&address) && (!has_own_allocator() || is_ours(address))
}

fn is_ours(address: usize) -> bool {
    let ours = OURS_AT.get().map_or(&[][..], Vec::as_slice);
    let after = ours.partition_point(|range| range.start <= address);
    after > 0 && ours[after - 1].contains(&address)
}

/// Memory to put back.
#[derive(Debug)]
struct Area {
    address: *mut u8,
    size: usize,
    /// The place of its copy in `saved`.
    offset: usize,
}

impl Statics {
    /// Finds and copies all statics, and the thread-locals of the calling thread.
    ///
    /// `None` if the executable has no symbol table, for then nothing can be put back.
    pub(crate) fn save() -> Option<Statics> {
        // std makes these when they are first used; an iteration would make them in its arena.
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
            hook_flag: None,
        };
        OWN_ALLOCATOR.store(rust_only, Ordering::Relaxed);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let (mut left_out, mut ours) = (Vec::new(), Vec::new());
        for symbol in symbols.data.iter().filter(|symbol| !symbol.thread_local) {
            let address = base + symbol.offset;
            let range = address..address + symbol.size;
            if is_put_back(symbol, rust_only) {
                ranges.push(range.clone());
                statics.names.push((range, symbol.name));
            } else {
                left_out.push(address);
                if home_of(symbol.name).is_some() {
                    ours.push(range);
                }
            }
        }
        merge(&mut ours);
        OURS_AT.get_or_init(|| ours);
        merge(&mut ranges);
        left_out.sort_unstable();
        join_over_padding(&mut ranges, &left_out);
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
            let mut flags = locals
                .clone()
                .filter(|symbol| symbol.name.contains(HookFlag::NAME));
            statics.hook_flag = flags
                .next()
                .and_then(|symbol| HookFlag::at(block.start + symbol.offset, symbol.size));
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
                // The rest is put back whole: some of it has no symbol.
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

    /// True if a `RandomState` was made since `restore`: std then counts the first key up.
    pub(crate) fn has_drawn_keys(&self) -> bool {
        // SAFETY: as in `restore`.
        self.hash_keys
            .is_some_and(|[first, _]| unsafe { first.read() } != self.first_key.get())
    }

    /// Returns the mark of this thread's panic hook.
    pub(crate) fn hook_flag(&self) -> Option<HookFlag> {
        self.hook_flag
    }

    /// Returns the thread-locals of C code.
    pub(crate) fn take_c_locals(&mut self) -> CLocals {
        std::mem::take(&mut self.c_locals)
    }

    /// Returns the addresses and the sizes in bytes of everything that is put back.
    pub(crate) fn places(&self) -> Vec<(usize, usize)> {
        let areas = self.areas.iter();
        areas
            .map(|area| (area.address as usize, area.size))
            .collect()
    }

    /// Returns the addresses and the sizes in bytes of the statics of the program's own crates, in order.
    pub(crate) fn places_of_crates(&self) -> Vec<(usize, usize)> {
        // libtest, `core` and `alloc` have none that are written, and a target may be called so.
        let of_program = |name: &str| crate_of(name).is_none_or(|krate| krate != "std");
        let own = self.names.iter().filter(|(_, name)| of_program(name));
        own.map(|(range, _)| (range.start, range.len())).collect()
    }

    /// Returns the number of statics and their size in bytes.
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.names.len(), self.saved.len())
    }

    /// Returns the path of the static that contains an address.
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
/// The keys of `state`, which was made last, are those in the cell, but that the first has been counted up.
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
    /// Its crate; `None` if it is of C code.
    pub krate: Option<String>,
    /// Its path for people, such as `bank::ACCOUNTS`.
    pub path: String,
    /// True if each iteration begins with the value that it has when a test's process begins.
    pub is_put_back: bool,
}

/// Lists the writable statics and thread-locals of an executable, for tests. The executable stays mapped.
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

/// A static with a known symbol, by which the load address is found.
#[unsafe(no_mangle)]
static mut __CCT_LANDMARK: u64 = 1;

fn load_address(symbols: &[DataSymbol]) -> Option<usize> {
    let landmark = symbols
        .iter()
        .find(|symbol| symbol.name == "__CCT_LANDMARK")?;
    Some((&raw const __CCT_LANDMARK) as usize - landmark.offset)
}

/// Returns the calling thread's block of the executable's thread-locals.
///
/// The executable is module 1, whose place the ABI fixes: below the thread pointer on x86-64, two words above
/// it on aarch64.
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

/// Joins merged ranges with nothing but padding in between, where none of the places in `left_out` is: one
/// copy costs less than two.
fn join_over_padding(ranges: &mut Vec<Range<usize>>, left_out: &[usize]) {
    ranges.dedup_by(|next, range| {
        let gap = range.end..next.start;
        let first = left_out.partition_point(|&place| place < gap.start);
        let is_padding =
            gap.len() < PADDING && left_out.get(first).is_none_or(|place| !gap.contains(place));
        if is_padding {
            range.end = next.end;
        }
        is_padding
    });
}

/// Sorts ranges and joins those that touch, so that there are fewer.
pub(super) fn merge(ranges: &mut Vec<Range<usize>>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_copied_along_and_what_is_left_out_is_not() {
        let joined = |left_out: &[usize]| {
            let mut ranges = vec![0..8, 8..24, 30..40, 100..108];
            merge(&mut ranges);
            join_over_padding(&mut ranges, left_out);
            ranges
        };
        assert_eq!(joined(&[]), [0..40, 100..108]);
        assert_eq!(joined(&[40, 50]), [0..40, 100..108]);
        assert_eq!(joined(&[24]), [0..24, 30..40, 100..108]);
    }
}
