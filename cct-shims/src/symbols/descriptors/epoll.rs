//! `epoll`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cct::engine::{self, Awaits};
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use libc::{c_int, epoll_event, sigset_t, timespec};

use super::ready::{Waiting, changed, deadline, is_ready};
use super::table::{self, Descriptor, Kind};
use super::{argument, call};
use crate::symbols::clock::duration_of;

/// Which descriptors the instances of this iteration look at.
static MEMBERS: Mutex<Vec<Member>> = Mutex::new(Vec::new());

#[derive(Clone, Copy, Debug)]
struct Member {
    /// The instance's object.
    instance: ObjectId,
    descriptor: c_int,
    what: Descriptor,
}

/// Takes over the C library's `epoll_create`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn epoll_create(size: c_int) -> c_int {
    if size <= 0 {
        return crate::symbols::fail(libc::EINVAL) as c_int;
    }
    epoll_create1(0)
}

/// Takes over the C library's `epoll_create1`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn epoll_create1(flags: c_int) -> c_int {
    let arguments = [argument(flags), 0, 0, 0, 0, 0];
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { call(libc::SYS_epoll_create1, arguments) } as c_int;
    if engine::is_controlled() && descriptor >= 0 {
        table::made(descriptor, Kind::Epoll);
    }
    descriptor
}

/// Takes over the C library's `epoll_ctl`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn epoll_ctl(
    epoll: c_int,
    order: c_int,
    descriptor: c_int,
    event: *mut epoll_event,
) -> c_int {
    let arguments = [
        argument(epoll),
        argument(order),
        argument(descriptor),
        event as usize,
        0,
        0,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    let act = || unsafe { call(libc::SYS_epoll_ctl, arguments) } as c_int;
    if !engine::is_controlled() {
        return act();
    }
    let (instance, what) = (table::of(epoll), table::of(descriptor));
    Waiting::on(Operation::EpollCtl, epoll, instance)
        .point()
        .done();
    engine::touch(what.object(), Access::Reads);
    let result = act();
    if result == 0 {
        let member = Member {
            instance: instance.object(),
            descriptor,
            what,
        };
        change_members(|members| match order {
            libc::EPOLL_CTL_ADD => members.push(member),
            libc::EPOLL_CTL_DEL => members.retain(|other| !other.is(member)),
            _ => {}
        });
        changed(instance);
    }
    result
}

/// Takes over the C library's `epoll_wait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    timeout: c_int,
) -> c_int {
    // SAFETY: the caller's arguments; without a mask none is read.
    unsafe { epoll_pwait(epoll, events, capacity, timeout, std::ptr::null()) }
}

/// Takes over the C library's `epoll_pwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn epoll_pwait(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    timeout: c_int,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's arguments are those of the system call.
    let act = |timeout| unsafe {
        let arguments = [
            argument(epoll),
            events as usize,
            argument(capacity),
            argument(timeout),
            mask as usize,
            SIGNAL_SET,
        ];
        call(libc::SYS_epoll_pwait, arguments) as c_int
    };
    if !engine::is_controlled() {
        return act(timeout);
    }
    let timeout = u64::try_from(timeout).ok().map(Duration::from_millis);
    wait(epoll, timeout, || act(0))
}

/// Takes over the C library's `epoll_pwait2`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn epoll_pwait2(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    if !engine::is_controlled() {
        let arguments = [
            argument(epoll),
            events as usize,
            argument(capacity),
            timeout as usize,
            mask as usize,
            SIGNAL_SET,
        ];
        // SAFETY: the caller's arguments are those of the system call.
        return unsafe { call(libc::SYS_epoll_pwait2, arguments) } as c_int;
    }
    // SAFETY: the caller's time is readable, or null; its other arguments are those of the system call.
    unsafe {
        let timeout = timeout.as_ref().map(duration_of);
        wait(epoll, timeout, || epoll_look(epoll, events, capacity, mask))
    }
}

/// The size of a signal mask, as the kernel wants it.
pub(super) const SIGNAL_SET: usize = 8;

unsafe fn epoll_look(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    mask: *const sigset_t,
) -> c_int {
    let arguments = [
        argument(epoll),
        events as usize,
        argument(capacity),
        0,
        mask as usize,
        SIGNAL_SET,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { call(libc::SYS_epoll_pwait, arguments) as c_int }
}

/// Waits until the instance has something to tell, at most so long, and takes it with `look`.
fn wait(epoll: c_int, timeout: Option<Duration>, look: impl Fn() -> c_int) -> c_int {
    let what = table::of(epoll);
    let waiting = Waiting {
        deadline: deadline(timeout),
        ..Waiting::on(Operation::EpollWait, epoll, what)
    };
    let count = waiting.count(
        || touch_members(what),
        || is_ready(epoll, libc::POLLIN),
        || look() as isize,
    );
    count.unwrap_or_else(|| crate::symbols::fail(libc::EINTR)) as c_int
}

impl Member {
    fn is(self, other: Member) -> bool {
        self.instance == other.instance
            && self.descriptor == other.descriptor
            && self.what.object() == other.what.object()
    }
}

/// The farthest party that can make the instance with this object ready.
pub(super) fn awaits(instance: ObjectId) -> Awaits {
    engine::outside(|| {
        let members = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        let members = members.iter().filter(|member| member.instance == instance);
        // The members as known now: it may have come to be shared since.
        let awaited = members.map(|member| match table::known(member.descriptor) {
            Some(what) if what.object() == member.what.object() => what.awaits(),
            _ => member.what.awaits(),
        });
        awaited.max().unwrap_or(Awaits::Workers)
    })
}

/// The instance's answer depends on its members.
fn touch_members(instance: Descriptor) {
    if !engine::is_watched() {
        return;
    }
    let members = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
    for member in members
        .iter()
        .filter(|member| member.instance == instance.object())
    {
        engine::touch(member.what.object(), Access::Reads);
    }
}

/// An iteration has begun.
pub(super) fn forget_all() {
    change_members(Vec::clear);
}

fn change_members(change: impl FnOnce(&mut Vec<Member>)) {
    engine::outside(|| change(&mut MEMBERS.lock().unwrap_or_else(PoisonError::into_inner)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_a_descriptor_of_one_open_file_at_one_instance() {
        // A number that nobody in this process has.
        const DESCRIPTOR: c_int = 3000;
        let look = |instance, descriptor| {
            table::made(DESCRIPTOR, Kind::Pipe);
            let what = table::of(DESCRIPTOR);
            Member {
                instance,
                descriptor,
                what,
            }
        };
        let member = look(ObjectId::descriptor(1), DESCRIPTOR);
        assert!(member.is(member));
        assert!(!member.is(Member {
            instance: ObjectId::descriptor(2),
            ..member
        }));
        let again = look(ObjectId::descriptor(1), DESCRIPTOR);
        assert!(!member.is(again), "the number has been used again");
        table::forget(DESCRIPTOR);
    }

    #[test]
    fn an_instance_for_nobody_is_refused() {
        assert_eq!(epoll_create(0), -1);
        // SAFETY: a place of this thread.
        assert_eq!(unsafe { *libc::__errno_location() }, libc::EINVAL);
        assert_eq!(awaits(ObjectId::descriptor(u32::MAX)), Awaits::Workers);
    }
}
