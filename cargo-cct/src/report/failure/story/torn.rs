//! A call into a dependency that looked at one object before another worker changed it, and at a second
//! after.

use super::fact::Fact;
use super::{Scene, Sentence};

/// The looks of the call, and the other worker's changes between them.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    let torn = scene.torn?;
    let object = scene.step(torn.looked).object?;
    let mut changes = vec![torn.changed, torn.then];
    changes.sort_unstable();
    let changes = changes.into_iter().map(Fact::InCall);
    let saw = Fact::WithoutLook {
        step: torn.saw,
        object,
    };
    let facts = [Fact::InCall(torn.looked)].into_iter().chain(changes);
    Some(Sentence(facts.chain([saw]).collect()))
}
