//! Plain memory and atomics.

use std::sync::atomic::Ordering;

use super::{Code, LOW, State, Step};
use crate::memory::order::{Access, Atomic, View, access};
use crate::memory::program::{Memory, Op, Part, Place};

impl State {
    /// Reads or writes.
    pub(super) fn access_memory(&mut self, code: &Code<'_>, number: usize, op: usize) -> bool {
        match *code.ops[op] {
            Op::Read(place, part) if self.has(number, op, code, place) => {
                self.plain(number, place, part, false);
                let value = *self.value_at(place);
                self.see_value(
                    number,
                    match part {
                        Part::Whole => value,
                        Part::Low => value & LOW,
                        Part::High => value >> 32,
                    },
                );
            }
            Op::Write(place, part, written) if self.has(number, op, code, place) => {
                self.plain(number, place, part, true);
                let value = self.value_at(place);
                *value = match part {
                    Part::Whole => written,
                    Part::Low => *value & !LOW | written,
                    Part::High => *value & LOW | written << 32,
                };
            }
            Op::Load(atomic, order) => self.load(code, number, atomic, order),
            Op::Store(atomic, value, order) => {
                self.touch_atomic(code, number, atomic, true);
                let mut store = Atomic::default();
                self.comes_upon_next(code, number, atomic);
                self.threads[number].view.store(&mut store, value, order);
                self.add(code, atomic, store);
            }
            Op::Add(atomic, by, order) => {
                let value = self.latest(atomic).value + by;
                self.replace(code, number, atomic, value, order);
            }
            Op::Swap(atomic, value, order) => self.replace(code, number, atomic, value, order),
            Op::Exchange(atomic, [old, new], [order, failing]) => {
                let stores = &self.atomics[atomic];
                let found = stores[stores.len() - 1 - self.choice].value;
                if found != old {
                    self.load(code, number, atomic, failing);
                } else if self.choice == 0 {
                    self.replace(code, number, atomic, new, order);
                } else {
                    // Only the latest can be replaced.
                    return false;
                }
            }
            _ => {}
        }
        true
    }

    /// Whether the thread has the place at hand.
    fn has(&self, number: usize, op: usize, code: &Code<'_>, place: Place) -> bool {
        let is_of_destructor = op >= code.program.first_of(self.threads.len());
        place != Place::Own || is_of_destructor || self.threads[number].strong > 0
    }

    fn value_at(&mut self, place: Place) -> &mut u64 {
        match place {
            Place::Cell(cell) => &mut self.cells[cell],
            Place::Own => &mut self.own,
            Place::Atomic(atomic) => {
                let latest = self.atomics[atomic].last_mut();
                &mut latest.expect("there is the first value").value
            }
        }
    }

    pub(super) fn plain(&mut self, number: usize, place: Place, part: Part, writes: bool) {
        // A value that was taken out is the thread's own.
        if place != Place::Own || !self.is_taken_out {
            self.touch(number, place, part, writes, false);
        }
    }

    fn touch_atomic(&mut self, code: &Code<'_>, number: usize, atomic: usize, writes: bool) {
        if code.is_mixed {
            self.touch(number, Place::Atomic(atomic), Part::Whole, writes, true);
        }
    }

    pub(super) fn touch(
        &mut self,
        number: usize,
        place: Place,
        part: Part,
        writes: bool,
        is_atomic: bool,
    ) {
        let op = self.threads[number].op;
        let mut views: Vec<&mut View> = self.threads.iter_mut().map(|it| &mut it.view).collect();
        let one = Access {
            place,
            part,
            writes,
            is_atomic,
            op,
        };
        let racing = access(&mut views, number, one);
        let pairs = racing
            .into_iter()
            .map(|other| (op.min(other), op.max(other)));
        self.races.extend(pairs);
    }

    fn replace(
        &mut self,
        code: &Code<'_>,
        number: usize,
        atomic: usize,
        value: u64,
        order: Ordering,
    ) {
        self.touch_atomic(code, number, atomic, true);
        let mut store = self.latest(atomic);
        let before = store.value;
        self.comes_upon_next(code, number, atomic);
        let view = &mut self.threads[number].view;
        view.replace(&mut store, value, order);
        self.add(code, atomic, store);
        self.see_value(number, before);
    }

    pub(super) fn latest(&self, atomic: usize) -> Atomic {
        let stores = &self.atomics[atomic];
        stores[stores.len() - 1]
    }

    /// Reads the store that was chosen.
    fn load(&mut self, code: &Code<'_>, number: usize, atomic: usize, order: Ordering) {
        self.touch_atomic(code, number, atomic, false);
        let store = self.atomics[atomic].len() - 1 - self.choice;
        let read = self.atomics[atomic][store];
        let view = &mut self.threads[number].view;
        view.comes_upon(atomic, store);
        view.load(&read, order);
        self.see_value(number, read.value);
    }

    /// The thread is about to add a store.
    fn comes_upon_next(&mut self, code: &Code<'_>, number: usize, atomic: usize) {
        if code.program.memory == Memory::Weak {
            let store = self.atomics[atomic].len();
            self.threads[number].view.comes_upon(atomic, store);
        }
    }

    fn add(&mut self, code: &Code<'_>, atomic: usize, store: Atomic) {
        if code.program.memory == Memory::Sc {
            self.atomics[atomic].clear();
        }
        self.atomics[atomic].push(store);
    }

    /// In how many ways the thread's next step can be made.
    pub(super) fn choices(&self, code: &Code<'_>, number: usize) -> usize {
        let thread = &self.threads[number];
        let Some(&(Step::Op(op) | Step::Destructor(op))) = thread.todo.last() else {
            return 1;
        };
        match *code.ops[op] {
            Op::Load(atomic, _) | Op::Exchange(atomic, ..) => {
                self.atomics[atomic].len() - thread.view.oldest(atomic)
            }
            _ => 1,
        }
    }
}
