//! A thread of a program under way on the engine.

use std::time::Duration;

use cct_shims::std::sync::atomic::Ordering::SeqCst;
use cct_shims::std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError, TrySendError};
use cct_shims::std::sync::{
    LockResult, MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use cct_shims::std::thread::{self, JoinHandle};

use crate::block_on::{block_on, signal};
use crate::code::mark;
use crate::execute::{
    Ends, LAZY_SITES, LOCAL, Local, Shared, panic_now, panics, publish, run_thread, see, width,
};
use crate::outcome::seen;
use crate::program::{OBJECTS, OnceWay, Op, Update};
use crate::tasks;

/// A sender of any kind.
#[derive(Clone)]
pub(crate) enum Sender {
    Free(mpsc::Sender<u32>),
    Bounded(mpsc::SyncSender<u32>),
}

/// A guard of a reader-writer lock; it is only kept.
#[expect(dead_code, reason = "guards are held for their drop")]
enum RwGuard {
    Reads(RwLockReadGuard<'static, ()>),
    Writes(RwLockWriteGuard<'static, ()>),
}

/// The holdings of a thread; it lets go in this order.
pub(crate) struct Flow {
    shared: &'static Shared,
    thread: usize,
    /// The number of its next operation.
    site: usize,
    guards: [Option<MutexGuard<'static, u32>>; OBJECTS],
    rw_guards: [Option<RwGuard>; OBJECTS],
    senders: Vec<Option<Sender>>,
    receivers: Vec<Option<Receiver<u32>>>,
    handles: Vec<(usize, JoinHandle<()>)>,
}

impl Flow {
    /// A thread that has these ends of channels.
    pub(crate) fn new(shared: &'static Shared, thread: usize, ends: Ends, site: usize) -> Flow {
        Flow {
            shared,
            thread,
            site,
            guards: Default::default(),
            rw_guards: Default::default(),
            senders: ends.senders,
            receivers: ends.receivers,
            handles: Vec::new(),
        }
    }

    fn see(&self, value: u32) {
        see(self.thread, value);
    }

    /// Notes whether a lock that was taken is poisoned, and goes on with its guard.
    fn taken<G>(&self, taken: LockResult<G>) -> G {
        self.see(if taken.is_ok() {
            seen::YES
        } else {
            seen::POISONED
        });
        taken.unwrap_or_else(PoisonError::into_inner)
    }

    fn tried<G>(&self, tried: Result<G, TryLockError<G>>) -> Option<G> {
        let (guard, what) = match tried {
            Ok(guard) => (Some(guard), seen::YES),
            Err(TryLockError::Poisoned(poisoned)) => (Some(poisoned.into_inner()), seen::POISONED),
            Err(TryLockError::WouldBlock) => (None, seen::NO),
        };
        self.see(what);
        guard
    }

    fn all(&mut self, ops: &[Op]) {
        for op in ops {
            self.carry_out(op);
        }
    }

    /// Carries an operation out, at a place in this file that is its own: the engine would take two looks
    /// from one place for spinning.
    #[rustfmt::skip]
    #[expect(clippy::match_same_arms, reason = "they are at different places")]
    pub(crate) fn carry_out(&mut self, op: &Op) {
        let site = self.site;
        self.site += 1;
        match site % 32 {
            0 => self.one(op, site),
            1 => self.one(op, site),
            2 => self.one(op, site),
            3 => self.one(op, site),
            4 => self.one(op, site),
            5 => self.one(op, site),
            6 => self.one(op, site),
            7 => self.one(op, site),
            8 => self.one(op, site),
            9 => self.one(op, site),
            10 => self.one(op, site),
            11 => self.one(op, site),
            12 => self.one(op, site),
            13 => self.one(op, site),
            14 => self.one(op, site),
            15 => self.one(op, site),
            16 => self.one(op, site),
            17 => self.one(op, site),
            18 => self.one(op, site),
            19 => self.one(op, site),
            20 => self.one(op, site),
            21 => self.one(op, site),
            22 => self.one(op, site),
            23 => self.one(op, site),
            24 => self.one(op, site),
            25 => self.one(op, site),
            26 => self.one(op, site),
            27 => self.one(op, site),
            28 => self.one(op, site),
            29 => self.one(op, site),
            30 => self.one(op, site),
            _ => self.one(op, site),
        }
    }

    #[track_caller]
    fn one(&mut self, op: &Op, site: usize) {
        let mark = mark(self.thread, site);
        match *op {
            Op::Load(_) | Op::Store(..) | Op::Update(..) | Op::CompareExchange(..) => {
                self.atomic(op);
            }
            Op::Lock(_)
            | Op::TryLock(_)
            | Op::Unlock(_)
            | Op::IsPoisoned(_)
            | Op::ClearPoison(_)
            | Op::Bump(_) => self.mutex(op),
            Op::Wait(_)
            | Op::WaitWhile(_)
            | Op::WaitTimeout(..)
            | Op::NotifyOne(_)
            | Op::NotifyAll(_) => self.condvar(op),
            Op::Read(_)
            | Op::TryRead(_)
            | Op::Write(_)
            | Op::TryWrite(_)
            | Op::RwUnlock(_)
            | Op::RwIsPoisoned(_)
            | Op::RwClearPoison(_) => self.rwlock(op),
            Op::Send(_)
            | Op::TrySend(_)
            | Op::Recv(_)
            | Op::TryRecv(_)
            | Op::RecvTimeout(..)
            | Op::DropSender(_)
            | Op::DropReceiver(_) => self.channel(op, mark),
            Op::Once(way, number, ref ops) => self.once(way, number, ops, site),
            Op::IsCompleted(_)
            | Op::OnceWait(_)
            | Op::CellGet(_)
            | Op::CellSet(_)
            | Op::CellWait(_) => self.cell(op, mark),
            Op::Scope(ref threads, ref ops) => self.scope(threads, ops),
            Op::Catch(ref ops) => {
                let after = self.site + width(ops, &self.shared.program);
                let has_panicked = panics(|| self.all(ops));
                self.see(if has_panicked { seen::PANIC } else { seen::YES });
                self.site = after;
            }
            Op::Panic => panic_now(),
            Op::BlockOn(ref awaits) => block_on(self.shared, self.thread, awaits),
            Op::RunTasks(ref tasks) => tasks::run(self.shared, tasks),
            Op::Signal(number, way) => signal(&self.shared.events[number], way),
            _ => self.flow(op),
        }
    }

    #[track_caller]
    fn atomic(&mut self, op: &Op) {
        let shared = self.shared;
        match *op {
            Op::Load(number) => self.see(shared.atomics[number].load(SeqCst)),
            Op::Store(number, value) => shared.atomics[number].store(value, SeqCst),
            Op::Update(number, update, value) => {
                let atomic = &shared.atomics[number];
                self.see(match update {
                    Update::Swap => atomic.swap(value, SeqCst),
                    Update::Add => atomic.fetch_add(value, SeqCst),
                    Update::Sub => atomic.fetch_sub(value, SeqCst),
                    Update::And => atomic.fetch_and(value, SeqCst),
                    Update::Or => atomic.fetch_or(value, SeqCst),
                    Update::Xor => atomic.fetch_xor(value, SeqCst),
                    Update::Nand => atomic.fetch_nand(value, SeqCst),
                    Update::Max => atomic.fetch_max(value, SeqCst),
                    Update::Min => atomic.fetch_min(value, SeqCst),
                });
            }
            Op::CompareExchange(number, old, new) => {
                let result = shared.atomics[number].compare_exchange(old, new, SeqCst, SeqCst);
                self.see(result.unwrap_or_else(|now| now));
            }
            _ => unreachable!("an atomic's"),
        }
    }

    #[track_caller]
    fn mutex(&mut self, op: &Op) {
        let shared = self.shared;
        match *op {
            Op::Lock(number) => {
                if self.guards[number].is_none() {
                    self.guards[number] = Some(self.taken(shared.mutexes[number].lock()));
                }
            }
            Op::TryLock(number) => {
                if self.guards[number].is_none() {
                    self.guards[number] = self.tried(shared.mutexes[number].try_lock());
                }
            }
            Op::Unlock(number) => self.guards[number] = None,
            Op::IsPoisoned(number) => {
                let is_poisoned = shared.mutexes[number].is_poisoned();
                self.see(if is_poisoned {
                    seen::POISONED
                } else {
                    seen::NO
                });
            }
            Op::ClearPoison(number) => shared.mutexes[number].clear_poison(),
            Op::Bump(number) => {
                if let Some(guard) = &mut self.guards[number] {
                    **guard += 1;
                    let value = **guard;
                    self.see(value);
                }
            }
            _ => unreachable!("a mutex's"),
        }
    }

    #[track_caller]
    fn condvar(&mut self, op: &Op) {
        let shared = self.shared;
        match *op {
            Op::NotifyOne(number) => shared.condvars[number].notify_one(),
            Op::NotifyAll(number) => shared.condvars[number].notify_all(),
            Op::Wait(number) | Op::WaitWhile(number) | Op::WaitTimeout(number, _) => {
                let guard = match self.guards[number].take() {
                    Some(guard) => guard,
                    None => self.taken(shared.mutexes[number].lock()),
                };
                let condvar = &shared.condvars[number];
                let guard = match *op {
                    Op::Wait(_) => {
                        let guard = self.taken(condvar.wait(guard));
                        self.see(seen::YES);
                        guard
                    }
                    Op::WaitWhile(_) => {
                        let thread = self.thread;
                        let guard = condvar.wait_while(guard, |value| {
                            see(thread, if *value == 0 { seen::NO } else { seen::YES });
                            *value == 0
                        });
                        if guard.is_err() {
                            self.see(seen::POISONED);
                        }
                        guard.unwrap_or_else(PoisonError::into_inner)
                    }
                    Op::WaitTimeout(_, limit) => {
                        let result = condvar.wait_timeout(guard, millis(limit));
                        self.see(if result.is_ok() {
                            seen::YES
                        } else {
                            seen::POISONED
                        });
                        let (guard, end) = result.unwrap_or_else(PoisonError::into_inner);
                        self.see(if end.timed_out() {
                            seen::LATE
                        } else {
                            seen::YES
                        });
                        guard
                    }
                    _ => unreachable!("a wait"),
                };
                self.guards[number] = Some(guard);
            }
            _ => unreachable!("a condition variable's"),
        }
    }

    #[track_caller]
    fn rwlock(&mut self, op: &Op) {
        let shared = self.shared;
        match *op {
            Op::Read(number) if self.rw_guards[number].is_none() => {
                let guard = self.taken(shared.rwlocks[number].read());
                self.rw_guards[number] = Some(RwGuard::Reads(guard));
            }
            Op::Write(number) if self.rw_guards[number].is_none() => {
                let guard = self.taken(shared.rwlocks[number].write());
                self.rw_guards[number] = Some(RwGuard::Writes(guard));
            }
            Op::TryRead(number) if self.rw_guards[number].is_none() => {
                let guard = self.tried(shared.rwlocks[number].try_read());
                self.rw_guards[number] = guard.map(RwGuard::Reads);
            }
            Op::TryWrite(number) if self.rw_guards[number].is_none() => {
                let guard = self.tried(shared.rwlocks[number].try_write());
                self.rw_guards[number] = guard.map(RwGuard::Writes);
            }
            Op::RwUnlock(number) => self.rw_guards[number] = None,
            Op::RwIsPoisoned(number) => {
                let is_poisoned = shared.rwlocks[number].is_poisoned();
                self.see(if is_poisoned {
                    seen::POISONED
                } else {
                    seen::NO
                });
            }
            Op::RwClearPoison(number) => shared.rwlocks[number].clear_poison(),
            _ => {}
        }
    }

    #[track_caller]
    fn channel(&mut self, op: &Op, message: u32) {
        match *op {
            Op::Send(number) => {
                let sent = match &self.senders[number] {
                    None => return,
                    Some(Sender::Free(sender)) => sender.send(message).is_ok(),
                    Some(Sender::Bounded(sender)) => sender.send(message).is_ok(),
                };
                self.see(if sent { seen::YES } else { seen::GONE });
            }
            Op::TrySend(number) => {
                let sent = match &self.senders[number] {
                    None => return,
                    Some(Sender::Free(sender)) => sender
                        .send(message)
                        .map_err(|error| TrySendError::Disconnected(error.0)),
                    Some(Sender::Bounded(sender)) => sender.try_send(message),
                };
                self.see(match sent {
                    Ok(()) => seen::YES,
                    Err(TrySendError::Full(_)) => seen::NO,
                    Err(TrySendError::Disconnected(_)) => seen::GONE,
                });
            }
            Op::Recv(number) => {
                if let Some(receiver) = &self.receivers[number] {
                    let received = receiver.recv();
                    self.see(received.unwrap_or(seen::GONE));
                }
            }
            Op::TryRecv(number) => {
                if let Some(receiver) = &self.receivers[number] {
                    let received = receiver.try_recv();
                    self.see(received.unwrap_or_else(|error| match error {
                        TryRecvError::Empty => seen::NO,
                        TryRecvError::Disconnected => seen::GONE,
                    }));
                }
            }
            Op::RecvTimeout(number, limit) => {
                if let Some(receiver) = &self.receivers[number] {
                    let received = receiver.recv_timeout(millis(limit));
                    self.see(received.unwrap_or_else(|error| match error {
                        RecvTimeoutError::Timeout => seen::LATE,
                        RecvTimeoutError::Disconnected => seen::GONE,
                    }));
                }
            }
            Op::DropSender(number) => drop(self.senders[number].take()),
            Op::DropReceiver(number) => drop(self.receivers[number].take()),
            _ => unreachable!("a channel's"),
        }
    }

    #[track_caller]
    fn once(&mut self, way: OnceWay, number: usize, ops: &[Op], site: usize) {
        let shared = self.shared;
        let program = &shared.program;
        let ops = if way == OnceWay::Lazy {
            &program.lazy
        } else {
            ops
        };
        let after = self.site + width(ops, program);
        let (thread, mark) = (self.thread, mark(self.thread, site));
        let mut what = seen::NO;
        let has_panicked = panics(|| match way {
            OnceWay::Call => shared.onces[number].call_once(|| {
                self.all(ops);
                what = seen::YES;
            }),
            OnceWay::Force => shared.onces[number].call_once_force(|_| {
                self.all(ops);
                what = seen::YES;
            }),
            OnceWay::Cell => {
                what = *shared.cells[number].get_or_init(|| {
                    self.all(ops);
                    mark
                });
            }
            OnceWay::Lazy => {
                LAZY_SITES[thread].store(site as u32, std::sync::atomic::Ordering::Relaxed);
                what = *cct_shims::std::sync::LazyLock::force(&shared.lazy);
            }
        });
        self.see(if has_panicked { seen::PANIC } else { what });
        self.site = after;
    }

    #[track_caller]
    fn cell(&mut self, op: &Op, mark: u32) {
        let shared = self.shared;
        let yes = |yes: bool| if yes { seen::YES } else { seen::NO };
        let what = match *op {
            Op::IsCompleted(number) => yes(shared.onces[number].is_completed()),
            Op::OnceWait(number) => {
                let has_panicked = panics(|| shared.onces[number].wait());
                if has_panicked { seen::PANIC } else { seen::YES }
            }
            Op::CellGet(number) => shared.cells[number].get().copied().unwrap_or(seen::NO),
            Op::CellSet(number) => yes(shared.cells[number].set(mark).is_ok()),
            Op::CellWait(number) => *shared.cells[number].wait(),
            _ => unreachable!("an initialiser's"),
        };
        self.see(what);
    }

    #[track_caller]
    fn scope(&mut self, threads: &[usize], ops: &[Op]) {
        let shared = self.shared;
        let after = self.site + width(ops, &shared.program);
        let has_panicked = panics(|| {
            thread::scope(|scope| {
                for &thread in threads {
                    if shared.is_unborn(thread) {
                        let handle = scope.spawn(move || run_thread(shared, thread));
                        publish(shared, thread, handle.thread().clone());
                    }
                }
                self.all(ops);
            });
        });
        self.see(if has_panicked { seen::PANIC } else { seen::YES });
        self.site = after;
    }

    /// Threads, parking, barriers.
    #[track_caller]
    fn flow(&mut self, op: &Op) {
        let shared = self.shared;
        match *op {
            Op::Park => {
                thread::park();
                self.see(seen::YES);
            }
            Op::ParkTimeout(limit) => {
                thread::park_timeout(millis(limit));
                self.see(seen::YES);
            }
            Op::Unpark(thread) => {
                let known = shared.threads.lock().expect("nobody panics")[thread].clone();
                if let Some(thread) = known {
                    thread.unpark();
                }
            }
            Op::BarrierWait => {
                let leads = shared.barrier.wait().is_leader();
                self.see(if leads { seen::YES } else { seen::NO });
            }
            Op::Spawn(thread) => {
                if shared.is_unborn(thread) {
                    let handle = thread::spawn(move || run_thread(shared, thread));
                    publish(shared, thread, handle.thread().clone());
                    self.handles.push((thread, handle));
                }
            }
            Op::Join(thread) => {
                let place = self.handles.iter().position(|(known, _)| *known == thread);
                if let Some(place) = place {
                    let joined = self.handles.swap_remove(place).1.join();
                    self.see(if joined.is_ok() {
                        seen::YES
                    } else {
                        seen::PANIC
                    });
                }
            }
            Op::IsFinished(thread) => {
                let handle = self.handles.iter().find(|(known, _)| *known == thread);
                if let Some((_, handle)) = handle {
                    let is_finished = handle.is_finished();
                    self.see(if is_finished { seen::YES } else { seen::NO });
                }
            }
            Op::Touch => {
                if self.thread > 0 {
                    let thread = self.thread;
                    LOCAL.with(|local| {
                        let mut local = local.borrow_mut();
                        local.get_or_insert_with(|| Local { shared, thread });
                    });
                }
            }
            Op::Sleep(limit) => thread::sleep(millis(limit)),
            Op::Choose => self.see(cct::engine::choose_index(2) as u32),
            Op::Release => {
                self.guards.iter_mut().for_each(|guard| *guard = None);
                self.rw_guards.iter_mut().for_each(|guard| *guard = None);
                self.senders.iter_mut().for_each(|sender| *sender = None);
                self.receivers
                    .iter_mut()
                    .for_each(|receiver| *receiver = None);
            }
            _ => unreachable!("a thread's"),
        }
    }
}

impl Shared {
    fn is_unborn(&self, thread: usize) -> bool {
        self.threads.lock().expect("nobody panics")[thread].is_none()
    }
}

fn millis(limit: u32) -> Duration {
    Duration::from_millis(u64::from(limit))
}
