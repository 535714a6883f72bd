//! Choices that a worker asks for, and random bytes.

use super::outside_use::note_change;
use super::touch;
use crate::claim::Exception;
use crate::engine::decide::{engine, outside};
use crate::engine::state::iteration::End;
use crate::object::ObjectId;
use crate::operation::Access;
use crate::strategy::Strategy;

/// One of `0..n`, chosen by the strategy, recorded and replayed. Panics when `n` is 0.
pub fn choose_index(n: usize) -> usize {
    assert!(n > 0, "there is nothing to choose from");
    let n = u32::try_from(n).expect("a choice has fewer than 2^32 alternatives");
    if n == 1 {
        return 0;
    }
    choose_by(n, |strategy| strategy.choose_index(n)) as usize
}

/// One of `0..n`, recorded and replayed; `choose` is how the strategy chooses.
pub(super) fn choose_by(n: u32, choose: impl FnOnce(&mut dyn Strategy) -> u32) -> u32 {
    let engine = engine();
    outside(|| {
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let engine = unsafe { &mut *engine };
        if engine.progress.overtime.is_on {
            engine.progress.overtime.is_broken = true;
            return 0;
        }
        // The next choice may come out otherwise.
        engine.progress.forget();
        let step = engine.steps();
        let chosen = engine.decision.driver.choose(step, n, choose);
        let chosen = chosen.unwrap_or_else(|divergence| {
            // The iteration ends at the next point in any case.
            engine
                .iteration
                .end
                .get_or_insert(End::diverged(Box::new(divergence)));
            engine.attend();
            engine.budget.interrupt();
            0
        });
        engine.observers.tape.choose(chosen);
        engine.observers.watch.chose(chosen);
        if let Some(recorder) = &mut engine.observers.recorder {
            recorder.note_choice();
        }
        chosen
    })
}

/// Fills `out` with bytes that follow from the iteration's seed.
pub fn random_bytes(out: &mut [u8]) {
    touch(ObjectId::RANDOM_BYTES, Access::Writes);
    super::facts::leave_out(Exception::RandomNumbers);
    note_change();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    let rng = unsafe { &mut (*engine()).iteration.value_rng };
    for chunk in out.chunks_mut(8) {
        chunk.copy_from_slice(&rng.bits().to_le_bytes()[..chunk.len()]);
    }
}
