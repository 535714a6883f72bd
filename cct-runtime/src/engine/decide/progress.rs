//! Stretches in which no worker changes anything: fair rounds, then time, then a verdict.
//!
//! While nothing is written the engine itself gives each candidate turns. If each of them comes back to
//! the very state it was in (same place, same registers, same stack), with nothing written in between,
//! they will do so until time passes: virtual time moves to the next deadline. If there is none, they will
//! do so for ever: a livelock, proved and not guessed. Threads that are not under control, and handlers of
//! signals, could write as well: they have time for that first.
//!
//! A worker that spins and counts its rounds is never in the same state twice: it may be about to give up
//! spinning. It may count anywhere, so the memory that all share is looked at as well, and how far files are
//! read. If it stays as it is, round by round, each worker has to come back to a state of these rounds for
//! itself: none heeds another that writes nothing but its own stack. Otherwise, and if others write there,
//! all together have to come back to what was before.
//! Where memory cannot be looked at nothing is proved. Counts of references are compared too: clones that
//! are dropped again write nothing.
//!
//! Time is moved for such workers only after very many rounds, and what they do then is up to the step
//! bound. One that does what no look shows, as to write a file, is at work, unless it yields.

use std::ops::Range;

use super::engine::{Engine, Request};
use super::next::Deciding;
use super::suspended::{hash_of, hash_of_state};
use super::{children, outside};
use crate::engine::state::budget::STALLED;
use crate::engine::state::iteration::End;
use crate::engine::state::turn::{LATELY, Turn};
use crate::engine::state::worker::Worker;
use crate::engine::switch::on_stack;
use crate::memory::mappings;
use crate::operation::Effect;
use crate::strategy::{Pick, WorkerId};
use crate::verdict::BugKind;

/// The value of `idle` after a look: more than ever counted, so that a stretch is known as one from before.
const LOOKED_AT: u32 = 1 << 31;
/// How many steps one turn has.
const TURN: u32 = 16;
/// How many rounds of spinning, states repeated or not, there are before time moves.
const ROUNDS: u32 = 64;
/// Memory is looked at when so many of these rounds are over.
const FIRST_LOOK: u32 = ROUNDS / 2;
/// So many of its words are worth a round: with more of them looks are rarer.
const WORDS: u32 = 1 << 16;
/// With so many looks before it each is compared.
const LOOKS: usize = 4096;
/// How much time moves first when nobody has a deadline: there may be one that only a clock knows.
const FIRST_LEAP: u64 = 1_000_000;
/// Leaps double up to this one, an hour: who only reads clocks sees some weeks pass, and no more.
const LONGEST_LEAP: u64 = 3_600_000_000_000;

/// The current stretch without progress.
#[derive(Debug, Default)]
pub(crate) struct Stall {
    /// Moves with every stretch, so that the turns of an older one do not count.
    number: u32,
    rounds: u32,
    /// How much time moves next, in nanoseconds.
    leap: u64,
    /// All outside who may change something have had time for that.
    is_heard_out: bool,
    looks: Vec<Look>,
    /// The round of the next look, at the earliest.
    next_look: u32,
    /// Nothing that was looked at will ever be new.
    is_circle: bool,
    /// Since the last look a worker has found its stack changed by another one.
    is_lent: bool,
    /// How often something has changed that no look shows.
    changes: u32,
    /// How many of these the steps so far have made.
    seen_changes: u32,
}

/// Everything on which the next turns depend, at the end of a round, as hashes.
#[derive(PartialEq, Eq, Debug)]
struct Look {
    memory: u64,
    /// No candidate's stack has changed since its last step.
    is_each_alone: bool,
    /// Of each candidate.
    states: Vec<u64>,
}

impl Stall {
    /// The workers do not know yet what those outside have changed.
    fn begin_again(&mut self) {
        *self = Stall {
            number: self.number + 1,
            leap: self.leap,
            is_heard_out: true,
            ..Stall::default()
        };
    }

    /// Something has changed that no look shows: the looks before it say nothing of the time after it.
    pub(crate) fn forget(&mut self) {
        self.looks.clear();
        self.is_circle = false;
        self.changes += 1;
    }

    fn look(&mut self, all: Look) {
        let before = self.looks.iter().rev();
        let since_change =
            before.take_while(|look| look.memory == all.memory && look.is_each_alone);
        let was_before = |(candidate, state)| {
            let mut before = since_change.clone();
            before.any(|look| look.states.get(candidate) == Some(state))
        };
        let each_was_before = all.is_each_alone && all.states.iter().enumerate().all(was_before);
        let all_were_before = |look: &Look| look.memory == all.memory && look.states == all.states;
        self.is_circle |= each_was_before || self.looks.iter().any(all_were_before);
        if self.looks.len() == LOOKS {
            self.looks.remove(0);
        }
        self.looks.push(all);
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
    pub(crate) fn look_for_progress(&mut self, deciding: Deciding) -> Option<Option<Pick>> {
        if self.budget.idle < STALLED {
            return Some(None);
        }
        self.give_turns(deciding)
    }

    /// Nothing has been written for long: gives each candidate turns, and looks what becomes of them.
    #[cold]
    #[expect(clippy::option_option, reason = "as above")]
    fn give_turns(&mut self, deciding: Deciding) -> Option<Option<Pick>> {
        if self.budget.idle < LOOKED_AT {
            // A worker that changes something begins to count again.
            let number = self.progress.stall.number + 1;
            self.progress.stall = Stall {
                number,
                leap: FIRST_LEAP,
                ..Stall::default()
            };
        }
        self.budget.idle = LOOKED_AT;
        self.take_part(deciding);
        if let Some(next) = self.next_turn() {
            return Some(Some(self.turn_of(next)));
        }
        // Everybody had a turn.
        self.progress.stall.rounds += 1;
        let had_time = self.progress.stall.rounds >= LATELY;
        if had_time && !self.everybody(|turn| !turn.works()) {
            self.budget.idle = 0;
            return Some(None);
        }
        let changes = self.progress.stall.changes;
        let repeats = self.everybody(|turn| turn.repeats && turn.changes == changes);
        let mut spins = self.progress.stall.rounds >= ROUNDS && self.everybody(Turn::waits);
        if repeats || spins {
            if self.iteration.body_done {
                self.iteration.end = Some(self.end_of_test());
                return None;
            }
            if self.jump_to_next_deadline() {
                self.budget.idle = 0;
                return Some(None);
            }
        }
        if repeats {
            self.look_at_all();
        }
        if repeats && self.progress.stall.rounds >= ROUNDS {
            // A child may be what they look at; or one of them may count in memory.
            if !self.outside.children.had_any() && self.progress.stall.is_circle {
                if !self.progress.stall.is_heard_out && outside::hear_out(self) {
                    self.progress.stall.begin_again();
                    return Some(None);
                }
                let bug = self.describe_waits(
                    BugKind::Livelock,
                    "no worker will ever change anything: those that can run only read and yield",
                );
                self.iteration.end = Some(End::failed(bug));
                return None;
            }
            spins = true;
        }
        if spins {
            let had_child = self.outside.children.had_any();
            children::keep_pace(self, self.time.now.saturating_add(self.progress.stall.leap));
            if had_child && !self.outside.children.had_any() {
                // It has ended since it was looked at.
                self.budget.idle = 0;
                return Some(None);
            }
            self.time.pass(self.progress.stall.leap);
            self.progress.stall.leap = LONGEST_LEAP.min(self.progress.stall.leap * 2);
        }
        Some(self.next_turn().map(|next| self.turn_of(next)))
    }

    /// Looks at everything on which the next turns depend. Everybody had equally many.
    fn look_at_all(&mut self) {
        let rounds = self.progress.stall.rounds;
        let is_due = rounds >= FIRST_LOOK.max(self.progress.stall.next_look);
        if !is_due || self.has_unseen_memory() || !self.sees_mappings() {
            return;
        }
        // A worker that only waits may lend others what lies on its stack.
        let lends = |worker: &Worker| !worker.is_candidate();
        let mut look = None;
        let mut count = 0;
        // SAFETY: as in overtime.
        unsafe {
            on_stack(self.process.root, &mut || {
                let mut words = Vec::new();
                self.shared_words(true, lends, &mut words);
                self.file_positions(&mut words);
                count = words.len() as u32;
                let candidates = self.roster.iter().filter(|worker| worker.is_candidate());
                let mut is_each_alone = !std::mem::take(&mut self.progress.stall.is_lent);
                let states = candidates.map(|worker| {
                    let state = hash_of_state(worker)?;
                    is_each_alone &= worker.turn.own == Some(state);
                    Some(hash_of(&[u64::from(worker.id.0), state]))
                });
                look = states.collect::<Option<Vec<u64>>>().map(|states| Look {
                    memory: hash_of(&words),
                    is_each_alone,
                    states,
                });
            });
        }
        self.progress.stall.next_look = rounds + 1 + count / WORDS;
        if let Some(look) = look {
            self.progress.stall.look(look);
        }
    }

    /// True if all that the program has mapped is looked at: stacks that candidates are on, and nothing else.
    fn sees_mappings(&self) -> bool {
        if !mappings::are_any() {
            return true;
        }
        let mut others = self.roster.iter().filter(|worker| !worker.is_candidate());
        let holds_candidate = |mapping: &Range<usize>| {
            let mut candidates = self.roster.iter().filter(|worker| worker.is_candidate());
            candidates.any(|worker| mapping.contains(&worker.context.addr()))
        };
        others.all(Worker::is_on_own_stack) && mappings::are_all(holds_candidate)
    }

    /// Notes that the current worker made a step in this stretch.
    fn take_part(&mut self, _: Deciding) {
        let (number, rounds) = (self.progress.stall.number, self.progress.stall.rounds);
        let steps = self.steps();
        let changes = self.progress.stall.changes;
        // Nobody else has run since the last step.
        let is_own = self.progress.stall.seen_changes != changes;
        self.progress.stall.seen_changes = changes;
        // SAFETY: the current worker is live and suspended.
        let worker = unsafe { &mut *self.roster.current };
        if !worker.is_candidate() {
            return;
        }
        let spins = self.decision.request == Request::Yield;
        let yields = matches!(worker.operation.effect(), Effect::Yields);
        let own = hash_of_state(worker);
        // A state that cannot be told is none that has been before.
        let state = own.unwrap_or(hash_of(&[u64::from(steps)]));
        let state = state ^ self.granularity.counts.sum();
        let turn = &mut worker.turn;
        if turn.stretch != number {
            *turn = Turn::first_of(number);
        }
        if turn.round != rounds {
            turn.begin(rounds);
        }
        if turn.changes != changes {
            turn.change(changes, is_own);
        }
        turn.own = own;
        turn.steps += 1;
        turn.spins |= spins;
        if yields {
            turn.give_way();
        }
        turn.see(state);
    }

    /// The turn of this candidate. Another one may have written to its stack since it was there.
    fn turn_of(&mut self, next: WorkerId) -> Pick {
        // SAFETY: the engine's workers are live.
        let worker = unsafe { &*self.roster.worker(next) };
        let is_other = !std::ptr::eq(worker, self.roster.current);
        let has_been_there = is_other && worker.turn.stretch == self.progress.stall.number;
        self.progress.stall.is_lent |= has_been_there && hash_of_state(worker) != worker.turn.own;
        Pick {
            worker: next,
            quantum: 0,
        }
    }

    /// The candidate whose turn it is in this round; `None` when all had theirs.
    fn next_turn(&self) -> Option<WorkerId> {
        let (number, rounds) = (self.progress.stall.number, self.progress.stall.rounds);
        let waits_for_turn = |worker: &Worker| {
            let turn = &worker.turn;
            turn.stretch != number || turn.round != rounds || turn.steps < TURN
        };
        // SAFETY: the engine's workers are live.
        let current = unsafe { &*self.roster.current };
        if current.is_candidate() && waits_for_turn(current) {
            return Some(current.id);
        }
        self.roster
            .iter_candidates()
            .filter(|worker| !worker.is_early && waits_for_turn(worker))
            .map(|worker| worker.id)
            .min()
    }

    /// True if all candidates took part in this stretch, and this holds for each.
    fn everybody(&self, holds: impl Fn(&Turn) -> bool) -> bool {
        let number = self.progress.stall.number;
        let mut turns = self
            .roster
            .iter_candidates()
            .filter(|worker| !worker.is_early)
            .map(|worker| &worker.turn);
        turns.all(|turn| turn.stretch == number && holds(turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if a circle is seen by then, where candidates have these periods, memory the first one, and
    /// each writes to its own stack alone in one round of so many.
    fn is_circle(rounds: u64, periods: &[u64], (memory, alone): (u64, u64)) -> bool {
        let mut stall = Stall::default();
        for round in 0..rounds {
            stall.look(Look {
                memory: round % memory,
                is_each_alone: round % alone == 0,
                states: periods.iter().map(|period| round % period).collect(),
            });
        }
        stall.is_circle
    }

    #[test]
    fn each_alone_comes_back_where_memory_stays() {
        assert!(!is_circle(71, &[67, 71], (1, 1)));
        assert!(is_circle(72, &[67, 71], (1, 1)));
        assert!(!is_circle(1000, &[67, 71], (1, 2)));
    }

    #[test]
    fn all_come_back_together_where_memory_changes() {
        assert!(!is_circle(30, &[2, 3], (5, 1)));
        assert!(is_circle(31, &[2, 3], (5, 1)));
        assert!(is_circle(31, &[2, 3], (5, 2)));
        assert!(!is_circle(1000, &[2, 3], (1001, 1)), "memory counts");
        assert!(!is_circle(1000, &[2, 1001], (1, 1)), "a candidate counts");
    }
}
