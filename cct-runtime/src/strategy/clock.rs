//! Vector clocks of the steps of a schedule.

/// For each worker, by number: how many of its steps come before, or are the step itself.
pub(super) type Clock = Vec<u32>;

/// All that comes before the one comes before the other as well.
#[inline]
pub(super) fn join(clock: &mut Clock, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, &theirs) in clock.iter_mut().zip(other) {
        // Steps are fewer than 2^31, and processors compare signed numbers faster.
        *mine = theirs.cast_signed().max(mine.cast_signed()).cast_unsigned();
    }
}
