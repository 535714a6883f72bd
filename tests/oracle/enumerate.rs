//! All executions of a program by brute force: how they come out, and how many there are that differ in more
//! than the order of steps that have nothing to do with each other.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::code::{Code, Instr, compile};
use crate::machine::Ready;
use crate::outcome::{End, Outcome, Seen};
use crate::program::Program;
use crate::state::{Deed, Phase, State, Thing, Way};

/// When a wait with a time-out ends by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Timeouts {
    /// When nobody can run.
    Late,
    /// At any moment, if no deadline is earlier; sleeps when nobody can run.
    Race,
}

/// A step that can be made: by this thread, in this way, or because its time is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Move {
    thread: usize,
    choice: usize,
    is_late: bool,
    /// Nobody can run: time comes for all who wait until then, and this is one of them.
    is_jump: bool,
}

/// All outcomes; none if there are more states than that.
pub(crate) fn outcomes(
    program: &Program,
    rule: Timeouts,
    most: usize,
) -> Option<BTreeSet<Outcome>> {
    let code = compile(program);
    let mut open = vec![State::new(program)];
    let mut known: HashSet<State> = open.iter().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some(state) = open.pop() {
        let moves = moves(&state, &code, rule);
        if moves.is_empty() {
            found.insert(outcome(&state, &code, program));
        }
        for step in moves {
            let mut next = state.clone();
            make(&mut next, &code, step);
            if known.insert(next.clone()) {
                open.push(next);
            }
        }
        if known.len() > most {
            return None;
        }
    }
    Some(found)
}

/// How many executions there are up to the order of independent steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Traces {
    Are(usize),
    /// There are more of them, or of their beginnings, than are counted.
    TooMany,
    /// Threads can come to wait for each other in a circle, which ends what others do.
    Circle,
}

/// Counts executions up to the order of independent steps.
pub(crate) fn traces(program: &Program, rule: Timeouts, most: usize) -> Traces {
    let code = compile(program);
    let begin = Traced {
        state: State::new(program),
        clocks: vec![vec![0; program.threads.len()]; program.threads.len()],
        things: BTreeMap::new(),
        name: 0,
    };
    let mut known = HashSet::from([0]);
    let mut open = vec![begin];
    let mut count = 0;
    while let Some(traced) = open.pop() {
        let moves = moves(&traced.state, &code, rule);
        count += usize::from(moves.is_empty());
        for step in moves {
            let mut next = traced.clone();
            next.make(&code, step);
            if circle(&next.state, &code, step.thread).is_some() {
                return Traces::Circle;
            }
            if known.insert(next.name) {
                open.push(next);
            }
        }
        if known.len() > most {
            return Traces::TooMany;
        }
    }
    Traces::Are(count)
}

/// A beginning of an execution as a partial order.
#[derive(Clone)]
struct Traced {
    state: State,
    /// By thread: how many steps of each come before its next one.
    clocks: Vec<Vec<u32>>,
    /// The same for what looks at a thing, joins there, or changes it: what came so far.
    things: BTreeMap<Thing, [Vec<u32>; 3]>,
    /// The same for two that have the same steps in the same partial order.
    name: u128,
}

impl Traced {
    fn make(&mut self, code: &[Code], step: Move) {
        let deed = make(&mut self.state, code, step);
        let mut clock = self.clocks[step.thread].clone();
        for (thing, way) in &deed.things {
            let Some(earlier) = self.things.get(thing) else {
                continue;
            };
            for other in [Way::Looks, Way::Joins, Way::Changes] {
                if *way != other || *way == Way::Changes {
                    join(&mut clock, &earlier[other as usize]);
                }
            }
        }
        clock[step.thread] += 1;
        for (thing, way) in &deed.things {
            let none = || [const { Vec::new() }; 3];
            let earlier = self.things.entry(*thing).or_insert_with(none);
            join(&mut earlier[*way as usize], &clock);
        }
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, step, &clock).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        self.name = self.name.wrapping_add(half(1) << 64 | half(2));
        for woken in deed.woken {
            join(&mut self.clocks[woken], &clock);
        }
        self.clocks[step.thread] = clock;
    }
}

fn join(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, &theirs) in clock.iter_mut().zip(other) {
        *mine = theirs.max(*mine);
    }
}

/// The steps that can be made; none at the end.
fn moves(state: &State, code: &[Code], rule: Timeouts) -> Vec<Move> {
    let body = &state.threads[0];
    let has_left = body.phase >= Phase::Left;
    if !state.circle.is_empty() || has_left && body.has_panicked {
        return Vec::new();
    }
    let mut moves = Vec::new();
    for thread in 0..state.threads.len() {
        if let Ready::Can(ways) = state.ready(code, thread) {
            moves.extend((0..ways).map(|choice| Move {
                thread,
                choice,
                is_late: false,
                is_jump: false,
            }));
        }
    }
    let waits = |&thread: &usize| state.ready(code, thread) == Ready::Waits;
    let waiting = || (0..state.threads.len()).filter(waits);
    let late = |is_jump| {
        move |thread| Move {
            thread,
            choice: 0,
            is_late: true,
            is_jump,
        }
    };
    let due = waiting().filter(|&thread| state.threads[thread].is_due);
    moves.extend(due.map(late(false)));
    // Time does not jump once the test is over, as it is with the body's last operation.
    if !has_left && !matches!(state.next(code, 0), Some(Instr::Leave)) {
        let deadline = |thread: usize| state.threads[thread].deadline;
        let waiting = || waiting().filter(|&thread| !state.threads[thread].is_due);
        let earliest = waiting().filter_map(deadline).min();
        let mut due: Vec<usize> = waiting()
            .filter(|&thread| earliest.is_some() && deadline(thread) == earliest)
            .collect();
        let sleeps = |&thread: &usize| matches!(state.next(code, thread), Some(Instr::Sleep(_)));
        let races = rule == Timeouts::Race && !due.iter().any(sleeps);
        if !races && !moves.is_empty() {
            return moves;
        }
        if !races {
            due.truncate(1);
        }
        moves.extend(due.into_iter().map(late(!races)));
    }
    moves
}

/// Makes a step, up to where its thread, and those that it woke, do something that concerns others.
fn make(state: &mut State, code: &[Code], step: Move) -> Deed {
    let mut deed = Deed::default();
    if step.is_jump {
        let deadline = state.threads[step.thread].deadline;
        state.now = state.now.max(deadline.unwrap_or(0));
        for thread in 0..state.threads.len() {
            state.threads[thread].is_due |= state.threads[thread].deadline == deadline
                && state.ready(code, thread) == Ready::Waits;
        }
        return deed;
    }
    if step.is_late {
        state.time_out(code, step.thread, &mut deed);
    } else {
        state.carry_out(code, step.thread, step.choice, &mut deed);
    }
    for &woken in &deed.woken {
        settle(state, code, woken);
    }
    settle(state, code, step.thread);
    close_circle(state, code, step.thread);
    deed
}

fn settle(state: &mut State, code: &[Code], thread: usize) {
    while state.ready(code, thread) == Ready::Alone {
        state.carry_out(code, thread, 0, &mut Deed::default());
    }
    if state.threads[thread].deadline.is_none() {
        let limit = state.limit(code, thread);
        state.threads[thread].deadline = limit.map(|limit| state.now + limit);
    }
}

/// A thread that has begun to wait may have closed a circle, which ends the execution if others go on.
fn close_circle(state: &mut State, code: &[Code], thread: usize) {
    let count = state.threads.len();
    let mut can_go = (0..count).map(|other| state.ready(code, other));
    if !can_go.any(|ready| matches!(ready, Ready::Can(_))) {
        return;
    }
    state.circle = circle(state, code, thread).unwrap_or_default();
}

/// Threads that wait for each other in a circle with this one.
fn circle(state: &State, code: &[Code], thread: usize) -> Option<Vec<usize>> {
    let mut circle = vec![thread];
    while let Some(holder) = state.holder(code, circle[circle.len() - 1]) {
        if holder == thread {
            circle.sort_unstable();
            return Some(circle);
        }
        if circle.contains(&holder) {
            break;
        }
        circle.push(holder);
    }
    None
}

fn outcome(state: &State, code: &[Code], program: &Program) -> Outcome {
    let body = &state.threads[0];
    if !state.circle.is_empty() {
        let seen = |&thread: &usize| (thread, state.threads[thread].log.clone());
        return Outcome::Cycle(state.circle.iter().map(seen).collect());
    }
    if body.phase >= Phase::Left && body.has_panicked {
        return Outcome::Panicked(body.log.clone());
    }
    let threads = state.threads.iter().map(|flow| Seen {
        end: match flow.phase {
            Phase::Unborn | Phase::Live => End::Open,
            _ if flow.has_panicked => End::Panicked,
            _ => End::Returned,
        },
        log: flow.log.clone(),
    });
    let threads = threads.collect();
    let atomics = state.atomics.to_vec();
    if body.phase >= Phase::Left {
        return Outcome::Passed { threads, atomics };
    }
    let waits = (0..state.threads.len()).filter_map(|thread| {
        // Tasks wait for their thread, which is named.
        if program.is_task(thread) {
            return None;
        }
        let instr = state.next(code, thread)?;
        Some((thread, name_of_wait(instr)))
    });
    Outcome::Deadlock {
        threads,
        atomics,
        waits: waits.collect(),
    }
}

/// How somebody who waits calls it.
fn name_of_wait(instr: Instr) -> &'static str {
    match instr {
        Instr::Lock(_) | Instr::Relock(_) | Instr::RelockWhile(..) | Instr::LockSlot(_) => "lock",
        Instr::Read(_) => "read",
        Instr::Write(_) => "write",
        Instr::WaitSleep(..) => "wait",
        Instr::Park(_) | Instr::PollLater(_) | Instr::TasksEnd(_) => "park",
        Instr::Send(..) | Instr::SendAwait(_) => "send",
        Instr::Recv(..) | Instr::RecvAwait(..) => "receive",
        Instr::OnceBegin(..) | Instr::OnceWait(_) => "once",
        Instr::BarrierSleep => "barrier",
        Instr::Join(_) => "join",
        Instr::ScopeEnd(_) => "scope",
        Instr::Sleep(_) => "sleep",
        _ => "?",
    }
}
