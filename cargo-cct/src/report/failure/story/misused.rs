//! Memory that is misused: who had allocated it, and who freed it.

use super::fact::Fact;
use super::{Scene, Sentence};

/// The block's life, as far as it is known.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    let block = scene.trace.misused?;
    let index = |step: Option<u32>| usize::try_from(step?).ok();
    let (allocated, freed) = (index(block.allocated), index(block.freed));
    let allocated = allocated.map(Fact::Allocates);
    // A block that was never freed is misused in another way.
    let freed = Fact::Frees(freed?);
    Some(Sentence(allocated.into_iter().chain([freed]).collect()))
}
