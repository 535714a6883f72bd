//! A data race: the two accesses, and the atomics by which their order was meant to be kept.

use std::collections::BTreeMap;
use std::ops::Range;

use cct::operation::Operation as Op;
use cct::trace::MemoryOrder;
use cct::verdict::{AccessWay, BugKind, RacyAccess};

use super::super::calls;
use super::super::source::short_site;
use super::fact::Fact;
use super::{Scene, Sentence};
use crate::report::words::{count, put};

/// The two accesses, and what does not order them although it looks so.
pub(super) fn sentences(scene: &Scene<'_>) -> Vec<Sentence> {
    let block = scene.trace.misused;
    let allocated = block.and_then(|block| usize::try_from(block.allocated?).ok());
    let mut facts: Vec<Fact> = allocated.map(Fact::Allocates).into_iter().collect();
    facts.extend([Fact::Accessed, Fact::Accesses]);
    if matches!(scene.bug.kind, BugKind::Race | BugKind::Violation) {
        facts.push(Fact::Unordered);
    }
    let mut sentences = vec![Sentence(facts)];
    if let Some(race) = scene.bug.race.as_deref() {
        let place = |access: &RacyAccess| Some((access.worker, begin(scene, access)?));
        if let (Some(earlier), Some(later)) = (place(&race.earlier), place(&race.later)) {
            sentences.extend(weaknesses(scene, earlier, later).into_iter().flatten());
        }
    }
    sentences
}

/// The index of the access, or, of an atomic one, that of its own step.
fn begin(scene: &Scene<'_>, access: &RacyAccess) -> Option<usize> {
    let index = usize::try_from(access.step?).ok()?;
    let is_atomic = matches!(access.way, AccessWay::AtomicRead | AccessWay::AtomicWrite);
    let is_own = |&step: &usize| {
        let it = scene.step(step);
        !it.note && it.worker == access.worker
    };
    let own = (0..=index.min(scene.trace.steps.len().checked_sub(1)?)).rev();
    Some(own.filter(|_| is_atomic).find(is_own).unwrap_or(index))
}

/// Why the one is not before the other, each a worker and its step: the atomics by which the later worker
/// came to know of the earlier one, as far as they are too weak. None if there are no such atomics.
pub(super) fn weaknesses(
    scene: &Scene<'_>,
    earlier: (u32, usize),
    later: (u32, usize),
) -> Option<Vec<Sentence>> {
    let links = links(scene, earlier, later);
    let weaknesses = links.iter().enumerate().flat_map(|(place, link)| {
        let before = place.checked_sub(1).map(|before| links[before].load);
        let after = links.get(place + 1).map(|after| after.store);
        link.weaknesses(scene, before.unwrap_or(earlier.1)..after.unwrap_or(later.1))
    });
    (!links.is_empty()).then(|| weaknesses.collect())
}

/// A load that read what a store of another worker had written.
#[derive(Clone, Copy, Debug)]
struct Link {
    store: usize,
    load: usize,
}

/// The chain of atomics from the earlier access to the later one: what would order them if all of it were as
/// strong as can be. Empty if there is none.
fn links(scene: &Scene<'_>, (by, first): (u32, usize), (to, last): (u32, usize)) -> Vec<Link> {
    // By worker, the link by which it came to know of the access; by object, the store that tells of it.
    let mut knows: BTreeMap<u32, Option<Link>> = BTreeMap::from([(by, None)]);
    let mut told = BTreeMap::<u32, usize>::new();
    for step in first..last.min(scene.trace.steps.len()) {
        let it = scene.step(step);
        let (Some(object), Some(_)) = (it.object, it.order) else {
            continue;
        };
        let reads_latest = it.read.is_some() && it.older.is_none();
        let store = told.get(&object).copied().filter(|_| reads_latest);
        if let Some(store) = store.filter(|_| !knows.contains_key(&it.worker)) {
            knows.insert(it.worker, Some(Link { store, load: step }));
        }
        if it.written.is_some() && knows.contains_key(&it.worker) {
            told.insert(object, step);
        } else if it.written.is_some() && it.read.is_none() {
            told.remove(&object);
        }
    }
    let mut links = Vec::new();
    let mut worker = to;
    while let Some(Some(link)) = knows.get(&worker) {
        links.push(*link);
        worker = scene.step(link.store).worker;
    }
    links.reverse();
    links
}

impl Link {
    /// Why nothing is handed over by it: a fence would have to be in this range, before the store or after
    /// the load.
    fn weaknesses(self, scene: &Scene<'_>, range: Range<usize>) -> Vec<Sentence> {
        let Link { store, load } = self;
        let worker = |step: usize| scene.step(step).worker;
        let has_fence = |by: u32, mut steps: Range<usize>, is_strong: fn(_) -> bool| {
            steps.any(|step| {
                let it = scene.step(step);
                let is_fence = scene.operation(step) == Some(Op::Fence) && it.worker == by;
                is_fence && it.order.is_some_and(is_strong)
            })
        };
        let orders =
            |step: usize, is_strong: fn(_) -> bool| scene.step(step).order.is_some_and(is_strong);
        let mut sentences = Vec::new();
        if !orders(store, releases) && !has_fence(worker(store), range.start..store, releases) {
            let fact = Fact::PublishesNothing { store, load };
            sentences.push(Sentence(vec![fact]));
        }
        let end = range.end.min(scene.trace.steps.len());
        if !orders(load, acquires) && !has_fence(worker(load), load..end, acquires) {
            sentences.push(Sentence(vec![Fact::TakesNothingOver(load)]));
        }
        sentences
    }
}

fn releases(order: MemoryOrder) -> bool {
    !matches!(order, MemoryOrder::Relaxed | MemoryOrder::Acquire)
}

fn acquires(order: MemoryOrder) -> bool {
    !matches!(order, MemoryOrder::Relaxed | MemoryOrder::Release)
}

/// One of the two accesses in words.
pub(super) fn accessed(scene: &Scene<'_>, is_earlier: bool) -> String {
    let Some(race) = scene.bug.race.as_deref() else {
        return String::new();
    };
    let access = if is_earlier {
        &race.earlier
    } else {
        &race.later
    };
    if !access.function.is_empty() {
        return called(scene, access, &race.group, is_earlier);
    }
    let verb = match access.way {
        way if !is_earlier => calls::verb(way),
        AccessWay::Read => "read",
        AccessWay::Write => "wrote",
        AccessWay::AtomicRead => "atomically read",
        AccessWay::AtomicWrite => "atomically wrote",
        AccessWay::Free => "freed",
    };
    let who = scene.names.worker(access.worker);
    let of = match &race.static_path {
        _ if !is_earlier => " of the same memory".to_owned(),
        Some(path) => format!(" of `{path}`"),
        None => String::new(),
    };
    let (size, place) = (count(access.size, "byte"), place(scene, access));
    format!("{who} {verb} {size}{of}{place}")
}

/// The same of a function that is not thread-safe.
fn called(scene: &Scene<'_>, access: &RacyAccess, group: &str, is_earlier: bool) -> String {
    let who = scene.names.worker(access.worker);
    let verb = if is_earlier { "called" } else { "calls" };
    let about = match access.way {
        AccessWay::Read => "relies on",
        _ => "may change",
    };
    let (function, place) = (&access.function, place(scene, access));
    format!("{who} {verb} `{function}`{place}, which {about} `{group}`")
}

/// Where and when, as far as that is known.
fn place(scene: &Scene<'_>, access: &RacyAccess) -> String {
    let site = access.site.as_ref();
    let mut out = site.map_or_else(String::new, |site| format!(" at {}", short_site(site)));
    if let Some(step) = access.step.and_then(|step| usize::try_from(step).ok()) {
        put!(out, " (after step {})", scene.names.step(step));
    }
    out
}
