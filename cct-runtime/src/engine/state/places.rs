//! Code that is named by its place: whose data races are meant, and whose plain accesses are scheduling
//! points.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::frames;

/// The places of the process.
static PLACES: OnceLock<Places> = OnceLock::new();

/// Where code lies, as offsets in the executable of the addresses that its calls return to.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Code whose plain accesses are no part of a race.
    benign: Ranges,
    /// Code whose plain accesses are scheduling points.
    points: Ranges,
    /// The accesses of all code are.
    all_are_points: bool,
    /// Code of std, whose accesses are those of its callers.
    std: Ranges,
}

impl Places {
    /// Reads lines such as `benign 1a0-1f4,…`, in hexadecimal and in order.
    pub(crate) fn parse(text: &str) -> Option<Places> {
        let mut places = Places::default();
        for line in text.lines() {
            match line.split_once(' ')? {
                ("points", "all") => places.all_are_points = true,
                ("points", ranges) => places.points = Ranges::parse(ranges)?,
                ("benign", ranges) => places.benign = Ranges::parse(ranges)?,
                ("std", ranges) => places.std = Ranges::parse(ranges)?,
                _ => return None,
            }
        }
        Some(places)
    }

    /// These are the places of the process, which has had none.
    pub(crate) fn install(self) {
        PLACES.get_or_init(|| self);
    }
}

/// True if races with plain accesses by the code at this place are meant.
pub(crate) fn are_meant_at(place: u32) -> bool {
    PLACES.get().is_some_and(|places| places.benign.has(place))
}

/// True if plain accesses of some code are scheduling points.
pub(crate) fn have_points() -> bool {
    let places = PLACES.get();
    places.is_some_and(|places| places.all_are_points || !places.points.is_empty())
}

/// True if a plain access by the code at this place, which is on the current stack, is a scheduling point:
/// if it is among them, or is std's and was called from there.
pub(crate) fn is_point(place: u32) -> bool {
    let Some(places) = PLACES.get() else {
        return false;
    };
    places.all_are_points
        || places.points.has(place)
        || places.std.has(place) && is_called_from_point(places, place)
}

#[cold]
fn is_called_from_point(places: &Places, callee: u32) -> bool {
    let (mut is_met, mut is_point) = (false, false);
    frames::walk(&mut |call| {
        let place = u32::try_from(call + 1).unwrap_or(0);
        is_met |= place == callee;
        is_point = is_met && places.points.has(place);
        if is_point || is_met && !places.std.has(place) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    is_point
}

/// Where code begins and ends, in order.
#[derive(Debug, Default)]
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn parse(text: &str) -> Option<Ranges> {
        let ranges = text.split(',').map(|range| {
            let (start, end) = range.split_once('-')?;
            let number = |text| u32::from_str_radix(text, 16).ok();
            Some((number(start)?, number(end)?))
        });
        let ranges: Vec<(u32, u32)> = ranges.collect::<Option<_>>()?;
        ranges.is_sorted().then_some(Ranges(ranges))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, place: u32) -> bool {
        let after = self.0.partition_point(|&(start, _)| start <= place);
        let last = after.checked_sub(1).map(|index| self.0[index]);
        last.is_some_and(|(_, end)| place < end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any};
    use proptest::proptest;

    use super::*;
    use crate::fuzz;

    #[test]
    fn ranges_have_their_places_without_their_ends() {
        let ranges = Ranges::parse("10-20,20-24,30-31").expect("they are in order");
        let has = |place| ranges.has(place);
        assert!([0x10, 0x1F, 0x20, 0x23, 0x30].into_iter().all(has));
        assert!(![0, 0xF, 0x24, 0x2F, 0x31, u32::MAX].into_iter().any(has));
        assert!(!Ranges::default().has(0));
    }

    #[test]
    fn text_that_is_damaged_is_refused() {
        for text in ["points", "points x-y", "points 20-30,10-12", "others 1-2"] {
            assert!(Places::parse(text).is_none(), "{text}");
        }
        let places = Places::parse("benign 1-2\npoints all").expect("it is well-formed");
        assert!(places.all_are_points && places.benign.has(1) && !places.std.has(1));
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn text_in_disorder_is_read_or_refused(text in texts(), place in any::<u32>()) {
            if let Some(places) = Places::parse(&text) {
                places.points.has(place);
            }
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        fuzz::texts(vec![
            "points ", "benign ", "std ", "all", "1a-1f", ",2a-3b", "\n", "-",
        ])
    }
}
