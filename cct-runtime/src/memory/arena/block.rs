//! The header before each block of the arena.

/// The length of a header, and the least alignment of a block.
pub(super) const HEADER: usize = 16;

/// The state of a block that the program has.
pub(super) const LIVE: usize = 0x6C69_7665_6C69_7665;
/// The state of a block that it has given back.
pub(super) const FREED: usize = 0x6672_6565_6672_6565;

/// The state of room that is no block: before one of great alignment, or where one has become smaller.
const ROOM: usize = 0x726F_6F6D_726F_6F6D;

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

/// Says of the memory between these addresses, multiples of a header's length, that it is no block.
///
/// # Safety
///
/// It lies in the arena, between blocks, and nobody uses it.
pub(super) unsafe fn leave_room(from: usize, to: usize) {
    if from < to {
        let size = to - from - HEADER;
        // SAFETY: the caller's; there is room for a header, since it is as long as one at least.
        unsafe { (from as *mut Header).write(Header { size, state: ROOM }) };
    }
}

/// Calls `f` with each block between these addresses: where it is, its size, and whether it is live. If the
/// program has written over a header, all that follows counts as one live block.
///
/// # Safety
///
/// They are the arena's start and top, on the engine's thread.
pub(super) unsafe fn for_each(start: usize, top: usize, mut f: impl FnMut(usize, usize, bool)) {
    let mut place = start;
    while place + HEADER <= top {
        let header = place as *const Header;
        // SAFETY: below the top all is readable, and a header lies behind each block, and behind all room.
        let (size, state) = unsafe { ((*header).size, (*header).state) };
        let (block, most) = (place + HEADER, top - place - HEADER);
        match state {
            LIVE | FREED if size <= most => f(block, size, state == LIVE),
            ROOM if size <= most => {}
            _ => return f(block, most, true),
        }
        place = (block + size).next_multiple_of(HEADER);
    }
}

/// The surroundings of an address that is no block's.
pub(super) enum Around {
    /// It lies in a live block that begins at this address.
    Inside {
        /// Where that begins.
        from: usize,
        /// Its size.
        size: usize,
    },
    /// Behind a block of this size there should be its header, and is none.
    Behind {
        /// The size of the block before it.
        size: usize,
    },
    /// Neither is certain.
    Unknown,
}

/// Looks at an address of the arena that should be a block's.
///
/// # Safety
///
/// As for [`for_each`].
pub(super) unsafe fn around(start: usize, top: usize, address: usize) -> Around {
    let (mut place, mut before) = (start, None);
    while place + HEADER <= top && place < address {
        let header = place as *const Header;
        // SAFETY: as in `for_each`.
        let (size, state) = unsafe { ((*header).size, (*header).state) };
        let block = place + HEADER;
        let is_whole = matches!(state, LIVE | FREED | ROOM) && size <= top - block;
        match before {
            Some(size) if !is_whole && block == address => return Around::Behind { size },
            _ if !is_whole => return Around::Unknown,
            _ => {}
        }
        let is_inside = (block..block + size).contains(&address) && block != address;
        if is_inside && state == LIVE {
            return Around::Inside { from: block, size };
        }
        before = (state != ROOM).then_some(size);
        place = (block + size).next_multiple_of(HEADER);
    }
    Around::Unknown
}
