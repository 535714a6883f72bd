//! `close`, and the ways to a second descriptor of the same open file.

use cct::engine;
use cct::harness::is_own_descriptor;
use cct::memory::note_copy_of_descriptor;
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, c_uint};

use super::ready::{Waiting, changed};
use super::table::{self, Kind};
use super::timer;
use super::{argument, call};

/// Takes over the C library's `close`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn close(descriptor: c_int) -> c_int {
    if is_kept(descriptor) {
        return crate::symbols::fail(libc::EBADF) as c_int;
    }
    // SAFETY: touches no memory.
    let act = || unsafe { call(libc::SYS_close, [argument(descriptor), 0, 0, 0, 0, 0]) } as c_int;
    let Some(what) = table::known(descriptor).filter(|_| engine::is_controlled()) else {
        let mattered = table::known(descriptor).is_some();
        table::forget(descriptor);
        // It may give a lock of a file back.
        engine::release(ObjectId::KERNEL);
        let result = act();
        if mattered {
            engine::evaluate_predicates();
        }
        return result;
    };
    // A waiter at the other end sees it.
    if what.kind == Kind::Pipe || what.is_socket() {
        Waiting::on(Operation::Close, descriptor, what)
            .point()
            .done();
    }
    table::forget(descriptor);
    if what.kind == Kind::Timer {
        timer::forget(descriptor, table::twin(what));
    }
    let result = act();
    if what.matters() {
        changed(what);
    }
    result
}

/// True for a descriptor of the tool's, on a controlled worker: it is not there natively.
fn is_kept(descriptor: c_int) -> bool {
    is_own_descriptor(descriptor) && engine::is_controlled()
}

/// Takes over the C library's `close_range`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn close_range(
    first: c_uint,
    last: c_uint,
    flags: c_int,
) -> c_int {
    let act = |first: c_uint, last: c_uint| {
        let arguments = [first as usize, last as usize, argument(flags), 0, 0, 0];
        // SAFETY: touches no memory; what is closed is the caller's.
        unsafe { call(libc::SYS_close_range, arguments) as c_int }
    };
    let only_later = flags & libc::CLOSE_RANGE_CLOEXEC.cast_signed() != 0;
    if first > last || only_later || !engine::is_controlled() {
        return act(first, last);
    }
    // A waiter at another end sees it.
    for descriptor in table::known_in(first, last) {
        close(descriptor);
    }
    let mut begin = first;
    let own = (0..u64::BITS).filter(|&number| is_own_descriptor(number.cast_signed()));
    for own in own.filter(|own| (first..=last).contains(own)) {
        if begin < own {
            act(begin, own - 1);
        }
        begin = own + 1;
    }
    if begin <= last { act(begin, last) } else { 0 }
}

/// Takes over the C library's `closefrom`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn closefrom(first: c_int) {
    close_range(first.max(0).cast_unsigned(), c_uint::MAX, 0);
}

/// Takes over the C library's `dup`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn dup(original: c_int) -> c_int {
    duplicate(original, || {
        // SAFETY: makes a descriptor.
        unsafe { call(libc::SYS_dup, [argument(original), 0, 0, 0, 0, 0]) }
    })
}

/// Takes over the C library's `dup2`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn dup2(original: c_int, copy: c_int) -> c_int {
    if original == copy {
        let arguments = [argument(original), argument(libc::F_GETFD), 0, 0, 0, 0];
        // SAFETY: asks whether the descriptor is open.
        let open = unsafe { call(libc::SYS_fcntl, arguments) } >= 0;
        return if open { copy } else { -1 };
    }
    dup3(original, copy, 0)
}

/// Takes over the C library's `dup3`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn dup3(original: c_int, copy: c_int, flags: c_int) -> c_int {
    if is_kept(copy) {
        return crate::symbols::fail(libc::EBUSY) as c_int;
    }
    table::forget(copy);
    duplicate(original, || {
        let arguments = [argument(original), argument(copy), argument(flags), 0, 0, 0];
        // SAFETY: makes a descriptor; one that it closes is the caller's.
        unsafe { call(libc::SYS_dup3, arguments) }
    })
}

/// Takes over the C library's `fcntl`, which is variadic; an argument in a register is passed alike.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn fcntl(
    descriptor: c_int,
    order: c_int,
    value: usize,
) -> c_int {
    let arguments = [argument(descriptor), argument(order), value, 0, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    let act = || unsafe { call(libc::SYS_fcntl, arguments) };
    match order {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicate(descriptor, act),
        _ => act() as c_int,
    }
}

fn duplicate(original: c_int, act: impl FnOnce() -> isize) -> c_int {
    let copy = act() as c_int;
    note_copy_of_descriptor();
    if engine::is_controlled() && copy >= 0 {
        table::copied(original, copy);
    }
    copy
}
