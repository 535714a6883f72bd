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
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: the caller's: what the call does is up to its arguments.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// A system call without the C library in between.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn system_call(number: libc::c_long, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: the caller's: what the call does is up to its arguments.
    unsafe {
        std::arch::asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack),
        );
    }
    result
}
