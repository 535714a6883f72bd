//! Where actors live: the engine's workers under control, and threads or somebody's executor elsewhere.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Failure;
use super::actor_ref::{Actor, ActorId, ActorRef, Title};
use super::covered::Table;
use super::crashed::{Crashed, end_if_severed, is_end};
use super::group::EventGroup;
use super::inbox::Inbox;
use super::looks::{act, changes, look, reads};
use super::machine::Machine;
use super::pace::Pace;
use super::pool::Pool;
use super::run::Life;
use super::task::{Guarded, block_on};
use super::timer::Clock;
use super::unwinding::catch;
use super::workload::Workload;
use crate::engine::{self, NEVER, WorkerId, message_of};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::primitive::InboxMachine;
use crate::verdict::BugKind;

/// A future without a result.
pub type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A handle to where actors live. Actors live until they end, or the runtime is [stopped](Runtime::stop),
/// whoever has references to them.
#[derive(Clone)]
pub struct Runtime(Arc<Shared>);

struct Shared {
    world: World,
    next_id: AtomicU64,
    registry: Mutex<Registry>,
    work: Workload,
    is_stopped: AtomicBool,
    /// The first, and the worker that has panicked.
    failure: Mutex<Option<(RuntimeFailure, Option<WorkerId>)>>,
    hooks: Mutex<Hooks>,
    clock: Clock,
    pace: Pace,
}

enum World {
    /// Each actor is a worker of the engine.
    Workers,
    /// Each is a task of these threads.
    Pool(Arc<Pool>),
    /// Each is a future that somebody else runs.
    Executor(Box<dyn Fn(BoxFuture) + Send + Sync>),
}

#[derive(Default)]
struct Registry {
    actors: BTreeMap<u64, Entry>,
    names: BTreeMap<String, u64>,
}

struct Entry {
    kind: &'static str,
    inbox: Arc<InboxMachine>,
    /// Its name, and the actor, if it has one.
    named: Option<(String, AnyActor)>,
}

type OnFailure = Arc<dyn Fn(&RuntimeFailure) + Send + Sync>;
type OnDropped = Arc<dyn Fn(&'static str, ActorId) + Send + Sync>;
type OnHalted = Arc<dyn Fn(ActorId) + Send + Sync>;

#[derive(Clone, Default)]
struct Hooks {
    failure: Option<OnFailure>,
    dropped: Option<OnDropped>,
    halted: Option<OnHalted>,
}

/// The state of an actor's work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It handles an event, or is about to.
    Active,
    /// It has nothing to do.
    Idle,
    /// It has ended.
    Halted,
}

/// The first failure in a runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeFailure {
    /// The actor: its name, or its type and number.
    pub actor: String,
    /// The failure in words.
    pub message: String,
}

impl fmt::Display for RuntimeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {}", self.actor, self.message)
    }
}

impl std::error::Error for RuntimeFailure {}

/// There is an actor of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameTaken(pub String);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is an actor called `{}`", self.0)
    }
}

impl std::error::Error for NameTaken {}

/// An actor of any type.
type AnyActor = Arc<dyn Any + Send + Sync>;

impl Default for Runtime {
    fn default() -> Self {
        Runtime::new()
    }
}

/// Creation.
impl Runtime {
    /// A runtime with a thread for each processor; under the engine, one whose actors are workers.
    pub fn new() -> Runtime {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Runtime::with_threads(threads)
    }

    /// A runtime with this many threads; under the engine, one whose actors are workers.
    ///
    /// A handler that blocks keeps its thread from others.
    pub fn with_threads(threads: usize) -> Runtime {
        Runtime::of(if engine::is_controlled() {
            (World::Workers, 0)
        } else {
            (World::Pool(Pool::new(threads)), threads)
        })
    }

    /// A runtime whose actors somebody else runs, each as a future: `tokio::spawn`, for example, so that
    /// `async` handlers can use what that executor has.
    ///
    /// ```
    /// use cct::actor::Runtime;
    ///
    /// let runtime = Runtime::on_executor(|actor| {
    ///     std::thread::spawn(|| futures_executor(actor));
    /// });
    /// # let _ = runtime;
    /// # fn futures_executor(_: cct::actor::BoxFuture) {}
    /// ```
    pub fn on_executor(spawn: impl Fn(BoxFuture) + Send + Sync + 'static) -> Runtime {
        Runtime::of((World::Executor(Box::new(spawn)), 0))
    }

    fn of((world, threads): (World, usize)) -> Runtime {
        Runtime(Arc::new(Shared {
            world,
            next_id: AtomicU64::new(0),
            registry: Mutex::default(),
            work: Workload::new(threads),
            is_stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
            hooks: Mutex::default(),
            clock: Clock::new(),
            pace: Pace::default(),
        }))
    }
}

/// Actors.
impl Runtime {
    /// Creates an actor, which begins with its start state.
    #[track_caller]
    pub fn create<M: Machine>(&self, machine: M) -> ActorRef<M> {
        self.create_at(machine, None, None, Location::caller())
    }

    /// The same with a name, which is free again once the actor has ended.
    #[track_caller]
    pub fn create_named<M: Machine>(
        &self,
        name: &str,
        machine: M,
    ) -> Result<ActorRef<M>, NameTaken> {
        let site = Location::caller();
        if !self.take_name(name, site) {
            return Err(NameTaken(name.to_owned()));
        }
        Ok(self.create_at(machine, Some(name.to_owned()), None, site))
    }

    /// The same in an event group.
    #[track_caller]
    pub fn create_in<M: Machine>(&self, group: EventGroup, machine: M) -> ActorRef<M> {
        self.create_at(machine, None, Some(group), Location::caller())
    }

    /// The actor of this name and type, if there is one.
    #[track_caller]
    pub fn find<M: Machine>(&self, name: &str) -> Option<ActorRef<M>> {
        let actor = self.find_any(name, Location::caller())?;
        actor.downcast::<Actor<M>>().ok().map(ActorRef)
    }

    pub(super) fn create_at<M: Machine>(
        &self,
        machine: M,
        name: Option<String>,
        group: Option<EventGroup>,
        site: &'static Location<'static>,
    ) -> ActorRef<M> {
        end_if_severed();
        let actor = self.actor::<M>(name);
        let title = actor.titled();
        let named = actor.name.clone().map(|name| {
            let actor: AnyActor = Arc::<Actor<M>>::clone(&actor);
            (name, actor)
        });
        let me = ActorRef(actor);
        self.begin_work();
        let life = Life::new(machine, me.clone(), group, site);
        let inbox = Arc::clone(&me.0.inbox.machine);
        let entry = Entry {
            kind: M::PLAN.name,
            inbox: Arc::clone(&inbox),
            named,
        };
        if let Err(entry) = self.register(me.0.id, entry) {
            // The runtime has stopped: its life is over here.
            drop(entry);
            return me;
        }
        match &self.0.world {
            World::Workers => {
                let (runtime, title) = (self.clone(), title.to_string());
                let told = title.clone();
                let owned = Arc::clone(&inbox);
                let crashed = me.0.crashed.clone();
                let body = move || {
                    crashed.severs();
                    let life = || block_on(&inbox, life.run(true), site);
                    if let Err(panic) = catch(life) {
                        if !is_end(&*panic) {
                            runtime.fail_by_panic(&told, &*panic);
                        }
                        runtime.end_work();
                    }
                };
                Runtime::spawn_worker(&title, &owned, site, Box::new(body));
            }
            World::Pool(pool) => {
                let life = Box::pin(life.run(false));
                pool.spawn(Guarded::new(self.clone(), title, inbox, life));
            }
            World::Executor(spawn) => {
                let life = Box::pin(life.run(false));
                spawn(Box::pin(Guarded::new(self.clone(), title, inbox, life)));
            }
        }
        me
    }

    /// An actor that nobody runs.
    pub(super) fn actor<M: Machine>(&self, name: Option<String>) -> Arc<Actor<M>> {
        let id = self.new_id();
        let title = || Title::of::<M>(name.as_ref(), id).to_string();
        Arc::new(Actor {
            table: Table::of(M::PLAN, std::any::type_name::<M>(), &title),
            id,
            name,
            inbox: Inbox::new(),
            runtime: self.clone(),
            crashed: Crashed::default(),
        })
    }
}

// The following is not generic, so that it is the same code for all actors.
impl Runtime {
    fn new_id(&self) -> ActorId {
        ActorId(self.0.next_id.fetch_add(1, Ordering::Relaxed))
    }

    #[inline(never)]
    fn spawn_worker(
        name: &str,
        inbox: &InboxMachine,
        site: &'static Location<'static>,
        body: Box<dyn FnOnce()>,
    ) {
        assert!(
            engine::is_controlled(),
            "a thread that is not under control cannot create an actor of a runtime that is"
        );
        let Some(worker) = engine::spawn_at(Some(name), None, None, site, body) else {
            panic!("there is no memory for the stack of {name}");
        };
        inbox.belongs_to(worker);
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        lock(&self.0.registry)
    }

    /// The registry for those who look at it.
    fn roll(&self) -> ObjectId {
        ObjectId::of(&self.0.registry)
    }

    fn take_name(&self, name: &str, site: &'static Location<'static>) -> bool {
        act(self.roll(), "take a name", site);
        let mut registry = self.registry();
        let is_free = !registry.names.contains_key(name);
        if is_free {
            registry.names.insert(name.to_owned(), u64::MAX);
            changes(self.roll());
        }
        is_free
    }

    fn find_any(&self, name: &str, site: &'static Location<'static>) -> Option<AnyActor> {
        look(self.roll(), "find", site);
        let registry = self.registry();
        let id = registry.names.get(name)?;
        let (_, actor) = registry.actors.get(id)?.named.as_ref()?;
        Some(Arc::clone(actor))
    }

    /// Gives the entry back if the runtime has stopped.
    fn register(&self, id: ActorId, entry: Entry) -> Result<(), Entry> {
        changes(self.roll());
        let mut registry = self.registry();
        if self.has_stopped() {
            if let Some((name, _)) = &entry.named {
                registry.names.remove(name);
            }
            return Err(entry);
        }
        if let Some((name, _)) = &entry.named {
            registry.names.insert(name.clone(), id.0);
        }
        registry.actors.insert(id.0, entry);
        Ok(())
    }

    /// The actor has ended. Returns what the registry had of it, to be dropped by its own code.
    pub(super) fn forget(&self, id: ActorId) -> Option<AnyActor> {
        changes(self.roll());
        let entry = {
            let mut registry = self.registry();
            let entry = registry.actors.remove(&id.0)?;
            if let Some((name, _)) = &entry.named {
                registry.names.remove(name);
            }
            entry
        };
        let hook = self.hooks().halted.clone();
        if let Some(hook) = hook {
            hook(id);
        }
        entry.named.map(|(_, actor)| actor)
    }

    /// The numbers and types of the actors that live, in the order of their creation.
    #[track_caller]
    pub fn actors(&self) -> Vec<(ActorId, &'static str)> {
        look(self.roll(), "actors", Location::caller());
        let registry = self.registry();
        let actors = registry.actors.iter();
        actors
            .map(|(&id, entry)| (ActorId(id), entry.kind))
            .collect()
    }

    /// How many actors live.
    #[track_caller]
    pub fn count(&self) -> usize {
        look(self.roll(), "count of actors", Location::caller());
        self.registry().actors.len()
    }
}

/// Work and rest.
impl Runtime {
    /// Somebody has something to do.
    #[inline(never)]
    pub(super) fn begin_work(&self) {
        engine::touch(self.rest(), Access::Adds);
        self.0.work.begin();
    }

    /// Somebody has nothing more to do.
    #[inline(never)]
    pub(super) fn end_work(&self) {
        engine::touch(self.rest(), Access::Adds);
        engine::release(self.rest());
        self.0.work.end();
        if (engine::is_controlled() || self.0.work.is_awaited()) && !self.0.work.is_any() {
            self.tell_of_rest();
        }
    }

    /// An actor takes an event: under the engine faults may be due.
    #[inline(never)]
    pub(super) fn event_taken(&self) {
        for _ in 0..self.0.pace.take() {
            self.begin_work();
        }
    }

    pub(super) fn pace(&self) -> &Pace {
        &self.0.pace
    }

    /// Wakes who waits for the end of work, since it has come, or a failure has.
    fn tell_of_rest(&self) {
        if engine::is_controlled() {
            engine::wake_all(self.rest());
        } else if self.0.work.is_awaited() {
            self.0.work.tell();
        }
    }

    /// Waits until there is nothing left to do: each actor has ended or waits for an event, and no timer
    /// runs. Returns the runtime's first failure.
    ///
    /// Outside of the engine periodic timers do not count, since they never end.
    #[track_caller]
    pub fn wait_until_idle(&self) -> Result<(), RuntimeFailure> {
        let site = Location::caller();
        let is_busy = || self.0.work.is_any() && !self.has_failed();
        if engine::is_controlled() {
            if is_busy() {
                engine::declare_wait();
            } else {
                engine::point_at(Operation::WaitUntilIdle, self.rest(), site).done();
            }
            while is_busy() {
                engine::wait_at(Operation::WaitUntilIdle, self.rest(), NEVER, None, site);
            }
            engine::acquire(self.rest());
            self.0.pace.rest();
        } else {
            self.0.work.wait_while(is_busy);
        }
        self.first_failure().map_or(Ok(()), Err)
    }

    /// Ends all actors: they handle no further event, and a handler under way ends where it awaits. Events
    /// that were sent are dropped. It does not wait for that, which `wait_until_idle` does.
    #[track_caller]
    pub fn stop(&self) {
        act(self.halted(), "stop", Location::caller());
        self.end_all();
    }

    /// The same within a step.
    fn end_all(&self) {
        reads(self.roll());
        let inboxes: Vec<_> = {
            let registry = self.registry();
            self.0.is_stopped.store(true, Ordering::SeqCst);
            changes(self.halted());
            let actors = registry.actors.values();
            actors.map(|entry| Arc::clone(&entry.inbox)).collect()
        };
        for inbox in inboxes {
            inbox.shut(&|| self.begin_work());
        }
        self.0.clock.stop();
        if let World::Pool(pool) = &self.0.world {
            pool.close();
        }
    }

    /// True once it was stopped.
    #[track_caller]
    pub fn is_stopped(&self) -> bool {
        look(self.halted(), "is_stopped", Location::caller());
        self.has_stopped()
    }

    /// The same within a step.
    pub(super) fn has_stopped(&self) -> bool {
        reads(self.halted());
        self.0.is_stopped.load(Ordering::SeqCst)
    }

    /// Whether it was stopped, for those who look at it.
    fn halted(&self) -> ObjectId {
        ObjectId::of(&self.0.is_stopped)
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    fn rest(&self) -> ObjectId {
        ObjectId::of(&self.0.work)
    }
}

/// News of failures and ends.
impl Runtime {
    /// Calls this for the first failure.
    #[track_caller]
    pub fn on_failure(&self, hook: impl Fn(&RuntimeFailure) + Send + Sync + 'static) {
        act(self.hooked(), "on_failure", Location::caller());
        lock(&self.0.hooks).failure = Some(Arc::new(hook));
        changes(self.hooked());
    }

    /// Calls this for each event that was dropped since its actor had ended, with the event's name.
    #[track_caller]
    pub fn on_event_dropped(&self, hook: impl Fn(&'static str, ActorId) + Send + Sync + 'static) {
        act(self.hooked(), "on_event_dropped", Location::caller());
        lock(&self.0.hooks).dropped = Some(Arc::new(hook));
        changes(self.hooked());
    }

    /// Calls this for each actor that has ended.
    #[track_caller]
    pub fn on_actor_halted(&self, hook: impl Fn(ActorId) + Send + Sync + 'static) {
        act(self.hooked(), "on_actor_halted", Location::caller());
        lock(&self.0.hooks).halted = Some(Arc::new(hook));
        changes(self.hooked());
    }

    /// The first failure.
    #[track_caller]
    pub fn failure(&self) -> Option<RuntimeFailure> {
        look(self.failed(), "failure", Location::caller());
        self.first_failure()
    }

    fn first_failure(&self) -> Option<RuntimeFailure> {
        reads(self.failed());
        let (failure, panicked) = lock(&self.0.failure).clone()?;
        if let Some(worker) = panicked {
            engine::panic_noticed(worker);
        }
        Some(failure)
    }

    fn has_failed(&self) -> bool {
        reads(self.failed());
        lock(&self.0.failure).is_some()
    }

    /// The failure for those who look at it.
    fn failed(&self) -> ObjectId {
        ObjectId::of(&self.0.failure)
    }

    fn hooks(&self) -> MutexGuard<'_, Hooks> {
        reads(self.hooked());
        lock(&self.0.hooks)
    }

    fn hooked(&self) -> ObjectId {
        ObjectId::of(&self.0.hooks)
    }

    pub(super) fn note_dropped(&self, event: &'static str, by: ActorId) {
        let hook = self.hooks().dropped.clone();
        if let Some(hook) = hook {
            hook(event, by);
        }
    }

    /// A failure of an actor: under the engine a bug, which ends the schedule unless the test is one that is
    /// expected to panic.
    pub(super) fn fail(&self, actor: &str, failure: &Failure, site: &'static Location<'static>) {
        if engine::is_severed() {
            return;
        }
        let message = failure.to_string();
        if engine::is_controlled() && !engine::expects_panic() {
            engine::end_with(BugKind::ActorFailed, &format!("{actor}: {message}"), site);
        }
        self.note_failure(actor, message);
    }

    pub(super) fn fail_by_panic(&self, actor: &str, panic: &(dyn Any + Send)) {
        engine::worker_panicked();
        self.note(actor, message_of(panic), engine::current());
    }

    pub(super) fn note_failure(&self, actor: &str, message: String) {
        self.note(actor, message, None);
    }

    /// The failure is a panic of this worker, if of any.
    fn note(&self, actor: &str, message: String, panicked: Option<WorkerId>) {
        let failure = RuntimeFailure {
            actor: actor.to_owned(),
            message,
        };
        changes(self.failed());
        let is_first = {
            let mut first = lock(&self.0.failure);
            let is_first = first.is_none();
            if is_first {
                *first = Some((failure.clone(), panicked));
            }
            is_first
        };
        if is_first {
            let hook = self.hooks().failure.clone();
            if let Some(hook) = hook {
                hook(&failure);
            }
        }
        self.tell_of_rest();
    }
}

/// Runs a test that needs a runtime: gives it one, waits until nothing is left to do, and fails if that has
/// failed. Named by `#[cct::test]`.
#[doc(hidden)]
#[track_caller]
pub fn tested<R>(test: impl FnOnce(&Runtime) -> R) -> R {
    let runtime = Runtime::new();
    let result = test(&runtime);
    if let Err(failure) = runtime.wait_until_idle() {
        panic!("{failure}");
    }
    runtime.end_all();
    result
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("actors", &self.registry().actors.len())
            .finish_non_exhaustive()
    }
}

/// No code of others runs under these locks, so a panic leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
