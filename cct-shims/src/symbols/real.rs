//! The C library's own functions, behind those that are taken over.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The next definition of a symbol after ours, looked up at first use.
pub(super) struct Real<F> {
    name: &'static CStr,
    address: AtomicPtr<libc::c_void>,
    function: PhantomData<F>,
}

impl<F: Copy> Real<F> {
    /// # Safety
    ///
    /// `F` must be the type of the function with this name.
    pub(super) const unsafe fn named(name: &'static CStr) -> Self {
        assert!(
            size_of::<F>() == size_of::<*mut libc::c_void>(),
            "a function pointer"
        );
        Real {
            name,
            address: AtomicPtr::new(std::ptr::null_mut()),
            function: PhantomData,
        }
    }

    /// The function.
    pub(super) fn get(&self) -> F {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            // SAFETY: the name ends with a zero.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            assert!(!address.is_null(), "the C library has no {:?}", self.name);
            self.address.store(address, Ordering::Relaxed);
        }
        // SAFETY: `named` was told the function's type.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

/// A system call without the C library in between.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn system_call(number: libc::c_long, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller's: what the call does is up to its arguments.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0], in("rsi") arguments[1], in("rdx") arguments[2],
            in("r10") arguments[3], in("r8") arguments[4], in("r9") arguments[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// A system call without the C library in between.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn system_call(number: libc::c_long, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller's: what the call does is up to its arguments.
    unsafe {
        std::arch::asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") arguments[0].cast_signed() => result,
            in("x1") arguments[1], in("x2") arguments[2], in("x3") arguments[3],
            in("x4") arguments[4], in("x5") arguments[5],
            options(nostack),
        );
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_behind_ours_is_found() {
        // SAFETY: the function's type.
        static GETENV: Real<unsafe extern "C" fn(*const libc::c_char) -> *mut libc::c_char> =
            unsafe { Real::named(c"getenv") };
        let real = GETENV.get() as *const ();
        assert!(!std::ptr::eq(
            real,
            super::super::environment::getenv as *const ()
        ));
        assert!(std::ptr::eq(real, GETENV.get() as *const ()), "it is kept");
    }

    #[test]
    fn a_system_call_tells_its_error_in_its_result() {
        // SAFETY: asks for a number, and closes nothing.
        unsafe {
            let process = system_call(libc::SYS_getpid, [0; 6]);
            assert_eq!(process.cast_unsigned(), std::process::id() as usize);
            let closed = system_call(libc::SYS_close, [usize::MAX, 0, 0, 0, 0, 0]);
            assert_eq!(closed, -(libc::EBADF as isize));
        }
    }
}
