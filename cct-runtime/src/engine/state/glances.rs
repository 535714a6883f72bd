//! The looks of a worker at things that others may change without a step.

/// After so many looks in vain a worker gives way.
const IN_VAIN: u32 = 4;
/// How many things are remembered that were looked at.
const KEPT: usize = 4;

/// The paths that the current worker has looked at since its last step.
#[derive(Debug, Default)]
pub(crate) struct Glances {
    /// The worker's number, and that of the step.
    when: (u32, u32),
    seen: [u64; KEPT],
    count: usize,
    in_vain: u32,
}

impl Glances {
    /// Notes a look; true if the worker should give way.
    pub(crate) fn see(&mut self, when: (u32, u32), what: u64) -> bool {
        if self.when != when {
            *self = Glances {
                when,
                ..Glances::default()
            };
        }
        if self.seen[..self.count.min(KEPT)].contains(&what) {
            self.in_vain += 1;
        } else {
            self.seen[self.count % KEPT] = what;
            self.count += 1;
        }
        self.in_vain >= IN_VAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_looks_at_the_same_again_gives_way() {
        let mut glances = Glances::default();
        assert!((0..1000).all(|what| !glances.see((1, 7), what)));
        let mut rounds = 0;
        while !glances.see((1, 8), 5) && !glances.see((1, 8), 6) {
            rounds += 1;
        }
        assert_eq!(rounds, 2);
        assert!(!glances.see((1, 9), 5), "a step lies in between");
    }
}
