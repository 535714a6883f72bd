//! The header before each block of the arena.

/// The length of a header, and the least alignment of a block.
pub(super) const HEADER: usize = 16;

/// The state of a block that the program has.
pub(super) const LIVE: usize = 0x6C69_7665_6C69_7665;
/// The state of a block that it has given back.
pub(super) const FREED: usize = 0x6672_6565_6672_6565;

/// The header of a block.
#[repr(C)]
pub(super) struct Header {
    pub(super) size: usize,
    pub(super) state: usize,
}

/// Returns the header of a block.
///
/// # Safety
///
/// A header must precede it.
pub(super) unsafe fn header(block: *mut u8) -> *mut Header {
    // SAFETY: the caller has a block, which a header precedes.
    unsafe { block.sub(HEADER).cast() }
}
