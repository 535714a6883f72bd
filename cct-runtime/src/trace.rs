//! Schedules and traces: what an execution was, compact enough to keep and full enough to check.
//!
//! A [`Schedule`] is what the engine needs to repeat an execution; a [`Trace`] adds what happened at
//! each step, so that a replay can be checked and a person can read it.

use crate::codec::{wire_enum, wire_struct};
use crate::operation::Operation;

/// The choices of one iteration: enough to repeat it in the same binary.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Schedule {
    /// The iteration's own seed: hash seeds and `getrandom` follow from it.
    pub seed: u64,
    /// How many yields of a worker force a switch in this iteration.
    pub yield_budget: u32,
    /// The step bound of this iteration.
    pub max_steps: u32,
    /// How many steps detached workers may run on after the body returned.
    pub detached_steps: u32,
    /// The controlled wall clock at the iteration's start, in nanoseconds since the Unix epoch.
    pub wall_clock: u64,
    /// The step from which on the schedule is fair, so that waiting for ever is somebody's fault.
    pub fair_from: u32,
    /// How many fair steps something may be overdue, see [`crate::config::Settings::temperature`].
    #[cfg_attr(feature = "serde", serde(default = "never"))]
    pub temperature: u32,
    /// Calls into crates that are not of the workspace are one step each.
    #[cfg_attr(feature = "serde", serde(default))]
    pub coarse: bool,
    /// How many time-outs may come although others can run.
    #[cfg_attr(feature = "serde", serde(default))]
    pub early: u32,
    /// How far away such a time-out may be, in nanoseconds.
    #[cfg_attr(feature = "serde", serde(default))]
    pub leap: u64,
    /// Of how many in a hundred loads that may read an older store of an atomic do so; 0 where memory is
    /// sequentially consistent.
    #[cfg_attr(feature = "serde", serde(default))]
    pub staleness: u32,
    /// The pieces of stacks to which other threads come: there, threads' accesses to their own stacks are
    /// looked at for races as well. A bit for each 256 bytes, modulo 16 KB.
    #[cfg_attr(feature = "serde", serde(default))]
    pub shared_stacks: u64,
    /// If it ends with a race: the address of the memory, to which a record tells the calls of all accesses;
    /// [`Schedule::ANYWHERE`] where the address may have changed. Else 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub race_at: u64,
    /// The member of the portfolio that made the schedule, for people.
    pub strategy: String,
    /// The workers in the order they ran.
    pub runs: Vec<Run>,
    /// The values chosen, in order: which waiter was woken, `choose_index`, ….
    pub choices: Vec<u32>,
}

impl Schedule {
    /// The [`staleness`](Schedule::staleness) with which the strategy itself chooses among all stores that a
    /// load may read.
    pub const ALL_STORES: u32 = 100;
    /// The [`race_at`](Schedule::race_at) of all addresses.
    pub const ANYWHERE: u64 = u64::MAX;
}

/// In records from before there were temperatures.
#[cfg(feature = "serde")]
fn never() -> u32 {
    u32::MAX
}

/// One worker running for some steps without another in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "(u32, u32)", into = "(u32, u32)"))]
pub struct Run {
    /// The worker.
    pub worker: u32,
    /// The number of its steps; zero when it stopped before its next scheduling point.
    pub steps: u32,
}

impl From<(u32, u32)> for Run {
    fn from((worker, steps): (u32, u32)) -> Self {
        Run { worker, steps }
    }
}

impl From<Run> for (u32, u32) {
    fn from(run: Run) -> Self {
        (run.worker, run.steps)
    }
}

/// A recorded execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trace {
    /// The choices.
    pub schedule: Schedule,
    /// The workers by number.
    pub workers: Vec<WorkerInfo>,
    /// The objects by number, in the order of first use.
    pub objects: Vec<ObjectInfo>,
    /// The source sites that steps refer to.
    pub sites: Vec<Site>,
    /// The texts that steps refer to.
    #[cfg_attr(feature = "serde", serde(default))]
    pub labels: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The calls that led to steps, as the process tells them: places in its executable, the innermost first.
    /// Gone when their lines have been looked up.
    #[cfg_attr(feature = "serde", serde(default, skip))]
    pub stacks: Vec<Vec<u64>>,
    /// The calls that led to each panic, in order, and then those that each worker is in at the end.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub backtraces: Vec<Backtrace>,
    /// The awaits that each task is in which nobody polls at the end.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub awaits: Vec<Awaits>,
    /// The block of memory whose misuse is the bug, if it is known.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub misused: Option<Block>,
    /// The texts that workers printed, in order: the last of them, if there are very many.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub prints: Vec<Print>,
    /// The log of actors.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Log::is_empty")
    )]
    pub log: Box<Log>,
    /// For each value chosen, the step in which it was, by index. Records from before there was this have
    /// none.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub choices_at: Vec<u32>,
    /// The calls that led to steps, when their lines have been looked up: indices into the sites, the
    /// innermost first, without those in std.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub paths: Vec<Vec<u32>>,
}

/// The actors of a recorded execution, and what they did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Log {
    /// The actors, in order of creation.
    pub actors: Vec<ActorInfo>,
    /// Their doings, in order.
    pub doings: Vec<Doing>,
}

impl Log {
    /// True if there are no actors.
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty()
    }
}

/// An actor of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ActorInfo {
    /// Its name, or its type's with its number.
    pub name: String,
    /// Its type, with modules and arguments.
    pub path: String,
}

/// Something that an actor did, or that became of an event of its.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Doing {
    /// The worker.
    pub worker: u32,
    /// How many of the trace's steps, and notes, were there before.
    pub after: u32,
    /// The actor, an index into the log's actors; of an event that is sent, whoever gets it.
    pub actor: u32,
    /// The kind.
    pub did: Did,
    /// The state's name, as the other texts an index into the trace's labels.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub state: Option<u32>,
    /// The event's name; for transitions also `entry` and `exit`.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub event: Option<u32>,
    /// The state that comes next.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub to: Option<u32>,
    /// The event as its `Debug` has it, up to a length.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub payload: Option<u32>,
    /// For an event that is taken out of the inbox: the how manieth it was to come in, from 0.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub number: Option<u64>,
}

/// The kinds of doings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Did {
    /// It was created.
    Created,
    /// It was sent an event, which is in its inbox.
    Sent,
    /// It took an event out of its inbox, to handle it or since a handler waits for it.
    Dequeued,
    /// A handler returned an event.
    Raised,
    /// It calls the handler of an event.
    Handled,
    /// An event is left in the inbox.
    Deferred,
    /// An event is dropped by a rule.
    Ignored,
    /// A handler that waited for an event has it.
    Received,
    /// It has ended, and an event is dropped for that.
    Dropped,
    /// No state has a rule for an event.
    Unhandled,
    /// It has entered a state.
    Entered,
    /// A state takes the place of the one on top.
    Goto,
    /// A state comes on top.
    Push,
    /// The state on top is left.
    Pop,
    /// It ends since a handler says so.
    Halt,
    /// It has ended.
    Halted,
}

/// A text that a worker printed, by std's streams or macros.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Print {
    /// The worker.
    pub worker: u32,
    /// How many of the trace's steps, and notes, were there before.
    pub after: u32,
    /// It went to standard error.
    pub is_error: bool,
    /// The text: a line, or a part of one that was printed between two steps.
    pub text: String,
    /// It is the end of its line.
    pub ends_line: bool,
}

/// The life of a block of memory, in steps by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Block {
    /// The step in which it was allocated; none if that was before the first.
    pub allocated: Option<u32>,
    /// The step in which it was freed.
    pub freed: Option<u32>,
}

/// The calls that a worker is in: when it panics, or at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Backtrace {
    /// The worker.
    pub worker: u32,
    /// The note of the panic, an index into the trace's steps; none for the end.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub panic: Option<u32>,
    /// The calls as the process tells them, an index into the trace's stacks.
    #[cfg_attr(feature = "serde", serde(default, skip))]
    pub stack: u32,
    /// The calls, the innermost first, when they have been looked up.
    pub calls: Vec<Call>,
}

/// A call that somebody is in; one that is inlined counts as any other.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Call {
    /// The function's path.
    pub function: String,
    /// The line that it is at, if that is known.
    pub site: Option<Site>,
}

/// The awaits that a task is in.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Awaits {
    /// The task.
    pub worker: u32,
    /// The awaits, each after those that it is around.
    pub points: Vec<AwaitPoint>,
}

/// An await whose future is not ready.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AwaitPoint {
    /// How many awaits are around it: several branches may have the same ones.
    pub depth: u32,
    /// Where it is.
    pub site: Site,
    /// The name of the async body that it is in, as the compiler has it.
    pub body: String,
}

/// A worker of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorkerInfo {
    /// The thread's name, if it has one; `main` for the test's body.
    pub name: Option<String>,
    /// Where it was spawned; none for the test's body.
    pub spawned_at: Option<Site>,
    /// Its kind.
    #[cfg_attr(feature = "serde", serde(default))]
    pub kind: WorkerKind,
    /// The step that made it, by index, if that was a step of its own.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub made_by: Option<u32>,
}

/// The kinds of workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum WorkerKind {
    /// A thread; in records from before there were others, everything.
    #[default]
    Thread,
    /// A future that was spawned.
    Task,
    /// The future that this thread drives until it is ready: that of a `block_on`.
    Root(u32),
    /// The engine's own, for waking tasks that were held back: no part of the program.
    WakeUp,
}

/// An object of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectInfo {
    /// Its address, for the debugger.
    pub address: u64,
    /// The path of the static it lives in, if it does.
    pub static_path: Option<String>,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Site {
    /// The file as rustc was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// One step of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// The worker.
    pub worker: u32,
    /// The operation's code, see [`crate::operation::Operation`].
    #[cfg_attr(feature = "serde", serde(with = "crate::operation::by_key"))]
    pub operation: u8,
    /// The object, if there is one.
    pub object: Option<u32>,
    /// The site, an index into the trace's sites.
    pub site: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// The value read, if any.
    pub read: Option<Value>,
    /// The value written, if any.
    pub written: Option<Value>,
    /// For a load that did not read the latest store of its atomic: what it read.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub older: Option<Older>,
    /// The ordering of an operation on an atomic, or of a fence.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub order: Option<MemoryOrder>,
    /// True when the strategy could have picked another worker here.
    #[cfg_attr(feature = "serde", serde(alias = "contested"))]
    pub choice_point: bool,
    /// True when another worker made the step before, and was enabled still: it could have made this one.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub preempts: bool,
    /// The program's own label of it, an index into the trace's labels.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub label: Option<u32>,
    /// The thread that polled the worker, if that is a task.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub thread: Option<u32>,
    /// For a time-out that was early: the workers that could have run instead.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub ahead_of: Vec<u32>,
    /// True for what is no step of its own, but happened during the one before: nobody was asked.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub note: bool,
    /// True for a wait that a worker began as its step before ended: nobody was picked for it, and schedules
    /// do not count it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub unpicked: bool,
    /// The calls that led here, an index into the trace's stacks.
    #[cfg_attr(feature = "serde", serde(default, skip))]
    pub stack: Option<u32>,
    /// Where the user's code made the call that led here, an index into the trace's sites; none if the step
    /// itself is in the user's code.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub caller: Option<u32>,
    /// The lines of all calls that led here, an index into the trace's paths, when they have been looked up.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub path: Option<u32>,
}

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Outcome {
    /// The operation was carried out.
    Done,
    /// An operation that may fail did (`try_lock`, `compare_exchange`, …).
    Refused,
    /// The worker waits from here on.
    Waits,
    /// A wait ended because its time was over.
    TimedOut,
    /// The task, which was held back here, is woken; it goes on when its executor polls it.
    Woken,
}

/// True if a worker whose step this was lets others go on: to leave it then is no preemption.
pub fn lets_go(operation: Operation, outcome: Outcome) -> bool {
    let waits = matches!(outcome, Outcome::Waits | Outcome::Woken);
    waits || operation == Operation::End || operation.gives_way()
}

/// The orderings of atomic operations, as std has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MemoryOrder {
    /// It orders nothing.
    Relaxed,
    /// A load: what was before the store that it reads from is before it.
    Acquire,
    /// A store: what is before it is before what acquires it.
    Release,
    /// Both.
    AcqRel,
    /// Both, in one order with all others of these.
    SeqCst,
}

/// A value read from or written to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Value {
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number, sign-extended.
    Signed(u64),
    /// A truth value.
    Bool(bool),
    /// An address.
    Pointer(u64),
}

/// An older store of an atomic, which a load read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Older {
    /// The step that made it; none for the value before the first store.
    pub step: Option<u32>,
    /// The latest value.
    pub latest: Value,
}

impl Step {
    /// A step that was carried out, of which nothing else is known; the operation is given by its code.
    pub fn of(worker: u32, operation: u8, object: Option<u32>, site: u32) -> Step {
        Step {
            worker,
            operation,
            object,
            site,
            outcome: Outcome::Done,
            read: None,
            written: None,
            older: None,
            order: None,
            choice_point: false,
            preempts: false,
            label: None,
            thread: None,
            ahead_of: Vec::new(),
            note: false,
            unpicked: false,
            stack: None,
            caller: None,
            path: None,
        }
    }
}

impl Trace {
    /// The number of the step with this index, from 1; a note has that of the step during which it was
    /// made.
    pub fn number_of(&self, index: usize) -> usize {
        let until = self.steps.iter().take(index.saturating_add(1));
        until.filter(|step| !step.note).count()
    }

    /// The index of the step for which somebody was picked as the `count`-th, from 1, as the schedule counts;
    /// none if there is none, or if the steps are not the schedule's. Older records do not tell which steps
    /// are unpicked.
    pub fn picked(&self, count: u32) -> Option<usize> {
        let steps = self.steps.iter().enumerate();
        let mut picked = steps.filter(|(_, step)| !step.note && !step.unpicked);
        let runs = self.schedule.runs.iter();
        let counted: usize = runs.map(|run| run.steps as usize).sum();
        // Where the process ended, nobody has counted the last run.
        let is_open = self.schedule.runs.last().is_some_and(|run| run.steps == 0);
        let all = picked.clone().count();
        if all < counted || all > counted && !is_open {
            return None;
        }
        picked
            .nth((count as usize).checked_sub(1)?)
            .map(|(index, _)| index)
    }

    /// Puts a note among the steps, at this index.
    pub fn insert_note(&mut self, index: usize, note: Step) {
        self.steps.insert(index, Step { note: true, ..note });
        let later = |step: &mut u32| {
            if *step as usize >= index {
                *step += 1;
            }
        };
        let makers = self
            .workers
            .iter_mut()
            .filter_map(|info| info.made_by.as_mut());
        let panics = self
            .backtraces
            .iter_mut()
            .filter_map(|it| it.panic.as_mut());
        let misused = self.misused.iter_mut();
        let life = misused.flat_map(|block| [block.allocated.as_mut(), block.freed.as_mut()]);
        makers.chain(panics).chain(life.flatten()).for_each(later);
        self.choices_at.iter_mut().for_each(later);
        let prints = self.prints.iter_mut().map(|print| &mut print.after);
        let doings = self.log.doings.iter_mut().map(|doing| &mut doing.after);
        for after in prints.chain(doings) {
            // It counts those before.
            if *after as usize > index {
                *after += 1;
            }
        }
    }

    /// How many steps there were.
    pub fn len(&self) -> usize {
        self.number_of(self.steps.len())
    }

    /// True if there was no step.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Value::Unsigned(bits) => write!(f, "{bits}"),
            Value::Signed(bits) => write!(f, "{}", bits.cast_signed()),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Pointer(address) => write!(f, "{address:#x}"),
        }
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

wire_struct!(Schedule {
    seed,
    yield_budget,
    max_steps,
    detached_steps,
    wall_clock,
    fair_from,
    temperature,
    coarse,
    early,
    leap,
    staleness,
    shared_stacks,
    race_at,
    strategy,
    runs,
    choices
});
wire_struct!(Run { worker, steps });
wire_struct!(Trace {
    schedule,
    workers,
    objects,
    sites,
    labels,
    steps,
    stacks,
    backtraces,
    awaits,
    misused,
    prints,
    log,
    choices_at;
    paths
});
wire_struct!(Log { actors, doings });
wire_struct!(ActorInfo { name, path });
wire_struct!(Doing {
    worker,
    after,
    actor,
    did,
    state,
    event,
    to,
    payload,
    number
});
wire_enum!(Did {
    0 Created, 1 Sent, 2 Dequeued, 3 Raised, 4 Handled, 5 Deferred, 6 Ignored, 7 Received, 8 Dropped,
    9 Unhandled, 10 Entered, 11 Goto, 12 Push, 13 Pop, 14 Halt, 15 Halted,
});
wire_struct!(Print {
    worker,
    after,
    is_error,
    text,
    ends_line
});
wire_struct!(Backtrace {
    worker,
    panic,
    stack,
    calls
});
wire_struct!(Call { function, site });
wire_struct!(Awaits { worker, points });
wire_struct!(AwaitPoint { depth, site, body });
wire_struct!(Block { allocated, freed });
wire_struct!(WorkerInfo {
    name,
    spawned_at,
    kind,
    made_by
});
wire_enum!(WorkerKind { 0 Thread, 1 Task, 2 Root(thread), 3 WakeUp });
wire_struct!(ObjectInfo {
    address,
    static_path
});
wire_struct!(Site { file, line, column });
wire_struct!(Step {
    worker,
    operation,
    object,
    site,
    outcome,
    read,
    written,
    older,
    order,
    choice_point,
    preempts,
    label,
    thread,
    ahead_of,
    note,
    unpicked,
    stack,
    caller;
    path
});
wire_struct!(Older { step, latest });
wire_enum!(MemoryOrder { 0 Relaxed, 1 Acquire, 2 Release, 3 AcqRel, 4 SeqCst });
wire_enum!(Outcome { 0 Done, 1 Refused, 2 Waits, 3 TimedOut, 4 Woken });
wire_enum!(Value { 0 Unsigned(bits), 1 Signed(bits), 2 Bool(value), 3 Pointer(address) });

macro_rules! values {
    ($($number:ty => $variant:ident,)*) => { $(
        impl From<$number> for Value {
            fn from(value: $number) -> Self {
                #[allow(clippy::cast_sign_loss, clippy::cast_lossless, reason = "the bits are meant")]
                Value::$variant(value as u64)
            }
        }
    )* };
}
values! {
    u8 => Unsigned, u16 => Unsigned, u32 => Unsigned, u64 => Unsigned, usize => Unsigned,
    i8 => Signed, i16 => Signed, i32 => Signed, i64 => Signed, isize => Signed,
}

impl From<std::sync::atomic::Ordering> for MemoryOrder {
    fn from(order: std::sync::atomic::Ordering) -> Self {
        use std::sync::atomic::Ordering;
        match order {
            Ordering::Relaxed => MemoryOrder::Relaxed,
            Ordering::Acquire => MemoryOrder::Acquire,
            Ordering::Release => MemoryOrder::Release,
            Ordering::AcqRel => MemoryOrder::AcqRel,
            // There is no other.
            _ => MemoryOrder::SeqCst,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl<T> From<*mut T> for Value {
    fn from(value: *mut T) -> Self {
        Value::Pointer(value as u64)
    }
}

impl From<&std::panic::Location<'_>> for Site {
    fn from(location: &std::panic::Location<'_>) -> Self {
        Site {
            file: location.file().to_owned(),
            line: location.line(),
            column: location.column(),
        }
    }
}
