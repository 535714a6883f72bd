//! The recorder: what happened at each step, for the first schedule's check and for replays.
//!
//! Exploration runs without it. Nothing in here is fast, and nothing needs to be.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::Location;

use super::printed::Prints;
use crate::engine::state::worker::Worker;
use crate::frames::Frames;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::race::SlotId;
use crate::strategy::WorkerId;
use crate::trace::{
    AwaitPoint, Awaits, Backtrace, Block, MemoryOrder, ObjectInfo, Older, Outcome, Site, Step,
    Trace, Value, WorkerInfo, WorkerKind,
};

/// The record of an iteration.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(super) trace: Trace,
    objects: BTreeMap<ObjectId, u32>,
    sites: BTreeMap<Site, u32>,
    labels: BTreeMap<String, u32>,
    /// The calls that led to steps, if they are told.
    stacks: Option<BTreeMap<Vec<u64>, u32>>,
    /// The blocks of the arena by address.
    blocks: BTreeMap<usize, Block>,
    /// The awaits that were not ready when tasks were polled last, each after those that it is around.
    awaits: BTreeMap<WorkerId, Vec<AwaitPoint>>,
    prints: Prints,
    /// The last step was a write to this memory, which is made as soon as the worker goes on.
    writes: Option<(usize, usize)>,
    /// The last accesses to memory, by where they are kept and the byte of the eight there.
    accesses: BTreeMap<(SlotId, usize), LastAccess>,
}

/// An access to memory, as a report tells it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastAccess {
    pub(crate) worker: u32,
    pub(crate) size: u64,
    pub(crate) step: Option<u32>,
    pub(crate) stack: Option<u32>,
}

impl Recorder {
    /// A recorder with room for this many steps: a test may watch the process's memory. It also tells the
    /// calls that led to steps in other code than the user's, if `with_calls`.
    pub(crate) fn with_capacity(steps: u32, with_calls: bool) -> Recorder {
        let mut recorder = Recorder {
            stacks: with_calls.then(BTreeMap::new),
            ..Recorder::default()
        };
        recorder.trace.steps.reserve_exact(steps as usize + 1);
        recorder
    }

    /// The trace; its schedule and the paths of statics are filled in by the caller.
    pub(crate) fn into_trace(mut self) -> Trace {
        self.note_written();
        self.trace.prints = self.prints.into_texts();
        self.trace
    }

    /// The worker prints this.
    pub(crate) fn add_print(&mut self, worker: WorkerId, is_error: bool, bytes: &[u8]) {
        let after = self.trace.steps.len() as u32;
        self.prints.add(worker, after, is_error, bytes);
    }

    /// The number of an object that has been used.
    pub(crate) fn number_of(&self, object: ObjectId) -> Option<u32> {
        self.objects.get(&object).copied()
    }

    fn object(&mut self, object: ObjectId) -> Option<u32> {
        if object.is_none() {
            return None;
        }
        let objects = &mut self.trace.objects;
        Some(*self.objects.entry(object).or_insert_with(|| {
            objects.push(ObjectInfo {
                address: object.key(),
                static_path: None,
            });
            objects.len() as u32 - 1
        }))
    }

    fn site(&mut self, location: &Location<'_>) -> u32 {
        let sites = &mut self.trace.sites;
        *self
            .sites
            .entry(location.into())
            .or_insert_with_key(|site| {
                sites.push(site.clone());
                sites.len() as u32 - 1
            })
    }

    /// The block at this address was allocated in the step under way.
    pub(crate) fn allocated(&mut self, address: usize) {
        let block = Block {
            allocated: self.under_way(),
            freed: None,
        };
        self.blocks.insert(address, block);
    }

    /// The block at this address was freed in the step under way.
    pub(crate) fn freed(&mut self, address: usize) {
        self.note_written();
        let step = self.under_way();
        self.blocks.entry(address).or_default().freed = step;
    }

    /// The bug is a misuse of the block that has this address in it.
    pub(crate) fn misused(&mut self, address: usize) {
        let block = self.blocks.range(..=address).next_back();
        self.trace.misused = block.map(|(_, block)| *block);
    }

    /// The step under way, by index.
    pub(crate) fn under_way(&self) -> Option<u32> {
        let index = self.trace.steps.iter().rposition(|step| !step.note)?;
        u32::try_from(index).ok()
    }

    /// The step under way, by index, if that is this worker's spawn there, which nobody came of yet: in an
    /// atomic call a spawn is no step.
    fn spawning(&self, maker: u32, at: Option<&Site>) -> Option<u32> {
        let index = self.trace.steps.iter().rposition(|step| !step.note)?;
        let step = &self.trace.steps[index];
        let is_there = at == self.trace.sites.get(step.site as usize);
        let is_it = step.worker == maker && step.operation == Operation::Spawn as u8 && is_there;
        let is_taken = |info: &WorkerInfo| info.made_by == Some(index as u32);
        (is_it && !self.trace.workers.iter().any(is_taken)).then_some(index as u32)
    }

    pub(super) fn label(&mut self, text: &str) -> u32 {
        let labels = &mut self.trace.labels;
        *self
            .labels
            .entry(text.to_owned())
            .or_insert_with_key(|text| {
                labels.push(text.clone());
                labels.len() as u32 - 1
            })
    }

    /// The calls that led here, if calls are told. The caller is outside.
    pub(crate) fn stack(&mut self) -> Option<u32> {
        if !self.tells_calls() {
            return None;
        }
        self.calls(&Frames::here())
    }

    /// True if the calls that led to steps are told.
    pub(crate) fn tells_calls(&self) -> bool {
        self.stacks.is_some()
    }

    /// The number of these calls, if calls are told.
    fn calls(&mut self, frames: &Frames) -> Option<u32> {
        let stacks = self.stacks.as_mut()?;
        let told = &mut self.trace.stacks;
        Some(
            *stacks
                .entry(frames.places().to_vec())
                .or_insert_with_key(|stack| {
                    told.push(stack.clone());
                    told.len() as u32 - 1
                }),
        )
    }

    fn push(&mut self, worker: &Worker, outcome: Outcome, choice_point: bool) {
        self.note_written();
        let is_an_end = matches!(worker.operation, Operation::Start | Operation::End);
        let (object, stack) = if is_an_end {
            (None, None)
        } else {
            (self.object(worker.object), worker.called_by)
        };
        let site = self.site(worker.site);
        self.trace.steps.push(Step {
            outcome,
            choice_point,
            thread: polled_by(worker),
            stack,
            ..Step::of(worker.id.0, worker.operation as u8, object, site)
        });
    }
}

/// The value of a few bytes of the program's memory, taken for a number.
fn value_at((address, size): (usize, usize)) -> Option<Value> {
    let mut bytes = [0; 8];
    let value = bytes.get_mut(..size)?;
    for (offset, byte) in value.iter_mut().enumerate() {
        // SAFETY: the program accesses this memory, which stays mapped in the iteration.
        *byte =
            unsafe { std::ptr::with_exposed_provenance::<u8>(address + offset).read_volatile() };
    }
    Some(Value::Unsigned(u64::from_le_bytes(bytes)))
}

/// The thread that polls the worker, if that is a task.
fn polled_by(worker: &Worker) -> Option<u32> {
    let is_polled = worker.task.is_some() && !worker.thread.is_null();
    // SAFETY: a worker's thread is one of the engine's workers, which are live.
    is_polled.then(|| unsafe { (*worker.thread).id.0 })
}

/// Something that happens during a step and is worth a line.
#[derive(Debug)]
pub(crate) struct Note<'a> {
    pub(crate) operation: Operation,
    pub(crate) site: &'a Location<'a>,
    pub(crate) outcome: Outcome,
    /// The rest of the facts about it.
    pub(crate) text: Option<&'a str>,
}

impl<'a> Note<'a> {
    /// A note without a text, of something that was carried out.
    pub(crate) fn of(operation: Operation, site: &'a Location<'a>) -> Note<'a> {
        Note {
            operation,
            site,
            outcome: Outcome::Done,
            text: None,
        }
    }

    pub(crate) fn saying(self, text: &'a str) -> Note<'a> {
        Note {
            text: Some(text),
            ..self
        }
    }
}

/// The events of an iteration.
impl Recorder {
    /// The worker has been picked, where another one is left that could have gone on if it `preempts`, and
    /// carries out its pending operation. `ahead_of` has the workers that could run when it timed out, if it
    /// did.
    pub(crate) fn begin_step(
        &mut self,
        worker: &mut Worker,
        (choice_point, preempts): (bool, bool),
        ahead_of: Vec<u32>,
    ) {
        let timed_out = std::mem::take(&mut worker.resumes_wait) && worker.timed_out;
        worker.declares_wait = false;
        let outcome = if timed_out {
            Outcome::TimedOut
        } else if worker.was_held_back() {
            Outcome::Woken
        } else {
            Outcome::Done
        };
        self.push(worker, outcome, choice_point);
        if let Some(last) = self.trace.steps.last_mut() {
            last.ahead_of = ahead_of;
            last.preempts = preempts;
        }
    }

    /// Notes the name of the operation under way.
    pub(crate) fn note_name(&mut self, name: &str) {
        let label = self.label(name);
        if let Some(last) = self.trace.steps.last_mut() {
            last.label = Some(label);
        }
    }

    /// Notes that the operation under way is done by the code at this place.
    pub(crate) fn note_place(&mut self, place: &Location<'_>) {
        let site = self.site(place);
        if let Some(last) = self.trace.steps.last_mut() {
            last.site = site;
        }
    }

    /// Notes the values that the operation under way read and wrote.
    pub(crate) fn note_values(
        &mut self,
        outcome: Outcome,
        read: Option<Value>,
        written: Option<Value>,
    ) {
        if let Some(last) = self.trace.steps.last_mut() {
            last.outcome = outcome;
            last.read = read;
            last.written = written;
        }
    }

    /// The operation under way is a plain access to this memory, which is made as soon as the worker goes on.
    pub(crate) fn note_plain(&mut self, operation: Operation, memory: (usize, usize)) {
        if operation == Operation::MemoryWrite {
            self.writes = Some(memory);
        } else if let Some(last) = self.trace.steps.last_mut() {
            last.read = value_at(memory);
        }
    }

    /// A write that was under way has been made.
    fn note_written(&mut self) {
        if let Some(memory) = self.writes.take()
            && let Some(step) = self.under_way()
        {
            self.trace.steps[step as usize].written = value_at(memory);
        }
    }

    /// The operation under way reads an older store.
    pub(crate) fn note_older(&mut self, older: Older) {
        if let Some(last) = self.trace.steps.last_mut() {
            last.older = Some(older);
        }
    }

    /// Notes the ordering of the operation under way.
    pub(crate) fn note_order(&mut self, order: MemoryOrder) {
        if let Some(last) = self.trace.steps.last_mut() {
            last.order = Some(order);
        }
    }

    /// The worker accesses memory of this size, now. The caller is outside.
    pub(crate) fn access(&mut self, worker: WorkerId, size: usize) -> LastAccess {
        LastAccess {
            worker: worker.0,
            size: size as u64,
            step: self.under_way(),
            stack: self.stack(),
        }
    }

    /// A part of the access is kept in this slot of the shadow. The caller is outside.
    pub(crate) fn keep_access(
        &mut self,
        slot: SlotId,
        (address, size): (usize, usize),
        access: LastAccess,
    ) {
        for byte in address..address + size {
            self.accesses.insert((slot, byte % 8), access);
        }
    }

    /// The access to the byte at this address that is kept in this slot, if accesses were told.
    pub(crate) fn last_access(&self, slot: SlotId, address: usize) -> Option<LastAccess> {
        self.accesses.get(&(slot, address % 8)).copied()
    }

    /// A value was chosen in the step under way.
    pub(crate) fn note_choice(&mut self) {
        let step = self.under_way().unwrap_or_default();
        self.trace.choices_at.push(step);
    }

    /// Notes something that happens to the worker without being a step of its own.
    pub(crate) fn add_note(&mut self, worker: &Worker, note: &Note<'_>) {
        self.note_written();
        let site = self.site(note.site);
        if note.operation == Operation::Panic && self.tells_calls() {
            let index = self.trace.steps.len() as u32;
            self.add_backtrace(worker, Some(index), &Frames::here());
        }
        let step = Step {
            outcome: note.outcome,
            label: note.text.map(|text| self.label(text)),
            thread: polled_by(worker),
            note: true,
            stack: match note.operation {
                Operation::Panic | Operation::Await => self.stack(),
                _ => None,
            },
            ..Step::of(worker.id.0, note.operation as u8, None, site)
        };
        self.trace.steps.push(step);
    }

    /// The calls that the worker is in: at a panic, which has this index, or at the end.
    pub(crate) fn add_backtrace(&mut self, worker: &Worker, panic: Option<u32>, frames: &Frames) {
        if let Some(stack) = self.calls(frames) {
            self.trace.backtraces.push(Backtrace {
                worker: worker.id.0,
                panic,
                stack,
                calls: Vec::new(),
            });
        }
    }

    /// A future that the task awaits is not ready: the innermost, or one around those that were not before.
    pub(crate) fn await_point(
        &mut self,
        task: WorkerId,
        is_first: bool,
        (depth, site, body): (u32, &Location<'_>, &str),
    ) {
        let points = self.awaits.entry(task).or_default();
        if is_first {
            points.clear();
        }
        points.push(AwaitPoint {
            depth,
            site: site.into(),
            body: body.to_owned(),
        });
    }

    /// The future of an await of the task is dropped: it is not waited for any more.
    pub(crate) fn drop_await(&mut self, task: WorkerId, site: &Location<'_>) {
        if let Some(points) = self.awaits.get_mut(&task) {
            points.retain(|point| {
                let Site { file, line, column } = &point.site;
                (&**file, *line, *column) != (site.file(), site.line(), site.column())
            });
        }
    }

    /// The task is not polled at the end: it is where its awaits were not ready last.
    pub(crate) fn keep_awaits(&mut self, task: WorkerId) {
        if let Some(points) = self.awaits.remove(&task) {
            self.trace.awaits.push(Awaits {
                worker: task.0,
                points,
            });
        }
    }

    /// The worker waits from here on.
    pub(crate) fn begin_wait(&mut self, worker: &Worker, choice_point: bool) {
        if !self.goes_on_waiting(worker) {
            self.push(worker, Outcome::Waits, choice_point);
            if let Some(last) = self.trace.steps.last_mut() {
                last.unpicked = true;
            }
        } else if let Some(last) = self.trace.steps.last_mut() {
            last.outcome = Outcome::Waits;
        }
    }

    /// True if the wait of this worker is part of the last step: it was about to do the same, or was woken in
    /// vain and waits again.
    pub(crate) fn goes_on_waiting(&self, worker: &Worker) -> bool {
        if worker.declares_wait {
            return false;
        }
        let number = self.number_of(worker.object);
        self.trace.steps.last().is_some_and(|last| {
            (last.worker, last.operation) == (worker.id.0, worker.operation as u8)
                && last.object == number
                && last.outcome == Outcome::Done
                && worker.operation != Operation::Sleep
        })
    }

    /// A worker was created by `maker`.
    pub(crate) fn add_worker(&mut self, worker: &Worker, maker: WorkerId, kind: WorkerKind) {
        let spawned_at = (worker.id.0 > 0).then(|| worker.spawned_at.into());
        let made_by = self.spawning(maker.0, spawned_at.as_ref());
        self.trace.workers.push(WorkerInfo {
            name: worker.name.clone().map(Cow::into_owned),
            spawned_at,
            kind,
            made_by,
        });
    }
}
