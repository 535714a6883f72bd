//! The environment and the current directory: calls are told to delay injection, and what is done under std's
//! lock of the environment is ordered by it.
//!
//! Under control, std's reading of the environment as a whole is told, since it goes past the C library's
//! functions; a single variable is told by its symbol. Delay injection hears nothing of [`vars`], which reads
//! other tests' variables without any use for them.

use cct::claim::Exception;
use cct::codec::hash;
use cct::engine;
use cct::object::ObjectId;
use cct::tsvd::{Api, call, hears, is_on, note_lock, note_unlock};
use real::cell::Cell;
use real::env::{VarError, Vars, VarsOs};
use real::ffi::{OsStr, OsString};
use real::io;
use real::panic::Location;
use real::path::{Path, PathBuf};

use crate::symbols::thread_unsafe::group::{CURRENT_DIRECTORY, ENV, VARIABLE};

/// `std::env::vars`.
#[track_caller]
pub fn vars() -> Vars {
    use_all();
    real::env::vars()
}

/// `std::env::vars_os`.
#[track_caller]
pub fn vars_os() -> VarsOs {
    use_all();
    real::env::vars_os()
}

#[track_caller]
fn use_all() {
    engine::leave_out(Exception::Environment);
    engine::use_shared(VARIABLE.name, "*", false, Some(Location::caller()));
}

/// `std::env::var`.
#[track_caller]
pub fn var<K: AsRef<OsStr>>(name: K) -> Result<String, VarError> {
    static API: Api = Api {
        name: "std::env::var",
        group: &VARIABLE,
        writes: false,
    };
    let _locked = tell(&API, name.as_ref());
    real::env::var(name)
}

/// `std::env::var_os`.
#[track_caller]
pub fn var_os<K: AsRef<OsStr>>(name: K) -> Option<OsString> {
    static API: Api = Api {
        name: "std::env::var_os",
        group: &VARIABLE,
        writes: false,
    };
    let _locked = tell(&API, name.as_ref());
    real::env::var_os(name)
}

/// `std::env::set_var`. It is safe, as std's is in editions before 2024, by an attribute that is std's alone:
/// `unsafe` around it does no harm.
#[track_caller]
pub fn set_var<K: AsRef<OsStr>, V: AsRef<OsStr>>(name: K, value: V) {
    static API: Api = Api {
        name: "std::env::set_var",
        group: &VARIABLE,
        writes: true,
    };
    let _locked = tell(&API, name.as_ref());
    // SAFETY: the caller's, of whichever edition.
    unsafe { real::env::set_var(name, value) }
}

/// `std::env::remove_var`, as safe as [`set_var`].
#[track_caller]
pub fn remove_var<K: AsRef<OsStr>>(name: K) {
    static API: Api = Api {
        name: "std::env::remove_var",
        group: &VARIABLE,
        writes: true,
    };
    let _locked = tell(&API, name.as_ref());
    // SAFETY: the caller's, of whichever edition.
    unsafe { real::env::remove_var(name) }
}

/// `std::env::current_dir`.
#[track_caller]
pub fn current_dir() -> io::Result<PathBuf> {
    static API: Api = Api {
        name: "std::env::current_dir",
        group: &CURRENT_DIRECTORY,
        writes: false,
    };
    call(&API, 0);
    having_told(real::env::current_dir)
}

/// `std::env::set_current_dir`.
#[track_caller]
pub fn set_current_dir<P: AsRef<Path>>(path: P) -> io::Result<()> {
    static API: Api = Api {
        name: "std::env::set_current_dir",
        group: &CURRENT_DIRECTORY,
        writes: true,
    };
    call(&API, 0);
    having_told(|| real::env::set_current_dir(path))
}

/// `std::env::temp_dir`.
pub fn temp_dir() -> PathBuf {
    let _locked = Locked::by_reader();
    real::env::temp_dir()
}

/// `std::env::home_dir`.
#[allow(deprecated, reason = "some versions of std say so")]
pub fn home_dir() -> Option<PathBuf> {
    let _locked = Locked::by_reader();
    real::env::home_dir()
}

/// Tells of a call about this variable, which goes on under std's lock.
#[track_caller]
fn tell(api: &'static Api, name: &OsStr) -> Locked {
    if is_on() {
        call(api, hash_of(name));
    } else if engine::heeds_shares() {
        let text = engine::outside(|| name.to_string_lossy().into_owned());
        let site = Some(Location::caller());
        engine::use_shared(VARIABLE.name, &text, api.writes, site);
        if api.writes {
            engine::use_shared(ENV.name, "", true, site);
        }
        engine::outside(|| drop(text));
    }
    Locked::by(api.writes)
}

/// std's lock of the environment is held, or is about to be: what is done under it is ordered by it.
pub(crate) struct Locked {
    alone: bool,
}

/// Stands for the lock, which std keeps to itself, as its writers leave it.
static LOCK: u64 = 0;
/// As its readers leave it.
static READERS: u64 = 0;

impl Locked {
    pub(crate) fn by_reader() -> Locked {
        Locked::by(false)
    }

    fn by(alone: bool) -> Locked {
        if hears() {
            engine::acquire(ObjectId::of(&LOCK));
            if alone {
                engine::acquire(ObjectId::of(&READERS));
            }
            note_lock((&raw const LOCK).addr() as u64, !alone);
        }
        IS_LOCKED.set(true);
        Locked { alone }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        IS_LOCKED.set(false);
        if hears() {
            note_unlock((&raw const LOCK).addr() as u64);
            engine::release(ObjectId::of(if self.alone { &LOCK } else { &READERS }));
        }
    }
}

/// Has std read a variable.
pub(crate) fn read_one() {
    IS_READ.set(true);
    drop(real::env::var_os("_"));
    IS_READ.set(false);
}

/// True within [`read_one`].
pub(crate) fn is_read() -> bool {
    IS_READ.get()
}

fn hash_of(name: &OsStr) -> u64 {
    hash(name.as_encoded_bytes().iter().copied())
}

real::thread_local! {
    static HAS_TOLD: Cell<bool> = const { Cell::new(false) };
    static IS_LOCKED: Cell<bool> = const { Cell::new(false) };
    static IS_READ: Cell<bool> = const { Cell::new(false) };
}

/// True within a function of std that holds its lock of the environment. No other worker runs meanwhile.
pub(crate) fn is_locked() -> bool {
    IS_LOCKED.get()
}

/// True if a symbol is called by a function that has told of the call.
pub(crate) fn has_told() -> bool {
    HAS_TOLD.get()
}

fn having_told<R>(call: impl FnOnce() -> R) -> R {
    HAS_TOLD.set(true);
    let result = call();
    HAS_TOLD.set(false);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_told_apart_by_their_names() {
        let of = |name: &str| hash_of(OsStr::new(name));
        assert_eq!(of("PATH"), of("PATH"));
        assert_ne!(of("PATH"), of("HTAP"));
    }
}
