//! What happens when nobody changes anything any more: fair rounds, then time, then a verdict.
//!
//! While nothing is written the engine itself gives each candidate turns. If each of them comes back to
//! the very state it was in (same place, same registers, same stack), with nothing written in between,
//! they will do so until time passes: virtual time moves to the next deadline. If there is none, they will
//! do so for ever: that is proved, not guessed, and the verdict is that there is no progress.
//!
//! A worker that spins and counts its rounds is never in the same state twice: it may be about to give up
//! spinning. Time is moved for it only after very many rounds, and what it does then is up to the step
//! bound.

use super::iteration::End;
use super::state::{Engine, Request};
use super::worker::Worker;
use super::{children, clock};
use crate::strategy::{Pick, WorkerId};
use crate::verdict::{BugKind, Verdict};

/// How many steps without progress there are before the engine looks, and then looks at each step: what
/// it does must not depend on where the fuse happened to end, or a replay would differ.
pub(super) const PATIENCE: u32 = 128;
/// The value of `idle` after a look: more than ever counted, so that a stretch is known as one from before.
const LOOKED_AT: u32 = 1 << 31;
/// How many steps one turn has.
const TURN: u32 = 16;
/// How many rounds of spinning, states repeated or not, there are before time moves.
const ROUNDS: u32 = 64;
/// How much time moves first when nobody has a deadline: there may be one that only a clock knows.
const FIRST_LEAP: u64 = 1_000_000;
/// Leaps double up to this one, an hour: who only reads clocks sees some weeks pass, and no more.
const LONGEST_LEAP: u64 = 3_600_000_000_000;

/// The current stretch without progress.
#[derive(Debug, Default)]
pub(super) struct Stall {
    /// Moves with every stretch, so that the turns of an older one do not count.
    number: u32,
    rounds: u32,
    /// How much time moves next, in nanoseconds.
    leap: u64,
}

/// What a worker did in the current stretch.
///
/// Repetition is found as Brent found cycles: each state is compared with one that is kept, and the kept
/// one is replaced at distances that double.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    stall: u32,
    round: u32,
    steps: u32,
    /// It yielded, or looked again, in this round.
    spins: bool,
    kept_state: u64,
    since_kept: u32,
    reach: u32,
    repeats: bool,
}

impl Turn {
    /// The worker's next iteration begins; stretches are numbered from 1 in each.
    pub(super) fn forget(&mut self) {
        self.stall = 0;
    }

    fn see(&mut self, state: u64) {
        self.repeats |= state == self.kept_state;
        self.since_kept += 1;
        if self.since_kept >= self.reach {
            self.kept_state = state;
            self.since_kept = 0;
            self.reach = (self.reach * 2).max(1);
        }
    }
}

impl Engine {
    /// Looks whether anybody makes progress. `None` ends the iteration; `Some(Some(_))` is the engine's
    /// own pick.
    #[expect(
        clippy::option_option,
        reason = "`?` ends an iteration here as elsewhere"
    )]
    #[inline]
    pub(super) fn look_for_progress(&mut self) -> Option<Option<Pick>> {
        if self.idle < PATIENCE {
            return Some(None);
        }
        self.give_turns()
    }

    /// Nothing has been written for long: gives each candidate turns, and looks what becomes of them.
    #[cold]
    #[expect(clippy::option_option, reason = "as above")]
    fn give_turns(&mut self) -> Option<Option<Pick>> {
        if self.idle < LOOKED_AT {
            // A worker that changes something begins to count again.
            let number = self.stall.number + 1;
            self.stall = Stall {
                number,
                rounds: 0,
                leap: FIRST_LEAP,
            };
        }
        self.idle = LOOKED_AT;
        self.take_part();
        if let Some(next) = self.next_turn() {
            return Some(Some(Pick {
                worker: next,
                quantum: 0,
            }));
        }
        // Everybody had a turn.
        self.stall.rounds += 1;
        let repeats = self.everybody(|turn| turn.repeats);
        let mut spins = self.stall.rounds >= ROUNDS && self.everybody(|turn| turn.spins);
        if repeats || spins {
            if self.body_done {
                self.end = Some(self.end_of_test());
                return None;
            }
            if clock::jump_to_next_deadline(self) {
                self.idle = 0;
                return Some(None);
            }
        }
        // A counter in the heap is not part of a worker's state: after that many rounds there is none.
        if repeats && self.stall.rounds >= ROUNDS && self.children.had_any() {
            children::keep_pace(self, self.time.saturating_add(self.stall.leap));
            if !self.children.had_any() {
                // It has ended since it was looked at.
                self.idle = 0;
                return Some(None);
            }
            // It may be what they look at.
            spins = true;
        } else if repeats && self.stall.rounds >= ROUNDS {
            let bug = self.describe_waits(
                BugKind::NoProgress,
                "nobody will ever change anything: those that can run only look and yield",
            );
            self.end = Some(End::of(Verdict::Failed(bug)));
            return None;
        }
        if spins {
            children::keep_pace(self, self.time.saturating_add(self.stall.leap));
            clock::pass(self, self.stall.leap);
            self.stall.leap = LONGEST_LEAP.min(self.stall.leap * 2);
        }
        Some(self.next_turn().map(|worker| Pick { worker, quantum: 0 }))
    }

    /// Notes that the current worker made a step in this stretch.
    fn take_part(&mut self) {
        let (number, rounds) = (self.stall.number, self.stall.rounds);
        // SAFETY: the current worker is live and suspended.
        let worker = unsafe { &mut *self.current };
        if !worker.position.is_enabled() {
            return;
        }
        let spins = self.request == Request::Yield;
        let state = state_of(worker);
        let turn = &mut worker.turn;
        if turn.stall != number {
            *turn = Turn {
                stall: number,
                ..Turn::default()
            };
        }
        if turn.round != rounds {
            turn.round = rounds;
            turn.steps = 0;
            turn.spins = false;
        }
        turn.steps += 1;
        turn.spins |= spins;
        turn.see(state);
    }

    /// The candidate whose turn it is in this round; `None` when all had theirs.
    fn next_turn(&self) -> Option<WorkerId> {
        let (number, rounds) = (self.stall.number, self.stall.rounds);
        let waits_for_turn = |worker: &Worker| {
            let turn = &worker.turn;
            turn.stall != number || turn.round != rounds || turn.steps < TURN
        };
        // SAFETY: the engine's workers are live.
        let current = unsafe { &*self.current };
        if current.position.is_enabled() && waits_for_turn(current) {
            return Some(current.id);
        }
        // SAFETY: as above.
        let members = self
            .enabled
            .members()
            .iter()
            .map(|&worker| unsafe { &*worker });
        members
            .filter(|worker| !worker.is_early && waits_for_turn(worker))
            .map(|worker| worker.id)
            .min()
    }

    /// True if all candidates took part in this stretch, and this holds for each.
    fn everybody(&self, holds: impl Fn(&Turn) -> bool) -> bool {
        let number = self.stall.number;
        // SAFETY: the engine's workers are live.
        let mut turns = self
            .enabled
            .members()
            .iter()
            .map(|&worker| unsafe { &*worker })
            .filter(|worker| !worker.is_early)
            .map(|worker| &worker.turn);
        turns.all(|turn| turn.stall == number && holds(turn))
    }
}

/// A hash of all that a suspended worker's next steps can depend on, apart from memory that others see.
///
/// Its context lies at the callee-saved registers, which lie on top of its stack, see [`super::fiber`].
fn state_of(worker: &Worker) -> u64 {
    let words = (worker.stack.base as usize - worker.context as usize) / size_of::<u64>();
    #[expect(
        clippy::cast_ptr_alignment,
        reason = "a saved stack pointer is aligned"
    )]
    // SAFETY: from its context to its base the stack of a suspended worker is its own and mapped.
    let stack = unsafe { std::slice::from_raw_parts(worker.context.cast::<u64>(), words) };
    hash_of(stack)
}

/// A hash of some words.
pub(super) fn hash_of(words: &[u64]) -> u64 {
    // FNV-1a over words: a collision would need 2^32 states, and would still need all workers at once.
    words.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &word| {
        (hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(23)
    })
}

#[cfg(test)]
mod tests {
    use super::Turn;

    #[test]
    fn repetition_is_seen_after_a_few_rounds_of_it() {
        for period in 1..50 {
            let mut turn = Turn::default();
            let states = (0..20).chain((0..4 * period + 64).map(|step| 100 + step % period));
            states.for_each(|state| turn.see(state + 1));
            assert!(turn.repeats, "period {period}");
        }
    }

    #[test]
    fn what_counts_never_repeats() {
        let mut turn = Turn::default();
        (1..10_000).for_each(|state| turn.see(state));
        assert!(!turn.repeats);
    }
}
