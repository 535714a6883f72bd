//! Which test of a campaign is explored next: the one that still yields most.
//!
//! A test's yield is its new behaviours a second, of late: what came of earlier slices counts less and less.
//! A part of the time is for all tests alike, since a test that has shown nothing new for long may yet.

use std::time::Duration;

/// The part of an older slice that a newer one leaves of its weight.
const MEMORY: f64 = 0.7;
/// The part of the time that all tests have alike.
const EVEN: f64 = 0.2;
/// The first slice of a test; each one after is twice as long.
const SHORTEST: Duration = Duration::from_millis(250);
/// The longest slice: so much work may be lost when the tool is killed.
const LONGEST: Duration = Duration::from_secs(5);

/// The time that tests of a campaign have had, and what they made of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allotment {
    accounts: Vec<Account>,
}

/// One test's.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Account {
    /// The slices that it had.
    pub slices: u64,
    /// All its time, in seconds.
    pub total: f64,
    /// New behaviours, the later the heavier.
    pub yielded: f64,
    /// The time that these took, likewise.
    pub spent: f64,
    /// There is no more to do.
    pub is_closed: bool,
    /// It is being explored.
    pub is_busy: bool,
    /// Each slice begins from nothing, so that only a longer one gets any further.
    pub starts_anew: bool,
}

impl Account {
    /// New behaviours a second.
    fn rate(&self) -> f64 {
        self.yielded / self.spent.max(f64::MIN_POSITIVE)
    }

    /// How long its next slice is.
    pub(crate) fn slice(&self) -> Duration {
        let doublings = u32::try_from(self.slices).unwrap_or(u32::MAX).min(20);
        let slice = SHORTEST.saturating_mul(1 << doublings);
        if self.starts_anew {
            slice
        } else {
            slice.min(LONGEST)
        }
    }
}

impl Allotment {
    /// Begins, or goes on, with these.
    pub(crate) fn new(accounts: Vec<Account>) -> Allotment {
        Allotment { accounts }
    }

    /// The test that is next; it is busy from now on. None if all are busy or closed.
    pub(crate) fn next(&mut self) -> Option<usize> {
        let next = self.pick()?;
        self.accounts[next].is_busy = true;
        Some(next)
    }

    /// A test's account.
    pub(crate) fn account(&self, test: usize) -> &Account {
        &self.accounts[test]
    }

    /// Notes what a slice of a test has yielded, after so many seconds.
    pub(crate) fn credit(&mut self, test: usize, fresh: f64, seconds: f64, is_closed: bool) {
        let account = &mut self.accounts[test];
        account.slices += 1;
        account.total += seconds;
        account.yielded = account.yielded * MEMORY + fresh;
        account.spent = account.spent * MEMORY + seconds;
        account.is_closed = is_closed;
        account.is_busy = false;
    }

    /// Notes that each slice of a test begins from nothing.
    pub(crate) fn starts_anew(&mut self, test: usize) {
        self.accounts[test].starts_anew = true;
    }

    fn pick(&self) -> Option<usize> {
        let open = || {
            let accounts = self.accounts.iter().enumerate();
            accounts.filter(|(_, account)| !account.is_closed)
        };
        let free = || open().filter(|(_, account)| !account.is_busy);
        if let Some((first, _)) = free().find(|(_, account)| account.slices == 0) {
            return Some(first);
        }
        let all: f64 = open().map(|(_, account)| account.total).sum();
        let entitled = all * EVEN / open().count().max(1) as f64;
        let (poorest, account) =
            free().min_by(|(_, one), (_, other)| one.total.total_cmp(&other.total))?;
        if account.total < entitled {
            return Some(poorest);
        }
        let better = |(_, one): &(usize, &Account), (_, other): &(usize, &Account)| {
            let by_rate = one.rate().total_cmp(&other.rate());
            by_rate.then(other.total.total_cmp(&one.total))
        };
        free().max_by(better).map(|(best, _)| best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that has shown so many behaviours after so many seconds.
    type Curve = fn(f64) -> f64;

    /// Runs a campaign of so many seconds by a simulated clock; the behaviours and the time of each test.
    fn simulated(curves: &[Curve], seconds: f64) -> Vec<(f64, f64)> {
        let mut allotment = Allotment::new(vec![Account::default(); curves.len()]);
        let mut seen = vec![0.0; curves.len()];
        let mut clock = 0.0;
        while clock < seconds
            && let Some(test) = allotment.next()
        {
            let slice = allotment.account(test).slice().as_secs_f64();
            clock += slice;
            let now = curves[test](allotment.account(test).total + slice).floor();
            allotment.credit(test, now - seen[test], slice, false);
            seen[test] = now;
        }
        let times = (0..curves.len()).map(|test| allotment.account(test).total);
        seen.into_iter().zip(times).collect()
    }

    const SATURATES: Curve = |t| 100.0 * (1.0 - (-t / 2.0).exp());
    const GROWS: Curve = |t| 50.0 * t;
    const SLOW: Curve = |t| 2.0 * t;
    /// Nothing for long, and then a lot.
    const LATE: Curve = |t| {
        if t < 30.0 {
            1.0
        } else {
            1.0 + 400.0 * (t - 30.0)
        }
    };

    #[test]
    fn time_goes_where_there_is_something_new() {
        let ended = simulated(&[SATURATES, GROWS, SLOW], 1000.0);
        let [(_, saturated), (found, grown), (_, slow)] = ended[..] else {
            panic!("three")
        };
        assert!(grown > 800.0 && found > 40_000.0, "{ended:?}");
        // All are looked at again and again.
        assert!(saturated > 50.0 && slow > 50.0, "{ended:?}");
    }

    #[test]
    fn a_test_that_yields_late_is_noticed() {
        let ended = simulated(&[GROWS, LATE], 1000.0);
        assert!(ended[1].1 > 500.0 && ended[1].0 > 200_000.0, "{ended:?}");
    }

    #[test]
    fn equal_tests_have_equal_time() {
        const NOTHING: Curve = |_| 0.0;
        for curves in [[SATURATES; 4], [NOTHING; 4]] {
            let times: Vec<f64> = simulated(&curves, 400.0)
                .iter()
                .map(|(_, time)| *time)
                .collect();
            assert!(
                times.iter().all(|&time| (time - 100.0).abs() < 11.0),
                "{times:?}"
            );
        }
    }

    #[test]
    fn closed_and_busy_tests_are_passed_over() {
        let mut allotment = Allotment::new(vec![Account::default(); 3]);
        assert_eq!(
            [(); 4].map(|()| allotment.next()),
            [Some(0), Some(1), Some(2), None]
        );
        allotment.credit(1, 5.0, 1.0, true);
        assert_eq!(allotment.next(), None);
        allotment.credit(2, 1.0, 1.0, false);
        assert_eq!(allotment.next(), Some(2));
    }

    #[test]
    fn slices_grow_to_a_bound_unless_only_longer_ones_get_further() {
        let mut account = Account::default();
        assert_eq!(account.slice(), SHORTEST);
        account.slices = 40;
        assert_eq!(account.slice(), LONGEST);
        account.starts_anew = true;
        assert!(account.slice() > LONGEST * 1000);
    }
}
