//! The memory of this process.

/// The resident memory at some moments.
#[derive(Debug, Default)]
pub struct Memory(Vec<u64>);

/// An allocator keeps some pages more or less; a leak of eight bytes in each of a million operations is more.
const SLACK: u64 = 4 << 20;

impl Memory {
    /// Looks now.
    pub fn look(&mut self) {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
        let pages = statm.split_whitespace().nth(1).expect("it has fields");
        let pages: u64 = pages.parse().expect("pages are counted");
        self.0.push(pages * 4096);
    }

    /// Fails if there was more at a later moment than at the first.
    pub fn has_not_grown(&self) {
        let first = self.0[0];
        let most = self.0.iter().max().expect("somebody looked");
        assert!(most - first < SLACK, "bytes: {:?}", self.0);
    }
}
