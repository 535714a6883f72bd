//! The ways in: from the harness, from functions of groups, from the allocator.

use std::panic::Location;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::group::Api;
use super::parameters::Parameters;
use super::session::{self, At};
use super::told::{Severity, Standing};
use super::trap_set::PlaceId;
use super::{functions, memory, party};
use crate::engine;
use crate::frames::offset_of;
use crate::wire::{ENV_CODE, ENV_PLACES, ENV_TSVD, ENV_TSVD_PAIRS};

static IS_ON: AtomicBool = AtomicBool::new(false);

/// True if threads of this process may be held.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// A function of a group is about to go about the object with this key, in its caller's name.
#[inline]
#[track_caller]
pub fn call(api: &'static Api, key: u64) {
    if is_on() {
        session::at_call(api, key, At::Line(Location::caller()));
    } else if engine::heeds_shares() {
        use_shared(api, key, Some(Location::caller()));
    }
}

/// True if somebody wants to hear of calls: delay injection, or an engine that looks for races.
#[inline]
pub fn hears() -> bool {
    engine::looks_for_races()
}

/// The same as [`call`] for functions that know no line: `returns_to` is the address of the code after the
/// call. The key is 0, or an address.
///
/// A controlled worker's call is compared with those before it, unless each is fine by itself.
#[inline]
pub fn call_from(api: &'static Api, key: u64, returns_to: usize) {
    let is_fine_alone = api.group.severity == Severity::Logical;
    if engine::heeds_shares() && (is_fine_alone || key == 0) {
        use_shared(api, key, None);
    }
    call_under_lock(api, key, returns_to);
}

/// The same within a function of std, which has a lock for it that no engine knows.
#[inline]
pub fn call_under_lock(api: &'static Api, key: u64, returns_to: usize) {
    if is_on() {
        session::at_call(api, key, place_of(returns_to));
    } else if api.group.severity != Severity::Logical {
        let address = usize::try_from(key).ok().filter(|&address| address != 0);
        engine::access_by_call(api, address, returns_to);
    }
}

/// A controlled worker's call is about something that tests share: the only one of its group, or that with a
/// number.
#[cold]
fn use_shared(api: &Api, key: u64, site: Option<&'static Location<'static>>) {
    let number = key.to_string();
    let name = if key == 0 { "" } else { &number };
    engine::use_shared(api.group.name, name, api.writes, site);
}

/// This block is given back.
#[inline]
pub fn note_free(address: usize, size: usize) {
    if is_on() {
        memory::forget(address, size);
    }
}

fn place_of(returns_to: usize) -> At {
    match offset_of(returns_to) {
        0 => At::Library(returns_to),
        offset => At::Code(offset),
    }
}

/// Runs a test's body, among others at the same time.
pub(crate) fn run_test<R>(name: &str, body: impl FnOnce() -> R) -> R {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(begin);
    let _runs = party::begin_test(name);
    body()
}

/// Reads what is asked for, and begins. No test's body has run yet.
fn begin() {
    crate::harness::begin_to_tell(false);
    let text = std::env::var(ENV_TSVD).unwrap_or_default();
    let Some(parameters) = Parameters::read(&text) else {
        crate::harness::refuse(format!("`{ENV_TSVD}` is `{text}`, which is not understood"));
    };
    let pairs = match std::env::var_os(ENV_TSVD_PAIRS).map(std::fs::read_to_string) {
        None => Vec::new(),
        Some(text) => match text.map(|text| parse_pairs(&text)) {
            Ok(Some(pairs)) => pairs,
            _ => crate::harness::refuse("the pairs of places are damaged".to_owned()),
        },
    };
    if let Some(path) = std::env::var_os(ENV_PLACES) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if !functions::install(&text) {
            crate::harness::refuse("the functions of std are damaged".to_owned());
        }
    }
    let sees_memory = std::env::var_os(ENV_CODE).is_some_and(|code| code == "all");
    crate::harness::forget_request();
    session::begin(parameters, &pairs, sees_memory);
    if sees_memory {
        engine::see_natively();
    }
    IS_ON.store(true, Relaxed);
    // SAFETY: the functions take no arguments, and are never unloaded.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(in_child));
    }
}

extern "C" fn at_exit() {
    engine::see_nothing();
    if IS_ON.swap(false, Relaxed) {
        session::end();
    }
}

/// A child is none of ours, and has no other threads.
unsafe extern "C" fn in_child() {
    IS_ON.store(false, Relaxed);
    engine::see_nothing();
}

/// Reads lines such as `dangerous 1a0 1f4`, in hexadecimal.
fn parse_pairs(text: &str) -> Option<Vec<(PlaceId, PlaceId, Standing)>> {
    let lines = text.lines().map(|line| {
        let mut words = line.split(' ');
        let standing = match words.next()? {
            "dangerous" => Standing::Dangerous,
            "found" => Standing::Found,
            "ordered" => Standing::Ordered,
            "given-up" => Standing::GivenUp,
            _ => return None,
        };
        let mut place = || PlaceId::from_str_radix(words.next()?, 16).ok();
        Some((place()?, place()?, standing))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_by_line() {
        let read = parse_pairs;
        assert_eq!(read(""), Some(vec![]));
        assert_eq!(
            read("dangerous 1a 2\nfound 8000000000000001 8000000000000001\n"),
            Some(vec![
                (0x1A, 2, Standing::Dangerous),
                (1 << 63 | 1, 1 << 63 | 1, Standing::Found)
            ])
        );
        for text in ["dangerous 1a", "danger 1 2", "found 1 x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
