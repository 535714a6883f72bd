//! Locks, channels, tokens, and the beginnings and ends of threads: all that orders accesses beside atomics.

use super::{
    Code, DONE, EMPTY, GONE, Message, NOT_DONE, Phase, State, Step, Thread, WITH_REFERENCE,
};
use crate::memory::program::{Gift, Op, Part, Place};

impl State {
    pub(super) fn mutex(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::Lock | Op::TryLock if self.holder == Some(number) => {}
            Op::Lock => {
                if self.holder.is_some() {
                    return false;
                }
                self.take_lock(number);
                self.see_and_keep(number, self.guarded - 1);
            }
            Op::TryLock if self.holder.is_some() => self.see_and_keep(number, NOT_DONE),
            Op::TryLock => {
                self.take_lock(number);
                self.see_and_keep(number, DONE);
            }
            Op::Unlock => self.unlock(number),
            _ => {}
        }
        true
    }

    pub(super) fn rwlock(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::ReadLock | Op::WriteLock
                if self.writer == Some(number) || self.readers.contains(&number) => {}
            Op::ReadLock => {
                let waits = |thread: &Thread| thread.waits_to_write;
                if self.writer.is_some() || self.threads.iter().any(waits) {
                    return false;
                }
                self.threads[number].view.known.join(self.by_writers);
                self.readers.push(number);
                self.readers.sort_unstable();
            }
            Op::WriteLock => {
                let thread = &mut self.threads[number];
                if self.writer.is_some() || !self.readers.is_empty() {
                    // One that waits keeps readers out.
                    thread.todo.push(Step::Op(op));
                    return !std::mem::replace(&mut thread.waits_to_write, true);
                }
                thread.waits_to_write = false;
                thread.view.known.join(self.by_writers);
                thread.view.known.join(self.by_readers);
                self.writer = Some(number);
            }
            Op::RwUnlock => self.unlock_rw(number),
            _ => {}
        }
        true
    }

    pub(super) fn channel(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::Send(value, with) => {
                let thread = &mut self.threads[number];
                if !thread.has_sender {
                    return true;
                }
                if code.program.channel.is_bounded {
                    if !self.messages.is_empty() {
                        return false;
                    }
                    thread.view.known.join(self.received);
                }
                let has_reference = with && thread.strong > 0;
                thread.strong -= usize::from(has_reference);
                self.messages.push_back(Message {
                    value,
                    has_reference,
                    known: thread.view.known,
                });
            }
            Op::Recv | Op::TryRecv if code.program.channel.receiver != number => {}
            Op::Recv | Op::TryRecv => {
                let is_patient = *code.ops[op] == Op::Recv;
                let is_open = self.threads.iter().any(|thread| thread.has_sender);
                let thread = &mut self.threads[number];
                let seen = match self.messages.pop_front() {
                    Some(message) => {
                        thread.view.known.join(message.known);
                        self.received = thread.view.known;
                        thread.strong += usize::from(message.has_reference);
                        message.value + WITH_REFERENCE * u64::from(message.has_reference)
                    }
                    None if is_open && is_patient => return false,
                    None if is_open => EMPTY,
                    None => {
                        thread.view.known.join(self.gone);
                        GONE
                    }
                };
                self.see_and_keep(number, seen);
            }
            Op::DropSender => self.drop_sender(number),
            _ => {}
        }
        true
    }

    pub(super) fn meet(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::Park => {
                let thread = &mut self.threads[number];
                thread.view.known.join(thread.token);
                return std::mem::take(&mut thread.has_token);
            }
            Op::Unpark(other) => {
                let known = self.threads[number].view.known;
                let target = &mut self.threads[other];
                let is_at_hand = matches!(target.phase, Phase::Live | Phase::Over);
                if other == 0 || number == 0 && is_at_hand {
                    target.has_token = true;
                    target.token.join(known);
                }
            }
            Op::Init(cell, value) => {
                if self.is_set {
                    self.threads[number].view.known.join(self.set);
                } else {
                    self.plain(number, Place::Cell(cell), Part::Whole, true);
                    self.cells[cell] = value;
                    self.is_set = true;
                    self.set = self.threads[number].view.known;
                }
            }
            Op::Get if self.is_set => {
                self.threads[number].view.known.join(self.set);
                self.see_and_keep(number, DONE);
            }
            Op::Get => self.see_and_keep(number, NOT_DONE),
            Op::Spawn(other, gift) => {
                let thread = &mut self.threads[number];
                let gift = Gift {
                    strong: gift.strong && thread.strong > 0,
                    weak: gift.weak && thread.weak > 0,
                };
                thread.todo.push(Step::Start(other, gift));
                thread.todo.extend(gift.weak.then_some(Step::GiftOfWeak));
                thread
                    .todo
                    .extend(gift.strong.then_some(Step::GiftOfStrong));
            }
            Op::Join(other) => return self.join(number, other),
            _ => {}
        }
        true
    }

    fn take_lock(&mut self, number: usize) {
        self.holder = Some(number);
        self.threads[number].view.known.join(self.unlocked);
        self.guarded += 1;
    }

    pub(super) fn unlock(&mut self, number: usize) {
        if self.holder == Some(number) {
            self.holder = None;
            self.unlocked = self.threads[number].view.known;
        }
    }

    pub(super) fn unlock_rw(&mut self, number: usize) {
        let known = self.threads[number].view.known;
        if self.writer == Some(number) {
            self.writer = None;
            self.by_writers = known;
        } else if self.readers.contains(&number) {
            self.readers.retain(|&reader| reader != number);
            self.by_readers.join(known);
        }
    }

    pub(super) fn drop_sender(&mut self, number: usize) {
        if std::mem::take(&mut self.threads[number].has_sender) {
            self.gone.join(self.threads[number].view.known);
        }
    }

    pub(super) fn join(&mut self, number: usize, other: usize) -> bool {
        match self.threads[other].phase {
            Phase::Live => false,
            Phase::Over => {
                self.threads[other].phase = Phase::Joined;
                let known = self.threads[other].view.known;
                self.threads[number].view.known.join(known);
                true
            }
            Phase::Unborn | Phase::Joined => true,
        }
    }
}
