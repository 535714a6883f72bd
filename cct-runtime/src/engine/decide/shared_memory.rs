//! The memory that workers share, as far as it can be looked at: the heap, statics, values of thread-locals,
//! and stacks of which others may have been lent a part.

use super::engine::Engine;
use super::suspended::own_stack;
use crate::engine::state::worker::Worker;
use crate::memory::{arena, statics};

/// More than this is not looked at, in bytes.
const MOST: usize = 8 << 20;
/// Of so many descriptors the position is looked at: as many as a process has by default.
const MOST_FILES: i32 = 1024;

impl Engine {
    /// True if there is memory of the program's that cannot be looked at.
    pub(super) fn has_unseen_memory(&self) -> bool {
        self.process.statics.is_empty()
            || statics::has_own_allocator()
            || self.size_of_statics() + arena::used() > MOST
    }

    /// Appends the words of statics and of the stacks of such workers, and if `all` of the heap and of the
    /// values of thread-locals.
    pub(super) fn shared_words(
        &self,
        all: bool,
        lends: impl Fn(&Worker) -> bool,
        words: &mut Vec<u64>,
    ) {
        for worker in self.roster.iter() {
            if lends(worker) {
                words.extend_from_slice(own_stack(worker));
            }
            for place in worker.locals.places().filter(|_| all) {
                words_of(place, words);
            }
        }
        if all {
            arena::live_words(words);
            for values in self.process.c_locals.others() {
                words_of((values.as_ptr(), values.len()), words);
            }
        }
        if self.size_of_statics() <= MOST {
            for &(address, size) in &self.process.statics {
                words_of((address as *const u8, size), words);
            }
        }
    }

    /// Appends how far the program has read each of its files, if it reads any.
    pub(super) fn file_positions(&self, words: &mut Vec<u64>) {
        // SAFETY: the place is this thread's.
        let error = unsafe { *libc::__errno_location() };
        // SAFETY: asks, and changes nothing; the answer is an error where no file is open.
        let position = |file| unsafe { libc::lseek(file, 0, libc::SEEK_CUR) };
        let files = self.progress.files.min(MOST_FILES);
        words.extend((0..files).map(|file| position(file).cast_unsigned()));
        // SAFETY: as above. The program's last error stays.
        unsafe { *libc::__errno_location() = error };
    }

    fn size_of_statics(&self) -> usize {
        self.process.statics.iter().map(|&(_, size)| size).sum()
    }
}

/// Appends the words of memory that is there, and that nobody changes meanwhile, by its address and size.
pub(super) fn words_of((address, size): (*const u8, usize), words: &mut Vec<u64>) {
    words.extend((0..size / size_of::<u64>()).map(|index| {
        let mut word = [0; size_of::<u64>()];
        // SAFETY: the caller's memory is there.
        unsafe {
            let place = address.add(index * word.len());
            word.as_mut_ptr().copy_from(place, word.len());
        }
        u64::from_le_bytes(word)
    }));
    let rest = size % size_of::<u64>();
    if rest > 0 {
        let mut last = [0; size_of::<u64>()];
        // SAFETY: as above.
        unsafe { last.as_mut_ptr().copy_from(address.add(size - rest), rest) };
        words.push(u64::from_le_bytes(last));
    }
}
