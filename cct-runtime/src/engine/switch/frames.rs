//! Calls from which an unwinder goes on with the frames of a suspended stack.

use std::arch::naked_asm;

use super::Context;

/// Calls `call` with `data` as if the suspended stack at `context` had called it: below what is on that
/// stack, and so that an unwinder goes on with its frames.
///
/// # Safety
///
/// A switch has saved the context, and nobody goes on there before this returns. `call` must not unwind
/// or switch.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_at<T>(
    context: Context,
    data: *mut T,
    call: unsafe extern "C" fn(*mut T),
) {
    naked_asm!(
        ".cfi_startproc",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbx, 0",
        "mov rbx, rsp",
        "mov rsp, rdi",
        "sub rsp, 8",
        ".cfi_remember_state",
        // As `switch` has saved them.
        ".cfi_def_cfa rsp, 64",
        ".cfi_offset rbp, -16",
        ".cfi_offset rbx, -24",
        ".cfi_offset r12, -32",
        ".cfi_offset r13, -40",
        ".cfi_offset r14, -48",
        ".cfi_offset r15, -56",
        "mov rdi, rsi",
        "call rdx",
        ".cfi_restore_state",
        "mov rsp, rbx",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore rbx",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `call` with `data` as if the suspended stack at `context` had called it: below what is on that
/// stack, and so that an unwinder goes on with its frames.
///
/// # Safety
///
/// A switch has saved the context, and nobody goes on there before this returns. `call` must not unwind
/// or switch.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_at<T>(
    context: Context,
    data: *mut T,
    call: unsafe extern "C" fn(*mut T),
) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-32]!",
        "str x19, [sp, #16]",
        ".cfi_adjust_cfa_offset 32",
        ".cfi_rel_offset x29, 0",
        ".cfi_rel_offset x30, 8",
        ".cfi_rel_offset x19, 16",
        "mov x19, sp",
        "mov sp, x0",
        ".cfi_remember_state",
        // As `switch` has saved them.
        ".cfi_def_cfa sp, 160",
        ".cfi_offset x19, -160",
        ".cfi_offset x20, -152",
        ".cfi_offset x21, -144",
        ".cfi_offset x22, -136",
        ".cfi_offset x23, -128",
        ".cfi_offset x24, -120",
        ".cfi_offset x25, -112",
        ".cfi_offset x26, -104",
        ".cfi_offset x27, -96",
        ".cfi_offset x28, -88",
        ".cfi_offset x29, -80",
        ".cfi_offset x30, -72",
        "mov x0, x1",
        "blr x2",
        ".cfi_restore_state",
        "mov sp, x19",
        "ldr x19, [sp, #16]",
        "ldp x29, x30, [sp], #32",
        ".cfi_adjust_cfa_offset -32",
        ".cfi_restore x19",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `call` with `data` on the caller's stack, but so that an unwinder goes on with the frames of the
/// suspended stack at `context`, of which nothing is written: it may be small, and full.
///
/// # Safety
///
/// As for [`call_at`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_under<T>(
    context: Context,
    data: *mut T,
    call: unsafe extern "C" fn(*mut T),
) {
    naked_asm!(
        ".cfi_startproc",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbx, 0",
        "mov rbx, rdi",
        ".cfi_remember_state",
        // As `switch` has saved them.
        ".cfi_def_cfa rbx, 56",
        ".cfi_offset rbp, -16",
        ".cfi_offset rbx, -24",
        ".cfi_offset r12, -32",
        ".cfi_offset r13, -40",
        ".cfi_offset r14, -48",
        ".cfi_offset r15, -56",
        "mov rdi, rsi",
        "call rdx",
        ".cfi_restore_state",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore rbx",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `call` with `data` on the caller's stack, but so that an unwinder goes on with the frames of the
/// suspended stack at `context`, of which nothing is written: it may be small, and full.
///
/// # Safety
///
/// As for [`call_at`].
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_under<T>(
    context: Context,
    data: *mut T,
    call: unsafe extern "C" fn(*mut T),
) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-32]!",
        "str x19, [sp, #16]",
        ".cfi_adjust_cfa_offset 32",
        ".cfi_rel_offset x29, 0",
        ".cfi_rel_offset x30, 8",
        ".cfi_rel_offset x19, 16",
        "mov x19, x0",
        ".cfi_remember_state",
        // As `switch` has saved them.
        ".cfi_def_cfa x19, 160",
        ".cfi_offset x19, -160",
        ".cfi_offset x20, -152",
        ".cfi_offset x21, -144",
        ".cfi_offset x22, -136",
        ".cfi_offset x23, -128",
        ".cfi_offset x24, -120",
        ".cfi_offset x25, -112",
        ".cfi_offset x26, -104",
        ".cfi_offset x27, -96",
        ".cfi_offset x28, -88",
        ".cfi_offset x29, -80",
        ".cfi_offset x30, -72",
        "mov x0, x1",
        "blr x2",
        ".cfi_restore_state",
        "ldr x19, [sp, #16]",
        "ldp x29, x30, [sp], #32",
        ".cfi_adjust_cfa_offset -32",
        ".cfi_restore x19",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}
