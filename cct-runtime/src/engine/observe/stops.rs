//! The steps before which a replay stops: a debugger stops there, and without one the iteration ends.

/// Numbers of steps, and how far the iteration is.
#[derive(Debug, Default)]
pub(crate) struct Stops {
    /// The numbers, from 1, in order.
    before: Vec<u32>,
    /// How many steps have been recorded.
    made: u32,
}

impl Stops {
    /// Stops before the steps with these numbers.
    pub(crate) fn new(mut before: Vec<u32>) -> Stops {
        before.sort_unstable();
        Stops { before, made: 0 }
    }

    /// A new iteration begins.
    pub(crate) fn begin(&mut self) {
        self.made = 0;
    }

    /// A step is next: its number, if it is one to stop before.
    pub(crate) fn next(&mut self) -> Option<u32> {
        self.made += 1;
        let found = self.before.binary_search(&self.made);
        found.is_ok().then_some(self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_from_one() {
        let mut stops = Stops::new(vec![4, 1]);
        let mut found = || -> Vec<u32> { (0..5).filter_map(|_| stops.next()).collect() };
        assert_eq!(found(), [1, 4]);
        assert_eq!(found(), []);
        stops.begin();
        assert_eq!(stops.next(), Some(1));
    }
}
