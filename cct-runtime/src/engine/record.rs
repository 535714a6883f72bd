//! The recorder: what happened at each step, for the first schedule's check and for replays.
//!
//! Exploration runs without it. Nothing in here is fast, and nothing needs to be.

use std::collections::BTreeMap;
use std::panic::Location;

use super::state::{Engine, outside};
use super::worker::Worker;
use crate::frames::Frames;
use crate::operation::Operation;
use crate::origin::Origin;
use crate::strategy::WorkerId;
use crate::trace::{ObjectInfo, Outcome, Site, Step, Trace, Value, WorkerInfo, WorkerKind};

/// What has been recorded of an iteration.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    trace: Trace,
    objects: BTreeMap<usize, u32>,
    sites: BTreeMap<Site, u32>,
    labels: BTreeMap<String, u32>,
    /// The calls that led to steps, if they are told.
    stacks: Option<BTreeMap<Vec<u64>, u32>>,
}

impl Recorder {
    /// A recorder with room for this many steps: a test may watch the process's memory. It also tells the
    /// calls that led to steps in other code than the user's, if `with_calls`.
    pub(super) fn with_capacity(steps: u32, with_calls: bool) -> Recorder {
        let mut recorder = Recorder {
            stacks: with_calls.then(BTreeMap::new),
            ..Recorder::default()
        };
        recorder.trace.steps.reserve_exact(steps as usize + 1);
        recorder
    }

    /// The trace; its schedule and the paths of statics are filled in by the caller.
    pub(crate) fn into_trace(self) -> Trace {
        self.trace
    }

    /// The number of an object that has been used.
    pub(super) fn number_of(&self, object: usize) -> Option<u32> {
        self.objects.get(&object).copied()
    }

    fn object(&mut self, address: usize) -> Option<u32> {
        if address == 0 {
            return None;
        }
        let objects = &mut self.trace.objects;
        Some(*self.objects.entry(address).or_insert_with(|| {
            objects.push(ObjectInfo {
                address: address as u64,
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

    fn label(&mut self, text: &str) -> u32 {
        let labels = &mut self.trace.labels;
        *self
            .labels
            .entry(text.to_owned())
            .or_insert_with_key(|text| {
                labels.push(text.clone());
                labels.len() as u32 - 1
            })
    }

    /// The calls that led here, unless the site itself is the user's. The caller is outside.
    fn stack(&mut self, site: &Location<'_>, borrows_site: bool) -> Option<u32> {
        let stacks = self
            .stacks
            .as_mut()
            .filter(|_| borrows_site || Origin::of(site.file()) != Origin::Workspace)?;
        let frames = Frames::here();
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

    fn push(&mut self, worker: &Worker, outcome: Outcome, contested: bool) {
        let step = Step {
            worker: worker.id.0,
            operation: worker.operation as u8,
            object: match worker.operation {
                Operation::Start | Operation::End => None,
                _ => self.object(worker.object),
            },
            site: self.site(worker.site),
            outcome,
            read: None,
            written: None,
            contested,
            label: None,
            thread: polled_by(worker),
            ahead_of: Vec::new(),
            note: false,
            stack: match worker.operation {
                Operation::Start | Operation::End => None,
                _ => worker.called_by,
            },
            caller: None,
        };
        self.trace.steps.push(step);
    }
}

/// Remembers the calls by which the current worker comes to its pending operation, if somebody wants to know.
#[cold]
pub(super) unsafe fn note_calls(engine: *mut Engine) {
    // SAFETY: the caller's engine is live and has a current worker; no switch happens in here.
    outside(|| unsafe {
        let worker = &mut *(*engine).current;
        let recorder = (*engine).recorder.as_mut();
        let borrows = worker.operation.borrows_site();
        worker.called_by = recorder.and_then(|recorder| recorder.stack(worker.site, borrows));
    });
}

/// The thread that polls the worker, if that is a task.
fn polled_by(worker: &Worker) -> Option<u32> {
    let is_polled = worker.task.is_some() && !worker.thread.is_null();
    // SAFETY: a worker's thread is one of the engine's workers, which are live.
    is_polled.then(|| unsafe { (*worker.thread).id.0 })
}

/// Something that happens during a step and is worth a line.
#[derive(Debug)]
pub(super) struct Note<'a> {
    pub(super) operation: Operation,
    pub(super) site: &'a Location<'a>,
    pub(super) outcome: Outcome,
    /// What there is to say beyond that.
    pub(super) text: Option<&'a str>,
}

impl<'a> Note<'a> {
    /// A note without a text, of something that was carried out.
    pub(super) fn of(operation: Operation, site: &'a Location<'a>) -> Note<'a> {
        Note {
            operation,
            site,
            outcome: Outcome::Done,
            text: None,
        }
    }

    pub(super) fn saying(self, text: &'a str) -> Note<'a> {
        Note {
            text: Some(text),
            ..self
        }
    }
}

impl Engine {
    /// The worker has been picked and carries out its pending operation.
    pub(super) fn record_step(&mut self, worker: *mut Worker) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        // SAFETY: a picked worker is live.
        let worker = unsafe { &mut *worker };
        let timed_out = std::mem::take(&mut worker.resumes_wait) && worker.timed_out;
        let outcome = if timed_out {
            Outcome::TimedOut
        } else if worker.was_held_back() {
            Outcome::Woken
        } else {
            Outcome::Done
        };
        recorder.push(worker, outcome, self.contested);
        let ahead_of = std::mem::take(&mut self.early.ahead_of);
        if let Some(last) = recorder.trace.steps.last_mut() {
            last.ahead_of = ahead_of;
        }
    }

    /// What the operation under way is called. The caller is outside.
    pub(super) fn record_name(&mut self, name: &str) {
        if let Some(recorder) = &mut self.recorder {
            let label = recorder.label(name);
            if let Some(last) = recorder.trace.steps.last_mut() {
                last.label = Some(label);
            }
        }
    }

    /// What happens to the worker without being a step of its own. The caller is outside.
    pub(super) fn record_note(&mut self, worker: *mut Worker, note: &Note<'_>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        // SAFETY: the caller's worker is live.
        let worker = unsafe { &*worker };
        let step = Step {
            worker: worker.id.0,
            operation: note.operation as u8,
            object: None,
            site: recorder.site(note.site),
            outcome: note.outcome,
            read: None,
            written: None,
            contested: false,
            label: note.text.map(|text| recorder.label(text)),
            thread: polled_by(worker),
            ahead_of: Vec::new(),
            note: true,
            stack: match note.operation {
                Operation::Panic => recorder.stack(note.site, false),
                _ => None,
            },
            caller: None,
        };
        recorder.trace.steps.push(step);
    }

    /// The worker waits from here on.
    pub(super) fn record_wait(&mut self, worker: &Worker) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        // A worker that was woken in vain waits again: that is the same step.
        let number = recorder.number_of(worker.object);
        if let Some(last) = recorder.trace.steps.last_mut()
            && (last.worker, last.operation) == (worker.id.0, worker.operation as u8)
            && last.object == number
            && last.outcome == Outcome::Done
            && worker.operation != Operation::Sleep
        {
            last.outcome = Outcome::Waits;
            return;
        }
        recorder.push(worker, Outcome::Waits, self.contested);
    }

    /// What the operation under way read and wrote.
    pub(super) fn record_values(
        &mut self,
        outcome: Outcome,
        read: Option<Value>,
        written: Option<Value>,
    ) {
        self.watch.values(outcome, read, written);
        if let Some(recorder) = &mut self.recorder
            && let Some(last) = recorder.trace.steps.last_mut()
        {
            last.outcome = outcome;
            last.read = read;
            last.written = written;
        }
    }

    /// A worker was created.
    pub(super) fn record_spawn(&mut self, id: WorkerId, kind: WorkerKind) {
        let worker = self.worker(id);
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let (worker, maker) = unsafe { (&*worker, (*self.current).id.0) };
        let spawned_at = (id.0 > 0).then(|| worker.spawned_at.into());
        let made_by = recorder.spawning(maker, spawned_at.as_ref());
        recorder.trace.workers.push(WorkerInfo {
            name: worker.name.clone(),
            spawned_at,
            kind,
            made_by,
        });
    }
}
