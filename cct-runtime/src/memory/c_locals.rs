//! The thread-locals of C code (`__thread`, C++'s `thread_local`), one set for each worker.
//!
//! All workers run on one OS thread, which has one block of thread-locals, so their values are exchanged
//! when another worker goes on. Rust's thread-locals are worker-locals, see `engine/worker/local.rs`; those
//! of a shared library lie elsewhere and are shared.

use std::ops::Range;

/// The values of all workers.
#[derive(Debug, Default)]
pub(crate) struct CLocals {
    areas: Vec<Range<usize>>,
    /// The values of a new thread.
    initial: Vec<u8>,
    /// The worker whose values are in the thread's block.
    current: usize,
    /// The values of each other worker; empty for one that has not run.
    kept: Vec<Vec<u8>>,
}

impl CLocals {
    /// The values in these parts of the calling thread's block, which begins at `block`. A new thread's block
    /// begins with `image`; the rest of it is zero.
    pub(super) fn new(areas: Vec<Range<usize>>, block: usize, image: &[u8]) -> CLocals {
        let bytes = areas.iter().cloned().flatten();
        let initial = bytes.map(|address| image.get(address - block).copied().unwrap_or(0));
        CLocals {
            initial: initial.collect(),
            areas,
            ..CLocals::default()
        }
    }

    /// True if C code has any.
    #[inline]
    pub(crate) fn is_any(&self) -> bool {
        !self.areas.is_empty()
    }

    /// The values that are not in the thread's block.
    pub(crate) fn others(&self) -> impl Iterator<Item = &[u8]> {
        let kept = self.kept.iter().enumerate();
        kept.filter(|&(worker, _)| worker != self.current)
            .map(|(_, values)| values.as_slice())
    }

    /// Begins an iteration: the first worker's values are in place.
    pub(crate) fn begin(&mut self) {
        self.current = 0;
        self.kept.iter_mut().for_each(Vec::clear);
    }

    /// Puts the values of this worker in place.
    pub(crate) fn switch_to(&mut self, worker: usize) {
        if worker == self.current {
            return;
        }
        let last = worker.max(self.current);
        if self.kept.len() <= last {
            self.kept.resize_with(last + 1, Vec::new);
        }
        let kept = &mut self.kept[self.current];
        kept.clear();
        for area in &self.areas {
            // SAFETY: the area lies in the block of this thread, and nobody runs on it meanwhile.
            let values = unsafe { std::slice::from_raw_parts(area.start as *const u8, area.len()) };
            kept.extend_from_slice(values);
        }
        let next = match &self.kept[worker] {
            fresh if fresh.is_empty() => &self.initial,
            kept => kept,
        };
        let mut at = 0;
        for area in &self.areas {
            // SAFETY: as above; there are as many values as the areas have bytes.
            unsafe {
                let values = next.as_ptr().add(at);
                std::ptr::copy_nonoverlapping(values, area.start as *mut u8, area.len());
            }
            at += area.len();
        }
        self.current = worker;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_worker_finds_its_own() {
        let mut block = [1_u8, 2, 3, 4];
        let start = (&raw mut block).addr();
        // The last byte is zero in a new thread.
        let areas = vec![start + 1..start + 2, start + 3..start + 4];
        let mut locals = CLocals::new(areas, start, &[1, 2, 3]);
        let place = (&raw mut block).cast::<u8>();
        // SAFETY: the bytes of the block, which the locals write through its address.
        let read = |at| unsafe { place.add(at).read_volatile() };
        // SAFETY: as above.
        let write = |at, value| unsafe { place.add(at).write_volatile(value) };
        write(1, 7);
        locals.switch_to(3);
        assert_eq!([0, 1, 2, 3].map(read), [1, 2, 3, 0]);
        write(1, 8);
        write(3, 9);
        locals.switch_to(0);
        assert_eq!([0, 1, 2, 3].map(read), [1, 7, 3, 4]);
        assert!(locals.others().any(|values| values == [8, 9]));
        assert!(!locals.others().any(|values| values == [7, 4]));
        locals.switch_to(3);
        assert_eq!([0, 1, 2, 3].map(read), [1, 8, 3, 9]);
        locals.begin();
        locals.switch_to(1);
        assert_eq!([0, 1, 2, 3].map(read), [1, 2, 3, 0]);
    }
}
