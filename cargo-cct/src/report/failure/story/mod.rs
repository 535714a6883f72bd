//! The paragraph that a report begins with: facts of the schedule, in words a colleague would use.
//!
//! All of it is derived from the trace, and none of it is a guess at causes: sentences say which worker did
//! what to which object, where, and at which step. Where no pattern is recognised, only what is certain is
//! told: what the failing worker read or did last, and who wrote that. Each pattern has a file of its own.

mod access;
mod cancelled;
mod closed;
mod counted;
mod cycle;
mod ends;
mod fact;
mod held;
mod hot;
mod interleaved;
mod last;
mod misused;
mod notified;
mod raced;
mod scene;
mod spinning;
mod stale;
#[cfg(test)]
mod tests;
mod timed_out;
mod torn;
mod waiting;
mod words;

use std::collections::BTreeSet;

use cct::verdict::BugKind;
use serde_json::{Value, json};

pub(super) use scene::Scene;

use self::fact::{Fact, Place};

/// At most this many sentences are told of workers that wait.
const MOST: usize = 4;

/// A paragraph: sentences in the order of the schedule, as far as they have one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Story(Vec<Sentence>);

/// Facts that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sentence(Vec<Fact>);

impl Story {
    /// Derives it from a failing schedule.
    pub(super) fn of(scene: &Scene<'_>) -> Story {
        let mut sentences = timed_out::sentences(scene);
        sentences.extend(
            scene
                .panics_before()
                .map(|step| Sentence(vec![Fact::Panics(step)])),
        );
        sentences.extend(hot::sentences(scene));
        if scene.bug.waits.is_empty() || scene.bug.worker.is_some() {
            if scene.bug.race.is_some() {
                sentences.extend(raced::sentences(scene));
                sentences.extend(stale::sentence(scene, &BTreeSet::new()));
                for reason in stale::reasons(scene) {
                    if !sentences.contains(&reason) {
                        sentences.push(reason);
                    }
                }
                return Story(sentences);
            }
            sentences.extend(misused::sentence(scene));
            let between = torn::sentence(scene).or_else(|| interleaved::sentence(scene));
            sentences.extend(between.or_else(|| counted::sentence(scene)));
            sentences.extend(closed::sentence(scene));
            if fails_where_it_is(scene.bug.kind) {
                sentences.extend(cancelled::await_points(scene, scene.failing));
            }
            let mut told: BTreeSet<usize> = sentences.iter().flat_map(Sentence::steps).collect();
            let last = last::sentence(scene, &told);
            told.extend(last.iter().flat_map(Sentence::steps));
            if let Some(stale) = stale::sentence(scene, &told) {
                told = stale.steps();
                sentences.push(stale);
                told.extend(sentences.iter().flat_map(Sentence::steps));
                sentences.extend(last::sentence(scene, &told));
            } else {
                sentences.extend(last);
            }
            sentences.extend(stale::reasons(scene));
            sentences.extend(ends::sentence(scene));
        } else {
            sentences.extend(cancelled::await_points(scene, scene.trace.steps.len()));
            sentences.extend(cycle::sentence(scene));
            sentences.extend(waiting::sentences(scene).into_iter().take(MOST));
        }
        sentences.retain(|sentence| !sentence.0.is_empty());
        Story(sentences)
    }

    /// True if the steps of the user's own code have a part in the failure that is known to be of a kind.
    pub(super) fn is_explained(scene: &Scene<'_>) -> bool {
        let others = || closed::sentence(scene).or_else(|| misused::sentence(scene));
        !fails_where_it_is(scene.bug.kind)
            || !timed_out::sentences(scene).is_empty()
            || interleaved::sentence(scene).or_else(others).is_some()
    }

    /// The steps that it names.
    pub(super) fn steps(&self) -> BTreeSet<usize> {
        self.0.iter().flat_map(Sentence::steps).collect()
    }

    /// The paragraph.
    pub(super) fn text(&self, scene: &Scene<'_>) -> String {
        let sentences = self.0.iter().map(|sentence| sentence.text(scene));
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// The same for programs: each sentence with its steps.
    pub(super) fn json(&self, scene: &Scene<'_>) -> Value {
        let sentences = self.0.iter().map(|sentence| {
            let steps = sentence.steps().into_iter();
            let steps: Vec<usize> = steps.map(|step| scene.names.step(step)).collect();
            json!({ "text": sentence.text(scene), "steps": steps })
        });
        sentences.collect()
    }
}

impl Sentence {
    fn steps(&self) -> BTreeSet<usize> {
        self.0.iter().flat_map(Fact::steps).collect()
    }

    /// True if all steps are at one line, which several others call: those tell the steps apart.
    fn needs_callers(&self, scene: &Scene<'_>) -> bool {
        let steps = self.steps();
        let line = |step: usize| scene.place(step).map(|site| (&site.file, site.line));
        let lines: BTreeSet<_> = steps.iter().map(|&step| line(step)).collect();
        let called: BTreeSet<_> = steps
            .iter()
            .map(|&step| scene.names.called_at(step))
            .collect();
        lines.len() == 1 && called.len() > 1
    }

    fn text(&self, scene: &Scene<'_>) -> String {
        let scene = &Scene {
            tells_callers: self.needs_callers(scene),
            ..*scene
        };
        let mut out = String::new();
        for (place, fact) in self.0.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| &self.0[before]);
            let at = Place {
                is_last: place + 1 == self.0.len(),
                facts: self.0.len(),
            };
            out.push_str(before.map_or("", |before| fact.joint(scene, before, at)));
            out.push_str(&fact.text(scene, &self.0[..place]));
        }
        out.push('.');
        out
    }
}

/// True for kinds of bug in which a worker fails where it is, so that what it read last matters.
fn fails_where_it_is(kind: BugKind) -> bool {
    !matches!(
        kind,
        BugKind::Deadlock | BugKind::LockCycle | BugKind::Livelock | BugKind::Liveness
    )
}
