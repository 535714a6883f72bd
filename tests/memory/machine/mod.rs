//! All executions of a program by brute force, one operation at a time: outcomes, races, and whether there is
//! one in which all wait. Orderings are those that std's documentation and, of counts, its source has.

mod accesses;
mod meetings;
mod references;

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::memory::order::{Atomic, Known, View};
use crate::memory::program::{Gift, Op, Part, Place, Program};

/// All that a program may come to.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// The outcomes of executions without a race.
    pub(crate) passed: BTreeSet<String>,
    /// The operations of the first races, the smaller number first.
    pub(crate) races: BTreeSet<(usize, usize)>,
    /// The same of races after the first.
    pub(crate) later_races: BTreeSet<(usize, usize)>,
}

/// Which programs are of no use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    RaceFree,
    Any,
}

/// All outcomes; none if there are more states than that, an execution in which all wait, or something else
/// that is not wanted.
pub(crate) fn outcomes(program: &Program, want: Want, most: usize) -> Option<Outcomes> {
    let mut found = Outcomes::default();
    let code = Code::of(program);
    let mut begin = State::new(&code);
    begin.settle(&code, 0);
    let mut known = HashSet::from([name(&begin)]);
    let mut open = vec![begin];
    while let Some(state) = open.pop() {
        let mut can_go = false;
        let threads = 0..state.threads.len();
        let ways = threads.flat_map(|thread| {
            (0..state.choices(&code, thread)).map(move |choice| (thread, choice))
        });
        for (thread, choice) in ways {
            let Some(mut next) = state.after(&code, thread, choice) else {
                continue;
            };
            can_go = true;
            let races = std::mem::take(&mut next.races);
            if !races.is_empty() && want == Want::RaceFree {
                return None;
            }
            if state.has_raced {
                found.later_races.extend(races);
            } else {
                next.has_raced = !races.is_empty();
                found.races.extend(races);
            }
            if known.insert(name(&next)) {
                open.push(next);
            }
        }
        if !can_go {
            if state.threads[0].phase != Phase::Over {
                return None;
            }
            if !state.has_raced {
                found.passed.insert(state.outcome());
            }
        }
        if known.len() > most {
            return None;
        }
    }
    Some(found)
}

/// The same for equal states, and hardly for others.
fn name(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// A program with its operations by number.
struct Code<'a> {
    program: &'a Program,
    ops: Vec<&'a Op>,
    /// Whether an atomic is accessed as memory, too.
    is_mixed: bool,
}

impl Code<'_> {
    fn of(program: &Program) -> Code<'_> {
        fn add<'a>(ops: &'a [Op], all: &mut Vec<&'a Op>) {
            for op in ops {
                all.push(op);
                add(op.inner(), all);
            }
        }
        let mut ops = Vec::new();
        for part in program.parts() {
            add(part, &mut ops);
        }
        let is_plain = |op: &Op| {
            matches!(
                op,
                Op::Read(Place::Atomic(_), _) | Op::Write(Place::Atomic(_), ..)
            )
        };
        Code {
            program,
            ops,
            is_mixed: program.has(&is_plain),
        }
    }
}

/// The steps of operations of which the first has this number, the last step first.
fn steps(ops: &[Op], first: usize, step: fn(usize) -> Step) -> Vec<Step> {
    let mut number = first;
    let mut steps = Vec::new();
    for op in ops {
        steps.push(step(number));
        number += crate::memory::program::count(std::slice::from_ref(op));
    }
    steps.reverse();
    steps
}

/// A step of a thread, which nobody can interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Op(usize),
    /// An operation of the destructor.
    Destructor(usize),
    /// The destructor begins.
    Destroy,
    /// A `Weak` is given up, or the one that all references have together.
    GiveUpWeak,
    /// The second part of `get_mut`, and the third.
    LookWhetherOnly,
    EndLook(bool),
    WriteOwn,
    GiftOfStrong,
    GiftOfWeak,
    Start(usize, Gift),
    /// A thread gives up all that it has, and ends.
    EndGuards,
    EndStrong,
    EndWeak,
    EndSender,
    JoinEnd(usize),
    /// The messages that are left in the channel go.
    EndMessages,
    Exit,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Unborn,
    Live,
    Over,
    Joined,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    phase: Phase,
    /// The last comes first.
    todo: Vec<Step>,
    /// The operation that it is about.
    op: usize,
    view: View,
    log: Vec<u64>,
    last: u64,
    strong: usize,
    weak: usize,
    has_sender: bool,
    has_token: bool,
    token: Known,
    waits_to_write: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Message {
    value: u64,
    has_reference: bool,
    known: Known,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    cells: [u64; 2],
    own: u64,
    /// Their stores; only the last where memory is not weak.
    atomics: [Vec<Atomic>; 2],
    /// The number of the store, counted back from the last, that the next load reads.
    choice: usize,
    strong: Atomic,
    weak: Atomic,
    holder: Option<usize>,
    guarded: u64,
    unlocked: Known,
    writer: Option<usize>,
    readers: Vec<usize>,
    by_writers: Known,
    by_readers: Known,
    is_set: bool,
    set: Known,
    messages: VecDeque<Message>,
    /// All that was before the last receive, and before senders that are gone.
    received: Known,
    gone: Known,
    /// The races of the last step.
    races: Vec<(usize, usize)>,
    /// From here on it only matters whether all come to wait.
    has_raced: bool,
    /// The value has been taken out of the `Arc`.
    is_taken_out: bool,
}

/// The value of the weak count while `get_mut` looks at the strong one.
const LOCKED: u64 = u64::MAX;

/// The first half of eight bytes.
const LOW: u64 = 0xffff_ffff;

// Seen in the place of values, as in the fixture.
const WITH_REFERENCE: u64 = 20;
const DONE: u64 = 90;
const NOT_DONE: u64 = 91;
const EMPTY: u64 = 92;
const GONE: u64 = 93;
const DROPPED: u64 = 100;

impl State {
    fn new(code: &Code<'_>) -> State {
        let count = code.program.threads.len();
        let threads = code
            .program
            .threads
            .iter()
            .enumerate()
            .map(|(number, ops)| {
                let mut todo = vec![Step::Exit];
                if number == 0 {
                    todo.push(Step::EndMessages);
                    todo.extend((1..count).rev().map(Step::JoinEnd));
                }
                let ends = [
                    Step::EndSender,
                    Step::EndWeak,
                    Step::EndStrong,
                    Step::EndGuards,
                ];
                todo.extend(ends);
                todo.extend(steps(ops, code.program.first_of(number), Step::Op));
                Thread {
                    phase: if number == 0 {
                        Phase::Live
                    } else {
                        Phase::Unborn
                    },
                    todo,
                    op: 0,
                    view: View::default(),
                    log: Vec::new(),
                    last: 0,
                    strong: usize::from(number == 0),
                    weak: 0,
                    has_sender: number == 0 && code.program.has_channel(),
                    has_token: false,
                    token: Known::default(),
                    waits_to_write: false,
                }
            });
        let one = Atomic::of(1);
        State {
            threads: threads.collect(),
            cells: [0; 2],
            own: 0,
            atomics: [(); 2].map(|()| vec![Atomic::default()]),
            choice: 0,
            strong: one,
            weak: one,
            holder: None,
            guarded: 0,
            unlocked: Known::default(),
            writer: None,
            readers: Vec::new(),
            by_writers: Known::default(),
            by_readers: Known::default(),
            is_set: false,
            set: Known::default(),
            messages: VecDeque::new(),
            received: Known::default(),
            gone: Known::default(),
            races: Vec::new(),
            has_raced: false,
            is_taken_out: false,
        }
    }

    /// In the fixture's words.
    fn outcome(&self) -> String {
        let mut outcome = String::new();
        for thread in &self.threads {
            let log: Vec<String> = thread.log.iter().map(u64::to_string).collect();
            let _ = write!(outcome, "{};", log.join(","));
        }
        let atomics = [0, 1].map(|atomic| self.latest(atomic).value);
        format!("{outcome}{:?}{atomics:?}", self.cells)
    }

    /// The state after the thread's next step, up to one that concerns others; none if it must wait.
    fn after(&self, code: &Code<'_>, number: usize, choice: usize) -> Option<State> {
        if self.threads[number].phase != Phase::Live {
            return None;
        }
        let mut next = self.clone();
        next.choice = choice;
        if !next.go(code, number) {
            return None;
        }
        next.choice = 0;
        for thread in 0..self.threads.len() {
            // It may have been started.
            if thread == number || self.threads[thread].phase == Phase::Unborn {
                next.settle(code, thread);
            }
        }
        Some(next)
    }

    fn settle(&mut self, code: &Code<'_>, number: usize) {
        while self.threads[number].phase == Phase::Live && self.is_alone(code, number) {
            self.go(code, number);
        }
    }

    /// True if the thread's next step neither concerns others nor depends on them.
    fn is_alone(&self, code: &Code<'_>, number: usize) -> bool {
        let thread = &self.threads[number];
        match thread.todo.last() {
            Some(Step::Op(op)) => matches!(code.ops[*op], Op::If(..) | Op::Fence(_)),
            Some(Step::Destroy | Step::Exit) => true,
            Some(Step::EndGuards) => {
                let locks = [self.holder, self.writer];
                !locks.contains(&Some(number)) && !self.readers.contains(&number)
            }
            Some(Step::EndStrong) => thread.strong == 0,
            Some(Step::EndWeak) => thread.weak == 0,
            Some(Step::EndSender) => !thread.has_sender,
            _ => false,
        }
    }

    /// Makes the thread's next step; false if it has none, or must wait.
    fn go(&mut self, code: &Code<'_>, number: usize) -> bool {
        let Some(step) = self.threads[number].todo.pop() else {
            return false;
        };
        match step {
            Step::Op(op) => {
                self.threads[number].op = op;
                return self.carry_out(code, number, op);
            }
            Step::Destructor(op) => {
                let (last, outer) = (self.threads[number].last, self.threads[number].op);
                self.threads[number].op = op;
                if !self.carry_out(code, number, op) {
                    return false;
                }
                self.threads[number].last = last;
                self.threads[number].op = outer;
            }
            Step::Destroy => {
                self.see(number, DROPPED);
                let first = code.program.first_of(self.threads.len());
                let steps = steps(&code.program.destructor, first, Step::Destructor);
                self.threads[number].todo.extend(steps);
            }
            Step::GiveUpWeak => self.give_up_weak(number),
            Step::LookWhetherOnly => {
                self.threads[number].view.load(&self.strong, Acquire);
                let is_only = self.strong.value == 1;
                self.threads[number].todo.push(Step::EndLook(is_only));
            }
            Step::EndLook(is_only) => {
                self.threads[number].view.store(&mut self.weak, 1, Release);
                self.see_and_keep(number, if is_only { DONE } else { NOT_DONE });
                if is_only {
                    self.threads[number].todo.push(Step::WriteOwn);
                }
            }
            Step::WriteOwn => {
                if let Op::GetMut(value) = *code.ops[self.threads[number].op] {
                    self.plain(number, Place::Own, Part::Whole, true);
                    self.own = value;
                }
            }
            Step::GiftOfStrong => self.clone_strong(number),
            Step::GiftOfWeak => self.clone_weak(number),
            Step::Start(other, gift) => {
                let [strong, weak] = [gift.strong, gift.weak].map(usize::from);
                self.threads[number].strong -= strong;
                self.threads[number].weak -= weak;
                let known = self.threads[number].view.known;
                let sends = self.threads[number].has_sender && code.program.sends(other);
                let child = &mut self.threads[other];
                child.phase = Phase::Live;
                child.view.known = known;
                (child.strong, child.weak, child.has_sender) = (strong, weak, sends);
            }
            Step::EndGuards => {
                self.unlock(number);
                self.unlock_rw(number);
            }
            Step::EndStrong => {
                if self.threads[number].strong > 0 {
                    self.threads[number].todo.push(Step::EndStrong);
                    self.drop_strong(number);
                }
            }
            Step::EndWeak => {
                if self.threads[number].weak > 0 {
                    self.threads[number].todo.push(Step::EndWeak);
                    self.drop_weak(number);
                }
            }
            Step::EndSender => self.drop_sender(number),
            Step::JoinEnd(other) => return self.join(number, other),
            Step::EndMessages => {
                if let Some(message) = self.messages.pop_front() {
                    let thread = &mut self.threads[number];
                    thread.todo.push(Step::EndMessages);
                    thread.view.known.join(message.known);
                    if message.has_reference {
                        thread.strong += 1;
                        self.drop_strong(number);
                    }
                }
            }
            Step::Exit => self.threads[number].phase = Phase::Over,
        }
        true
    }

    /// Carries out an operation; false if the thread must wait, and then nothing is of any account.
    fn carry_out(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::If(value, ref ops) if self.threads[number].last == value => {
                let steps = steps(ops, op + 1, Step::Op);
                self.threads[number].todo.extend(steps);
                true
            }
            Op::Fence(order) => {
                self.threads[number].view.fence(order);
                true
            }
            Op::Read(..)
            | Op::Write(..)
            | Op::Load(..)
            | Op::Store(..)
            | Op::Add(..)
            | Op::Swap(..)
            | Op::Exchange(..) => self.access_memory(code, number, op),
            Op::Lock | Op::TryLock | Op::Unlock => self.mutex(code, number, op),
            Op::ReadLock | Op::WriteLock | Op::RwUnlock => self.rwlock(code, number, op),
            Op::Send(..) | Op::Recv | Op::TryRecv | Op::DropSender => {
                self.channel(code, number, op)
            }
            Op::Park | Op::Unpark(_) | Op::Init(..) | Op::Get | Op::Spawn(..) | Op::Join(_) => {
                self.meet(code, number, op)
            }
            _ => self.count(code, number, op),
        }
    }

    /// Logs something.
    fn see(&mut self, number: usize, value: u64) {
        self.threads[number].log.push(value);
    }

    /// The same, and it is the last that the thread has seen.
    fn see_and_keep(&mut self, number: usize, value: u64) {
        self.see(number, value);
        self.threads[number].last = value;
    }

    /// The same of eight bytes, of which each half may be another's.
    fn see_value(&mut self, number: usize, value: u64) {
        self.see(number, (value & LOW) + 8 * (value >> 32));
        self.threads[number].last = value;
    }
}
