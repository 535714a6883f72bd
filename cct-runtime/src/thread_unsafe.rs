//! Functions that a program says are not thread-safe.

use std::arch::naked_asm;
use std::sync::OnceLock;

use crate::tsvd::told::Severity;
use crate::tsvd::{Api, Group, call_from, hears};

/// A function of a group: two threads may not be in two of them at a time, about the same thing, if one
/// changes it. A C library without a lock has such functions. Nothing where nobody looks.
///
/// `#[cct::thread_unsafe]` makes one, for a function.
#[derive(Debug)]
pub struct ThreadUnsafe {
    group: &'static str,
    name: &'static str,
    writes: bool,
}

/// The groups that programs have named so far, and their functions.
static GROUPS: [OnceLock<Group>; 64] = [const { OnceLock::new() }; 64];
static APIS: [OnceLock<Api>; 1024] = [const { OnceLock::new() }; 1024];
/// The things of so many groups are told apart.
const WITH_THINGS: u8 = 8;

impl ThreadUnsafe {
    /// A function with this name, of this group.
    pub const fn new(group: &'static str, name: &'static str, writes: bool) -> ThreadUnsafe {
        ThreadUnsafe {
            group,
            name,
            writes,
        }
    }

    /// The function is called, from the place that calls this: about this thing, or the only one of the
    /// group.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the place is that of the function that is called"
    )]
    pub fn call<T: ?Sized>(&'static self, thing: Option<&T>) {
        // A thing without a size has no place of its own.
        if hears() && thing.is_none_or(|thing| size_of_val(thing) > 0) {
            let key = thing.map_or(0, |thing| std::ptr::from_ref(thing).cast::<()>().addr());
            // SAFETY: it goes on in `tell`, with these arguments.
            unsafe { from_here(self, key) };
        }
    }

    /// None if there are more groups or functions than anybody has use for.
    fn api(&self) -> Option<&'static Api> {
        let group = (0..).zip(&GROUPS).find_map(|(number, place)| {
            let group = place.get_or_init(|| Group {
                name: self.group,
                severity: Severity::Contract,
                number: Some(number),
            });
            (group.name == self.group).then_some(group)
        })?;
        APIS.iter().find_map(|place| {
            let api = place.get_or_init(|| Api {
                name: self.name,
                group,
                writes: self.writes,
            });
            let is_it = api.name == self.name && std::ptr::eq(api.group, group);
            (is_it && api.writes == self.writes).then_some(api)
        })
    }
}

/// Goes on in [`tell`], with the address that it returns to as one more argument.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn from_here(_call: &'static ThreadUnsafe, _key: usize) {
    naked_asm!("mov rdx, [rsp]", "jmp {tell}", tell = sym tell)
}

/// Goes on in [`tell`], with the address that it returns to as one more argument.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn from_here(_call: &'static ThreadUnsafe, _key: usize) {
    naked_asm!("mov x2, x30", "b {tell}", tell = sym tell)
}

extern "C" fn tell(call: &'static ThreadUnsafe, key: usize, returns_to: usize) {
    if let Some(api) = call.api()
        && (key == 0 || api.group.number.is_some_and(|number| number < WITH_THINGS))
    {
        call_from(api, key as u64, returns_to);
    }
}
