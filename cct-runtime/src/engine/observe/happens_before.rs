//! The happens-before hash: it tells schedules apart up to the order of independent steps.
//!
//! Two schedules that differ only in the order of independent steps are one behaviour (Mazurkiewicz 1977: a
//! *trace*, which here is another word): their happens-before relations are the same. In that partial order a
//! step comes after those of its own worker and after those on the same object that it does not commute with.
//!
//! The hash is made step by step: each step's hash has those of the steps right before it, and the hash of
//! the relation is the sum of all, which has no order. Addresses are not in it, since they depend on the
//! order in which memory is asked for; the steps of its worker before determine which object a step is about.

use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::{Executed, FirstUse, WorkerId};

/// A hash of the happens-before relation of an iteration so far.
#[derive(Debug, Default)]
pub(crate) struct HappensBefore {
    /// By worker number: a hash of its last step, and so of all that led to it.
    workers: Vec<u64>,
    objects: FirstUse,
    /// By object number.
    histories: Vec<History>,
    /// Workers whose next step comes after the one under way for a reason other than an object.
    followers: Vec<WorkerId>,
    /// A hash of the values that the step under way took.
    choices: u64,
    /// The numbers of the objects that the step under way touches.
    touched: Vec<u32>,
    sum: u64,
}

/// The history of an object: phases of steps that commute with one another.
#[derive(Clone, Copy, Debug)]
struct History {
    /// A hash of all phases but the last.
    before: u64,
    /// The last phase: what its steps do, and the sum of their hashes.
    access: Access,
    sum: u64,
}

const NEW: History = History {
    before: 0,
    access: Access::Writes,
    sum: 0,
};

impl HappensBefore {
    /// A new iteration begins.
    pub(crate) fn clear(&mut self) {
        self.workers.clear();
        self.objects.clear();
        self.histories.clear();
        self.followers.clear();
        self.choices = 0;
        self.sum = 0;
    }

    /// The hash.
    pub(crate) fn hash(&self) -> u64 {
        self.sum
    }

    /// A worker is created.
    pub(crate) fn created(&mut self, worker: WorkerId) {
        let index = worker.0 as usize;
        self.workers.resize(self.workers.len().max(index + 1), 0);
        // A worker's number follows from the spawns before its own.
        self.workers[index] = mix(1, u64::from(worker.0));
        self.followers.push(worker);
    }

    /// The step under way wakes a worker that waits to go on with this.
    pub(crate) fn woken(&mut self, worker: WorkerId, waited: Operation) {
        // A step after a wait for anything else finds its reason at its object.
        if waited.is_let_go() {
            self.followers.push(worker);
        }
    }

    /// The step under way took a value.
    pub(crate) fn chose(&mut self, value: u32) {
        self.choices = mix(self.choices, u64::from(value) + 1);
    }

    /// A step has been carried out, which did all this.
    pub(crate) fn step(&mut self, step: &Executed, touched: &[(ObjectId, Access)]) {
        let worker = step.worker.0 as usize;
        let (action, site) = (&step.action, step.action.site);
        let place = u64::from(site.line()) << 32 | u64::from(site.column());
        let operation = match action.operation {
            // It is the same whether the other's initialiser was running when the worker came, or came first.
            Operation::OnceWait => Operation::CallOnce,
            other => other,
        };
        let kind = (operation as u64) << 8 | step.outcome as u64;
        let choices = std::mem::take(&mut self.choices);
        let mut hash = mix(mix(self.workers[worker], place), kind ^ choices);
        // The accesses of a step have no order: its hash has the sum.
        let mut before = 0_u64;
        self.touched.clear();
        for &(object, access) in step.accesses().iter().chain(touched) {
            if !object.is_none() {
                let number = self.objects.number(object.key());
                let phase = self.phase_before(number, access);
                // The first to touch an object comes after nothing, also if only some schedules tell that it
                // is touched at all.
                if phase != 0 {
                    before = before.wrapping_add(mix(phase, access as u64 + 1));
                }
                self.touched.push(number);
            }
        }
        hash = mix(hash, before);
        let share = mix(hash, 1);
        for &number in &self.touched {
            let history = &mut self.histories[number as usize];
            history.sum = history.sum.wrapping_add(share);
        }
        self.workers[worker] = hash;
        for follower in self.followers.drain(..) {
            let chain = &mut self.workers[follower.0 as usize];
            *chain = mix(*chain, hash);
        }
        self.sum = self.sum.wrapping_add(mix(hash, hash >> 32));
    }

    /// A hash of the phases of the object's history that come before a step that does this. The step is then
    /// to be added to the last phase.
    fn phase_before(&mut self, number: u32, access: Access) -> u64 {
        if number as usize == self.histories.len() {
            self.histories.push(NEW);
        }
        let history = &mut self.histories[number as usize];
        if !history.access.commutes_with(access) {
            *history = History {
                before: mix(history.before, history.sum),
                access,
                sum: 0,
            };
        }
        history.before
    }
}

/// Adds a word to a hash.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let mut mixed = hash.rotate_left(23) ^ word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
