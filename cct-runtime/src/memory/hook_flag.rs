//! The mark of std's that a thread is in its panic hook: a panic then ends the process.
//!
//! All workers run on one OS thread, so that one of them that stands in its hook would mark all; or before
//! it, as the text of a panic is made when the thread is marked already. So each worker has a mark of its
//! own. std keeps the mark beside the number of the thread's panics, in a thread-local of this type:
//! `Cell<(usize, bool)>`.

/// Where this thread's mark is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookFlag(*mut u8);

impl HookFlag {
    /// The part of the name of the thread-local that tells it from others.
    pub(super) const NAME: &str = "LOCAL_PANIC_COUNT";

    /// That of the calling thread, whose thread-local is here, of this size; none if it is not as expected.
    pub(super) fn at(address: usize, size: usize) -> Option<HookFlag> {
        (size == 2 * size_of::<usize>())
            .then(|| HookFlag((address + size_of::<usize>()) as *mut u8))
    }

    /// The hook that is running is no more reason for std to end the process at another panic.
    pub(crate) fn clear(self) {
        // SAFETY: the thread-local of the calling thread, which has no destructor; nobody refers to it.
        unsafe { self.0.write(0) };
    }

    /// True if the thread is marked.
    #[inline]
    pub(crate) fn is_set(self) -> bool {
        // SAFETY: as above.
        unsafe { *self.0 != 0 }
    }

    /// Marks the thread or not; returns whether it was marked.
    #[inline]
    pub(crate) fn replace(self, mark: bool) -> bool {
        // SAFETY: as above.
        unsafe { self.0.replace(u8::from(mark)) != 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, set_hook, take_hook};
    use std::sync::Mutex;

    use super::super::statics::Statics;
    use super::*;

    /// The thread-local is found, and is what it is taken for, on the thread whose statics were captured.
    #[test]
    fn std_marks_a_thread_that_is_in_its_hook() {
        static SEEN: Mutex<Vec<bool>> = Mutex::new(Vec::new());
        let flag = Statics::save()
            .expect("there is a symbol table")
            .hook_flag();
        let flag = flag.expect("std has it");
        let (address, before) = (flag.0 as usize, take_hook());
        let of_test = std::thread::current().id();
        set_hook(Box::new(move |info| {
            if std::thread::current().id() != of_test {
                return before(info);
            }
            let flag = HookFlag(address as *mut u8);
            let mut seen = SEEN.lock().expect("nobody panics");
            seen.push(flag.is_set());
            flag.clear();
            seen.push(flag.is_set());
        }));
        assert!(!flag.is_set());
        assert!(catch_unwind(|| panic!("caught")).is_err());
        assert!(!flag.is_set());
        let _ = take_hook();
        assert_eq!(*SEEN.lock().expect("nobody panics"), [true, false]);
    }
}
