//! Switching from one stack to another.
//!
//! A switch decides first and moves afterwards: [`switch`] saves the callee-saved registers on the caller's
//! stack, calls the decision, and returns on whatever stack that names. So a switch leaves no frame of the
//! engine behind on either side; each frame there would cost a mispredicted return. It also means that
//! everything a suspended worker can still see lies between its saved stack pointer and the base of its
//! stack, which the search for repeated states relies on.

use std::arch::naked_asm;

/// A saved stack pointer; what it points to is only known to the assembly below.
pub(crate) type Context = *mut u8;

/// Decides where to go on: is given its data and the context of the caller of [`switch`], and returns the
/// context to switch to. It must not unwind.
pub(crate) type Decision<T> = unsafe extern "C" fn(*mut T, Context) -> Context;

/// Saves the caller, asks `decide` where to go on, and returns there. Returns here when a decision names the
/// caller's context.
///
/// # Safety
///
/// `data` is what `decide` expects. The context that it returns was saved by a switch on a stack that nobody
/// has used since, or made by [`prepare`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch<T>(data: *mut T, decide: Decision<T>) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rax, rsi",
        "mov rsi, rsp",
        // The ABI wants 16-byte alignment at a call.
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 56",
        "call rax",
        "mov rsp, rax",
        ".cfi_adjust_cfa_offset -8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        ".cfi_adjust_cfa_offset -48",
        "ret",
        ".cfi_endproc",
    )
}

/// Saves the caller, asks `decide` where to go on, and returns there. Returns here when a decision names the
/// caller's context.
///
/// # Safety
///
/// `data` is what `decide` expects. The context that it returns was saved by a switch on a stack that nobody
/// has used since, or made by [`prepare`].
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch<T>(data: *mut T, decide: Decision<T>) {
    naked_asm!(
        ".cfi_startproc",
        "sub sp, sp, #160",
        "stp x19, x20, [sp, #0]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        ".cfi_adjust_cfa_offset 160",
        "mov x9, x1",
        "mov x1, sp",
        "blr x9",
        "mov sp, x0",
        "ldp x19, x20, [sp, #0]",
        "ldp x21, x22, [sp, #16]",
        "ldp x23, x24, [sp, #32]",
        "ldp x25, x26, [sp, #48]",
        "ldp x27, x28, [sp, #64]",
        "ldp x29, x30, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "add sp, sp, #160",
        ".cfi_adjust_cfa_offset -160",
        "ret",
        ".cfi_endproc",
    )
}

/// Runs `f` on the stack whose free part ends at `top`, and leaves nothing behind, on the caller's stack
/// or in registers: either shows again in the unused words of a worker's next frames.
///
/// # Safety
///
/// Enough below `top` must be writable and in nobody's use. `f` must not unwind or switch.
pub(crate) unsafe fn on_stack(top: Context, f: &mut dyn FnMut()) {
    extern "C" fn call(f: *mut &mut dyn FnMut()) {
        // SAFETY: it is the caller's, below.
        unsafe { (*f)() };
    }
    let mut f = f;
    // SAFETY: the caller's.
    unsafe { call_on_stack(&raw mut f, (top as usize & !15) as Context, call) };
}

/// Calls `call` with `f` on the stack whose free part ends at `top`.
///
/// # Safety
///
/// As for [`on_stack`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn call_on_stack(
    f: *mut &mut dyn FnMut(),
    top: Context,
    call: extern "C" fn(*mut &mut dyn FnMut()),
) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rsi",
        "call rdx",
        "xor eax, eax",
        "xor ecx, ecx",
        "xor edx, edx",
        "xor esi, esi",
        "xor edi, edi",
        "xor r8d, r8d",
        "xor r9d, r9d",
        "xor r10d, r10d",
        "xor r11d, r11d",
        "pxor xmm0, xmm0",
        "pxor xmm1, xmm1",
        "pxor xmm2, xmm2",
        "pxor xmm3, xmm3",
        "pxor xmm4, xmm4",
        "pxor xmm5, xmm5",
        "pxor xmm6, xmm6",
        "pxor xmm7, xmm7",
        "pxor xmm8, xmm8",
        "pxor xmm9, xmm9",
        "pxor xmm10, xmm10",
        "pxor xmm11, xmm11",
        "pxor xmm12, xmm12",
        "pxor xmm13, xmm13",
        "pxor xmm14, xmm14",
        "pxor xmm15, xmm15",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `call` with `f` on the stack whose free part ends at `top`.
///
/// # Safety
///
/// As for [`on_stack`].
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn call_on_stack(
    f: *mut &mut dyn FnMut(),
    top: Context,
    call: extern "C" fn(*mut &mut dyn FnMut()),
) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_adjust_cfa_offset 16",
        ".cfi_rel_offset x29, 0",
        ".cfi_rel_offset x30, 8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "mov sp, x1",
        "blr x2",
        "mov x0, xzr",
        "mov x1, xzr",
        "mov x2, xzr",
        "mov x3, xzr",
        "mov x4, xzr",
        "mov x5, xzr",
        "mov x6, xzr",
        "mov x7, xzr",
        "mov x8, xzr",
        "mov x9, xzr",
        "mov x10, xzr",
        "mov x11, xzr",
        "mov x12, xzr",
        "mov x13, xzr",
        "mov x14, xzr",
        "mov x15, xzr",
        "mov x16, xzr",
        "mov x17, xzr",
        "movi v0.2d, #0",
        "movi v1.2d, #0",
        "movi v2.2d, #0",
        "movi v3.2d, #0",
        "movi v4.2d, #0",
        "movi v5.2d, #0",
        "movi v6.2d, #0",
        "movi v7.2d, #0",
        "movi v16.2d, #0",
        "movi v17.2d, #0",
        "movi v18.2d, #0",
        "movi v19.2d, #0",
        "movi v20.2d, #0",
        "movi v21.2d, #0",
        "movi v22.2d, #0",
        "movi v23.2d, #0",
        "movi v24.2d, #0",
        "movi v25.2d, #0",
        "movi v26.2d, #0",
        "movi v27.2d, #0",
        "movi v28.2d, #0",
        "movi v29.2d, #0",
        "movi v30.2d, #0",
        "movi v31.2d, #0",
        "mov sp, x29",
        ".cfi_def_cfa_register sp",
        "ldp x29, x30, [sp], #16",
        ".cfi_adjust_cfa_offset -16",
        "ret",
        ".cfi_endproc",
    )
}

/// The return address of the first switch to a stack: calls what [`prepare`] left in `rbx`.
///
/// # Safety
///
/// Only a switch comes here, on a stack that [`prepare`] has made.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        // Nothing is above: backtraces end here.
        ".cfi_startproc",
        ".cfi_undefined rip",
        // Unwinders look up the place before a return address.
        "nop",
        "xor ebp, ebp",
        "call rbx",
        "ud2",
        ".cfi_endproc",
    )
}

/// Prepares a stack so that the first switch to it calls `main`.
///
/// # Safety
///
/// `base` must be the 16-byte-aligned upper end of a writable stack that nobody uses.
#[cfg(target_arch = "x86_64")]
#[expect(
    clippy::cast_ptr_alignment,
    reason = "the base is aligned, says the caller"
)]
pub(crate) unsafe fn prepare(base: *mut u8, main: extern "C" fn() -> !) -> Context {
    // From the top: padding so that `begin` starts aligned as after a call, its address, six registers, of
    // which `rbx` is the last but one.
    const WORDS: usize = 8;
    // The `nop` of `begin`.
    const BEFORE: usize = 1;
    // SAFETY: the caller vouches for the memory below `base`.
    unsafe {
        let context = base.cast::<usize>().sub(WORDS + 1);
        context.write_bytes(0, WORDS + 1);
        context.add(4).write(main as *const () as usize);
        context.add(6).write(begin as *const () as usize + BEFORE);
        context.cast()
    }
}

/// The return address of the first switch to a stack: calls what [`prepare`] left in `x19`.
///
/// # Safety
///
/// Only a switch comes here, on a stack that [`prepare`] has made.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined x30",
        // Unwinders look up the place before a return address.
        "nop",
        "mov x29, xzr",
        "blr x19",
        "brk #1",
        ".cfi_endproc",
    )
}

/// Prepares a stack so that the first switch to it calls `main`.
///
/// # Safety
///
/// `base` must be the 16-byte-aligned upper end of a writable stack that nobody uses.
#[cfg(target_arch = "aarch64")]
#[expect(
    clippy::cast_ptr_alignment,
    reason = "the base is aligned, says the caller"
)]
pub(crate) unsafe fn prepare(base: *mut u8, main: extern "C" fn() -> !) -> Context {
    const WORDS: usize = 20;
    // The `nop` of `begin`.
    const BEFORE: usize = 4;
    // SAFETY: the caller vouches for the memory below `base`.
    unsafe {
        let context = base.cast::<usize>().sub(WORDS);
        context.write_bytes(0, WORDS);
        context.write(main as *const () as usize);
        // The slot of x30, the return address.
        context.add(11).write(begin as *const () as usize + BEFORE);
        context.cast()
    }
}
