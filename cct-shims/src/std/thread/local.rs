//! Thread-locals that are worker-locals on a controlled worker.

use cct::engine::{self, Local, LocalSlot};
use real::alloc::{GlobalAlloc as _, Layout, System, handle_alloc_error};
use real::cell::{Cell, RefCell};
use real::error::Error;
use real::fmt;
use real::mem;
use real::panic::{RefUnwindSafe, UnwindSafe};
use real::ptr::NonNull;

/// A thread-local, declared by [`thread_local!`](crate::thread_local).
///
/// Outside controlled workers it is the native key, with that key's laziness and destructor.
pub struct LocalKey<T: 'static> {
    native: real::thread::LocalKey<T>,
    slot: Slot,
    init: fn() -> T,
}

/// The place of a slot. Each key is a constant, and older compilers take no reference to it there.
struct Slot(*const LocalSlot);

// SAFETY: it stands for a reference to a static, which all threads may share.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}
impl UnwindSafe for Slot {}
impl RefUnwindSafe for Slot {}

impl Slot {
    fn get(&self) -> &'static LocalSlot {
        // SAFETY: it was made of a reference to a static.
        unsafe { &*self.0 }
    }
}

impl<T: 'static> LocalKey<T> {
    /// The expansion of `thread_local!`.
    #[doc(hidden)]
    pub const fn __new(
        native: real::thread::LocalKey<T>,
        slot: &'static LocalSlot,
        init: fn() -> T,
    ) -> LocalKey<T> {
        LocalKey {
            native,
            slot: Slot(slot),
            init,
        }
    }

    /// Lends the value to `f`, initialising it first where that has not happened.
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        if engine::is_controlled() {
            f(self.of_worker().unwrap_or_else(|error| destroyed(error)))
        } else {
            self.native.with(f)
        }
    }

    /// Lends the value to `f`, unless it has been destroyed.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        if engine::is_controlled() {
            self.of_worker().map(f)
        } else {
            self.native.try_with(f).map_err(|_| AccessError)
        }
    }

    /// The current worker's value. The lifetime is a lie that the callers keep within one closure.
    fn of_worker(&'static self) -> Result<&'static T, AccessError> {
        match engine::local(self.slot.get()) {
            // SAFETY: only `install` fills the slot, with a `T`, and it is not destroyed yet.
            Local::Alive(value) => Ok(unsafe { &*value.cast::<T>() }),
            Local::Missing => {
                let value = (self.init)();
                self.install(value)
            }
            Local::Destroyed => Err(AccessError),
        }
    }

    /// Stores the current worker's value, in place of one that its own initialiser may have
    /// stored.
    fn install(&'static self, value: T) -> Result<&'static T, AccessError> {
        match engine::local(self.slot.get()) {
            Local::Missing => {
                let value = place(value);
                // As in std, what needs no destructor can be used until the very end.
                let destroy = mem::needs_drop::<T>().then_some(destroy::<T> as unsafe fn(*mut u8));
                // SAFETY: `destroy` gets what `place` returned, once.
                unsafe {
                    let place = (value.cast(), size_of::<T>());
                    engine::set_local(self.slot.get(), place, destroy);
                    Ok(&*value)
                }
            }
            Local::Alive(present) => {
                let present = present.cast::<T>();
                // SAFETY: as in `of_worker`; and nobody borrows it, since that takes a closure in
                // which the value is no longer missing.
                unsafe {
                    let former = mem::replace(&mut *present, value);
                    drop(former);
                    Ok(&*present)
                }
            }
            Local::Destroyed => Err(AccessError),
        }
    }

    /// Sets a value that is still missing, without its initialiser, or hands it to `set`.
    fn set_with<V>(&'static self, value: V, wrap: fn(V) -> T, set: fn(&T, V)) {
        let stored = match engine::local(self.slot.get()) {
            Local::Missing => self.install(wrap(value)).map(drop),
            Local::Alive(present) => {
                // SAFETY: as in `of_worker`.
                set(unsafe { &*present.cast::<T>() }, value);
                Ok(())
            }
            Local::Destroyed => Err(AccessError),
        };
        stored.unwrap_or_else(|error| destroyed(error));
    }
}

/// Moves a value to memory of its own: the C library's, since the program's allocator may have thread-locals
/// itself, as one that counts has.
fn place<T>(value: T) -> *mut T {
    let layout = Layout::new::<T>();
    if layout.size() == 0 {
        mem::forget(value);
        return NonNull::dangling().as_ptr();
    }
    // SAFETY: the size is not zero; a block that is there has the layout.
    unsafe {
        let block = System.alloc(layout).cast::<T>();
        if block.is_null() {
            handle_alloc_error(layout);
        }
        block.write(value);
        block
    }
}

/// # Safety
///
/// `value` must be of [`place`], for the same type, and used by nobody else.
unsafe fn destroy<T>(value: *mut u8) {
    // SAFETY: the caller promises it.
    unsafe {
        value.cast::<T>().drop_in_place();
        if size_of::<T>() != 0 {
            System.dealloc(value, Layout::new::<T>());
        }
    }
}

#[cold]
#[track_caller]
fn destroyed(error: AccessError) -> ! {
    panic!("cannot access a Thread Local Storage value during or after destruction: {error:?}")
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the value; a missing one is not initialised first.
    pub fn set(&'static self, value: T) {
        if engine::is_controlled() {
            self.set_with(value, Cell::new, Cell::set);
        } else {
            self.native.set(value);
        }
    }

    /// Returns a copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Replaces the value by what `f` makes of it.
    #[cfg(has_local_key_update)]
    pub fn update(&'static self, f: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.with(|cell| cell.set(f(cell.get())));
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Replaces the value and returns the former one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Lends the value to `f`.
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Lends the value to `f` for change.
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the value; a missing one is not initialised first.
    pub fn set(&'static self, value: T) {
        if engine::is_controlled() {
            self.set_with(value, RefCell::new, |cell, value| drop(cell.replace(value)));
        } else {
            self.native.set(value);
        }
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Replaces the value and returns the former one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// The value of a thread-local is already destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}
