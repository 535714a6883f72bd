//! Statics of shared libraries, which are not put back: whether an iteration has changed them.
//!
//! Left out are the C library, whose allocator the engine uses as well, the loader, and the library that
//! unwinds, which keeps what it has looked up; and the tables into which the loader writes where functions
//! are.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::path::Path;
use std::slice;

use super::statics::merge;

/// Libraries whose statics say nothing about the program, by the beginnings of their files' names.
const LEFT_OUT: [&str; 4] = ["libc.so", "ld-", "libgcc_s.so", "linux-vdso"];

/// Variables of the C library that programs may write, and their sizes in bytes.
const VARIABLES: [(&CStr, usize); 6] = [
    (c"optarg", 8),
    (c"opterr", 4),
    (c"optind", 4),
    (c"optopt", 4),
    (c"program_invocation_name", 8),
    (c"program_invocation_short_name", 8),
];

/// Tags of the table that tells of a library's dynamic linking.
const JUMP_SLOTS_SIZE: usize = 2;
const JUMP_SLOTS: usize = 3;
/// The words before the first function's, and the size in a library of what tells of one.
const FIRST_SLOT: usize = 3;
const RELOCATION: usize = 24;

/// The statics of shared libraries, as they were.
#[derive(Debug)]
pub(crate) struct Libraries {
    areas: Vec<Range<usize>>,
    saved: Vec<u8>,
    /// The number of libraries that were ever there.
    loaded: u64,
}

impl Libraries {
    /// Copies them.
    pub(crate) fn now() -> Libraries {
        let mut found = Libraries {
            areas: Vec::new(),
            saved: Vec::new(),
            loaded: 0,
        };
        // SAFETY: the callback takes this data, which lives as long as the call.
        unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut found).cast()) };
        found
            .areas
            .extend(VARIABLES.iter().filter_map(|(name, size)| {
                // SAFETY: the name ends with a zero.
                let place = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
                (!place.is_null()).then(|| place.addr()..place.addr() + size)
            }));
        merge(&mut found.areas);
        for area in &found.areas {
            // SAFETY: the loader says that it is there.
            let now = unsafe { slice::from_raw_parts(area.start as *const u8, area.len()) };
            found.saved.extend_from_slice(now);
        }
        found
    }

    /// True if they are others now, or there are more libraries.
    pub(crate) fn have_changed(&self) -> bool {
        let mut rest = &self.saved[..];
        let is_same = |area: &Range<usize>| {
            let (saved, after) = rest.split_at(area.len());
            rest = after;
            let now = area.start as *const c_void;
            // SAFETY: libraries that were there at the beginning stay.
            unsafe { libc::memcmp(saved.as_ptr().cast(), now, area.len()) == 0 }
        };
        loaded() != self.loaded || !self.areas.iter().all(is_same)
    }
}

/// The number of libraries that were ever there.
fn loaded() -> u64 {
    unsafe extern "C" fn note(
        about: *mut libc::dl_phdr_info,
        _: usize,
        loaded: *mut c_void,
    ) -> c_int {
        // SAFETY: the caller's.
        unsafe { *loaded.cast::<u64>() = (*about).dlpi_adds };
        1
    }
    let mut loaded = 0_u64;
    // SAFETY: the callback takes this data, which lives as long as the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut loaded).cast()) };
    loaded
}

unsafe extern "C" fn add(about: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader's, and the caller's.
    let (about, found, name, headers) = unsafe {
        let about = &*about;
        let headers = slice::from_raw_parts(about.dlpi_phdr, usize::from(about.dlpi_phnum));
        let name = CStr::from_ptr(about.dlpi_name).to_string_lossy();
        (about, &mut *found.cast::<Libraries>(), name, headers)
    };
    found.loaded = about.dlpi_adds;
    let name = Path::new(&*name).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    // The executable has none.
    if name.is_empty() || LEFT_OUT.iter().any(|begin| name.starts_with(begin)) {
        return 0;
    }
    let base = about.dlpi_addr as usize;
    let place = |header: &libc::Elf64_Phdr| {
        let start = base + header.p_vaddr as usize;
        start..start + header.p_memsz as usize
    };
    let of_type = |kind: u32| headers.iter().filter(move |header| header.p_type == kind);
    let constant = of_type(libc::PT_GNU_RELRO)
        .map(place)
        .next()
        .unwrap_or(0..0);
    // SAFETY: the loader's table ends with a zero.
    let slots = of_type(libc::PT_DYNAMIC).map(|header| unsafe { slots(place(header).start) });
    let slots = slots.fold(0..0, |_, slots| slots);
    let writable = of_type(libc::PT_LOAD).filter(|header| header.p_flags & libc::PF_W != 0);
    for area in writable.map(place) {
        let mut start = area.start;
        for left_out in [&constant, &slots] {
            if area.contains(&left_out.start) {
                found.areas.push(start..left_out.start.max(start));
                start = left_out.end.max(start);
            }
        }
        found.areas.push(start.min(area.end)..area.end);
    }
    found.areas.retain(|area| !area.is_empty());
    0
}

/// Where a library's functions are, of those that it calls: the loader may write them one by one.
unsafe fn slots(dynamic: usize) -> Range<usize> {
    let (mut start, mut size) = (0, 0);
    let mut entry = dynamic as *const [usize; 2];
    // SAFETY: the caller's.
    unsafe {
        while (*entry)[0] != 0 {
            match *entry {
                [JUMP_SLOTS, place] => start = place,
                [JUMP_SLOTS_SIZE, bytes] => size = bytes,
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    start..start + (FIRST_SLOT + size / RELOCATION) * size_of::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_as_long_as_it_is_there() {
        let mut word = 7_u64;
        let place = &raw mut word;
        let [start, middle, end] = [0, 4, 8].map(|offset| place.addr() + offset);
        let libraries = Libraries {
            areas: vec![start..middle, middle..end],
            saved: word.to_ne_bytes().to_vec(),
            loaded: loaded(),
        };
        let mut changed = Vec::new();
        for value in [7, 8, 7] {
            // SAFETY: ours.
            unsafe { place.write_volatile(value) };
            changed.push(libraries.have_changed());
        }
        assert_eq!(changed, [false, true, false]);
    }

    #[test]
    fn a_library_more_is_a_change() {
        let libraries = Libraries {
            loaded: loaded() - 1,
            ..Libraries::now()
        };
        assert!(libraries.have_changed());
    }
}
