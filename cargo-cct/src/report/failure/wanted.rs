//! The steps that a report shows whatever else it leaves out, and what the others are worth.

use std::collections::BTreeSet;

use cct::trace::Trace;
use cct::verdict::BugKind;

use super::describe;
use super::names::Names;
use super::repeating::{self, Cycle};
use super::slice::Slice;
use super::story::{Scene, Story};

/// The steps that matter.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// These are shown in any case.
    pub required: BTreeSet<usize>,
    /// Of the others, those that the failure depends on, the nearest first.
    slice: Slice,
    /// The objects of the required steps.
    pub objects: BTreeSet<u32>,
    /// The rounds that come again and again: their first ones tell it all.
    rounds: Vec<Cycle>,
}

/// Steps on other objects than those of the required ones come so much later.
const DETOUR: u32 = 8;

/// So many reads of the failing worker are shown with their writers.
const READS: usize = 8;
/// At most this many stores that undo another worker's are shown, with that.
const MOST_MARKS: usize = 8;
/// So many steps of a round that comes again and again are shown in any case.
const ROUND: usize = 8;

impl Wanted {
    /// All that the story and the marks name, and the last writes to what the failing worker read.
    pub(super) fn of(
        scene: &Scene<'_>,
        story: &Story,
        more: impl IntoIterator<Item = usize>,
    ) -> Wanted {
        let mut required = story.steps();
        required.insert(scene.failing);
        required.extend(more);
        required.extend(scene.waiting());
        let is_liveness = scene.bug.kind == BugKind::Liveness;
        let bug = Some(scene.bug).filter(|_| is_liveness);
        let rounds = repeating::cycles(bug, scene.trace, scene.names);
        for round in rounds.iter().take(repeating::MOST) {
            let own =
                |&step: &usize| scene.names.lane(scene.trace.steps[step].worker) == round.worker;
            required.extend((round.first..=round.last).filter(own).take(ROUND));
        }
        let mut wanted = Wanted::from(scene.trace, scene.names, required);
        wanted.rounds = rounds;
        wanted.required.extend(scene.last_writers(READS));
        let marks = describe::all_overwrites(scene.trace);
        let marked = (0..marks.len())
            .rev()
            .filter(|&index| scene.is_own(index) && wanted.slice.distance(index).is_some());
        let marked = marked.filter_map(|index| Some([index, marks[index]?]));
        let marked: Vec<usize> = marked.take(MOST_MARKS).flatten().collect();
        wanted.required.extend(marked);
        wanted
    }

    /// The rank of a step, the least first; none if the failure does not depend on it.
    pub(super) fn rank(&self, trace: &Trace, names: &Names, step: usize) -> Option<(bool, u32)> {
        if self.required.contains(&step) {
            return Some((false, 0));
        }
        if self.is_again(trace, names, step) {
            return None;
        }
        let object = trace.steps[step].object;
        let is_known = object.is_none_or(|object| self.objects.contains(&object));
        let detour = if is_known { 0 } else { DETOUR };
        Some((true, self.slice.distance(step)? + detour))
    }

    /// Only these, and what they depend on.
    pub(super) fn from(trace: &Trace, names: &Names, required: BTreeSet<usize>) -> Wanted {
        let slice = Slice::of(trace, names, &required);
        let objects = required.iter().filter_map(|&step| trace.steps[step].object);
        Wanted {
            slice,
            objects: objects.collect(),
            required,
            rounds: Vec::new(),
        }
    }

    /// True for a step of a further round of those that come again and again.
    fn is_again(&self, trace: &Trace, names: &Names, step: usize) -> bool {
        let lane = names.lane(trace.steps[step].worker);
        let mut rounds = self.rounds.iter();
        rounds.any(|round| round.worker == lane && step > round.last)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cct::operation::Operation as Op;
    use cct::trace::{Step, Value};
    use cct::verdict::Bug;

    use super::super::layout::Detail;
    use super::super::rows::{self, Row};
    use super::super::source::Source;
    use super::*;
    use crate::sample;

    /// Pseudo-random numbers below a bound.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    const OPERATIONS: [Op; 8] = [
        Op::Load,
        Op::Load,
        Op::Store,
        Op::FetchAdd,
        Op::Lock,
        Op::Unlock,
        Op::Send,
        Op::YieldNow,
    ];

    fn random_step(random: &mut Random) -> (Step, String) {
        let mut below = |bound| u32::try_from(random.below(bound)).expect("it is small");
        let operation = OPERATIONS[below(8) as usize];
        let (worker, object, line) = (below(4), below(5), below(6));
        let in_crate = below(5) == 0;
        let folder = if in_crate {
            "/registry/src/i/dep-1.0.0/"
        } else {
            ""
        };
        let mut step = sample::step(worker, operation, &format!("{folder}src/{line}.rs"));
        let value = Some(Value::Unsigned(u64::from(below(3))));
        step.0.object = Some(object);
        step.0.read = value.filter(|_| matches!(operation, Op::Load | Op::FetchAdd));
        step.0.written = value.filter(|_| matches!(operation, Op::Store | Op::FetchAdd));
        step
    }

    #[test]
    fn each_step_that_is_named_has_a_line() {
        for seed in 0..300 {
            let mut random = Random(seed);
            let length = 2 + random.below(200);
            let steps: Vec<_> = (0..length).map(|_| random_step(&mut random)).collect();
            let trace = sample::trace(&steps);
            let names = Names::of(&trace, &Source::new(Path::new("/nowhere")));
            let failing = usize::try_from(random.below(length)).expect("it is short");
            let worker = Some(trace.steps[failing].worker);
            let kinds = [BugKind::Panic, BugKind::Signal, BugKind::Hang];
            let kind = kinds[usize::try_from(seed % 3).expect("it is small")];
            let bug = Bug::new(kind, String::new(), None, worker);
            let scene = Scene {
                trace: &trace,
                names: &names,
                bug: &bug,
                failing,
                torn: None,
                tells_callers: false,
            };
            let story = Story::of(&scene);
            let wanted = Wanted::of(&scene, &story, []);
            // Only a panic is followed by steps that do not matter.
            let last = match kind {
                BugKind::Panic => failing,
                _ => steps.len() - 1,
            };
            let rows = rows::rows(&trace, &names, &wanted, last, Detail::Around);
            let shown = rows.iter().filter_map(|row| match row {
                Row::Step(step) | Row::Spin { step, .. } => Some(*step),
                _ => None,
            });
            let shown: BTreeSet<usize> = shown.collect();
            let own = shown.iter().filter(|&&step| scene.is_own(step));
            let marks = own.filter_map(|&step| describe::overwrites(&trace, step));
            let marks = marks.filter(|&lost| scene.is_own(lost));
            for step in marks.chain(story.steps()) {
                assert!(
                    shown.contains(&step),
                    "seed {seed}: step {step} of {rows:?}"
                );
            }
        }
    }
}
