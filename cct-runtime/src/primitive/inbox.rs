//! An actor's inbox: its lock, the order of what is in it, and who waits for more.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Wake, Waker};

use super::raw_lock::Guarded;
use crate::engine::{self, NEVER};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::{ChainId, WorkerId};

/// How an event was received by an inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It is in.
    Stored,
    /// The inbox is closed: nothing was stored.
    Closed,
    /// There are as many of the kind as there may be: nothing was stored.
    TooMany,
    /// The event was lost on its way: nothing was stored.
    Lost,
}

/// The inbox without its events, which are kept by who calls.
///
/// Any thread stores, one owner takes. Each event has a number, in the order of arrival.
pub struct InboxMachine {
    state: Guarded<State>,
    /// Written under the lock, and read without.
    is_closed: AtomicBool,
    /// Something was stored since the owner has fetched; likewise.
    has_arrivals: AtomicBool,
    kinds: Box<[Kind]>,
}

/// How many events of a kind were ever stored, which is written under the lock, and how many the owner
/// has taken.
#[derive(Default)]
struct Kind {
    stored: AtomicU32,
    taken: AtomicU32,
}

impl Kind {
    fn count(&self) -> u32 {
        let taken = self.taken.load(Ordering::Relaxed);
        self.stored.load(Ordering::Relaxed).wrapping_sub(taken)
    }
}

/// Counts one more; nobody else does at that time.
fn count_up(number: &AtomicU32) {
    let next = number.load(Ordering::Relaxed).wrapping_add(1);
    number.store(next, Ordering::Relaxed);
}

struct State {
    /// How many events were ever stored: the next one's number.
    stored: u64,
    /// The chains of events that are in, by number, if somebody wants to know.
    chains: Vec<(u64, ChainId)>,
    /// The worker that takes events, if it is the engine's, and whether it has begun its work.
    owner: Option<WorkerId>,
    has_begun: bool,
    /// The owner has nothing to do.
    is_idle: bool,
    /// The future that the owner's worker runs is to be polled.
    is_notified: bool,
    waker: Option<Waker>,
    /// Woken when the inbox is shut, whatever the owner waits for.
    ender: Option<Waker>,
}

impl InboxMachine {
    /// An open, empty inbox for so many kinds of events, whose owner is at work.
    pub fn new(kinds: usize) -> InboxMachine {
        InboxMachine {
            state: Guarded::new(State {
                stored: 0,
                chains: Vec::new(),
                owner: None,
                has_begun: false,
                is_idle: false,
                is_notified: false,
                waker: None,
                ender: None,
            }),
            is_closed: AtomicBool::new(false),
            has_arrivals: AtomicBool::new(false),
            kinds: (0..kinds).map(|_| Kind::default()).collect(),
        }
    }

    /// Stores an event, in a step that goes by `label`, unless it `is_lost` then; `store` is called at most
    /// once. It is told the event's number, and whether the owner was at rest, which is then at work before
    /// it can know.
    pub fn send(
        &self,
        (kind, at_most): (usize, u32),
        (site, label): (&'static Location<'static>, Option<&str>),
        is_lost: &dyn Fn() -> bool,
        store: &mut dyn FnMut(u64, bool),
    ) -> Stored {
        let step = engine::point_at(Operation::Enqueue, self.object(), site);
        if let Some(label) = label {
            step.named(label);
        }
        if is_lost() {
            return Stored::Lost;
        }
        let (stored, waker) = self.state.with(|state| {
            if self.is_closed() {
                return (Stored::Closed, None);
            }
            if self.kinds[kind].count() >= at_most {
                return (Stored::TooMany, None);
            }
            let was_idle = std::mem::take(&mut state.is_idle);
            engine::unseen(|| store(state.stored, was_idle));
            engine::release_one(self.object(), state.stored);
            step.carries(state.stored);
            // One that has not begun yet will do so for this event.
            let is_free = was_idle || !state.has_begun && state.chains.is_empty();
            let chain = engine::chain_to(state.owner.filter(|_| is_free));
            (state.chains).extend(chain.map(|chain| (state.stored, chain)));
            state.stored += 1;
            self.has_arrivals.store(true, Ordering::Relaxed);
            count_up(&self.kinds[kind].stored);
            (Stored::Stored, state.waker.take())
        });
        if stored == Stored::Stored {
            engine::wake_all(self.object());
        } else {
            engine::acquire(self.object());
        }
        self.wake_one(waker);
        stored
    }

    /// This worker takes the events.
    pub fn belongs_to(&self, owner: WorkerId) {
        self.state.with(|state| state.owner = Some(owner));
    }

    /// The owner is about to take the event with this number, or drops it.
    pub fn leaves(&self, number: u64, is_taken: bool) {
        let chain = self.state.with(|state| {
            state.has_begun = true;
            let at = state.chains.iter().position(|&(of, _)| of == number)?;
            Some(state.chains.remove(at).1)
        });
        if let Some(chain) = chain.filter(|_| is_taken) {
            engine::go_on_in(chain);
        }
    }

    /// The owner has entered its start state, or is about to.
    pub fn begins(&self) {
        self.state.with(|state| state.has_begun = true);
    }

    /// The scheduling point before the owner takes an event that is in, or looks for one.
    pub fn look(&self, site: &'static Location<'static>) -> engine::Step {
        engine::point_at(Operation::Dequeue, self.object(), site)
    }

    /// A step, under this name, of somebody who wants to know what its owner does.
    pub fn look_from_outside(&self, name: &str, site: &'static Location<'static>) {
        if engine::is_controlled() {
            engine::point_at(Operation::PlainLoad, self.object(), site).named(name);
            engine::acquire(self.object());
        }
    }

    /// Runs `access` while nothing is stored.
    pub fn exclusively(&self, access: &mut dyn FnMut()) {
        self.state.with(|_| engine::unseen(access));
    }

    /// Runs `access`, which takes all that was stored, if there is any. False once the inbox is closed.
    pub fn fetch(&self, access: &mut dyn FnMut()) -> bool {
        // An owner that goes to rest looks again, under the lock.
        if self.has_arrivals.load(Ordering::Relaxed) {
            self.state.with(|_| {
                engine::unseen(access);
                self.has_arrivals.store(false, Ordering::Relaxed);
            });
        }
        !self.is_closed()
    }

    /// The owner has taken the event of this kind, with this number.
    pub fn taken(&self, kind: usize, number: u64) {
        count_up(&self.kinds[kind].taken);
        engine::acquire_one(self.object(), number);
        engine::step_under_way().carries(number);
    }

    /// The owner's worker waits until something is stored.
    pub fn wait(&self, site: &'static Location<'static>) {
        engine::wait_at(Operation::Dequeue, self.object(), NEVER, None, site);
    }

    /// The owner waits for the next event, unless `is_empty` is false or the inbox closed; then this is
    /// false. The event wakes the waker. An owner who `is_idle` has nothing else to do.
    pub fn rest(
        &self,
        (waker, is_idle): (Option<&Waker>, bool),
        is_empty: &dyn Fn() -> bool,
    ) -> bool {
        let mut waker = waker.map(|waker| self.handed(waker));
        // Others see it who look from outside.
        engine::touch(self.object(), Access::Writes);
        engine::release(self.object());
        let (waits, _last) = self.state.with(|state| {
            let waits = !self.is_closed() && engine::unseen(is_empty);
            if !waits {
                return (false, None);
            }
            state.is_idle = is_idle;
            (true, std::mem::replace(&mut state.waker, waker.take()))
        });
        waits
    }

    /// This is woken when the inbox is shut.
    pub fn wake_at_end(&self, waker: &Waker) {
        let waker = self.handed(waker);
        let _last = self.state.with(|state| state.ender.replace(waker));
    }

    /// A waker for others. It is cloned, and the one before dropped, where the lock is not held: that runs
    /// code of others.
    fn handed(&self, waker: &Waker) -> Waker {
        if !self.is_of_worker(waker) {
            engine::release_one(self.object(), WAKERS);
        }
        waker.clone()
    }

    fn wake_one(&self, waker: Option<Waker>) {
        if let Some(waker) = waker {
            if !self.is_of_worker(&waker) {
                engine::acquire_one(self.object(), WAKERS);
            }
            waker.wake();
        }
    }

    /// True if the waker is the inbox itself, of which nothing is anybody's.
    fn is_of_worker(&self, waker: &Waker) -> bool {
        std::ptr::eq(waker.data(), std::ptr::from_ref(self).cast())
    }

    /// Nothing is stored from here on; who waits goes on. Not a step. `begin_work` is called if the owner was
    /// at rest, which then has to end.
    pub fn shut(&self, begin_work: &dyn Fn()) {
        engine::touch(self.object(), Access::Writes);
        let wakers = self.state.with(|state| {
            if !self.is_closed() && std::mem::take(&mut state.is_idle) {
                engine::unseen(begin_work);
            }
            self.is_closed.store(true, Ordering::Release);
            state.is_notified = true;
            [state.waker.take(), state.ender.take()]
        });
        if engine::is_controlled() {
            engine::release(self.object());
            engine::wake_all(self.object());
        }
        for waker in wakers {
            self.wake_one(waker);
        }
    }

    /// Nothing is stored from here on. A step of its own; `take` removes what is in. True if the owner was at
    /// rest, which is then said for good.
    pub fn close(&self, site: &'static Location<'static>, take: &mut dyn FnMut()) -> bool {
        let step = engine::point_at(Operation::Dequeue, self.object(), site);
        step.named("nothing more");
        engine::release(self.object());
        let (left, was_idle, _wakers) = self.state.with(|state| {
            self.is_closed.store(true, Ordering::Release);
            engine::unseen(take);
            let wakers = [state.waker.take(), state.ender.take()];
            (state.stored, state.is_idle, wakers)
        });
        if engine::looks_for_races() {
            (0..left).for_each(|number| engine::acquire_one(self.object(), number));
        }
        was_idle
    }

    /// True once nothing more is stored.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// How many events of the kind are in.
    pub fn count(&self, kind: usize) -> u32 {
        self.kinds[kind].count()
    }

    /// True while the owner has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.state.with(|state| state.is_idle)
    }

    /// The owner's worker waits until the future that it runs is to be polled.
    pub fn wait_for_notice(&self, site: &'static Location<'static>) {
        engine::declare_wait();
        while !self
            .state
            .with(|state| std::mem::take(&mut state.is_notified))
        {
            self.wait(site);
        }
        engine::acquire(self.object());
    }

    /// All that was done by a reference to the actor comes before the actor's end in memory.
    pub fn let_go(&self) {
        engine::release_one(self.object(), REFERENCES);
    }

    /// Nobody has a reference any more.
    pub fn was_let_go(&self) {
        engine::acquire_one(self.object(), REFERENCES);
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

/// A future that its worker runs is woken where the worker waits.
impl Wake for InboxMachine {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        engine::release(self.object());
        self.state.with(|state| state.is_notified = true);
        engine::wake_all(self.object());
    }
}

/// The number of no event: what a waker has is ordered by it.
const WAKERS: u64 = u64::MAX >> 1;

/// The same for what was done by references.
const REFERENCES: u64 = WAKERS - 1;

impl fmt::Debug for InboxMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboxMachine").finish_non_exhaustive()
    }
}
