//! The things that the tests of a process share: which were used, for profiles, and an object for each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::codec::hash;
use crate::footprint::Use;
use crate::object::ObjectId;

/// True in a process whose tests run together, or are profiled.
static ARE_HEEDED: AtomicBool = AtomicBool::new(false);
static ARE_PROFILED: AtomicBool = AtomicBool::new(false);

/// The objects: one for each thing that is shared.
static OBJECTS: [u8; COUNT] = [0; COUNT];
const COUNT: usize = 1 << 12;

/// From here on it is heeded what the process's tests share, and, for a profile, which statics they access.
pub(crate) fn heed(profiles: bool) {
    ARE_HEEDED.store(true, Relaxed);
    ARE_PROFILED.store(profiles, Relaxed);
}

/// True if statics' accesses are kept.
#[inline]
pub(crate) fn profiles() -> bool {
    ARE_PROFILED.load(Relaxed)
}

/// True if it is.
#[inline]
pub fn heeds_shares() -> bool {
    ARE_HEEDED.load(Relaxed)
}

/// The things that were used.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    /// Each by a hash of its kind and name, with the place that its object has.
    things: BTreeMap<u64, (usize, Use)>,
    /// The places that are taken.
    taken: BTreeSet<usize>,
    /// Where in statics plain code has accessed memory, and whether it wrote.
    memory: BTreeSet<(usize, bool)>,
}

impl Shares {
    /// A thing is used; returns its object, which is the same in all processes unless two things come to one.
    pub(crate) fn used(&mut self, kind: &str, name: &str, changes: bool) -> ObjectId {
        let number = hash(kind.bytes().chain([0]).chain(name.bytes()));
        let taken = &mut self.taken;
        let (place, known) = self.things.entry(number).or_insert_with(|| {
            let first = number as usize;
            let mut places = (0..COUNT).map(|more| first.wrapping_add(more) % COUNT);
            // If there are more things than objects, some share one.
            let place = places
                .find(|place| taken.insert(*place))
                .unwrap_or(first % COUNT);
            let it = Use {
                kind: kind.to_owned(),
                name: name.to_owned(),
                changes,
            };
            (place, it)
        });
        known.changes |= changes;
        ObjectId::of(&OBJECTS[*place])
    }

    /// Plain code accesses a static.
    #[inline]
    pub(crate) fn accessed(&mut self, address: usize, writes: bool) {
        self.memory.insert((address, writes));
    }

    /// The thing that is this object, for people.
    pub(crate) fn name_of(&self, object: ObjectId) -> Option<String> {
        let is_it = |place: usize| ObjectId::of(&OBJECTS[place]) == object;
        let (_, it) = self.things.values().find(|(place, _)| is_it(*place))?;
        Some(match it.name.as_str() {
            "" => it.kind.clone(),
            name => format!("{} {name}", it.kind),
        })
    }

    /// Takes what was used since the last time.
    pub(crate) fn take(&mut self) -> (Vec<Use>, BTreeSet<(usize, bool)>) {
        self.taken.clear();
        let things = std::mem::take(&mut self.things);
        let uses = things.into_values().map(|(_, it)| it).collect();
        (uses, std::mem::take(&mut self.memory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_has_one_object_and_is_changed_if_anybody_changes_it() {
        let mut shares = Shares::default();
        let one = shares.used("variable", "HOME", false);
        let other = shares.used("variable", "PATH", false);
        assert_ne!(one, other);
        assert_eq!(shares.used("variable", "HOME", true), one);
        assert_eq!(shares.name_of(one).as_deref(), Some("variable HOME"));
        shares.accessed(17, true);
        shares.accessed(17, true);
        let (uses, memory) = shares.take();
        let changed: BTreeSet<_> = uses.iter().map(|it| (&*it.name, it.changes)).collect();
        assert_eq!(changed, BTreeSet::from([("HOME", true), ("PATH", false)]));
        assert_eq!(memory, BTreeSet::from([(17, true)]));
        assert_eq!(shares.take(), (vec![], BTreeSet::new()));
    }
}
