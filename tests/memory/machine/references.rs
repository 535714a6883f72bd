//! The counts of the `Arc`, with the orderings that std's source has.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::{Code, DONE, LOCKED, NOT_DONE, State, Step};
use crate::memory::program::{Op, Part, Place};

impl State {
    /// Does something with a reference, if the thread has such a one.
    pub(super) fn count(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::Clone if self.threads[number].strong > 0 => self.clone_strong(number),
            Op::Drop if self.threads[number].strong > 0 => self.drop_strong(number),
            Op::StrongCount if self.threads[number].strong > 0 => {
                self.threads[number].view.load(&self.strong, Relaxed);
                self.see_and_keep(number, self.strong.value);
            }
            Op::WeakCount if self.threads[number].strong > 0 => {
                self.threads[number].view.load(&self.weak, Relaxed);
                let count = self.weak.value;
                self.see_and_keep(number, if count == LOCKED { 0 } else { count - 1 });
            }
            Op::TryUnwrap if self.threads[number].strong > 0 => {
                let thread = &mut self.threads[number];
                if self.strong.value == 1 {
                    thread.view.replace(&mut self.strong, 0, Relaxed);
                    self.unwrap(number);
                } else {
                    thread.view.load(&self.strong, Relaxed);
                    self.see_and_keep(number, NOT_DONE);
                }
            }
            Op::IntoInner if self.threads[number].strong > 0 => {
                let count = self.strong.value - 1;
                let thread = &mut self.threads[number];
                thread.view.replace(&mut self.strong, count, Release);
                if count == 0 {
                    self.unwrap(number);
                } else {
                    thread.strong -= 1;
                    self.see_and_keep(number, NOT_DONE);
                }
            }
            Op::GetMut(_) if self.threads[number].strong > 0 => {
                let thread = &mut self.threads[number];
                if self.weak.value == 1 {
                    thread.view.replace(&mut self.weak, LOCKED, Acquire);
                    thread.todo.push(Step::LookWhetherOnly);
                } else {
                    thread.view.load(&self.weak, Relaxed);
                    self.see_and_keep(number, NOT_DONE);
                }
            }
            Op::Downgrade if self.threads[number].strong > 0 => {
                if self.weak.value == LOCKED {
                    return false;
                }
                let thread = &mut self.threads[number];
                thread.weak += 1;
                let count = self.weak.value + 1;
                thread.view.replace(&mut self.weak, count, Acquire);
            }
            Op::Upgrade if self.threads[number].weak > 0 => {
                let count = self.strong.value;
                let thread = &mut self.threads[number];
                if count == 0 {
                    thread.view.load(&self.strong, Relaxed);
                    self.see_and_keep(number, NOT_DONE);
                } else {
                    thread.view.replace(&mut self.strong, count + 1, Acquire);
                    thread.strong += 1;
                    self.see_and_keep(number, DONE);
                }
            }
            Op::CloneWeak if self.threads[number].weak > 0 => self.clone_weak(number),
            Op::DropWeak => self.drop_weak(number),
            Op::CountByWeak if self.threads[number].weak > 0 => {
                self.threads[number].view.load(&self.strong, Relaxed);
                self.see_and_keep(number, self.strong.value);
            }
            _ => {}
        }
        true
    }

    pub(super) fn clone_strong(&mut self, number: usize) {
        let count = self.strong.value + 1;
        let thread = &mut self.threads[number];
        thread.view.replace(&mut self.strong, count, Relaxed);
        thread.strong += 1;
    }

    pub(super) fn clone_weak(&mut self, number: usize) {
        let count = self.weak.value + 1;
        let thread = &mut self.threads[number];
        thread.view.replace(&mut self.weak, count, Relaxed);
        thread.weak += 1;
    }

    pub(super) fn drop_strong(&mut self, number: usize) {
        let count = self.strong.value - 1;
        let thread = &mut self.threads[number];
        thread.view.replace(&mut self.strong, count, Release);
        thread.strong -= 1;
        if count == 0 {
            thread.view.fence(Acquire);
            thread.todo.extend([Step::GiveUpWeak, Step::Destroy]);
        }
    }

    /// The thread has the only reference, and takes the value out.
    fn unwrap(&mut self, number: usize) {
        let thread = &mut self.threads[number];
        thread.strong -= 1;
        thread.view.fence(Acquire);
        thread.todo.extend([Step::Destroy, Step::GiveUpWeak]);
        self.plain(number, Place::Own, Part::Whole, false);
        self.is_taken_out = true;
        self.see_and_keep(number, DONE);
    }

    pub(super) fn drop_weak(&mut self, number: usize) {
        if self.threads[number].weak > 0 {
            self.threads[number].weak -= 1;
            self.give_up_weak(number);
        }
    }

    pub(super) fn give_up_weak(&mut self, number: usize) {
        let count = self.weak.value - 1;
        let thread = &mut self.threads[number];
        thread.view.replace(&mut self.weak, count, Release);
        if count == 0 {
            thread.view.fence(Acquire);
            // The memory goes.
            self.touch(number, Place::Own, Part::Whole, true, false);
        }
    }
}
