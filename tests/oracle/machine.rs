//! The effect of each instruction on the state, by the documentation of std: an interpreter that shares
//! nothing with the engine.

use crate::code::{Asked, Cell, Code, IfPoisoned, Instr};
use crate::outcome::seen;
use crate::program::{Register, Update};
use crate::state::{Deed, Frame, Hold, Phase, Progress, State, Thing, Waker};

/// Whether a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ready {
    /// Its next instruction concerns nobody else.
    Alone,
    /// It waits for others.
    Waits,
    /// It can go on in so many ways.
    Can(usize),
}

impl State {
    /// Whether the thread can do its next instruction, the time-out of a wait apart.
    pub(crate) fn ready(&self, code: &[Code], thread: usize) -> Ready {
        use Ready::{Alone, Can, Waits};
        let Some(instr) = self.next(code, thread) else {
            return Waits;
        };
        let flow = &self.threads[thread];
        let can_if = |can: bool| if can { Can(1) } else { Waits };
        let unless = |is_in_vain: bool| if is_in_vain { Alone } else { Can(1) };
        match instr {
            Instr::Lock(number) if flow.mutexes[number] => Alone,
            Instr::Lock(number) | Instr::Relock(number) | Instr::RelockWhile(number, _) => {
                can_if(self.mutexes[number].holder.is_none())
            }
            Instr::TryLock(number) => unless(flow.mutexes[number]),
            Instr::MarkPoison(number) => unless(!flow.mutexes[number] || !flow.panicking),
            Instr::Unlock(number) => unless(!flow.mutexes[number]),
            Instr::Read(number) if flow.rwlocks[number].is_some() => Alone,
            Instr::Read(number) => can_if(self.can_read(number)),
            Instr::Write(number) if flow.rwlocks[number].is_some() => Alone,
            Instr::Write(number) => can_if(if flow.announced.is_some() {
                self.can_write(number)
            } else {
                self.rwlocks[number].writer.is_none()
            }),
            Instr::TryRead(number) | Instr::TryWrite(number) => {
                unless(flow.rwlocks[number].is_some())
            }
            Instr::RwMarkPoison(number) => {
                unless(flow.rwlocks[number] != Some(Hold::Writes) || !flow.panicking)
            }
            Instr::RwUnlock(number) => unless(flow.rwlocks[number].is_none()),
            Instr::Bump(_)
            | Instr::WhileTest(..)
            | Instr::CatchBegin(_)
            | Instr::CatchEnd
            | Instr::Touch
            | Instr::UnlessTouched(_)
            | Instr::Await
            | Instr::NewFuture
            | Instr::EndTurn
            | Instr::IfSet(..)
            | Instr::StoreWaker(..)
            | Instr::TakeWaker(_)
            | Instr::Goto(_)
            | Instr::See(_) => Alone,
            Instr::LockSlot(number) => can_if(self.events[number].slot_holder.is_none()),
            Instr::WakeTaken => unless(flow.taken.is_none()),
            Instr::Panic => match flow.frames.last() {
                Some(Frame::Once(..)) => Can(1),
                _ => Alone,
            },
            Instr::WaitSleep(..) | Instr::SendAwait(_) | Instr::BarrierSleep | Instr::Sleep(_) => {
                Waits
            }
            Instr::NotifyOne(number) => Can(self.sleepers[number].len().max(1)),
            Instr::Choose => Can(2),
            Instr::Park(_) | Instr::PollLater(_) => can_if(flow.token),
            Instr::PollTaskLater(_) => can_if(flow.token && self.turn.is_none()),
            Instr::BeginTurn => can_if(self.turn.is_none()),
            // Having been woken meanwhile counts, or not, if the poll is a new one.
            Instr::GoOnWithTurn if self.turn.is_none() => Can(1 + usize::from(flow.token)),
            Instr::GoOnWithTurn => Waits,
            Instr::TasksEnd(set) => {
                let mut members = (0..self.threads.len()).filter(|other| set & (1 << other) != 0);
                can_if(members.all(|other| self.threads[other].phase == Phase::Ended))
            }
            Instr::Unpark(other) => unless(self.threads[other].phase == Phase::Unborn),
            Instr::Send(number, _) if !flow.senders[number] => Alone,
            Instr::Send(number, _) => can_if(!self.must_queue(number)),
            Instr::TrySend(number, _) | Instr::DropSender(number) => unless(!flow.senders[number]),
            Instr::Recv(number, _) if !flow.receivers[number] => Alone,
            Instr::Recv(number, _) => {
                let channel = &self.channels[number];
                can_if(channel.bound == Some(0) || self.has_news(number))
            }
            Instr::RecvAwait(number, _) => can_if(self.has_news(number)),
            Instr::TryRecv(number) | Instr::DropReceiver(number) => unless(!flow.receivers[number]),
            Instr::OnceBegin(cell, _) => {
                can_if(!matches!(self.cells[cell.place()], Progress::RunBy(_)))
            }
            Instr::OnceWait(cell) => can_if(match self.cells[cell.place()] {
                Progress::Done(_) => true,
                // That of a `OnceLock` goes on waiting.
                Progress::Poisoned => matches!(cell, Cell::Once(..)),
                _ => false,
            }),
            Instr::Spawn(other) => unless(self.threads[other].phase != Phase::Unborn),
            Instr::Join(other) if !flow.has_handle.contains(&other) => Alone,
            Instr::Join(other) => can_if(self.threads[other].phase == Phase::Ended),
            Instr::IsFinished(other) => unless(!flow.has_handle.contains(&other)),
            Instr::ScopeEnd(set) => {
                let mut members = (0..self.threads.len()).filter(|other| set & (1 << other) != 0);
                can_if(members.all(|other| self.threads[other].phase >= Phase::Left))
            }
            _ => Can(1),
        }
    }

    /// The thread for which this one waits, if a lock or a handle says so.
    pub(crate) fn holder(&self, code: &[Code], thread: usize) -> Option<usize> {
        if self.ready(code, thread) != Ready::Waits {
            return None;
        }
        match self.next(code, thread)? {
            Instr::Lock(number) | Instr::Relock(number) | Instr::RelockWhile(number, _) => {
                self.mutexes[number].holder
            }
            Instr::Read(number) | Instr::Write(number) => self.rwlocks[number].known,
            Instr::Join(other) => Some(other),
            Instr::LockSlot(number) => self.events[number].slot_holder,
            Instr::OnceBegin(cell, _) | Instr::OnceWait(cell) => match self.cells[cell.place()] {
                Progress::RunBy(other) => Some(other),
                _ => None,
            },
            _ => None,
        }
    }

    /// For how long the thread waits at most, once it waits.
    pub(crate) fn limit(&self, code: &[Code], thread: usize) -> Option<u32> {
        match self.next(code, thread)? {
            Instr::WaitBegin(_, limit)
            | Instr::WaitSleep(_, limit)
            | Instr::Park(limit)
            | Instr::Recv(_, limit)
            | Instr::RecvAwait(_, limit) => limit,
            Instr::Sleep(limit) => Some(limit),
            _ => None,
        }
    }

    fn can_read(&self, number: usize) -> bool {
        self.rwlocks[number].writer.is_none() && !self.is_announced(number)
    }

    fn can_write(&self, number: usize) -> bool {
        let lock = &self.rwlocks[number];
        lock.writer.is_none() && lock.readers == 0
    }

    /// A writer waits for readers.
    fn is_announced(&self, number: usize) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|flow| flow.announced == Some(number))
    }

    fn must_queue(&self, number: usize) -> bool {
        let channel = &self.channels[number];
        let bound = channel.bound.filter(|&bound| bound > 0);
        channel.has_receiver && bound.is_some_and(|bound| channel.messages.len() >= bound)
    }

    /// A receiver has something to be told.
    fn has_news(&self, number: usize) -> bool {
        let channel = &self.channels[number];
        !channel.messages.is_empty() || !channel.offers.is_empty() || channel.senders == 0
    }

    fn see(&mut self, thread: usize, value: u32) {
        self.threads[thread].log.push(value);
    }

    fn go_on(&mut self, thread: usize) {
        let flow = &mut self.threads[thread];
        flow.at += 1;
        flow.deadline = None;
        flow.is_due = false;
    }

    /// The wait of a thread is over, by what another does.
    fn release(&mut self, thread: usize, deed: &mut Deed) {
        deed.woken.push(thread);
        self.go_on(thread);
    }

    /// Does the thread's next instruction, in that way if there are several.
    pub(crate) fn carry_out(
        &mut self,
        code: &[Code],
        thread: usize,
        choice: usize,
        deed: &mut Deed,
    ) {
        let instr = self.next(code, thread).expect("it is there");
        if self.ready(code, thread) == Ready::Alone {
            self.alone(code, thread, instr);
            return;
        }
        match instr {
            Instr::Load(_) | Instr::Store(..) | Instr::Update(..) | Instr::CompareExchange(..) => {
                self.atomic(thread, instr, deed);
            }
            Instr::Lock(_)
            | Instr::Relock(_)
            | Instr::RelockWhile(..)
            | Instr::TryLock(_)
            | Instr::MarkPoison(_)
            | Instr::Unlock(_)
            | Instr::IsPoisoned(_)
            | Instr::ClearPoison(_)
            | Instr::WaitBegin(..)
            | Instr::NotifyOne(_)
            | Instr::NotifyAll(_) => self.mutex(thread, instr, choice, deed),
            Instr::Read(_)
            | Instr::TryRead(_)
            | Instr::Write(_)
            | Instr::TryWrite(_)
            | Instr::RwMarkPoison(_)
            | Instr::RwUnlock(_)
            | Instr::RwIsPoisoned(_)
            | Instr::RwClearPoison(_) => self.rwlock(thread, instr, deed),
            Instr::Send(..)
            | Instr::TrySend(..)
            | Instr::Recv(..)
            | Instr::RecvAwait(..)
            | Instr::TryRecv(_)
            | Instr::DropSender(_)
            | Instr::DropReceiver(_) => self.channel(thread, instr, deed),
            Instr::OnceBegin(..) | Instr::OnceEnd(..) | Instr::OnceIs(_) | Instr::OnceWait(_) => {
                self.once(thread, instr, deed);
            }
            Instr::Panic => self.unwind_once(thread, deed),
            Instr::Look(_)
            | Instr::LockSlot(_)
            | Instr::UnlockSlot(_)
            | Instr::PollLater(_)
            | Instr::PollTaskLater(_)
            | Instr::SetEvent(_)
            | Instr::WakeTaken => self.future(thread, instr, deed),
            _ => self.flow(thread, instr, choice, deed),
        }
    }

    /// Instructions that concern nobody else.
    fn alone(&mut self, code: &[Code], thread: usize, instr: Instr) {
        let flow = &mut self.threads[thread];
        match instr {
            Instr::Bump(number) if flow.mutexes[number] => {
                let value = &mut self.mutexes[number].value;
                *value += 1;
                flow.log.push(*value);
            }
            Instr::WhileTest(number, end) => {
                if self.mutexes[number].value != 0 {
                    flow.log.push(seen::YES);
                    flow.at = end;
                    return;
                }
                flow.log.push(seen::NO);
            }
            Instr::CatchBegin(end) => flow.frames.push(Frame::Catch(end)),
            Instr::CatchEnd => {
                flow.frames.pop();
                flow.log.push(seen::YES);
            }
            Instr::Panic => {
                self.unwind(code, thread);
                return;
            }
            Instr::Touch => flow.touched |= thread > 0,
            Instr::UnlessTouched(to) if !flow.touched => {
                flow.at = to;
                return;
            }
            Instr::NewFuture => flow.futures += 1,
            Instr::EndTurn => self.turn = None,
            Instr::Await => flow.found_set = 0,
            Instr::IfSet(bits, to) if flow.found_set & bits == bits => {
                flow.at = to;
                return;
            }
            Instr::Goto(to) => {
                flow.at = to;
                return;
            }
            Instr::See(value) => flow.log.push(value),
            Instr::StoreWaker(number, register) => {
                let future = flow.futures;
                let waker = Some(Waker { thread, future });
                let slot = &mut self.events[number].waker;
                if register == Register::Replace {
                    flow.log
                        .push(if *slot == waker { seen::NO } else { seen::YES });
                }
                *slot = waker;
            }
            Instr::TakeWaker(number) => flow.taken = self.events[number].waker.take(),
            // A send that cannot succeed is passed over together with the wait for its receipt.
            Instr::Send(..) | Instr::Recv(..) => flow.at += 1,
            _ => {}
        }
        self.go_on(thread);
    }

    /// A panic comes to what catches it.
    fn unwind(&mut self, code: &[Code], thread: usize) {
        let flow = &mut self.threads[thread];
        match flow.frames.pop() {
            Some(Frame::Catch(end)) => {
                flow.log.push(seen::PANIC);
                flow.at = end;
            }
            Some(Frame::Once(..)) => unreachable!("its end is a step"),
            None => {
                flow.panicking = true;
                flow.has_panicked = true;
                flow.at = code[thread].teardown;
            }
        }
    }

    fn unwind_once(&mut self, thread: usize, deed: &mut Deed) {
        let flow = &mut self.threads[thread];
        if let Some(Frame::Once(cell, end)) = flow.frames.pop() {
            deed.changes(Thing::Cell(cell.place()));
            flow.log.push(seen::PANIC);
            flow.at = end;
            self.cells[cell.place()] = Progress::Poisoned;
        }
    }

    fn atomic(&mut self, thread: usize, instr: Instr, deed: &mut Deed) {
        let (number, new) = match instr {
            Instr::Load(number) => (number, None),
            Instr::Store(number, value) => (number, Some(value)),
            Instr::Update(number, update, value) => {
                (number, Some(update.apply(self.atomics[number], value)))
            }
            Instr::CompareExchange(number, old, new) => {
                (number, (self.atomics[number] == old).then_some(new))
            }
            _ => unreachable!("an atomic's"),
        };
        let before = self.atomics[number];
        if !matches!(instr, Instr::Store(..)) {
            self.see(thread, before);
        }
        match new {
            None => deed.looks(Thing::Atomic(number)),
            Some(new) => {
                deed.changes(Thing::Atomic(number));
                self.atomics[number] = new;
            }
        }
        self.go_on(thread);
    }

    fn mutex(&mut self, thread: usize, instr: Instr, choice: usize, deed: &mut Deed) {
        match instr {
            Instr::Lock(number) | Instr::Relock(number) | Instr::RelockWhile(number, _) => {
                deed.changes(Thing::Mutex(number));
                let mutex = &mut self.mutexes[number];
                mutex.holder = Some(thread);
                let flow = &mut self.threads[thread];
                flow.mutexes[number] = true;
                let is_late = std::mem::take(&mut flow.timed_out);
                if mutex.poisoned {
                    flow.log.push(seen::POISONED);
                } else if !matches!(instr, Instr::RelockWhile(..)) {
                    flow.log.push(seen::YES);
                }
                if matches!(instr, Instr::Relock(_)) {
                    flow.log.push(if is_late { seen::LATE } else { seen::YES });
                }
                if let Instr::RelockWhile(_, test) = instr
                    && !mutex.poisoned
                {
                    flow.at = test;
                    return;
                }
            }
            Instr::TryLock(number) => {
                let mutex = &mut self.mutexes[number];
                let what = if mutex.holder.is_some() {
                    deed.looks(Thing::Mutex(number));
                    seen::NO
                } else {
                    deed.changes(Thing::Mutex(number));
                    mutex.holder = Some(thread);
                    self.threads[thread].mutexes[number] = true;
                    if mutex.poisoned {
                        seen::POISONED
                    } else {
                        seen::YES
                    }
                };
                self.see(thread, what);
            }
            Instr::MarkPoison(number) => {
                deed.changes(Thing::Mutex(number));
                self.mutexes[number].poisoned = true;
            }
            Instr::Unlock(number) => {
                deed.changes(Thing::Mutex(number));
                self.mutexes[number].holder = None;
                self.threads[thread].mutexes[number] = false;
            }
            Instr::IsPoisoned(number) => {
                deed.looks(Thing::Mutex(number));
                let what = if self.mutexes[number].poisoned {
                    seen::POISONED
                } else {
                    seen::NO
                };
                self.see(thread, what);
            }
            Instr::ClearPoison(number) => {
                deed.changes(Thing::Mutex(number));
                self.mutexes[number].poisoned = false;
            }
            Instr::WaitBegin(number, _) => {
                deed.changes(Thing::Condvar(number));
                deed.changes(Thing::Mutex(number));
                self.mutexes[number].holder = None;
                self.threads[thread].mutexes[number] = false;
                self.sleepers[number].push(thread);
                self.sleepers[number].sort_unstable();
                // The time has run since the call.
                self.threads[thread].at += 1;
                return;
            }
            Instr::NotifyOne(number) => {
                deed.changes(Thing::Condvar(number));
                if !self.sleepers[number].is_empty() {
                    let sleeper = self.sleepers[number].remove(choice);
                    self.release(sleeper, deed);
                }
            }
            Instr::NotifyAll(number) => {
                deed.changes(Thing::Condvar(number));
                for sleeper in std::mem::take(&mut self.sleepers[number]) {
                    self.release(sleeper, deed);
                }
            }
            _ => unreachable!("a mutex's"),
        }
        self.go_on(thread);
    }

    fn rwlock(&mut self, thread: usize, instr: Instr, deed: &mut Deed) {
        let flow = &mut self.threads[thread];
        match instr {
            Instr::Read(number) | Instr::TryRead(number) => {
                if !self.can_read(number) {
                    deed.looks(Thing::RwLock(number));
                    self.see(thread, seen::NO);
                    self.go_on(thread);
                    return;
                }
                deed.joins(Thing::RwLock(number));
                self.take(thread, number, Hold::Reads);
            }
            Instr::Write(number) | Instr::TryWrite(number) => {
                if !self.can_write(number) {
                    if matches!(instr, Instr::Write(_)) {
                        // Others wait behind it from here on.
                        deed.changes(Thing::RwLock(number));
                        let flow = &mut self.threads[thread];
                        flow.announced = Some(number);
                        return;
                    }
                    deed.looks(Thing::RwLock(number));
                    self.see(thread, seen::NO);
                    self.go_on(thread);
                    return;
                }
                deed.changes(Thing::RwLock(number));
                self.take(thread, number, Hold::Writes);
            }
            Instr::RwMarkPoison(number) => {
                deed.changes(Thing::RwLock(number));
                self.rwlocks[number].poisoned = true;
            }
            Instr::RwUnlock(number) => {
                let hold = flow.rwlocks[number].take();
                let lock = &mut self.rwlocks[number];
                lock.known = None;
                if hold == Some(Hold::Writes) {
                    deed.changes(Thing::RwLock(number));
                    lock.writer = None;
                } else {
                    lock.readers -= 1;
                    if self.is_announced(number) {
                        deed.changes(Thing::RwLock(number));
                    } else {
                        deed.joins(Thing::RwLock(number));
                    }
                }
                if self.can_write(number) {
                    // The first to come gets it.
                    for flow in &mut self.threads {
                        if flow.announced == Some(number) {
                            flow.announced = None;
                        }
                    }
                }
            }
            Instr::RwIsPoisoned(number) => {
                deed.looks(Thing::RwLock(number));
                let what = if self.rwlocks[number].poisoned {
                    seen::POISONED
                } else {
                    seen::NO
                };
                self.see(thread, what);
            }
            Instr::RwClearPoison(number) => {
                deed.changes(Thing::RwLock(number));
                self.rwlocks[number].poisoned = false;
            }
            _ => unreachable!("a reader-writer lock's"),
        }
        self.go_on(thread);
    }

    fn take(&mut self, thread: usize, number: usize, hold: Hold) {
        let lock = &mut self.rwlocks[number];
        if hold == Hold::Reads {
            lock.readers += 1;
            lock.known = (lock.readers == 1).then_some(thread);
        } else {
            lock.writer = Some(thread);
            lock.known = Some(thread);
        }
        let what = if lock.poisoned {
            seen::POISONED
        } else {
            seen::YES
        };
        let flow = &mut self.threads[thread];
        flow.rwlocks[number] = Some(hold);
        flow.announced = None;
        flow.log.push(what);
    }

    fn channel(&mut self, thread: usize, instr: Instr, deed: &mut Deed) {
        match instr {
            Instr::Send(number, message) => {
                if self.channels[number].has_receiver {
                    deed.changes(Thing::Channel(number));
                } else {
                    deed.looks(Thing::Channel(number));
                }
                // Nothing is left to wait for, unless this is an offer.
                self.threads[thread].at += 1;
                let channel = &mut self.channels[number];
                if !channel.has_receiver {
                    self.see(thread, seen::GONE);
                } else if channel.bound == Some(0) && !channel.is_awaited {
                    channel.offers.push((thread, message));
                    self.threads[thread].at -= 1;
                } else {
                    channel.is_awaited = false;
                    channel.messages.push(message);
                    self.see(thread, seen::YES);
                }
            }
            Instr::TrySend(number, message) => {
                let must_queue = self.must_queue(number);
                let channel = &mut self.channels[number];
                let what = if !channel.has_receiver {
                    seen::GONE
                } else if must_queue || channel.bound == Some(0) && !channel.is_awaited {
                    seen::NO
                } else {
                    channel.is_awaited = false;
                    channel.messages.push(message);
                    seen::YES
                };
                if what == seen::YES {
                    deed.changes(Thing::Channel(number));
                } else {
                    deed.looks(Thing::Channel(number));
                }
                self.see(thread, what);
            }
            Instr::Recv(number, _) | Instr::RecvAwait(number, _) => {
                deed.changes(Thing::Channel(number));
                let is_first = matches!(instr, Instr::Recv(..));
                if let Some(what) = self.receive(number, deed) {
                    self.see(thread, what);
                    self.channels[number].is_awaited = false;
                    self.threads[thread].at += usize::from(is_first);
                } else {
                    self.channels[number].is_awaited = true;
                    self.threads[thread].at += 1;
                    return;
                }
            }
            Instr::TryRecv(number) => {
                let what = self.receive(number, deed);
                if what.is_some_and(|what| what != seen::GONE) {
                    deed.changes(Thing::Channel(number));
                } else {
                    deed.looks(Thing::Channel(number));
                }
                self.see(thread, what.unwrap_or(seen::NO));
            }
            Instr::DropSender(number) => {
                deed.changes(Thing::Senders(number));
                self.threads[thread].senders[number] = false;
                let channel = &mut self.channels[number];
                channel.senders -= 1;
                if channel.senders == 0 {
                    deed.changes(Thing::Channel(number));
                }
            }
            Instr::DropReceiver(number) => {
                deed.changes(Thing::Channel(number));
                self.threads[thread].receivers[number] = false;
                let channel = &mut self.channels[number];
                channel.has_receiver = false;
                channel.messages.clear();
                for (sender, _) in std::mem::take(&mut channel.offers) {
                    self.see(sender, seen::GONE);
                    self.release(sender, deed);
                }
            }
            _ => unreachable!("a channel's"),
        }
        self.go_on(thread);
    }

    /// Takes a message, or finds that none will come; else none.
    fn receive(&mut self, number: usize, deed: &mut Deed) -> Option<u32> {
        let channel = &mut self.channels[number];
        if !channel.messages.is_empty() {
            return Some(channel.messages.remove(0));
        }
        if !channel.offers.is_empty() {
            let (sender, message) = channel.offers.remove(0);
            self.see(sender, seen::YES);
            self.release(sender, deed);
            return Some(message);
        }
        (channel.senders == 0).then_some(seen::GONE)
    }

    fn once(&mut self, thread: usize, instr: Instr, deed: &mut Deed) {
        let (Instr::OnceBegin(cell, _)
        | Instr::OnceEnd(cell, _)
        | Instr::OnceIs(cell)
        | Instr::OnceWait(cell)) = instr
        else {
            unreachable!("an initialiser's")
        };
        let progress = &mut self.cells[cell.place()];
        let thing = Thing::Cell(cell.place());
        let value = match *progress {
            Progress::Done(value) if !matches!(cell, Cell::Once(..)) => value,
            Progress::Done(_) => seen::YES,
            _ => seen::NO,
        };
        let panics = matches!(cell, Cell::Once(_, IfPoisoned::Panics) | Cell::Lazy);
        let mut what = match instr {
            Instr::OnceBegin(cell, end) => match *progress {
                Progress::Done(_) => {
                    deed.looks(thing);
                    self.threads[thread].at = end - 1;
                    match cell {
                        Cell::Once(..) | Cell::Lock(_, Asked::Set) => Some(seen::NO),
                        _ => Some(value),
                    }
                }
                Progress::Poisoned if panics => {
                    deed.looks(thing);
                    self.threads[thread].at = end - 1;
                    Some(seen::PANIC)
                }
                _ => {
                    deed.changes(thing);
                    *progress = Progress::RunBy(thread);
                    let frames = &mut self.threads[thread].frames;
                    frames.push(Frame::Once(cell, end));
                    None
                }
            },
            Instr::OnceEnd(cell, mark) => {
                deed.changes(thing);
                *progress = Progress::Done(mark);
                self.threads[thread].frames.pop();
                match cell {
                    Cell::Once(..) | Cell::Lock(_, Asked::Set) => Some(seen::YES),
                    _ => Some(mark),
                }
            }
            _ => {
                deed.looks(thing);
                Some(value)
            }
        };
        if matches!(instr, Instr::OnceWait(_)) && self.cells[cell.place()] == Progress::Poisoned {
            what = Some(seen::PANIC);
        }
        if let Some(what) = what {
            self.see(thread, what);
        }
        self.go_on(thread);
    }

    /// Threads, parking, barriers.
    fn flow(&mut self, thread: usize, instr: Instr, choice: usize, deed: &mut Deed) {
        match instr {
            Instr::Park(_) => {
                deed.changes(Thing::Token(thread));
                self.threads[thread].token = false;
                self.see(thread, seen::YES);
            }
            Instr::Unpark(other) => {
                deed.joins(Thing::Token(other));
                self.threads[other].token = true;
            }
            Instr::BarrierArrive => self.arrive(thread, deed),
            Instr::Spawn(other) => {
                let flow = &mut self.threads[other];
                flow.phase = Phase::Live;
                deed.woken.push(other);
                self.threads[thread].has_handle.push(other);
            }
            Instr::Join(other) => {
                deed.looks(Thing::Result(other));
                let has_panicked = self.threads[other].has_panicked;
                let flow = &mut self.threads[thread];
                flow.has_handle.retain(|&handle| handle != other);
                self.see(thread, if has_panicked { seen::PANIC } else { seen::YES });
            }
            Instr::IsFinished(other) => {
                deed.looks(Thing::Result(other));
                let is_finished = self.threads[other].phase >= Phase::Left;
                self.see(thread, if is_finished { seen::YES } else { seen::NO });
            }
            Instr::ScopeEnd(set) => {
                deed.looks(Thing::Scope(thread));
                let members = (0..self.threads.len()).filter(|other| set & (1 << other) != 0);
                let mut has_panicked = false;
                for other in members {
                    has_panicked |= self.threads[other].has_panicked;
                    let flow = &mut self.threads[thread];
                    flow.has_handle.retain(|&handle| handle != other);
                }
                if has_panicked {
                    // Next comes the end of the operation that catches it.
                    let flow = &mut self.threads[thread];
                    flow.frames.pop();
                    flow.log.push(seen::PANIC);
                    flow.at += 1;
                }
            }
            Instr::BeginTurn => {
                self.turn = Some(thread);
                self.threads[thread].token = false;
            }
            Instr::GoOnWithTurn => {
                self.turn = Some(thread);
                self.threads[thread].token &= choice == 0;
            }
            Instr::RunTasks(set) => {
                for other in 0..self.threads.len() {
                    if set & (1 << other) != 0 && self.threads[other].phase == Phase::Unborn {
                        self.threads[other].phase = Phase::Live;
                        deed.woken.push(other);
                    }
                }
            }
            Instr::Choose => self.see(thread, choice as u32),
            Instr::Leave => {
                deed.changes(Thing::Result(thread));
                deed.joins(Thing::Scope(0));
                let flow = &mut self.threads[thread];
                flow.phase = Phase::Left;
                flow.panicking = false;
            }
            Instr::End => {
                deed.changes(Thing::Result(thread));
                self.threads[thread].phase = Phase::Ended;
                return;
            }
            _ => {}
        }
        self.go_on(thread);
    }

    /// Events, their wakers, and who blocks on a future.
    fn future(&mut self, thread: usize, instr: Instr, deed: &mut Deed) {
        match instr {
            Instr::Look(number) => {
                deed.looks(Thing::Event(number));
                if self.events[number].is_set {
                    self.threads[thread].found_set |= 1 << number;
                }
            }
            Instr::SetEvent(number) => {
                deed.changes(Thing::Event(number));
                self.events[number].is_set = true;
            }
            Instr::LockSlot(number) => {
                deed.changes(Thing::Slot(number));
                self.events[number].slot_holder = Some(thread);
            }
            Instr::UnlockSlot(number) => {
                deed.changes(Thing::Slot(number));
                self.events[number].slot_holder = None;
            }
            Instr::WakeTaken => {
                if let Some(waker) = self.threads[thread].taken.take() {
                    deed.joins(Thing::Token(waker.thread));
                    self.threads[waker.thread].token = true;
                }
            }
            Instr::PollTaskLater(begin) => {
                self.turn = Some(thread);
                let flow = &mut self.threads[thread];
                flow.token = false;
                flow.at = begin;
                return;
            }
            Instr::PollLater(begin) => {
                deed.changes(Thing::Token(thread));
                let flow = &mut self.threads[thread];
                flow.token = false;
                flow.at = begin;
                return;
            }
            _ => unreachable!("a future's"),
        }
        self.go_on(thread);
    }

    fn arrive(&mut self, thread: usize, deed: &mut Deed) {
        deed.changes(Thing::Barrier);
        if self.arrived.len() + 1 < self.barrier.max(1) {
            self.arrived.push(thread);
            return;
        }
        for other in std::mem::take(&mut self.arrived) {
            self.see(other, seen::NO);
            self.release(other, deed);
        }
        self.see(thread, seen::YES);
        self.threads[thread].at += 1;
    }

    /// The thread's wait ends because its time is over.
    pub(crate) fn time_out(&mut self, code: &[Code], thread: usize, deed: &mut Deed) {
        let deadline = self.threads[thread].deadline.unwrap_or(self.now);
        self.now = self.now.max(deadline);
        match self.next(code, thread) {
            Some(Instr::WaitSleep(number, _)) => {
                deed.changes(Thing::Condvar(number));
                self.sleepers[number].retain(|&sleeper| sleeper != thread);
                self.threads[thread].timed_out = true;
            }
            Some(Instr::Park(_)) => {
                deed.changes(Thing::Token(thread));
                self.see(thread, seen::YES);
            }
            Some(Instr::Recv(number, _)) => {
                deed.looks(Thing::Channel(number));
                self.see(thread, seen::LATE);
                self.threads[thread].at += 1;
            }
            Some(Instr::RecvAwait(number, _)) => {
                deed.changes(Thing::Channel(number));
                self.channels[number].is_awaited = false;
                self.see(thread, seen::LATE);
            }
            _ => {}
        }
        self.go_on(thread);
    }
}

impl Update {
    /// The value afterwards.
    fn apply(self, before: u32, value: u32) -> u32 {
        match self {
            Update::Swap => value,
            Update::Add => before.wrapping_add(value),
            Update::Sub => before.wrapping_sub(value),
            Update::And => before & value,
            Update::Or => before | value,
            Update::Xor => before ^ value,
            Update::Nand => !(before & value),
            Update::Max => before.max(value),
            Update::Min => before.min(value),
        }
    }
}
