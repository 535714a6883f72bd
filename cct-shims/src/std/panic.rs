//! Panics: counted for each worker, and caught and hooked within one iteration.
//!
//! The engine counts a panic when its hook sees it; here only what passes by the hook is kept in
//! step.

use cct::engine::{self, Hook};
use cct::tsvd::{Api, call};
use real::any::Any;
use real::boxed::Box;

#[expect(deprecated, reason = "std still has it")]
pub use real::panic::PanicInfo;
pub use real::panic::{
    AssertUnwindSafe, Location, PanicHookInfo, RefUnwindSafe, UnwindSafe, panic_any,
};

use super::thread;
use crate::symbols::thread_unsafe::group::PANIC_HOOK;

/// Runs `f` and returns what it panics with, if it does.
pub fn catch_unwind<F: FnOnce() -> R + UnwindSafe, R>(f: F) -> thread::Result<R> {
    if !engine::is_controlled() {
        return real::panic::catch_unwind(f);
    }
    let before = engine::panic_count();
    let result = real::panic::catch_unwind(f);
    if result.is_err() {
        engine::set_panic_count(before);
    }
    result
}

/// Panics with `payload` without calling the hook.
pub fn resume_unwind(payload: Box<dyn Any + Send>) -> ! {
    if engine::is_controlled() {
        engine::set_panic_count(engine::panic_count() + 1);
    }
    real::panic::resume_unwind(payload)
}

/// Sets the panic hook; on a controlled worker, until its iteration ends.
#[track_caller]
pub fn set_hook(hook: Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>) {
    static API: Api = Api {
        name: "std::panic::set_hook",
        group: &PANIC_HOOK,
        writes: true,
    };
    call(&API, 0);
    if engine::is_controlled() {
        replace_hook(Some(hook));
    } else {
        real::panic::set_hook(hook);
    }
}

/// Takes the panic hook away and returns it; the default one is in force afterwards.
#[track_caller]
pub fn take_hook() -> Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static> {
    static API: Api = Api {
        name: "std::panic::take_hook",
        group: &PANIC_HOOK,
        writes: true,
    };
    call(&API, 0);
    if engine::is_controlled() {
        replace_hook(None).unwrap_or_else(|| Box::new(default_hook))
    } else {
        real::panic::take_hook()
    }
}

#[track_caller]
fn replace_hook(hook: Option<Hook>) -> Option<Hook> {
    assert!(
        !thread::panicking(),
        "cannot modify the panic hook from a panicking thread"
    );
    engine::replace_hook(hook)
}

/// Says what std's own hook says, for a hook of the test's that calls the one before.
fn default_hook(info: &PanicHookInfo<'_>) {
    let thread = thread::current();
    let name = thread.name().unwrap_or("<unnamed>");
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("Box<dyn Any>");
    match info.location() {
        Some(location) => eprintln!("\nthread '{name}' panicked at {location}:\n{message}"),
        None => eprintln!("\nthread '{name}' panicked:\n{message}"),
    }
}
