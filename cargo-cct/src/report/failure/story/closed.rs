//! A channel that was used after its other end had gone.

use cct::operation::Operation as Op;
use cct::trace::Outcome;

use super::fact::Fact;
use super::{Scene, Sentence, fails_where_it_is};

/// The last thing that the failing worker did, if that was refused, and the end of the channel before it.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    let failed = scene.failed();
    let mut own = scene
        .back_from(scene.failing + 1)
        .filter(|&index| scene.lane(index) == failed && scene.operation(index) != Some(Op::Panic));
    let used = own.next().filter(|_| fails_where_it_is(scene.bug.kind))?;
    let is_use = matches!(
        scene.operation(used),
        Some(Op::Send | Op::TrySend | Op::Recv | Op::TryRecv | Op::RecvTimeout)
    );
    let is_refused = is_use && scene.step(used).outcome == Outcome::Refused;
    let gone = scene.back_from(used).find(|&index| {
        let is_end = scene.operation(index) == Some(Op::Disconnect);
        is_end && scene.is_same(index, used) && scene.lane(index) != failed
    });
    let gone = gone.filter(|_| is_refused)?;
    Some(Sentence(vec![Fact::GivesUp(gone), Fact::Does(used)]))
}
