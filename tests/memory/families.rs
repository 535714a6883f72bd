//! Programs drawn at random, family by family: short sequences that publish, find, guard, hand on and count,
//! with orderings that are mostly strong enough.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use cct::strategy::Rng;

use crate::memory::program::{Channel, Gift, Home, Memory, Op, Part, Place, Program};

/// Programs of one kind.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The sequences that threads are made of.
    parts: &'static [Sequence],
    /// Whether threads are given references, and the destructor does something.
    has_counts: bool,
    memory: Memory,
}

/// A few operations that belong together.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sequence {
    /// Writes a cell, and tells it by an atomic.
    Publish,
    /// Looks whether it was told, and then accesses the cell.
    Find,
    /// An operation on an atomic.
    Atomic,
    Fence,
    /// Accesses to both atomics one after the other, mostly relaxed.
    Loose,
    /// An access to a cell.
    Cell,
    /// The same of an atomic's memory.
    Mixed,
    /// The same of half a cell.
    Half,
    /// The same under the mutex, or the reader-writer lock.
    Locked,
    RwLocked,
    /// Sends after an access.
    Send,
    /// Receives before one.
    Receive,
    Park,
    Unpark,
    /// Sets the `OnceLock`, or accesses a cell if it is set.
    Once,
    /// An operation on the counts.
    Count,
    /// An access to the cell in the `Arc`'s value.
    Own,
    /// Accesses it if the reference is the only one.
    Alone,
}

use Sequence::{
    Alone, Atomic, Cell, Count, Fence, Find, Half, Locked, Loose, Mixed, Once, Own, Park, Publish,
    Receive, RwLocked, Send, Unpark,
};

pub(crate) const FAMILIES: [Family; 13] = [
    family(
        "publication",
        &[Publish, Find, Publish, Find, Fence, Atomic],
    ),
    family(
        "halves and atomics as memory",
        &[Publish, Find, Half, Half, Mixed, Atomic],
    ),
    family("locks", &[Locked, Locked, RwLocked, RwLocked, Find, Cell]),
    family("once", &[Once, Once, Publish, Find]),
    family("park", &[Park, Unpark, Unpark, Cell, Find]),
    counting("counts", &[Count]),
    counting("values of an Arc", &[Count, Count, Own, Own, Alone]),
    counting(
        "counts and orderings",
        &[Count, Own, Alone, Publish, Find, Fence],
    ),
    counting("messages", &[Send, Receive, Receive, Count, Own]),
    counting(
        "mixtures",
        &[
            Publish, Find, Atomic, Fence, Cell, Locked, RwLocked, Send, Receive, Park, Unpark,
            Once, Count, Count, Count, Own, Own, Alone,
        ],
    ),
    weak(
        "weak publication",
        &[Publish, Find, Loose, Loose, Fence, Atomic],
        false,
    ),
    weak(
        "weak loads beside locks and the like",
        &[
            Loose, Loose, Loose, Loose, Locked, Locked, RwLocked, Send, Receive, Park, Unpark, Once,
        ],
        false,
    ),
    weak(
        "weak loads beside counts",
        &[Loose, Loose, Count, Count, Own, Alone, Fence],
        true,
    ),
];

const fn family(name: &'static str, parts: &'static [Sequence]) -> Family {
    Family {
        name,
        parts,
        has_counts: false,
        memory: Memory::Sc,
    }
}

const fn counting(name: &'static str, parts: &'static [Sequence]) -> Family {
    Family {
        has_counts: true,
        ..family(name, parts)
    }
}

const fn weak(name: &'static str, parts: &'static [Sequence], has_counts: bool) -> Family {
    Family {
        memory: Memory::Weak,
        has_counts,
        ..family(name, parts)
    }
}

impl Family {
    /// True if programs access plain memory.
    pub(crate) fn can_race(&self) -> bool {
        self.parts != [Count]
    }

    pub(crate) fn draw(&self, rng: Rng) -> Program {
        let mut draw = Draw {
            rng,
            threads: 0,
            is_body: true,
            memory: self.memory,
            value: 0,
        };
        draw.threads = 1 + draw.of(&[1, 1, 1, 2, 2, 3]);
        let most = [0, 5, 4, 3][draw.threads - 1];
        let mut threads = vec![self.body(&mut draw)];
        draw.is_body = false;
        for _ in 1..draw.threads {
            let ops = draw.sequences(self.parts, 1, most);
            threads.push(ops);
        }
        let is_chatty =
            |of: &dyn Fn(&Op) -> bool| threads.iter().position(|ops| ops.iter().any(of));
        let receiver = is_chatty(&|op| matches!(op, Op::Recv | Op::TryRecv));
        let destructor = if self.has_counts {
            draw.destructor()
        } else {
            Vec::new()
        };
        Program {
            threads,
            destructor,
            channel: Channel {
                is_bounded: draw.below(3) == 0,
                receiver: receiver.unwrap_or(0),
            },
            home: draw.of(&[Home::Heap, Home::Static, Home::Stack]),
            memory: self.memory,
        }
    }

    fn body(&self, draw: &mut Draw) -> Vec<Op> {
        let mut ops = Vec::new();
        if self.has_counts && draw.below(2) == 0 {
            ops.push(Op::Downgrade);
        }
        for thread in 1..draw.threads {
            if draw.below(4) == 0 {
                ops.extend(draw.sequences(self.parts, 1, 1));
            }
            let gift = Gift {
                strong: self.has_counts && draw.below(5) > 0,
                weak: self.has_counts && draw.below(2) == 0,
            };
            ops.push(Op::Spawn(thread, gift));
        }
        ops.extend(draw.sequences(self.parts, 0, 2));
        if draw.below(3) == 0 {
            let thread = 1 + draw.below(draw.threads as u32 - 1);
            ops.push(Op::Join(thread));
            ops.extend(draw.sequences(self.parts, 1, 1));
        }
        ops
    }
}

struct Draw {
    rng: Rng,
    /// How many there are, the body with them.
    threads: usize,
    /// Only the body can unpark others.
    is_body: bool,
    memory: Memory,
    /// The last that was written.
    value: u64,
}

impl Draw {
    fn below(&mut self, bound: u32) -> usize {
        self.rng.below(bound) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32)]
    }

    /// A value that tells which write it is from.
    fn value(&mut self) -> u64 {
        self.value = self.value % 6 + 1;
        self.value
    }

    /// Strong in three of four.
    fn order(&mut self, strong: &[Ordering], weak: &[Ordering]) -> Ordering {
        if self.below(4) > 0 {
            self.of(strong)
        } else {
            self.of(weak)
        }
    }

    fn loading(&mut self) -> Ordering {
        self.order(&[Acquire, self.unless_weak(Acquire)], &[Relaxed])
    }

    fn storing(&mut self) -> Ordering {
        self.order(&[Release, self.unless_weak(Release)], &[Relaxed])
    }

    fn replacing(&mut self) -> Ordering {
        let strong = [AcqRel, self.unless_weak(AcqRel)];
        self.order(&strong, &[Relaxed, Acquire, Release])
    }

    /// `SeqCst`, or this where memory is weak.
    fn unless_weak(&self, order: Ordering) -> Ordering {
        match self.memory {
            Memory::Sc => SeqCst,
            Memory::Weak => order,
        }
    }

    fn fence(&mut self, strong: &[Ordering]) -> Op {
        let order = self.of(&[strong, &[AcqRel, self.unless_weak(AcqRel)]].concat());
        Op::Fence(order)
    }

    fn sequences(&mut self, parts: &[Sequence], least: usize, most: usize) -> Vec<Op> {
        let count = least + self.below((most - least + 1) as u32);
        let sequences = (0..count).flat_map(|_| {
            let part = self.of(parts);
            self.sequence(part)
        });
        sequences.collect()
    }

    fn sequence(&mut self, part: Sequence) -> Vec<Op> {
        match part {
            Publish => self.publish(),
            Find => self.find(),
            Atomic => vec![self.atomic()],
            Loose => self.loose(),
            Fence => vec![self.fence(&[Acquire, Release])],
            Cell => vec![self.access()],
            Mixed => {
                let place = Place::Atomic(self.below(2));
                vec![self.access_of(place, Part::Whole)]
            }
            Half => {
                let (place, part) = (
                    Place::Cell(self.below(2)),
                    self.of(&[Part::Low, Part::High, Part::High]),
                );
                vec![self.access_of(place, part)]
            }
            Locked if self.below(4) == 0 => {
                let inner = vec![self.access(), Op::Unlock];
                vec![Op::TryLock, Op::If(90, inner)]
            }
            Locked => vec![Op::Lock, self.access(), Op::Unlock],
            RwLocked => self.rw_locked(),
            Send => self.send(),
            Receive => self.receive(),
            Park => vec![Op::Park, self.access()],
            Unpark => {
                let target = if self.is_body {
                    self.below(self.threads as u32)
                } else {
                    0
                };
                vec![self.access(), Op::Unpark(target)]
            }
            Once => match self.below(2) {
                0 => {
                    let value = self.value();
                    vec![Op::Init(self.below(2), value)]
                }
                _ => vec![Op::Get, Op::If(90, vec![self.access()])],
            },
            Count => vec![self.count()],
            Own => {
                let is_part = self.below(6) == 0;
                let part = if is_part { Part::High } else { Part::Whole };
                // Most only look: owners that write have to be alone.
                if self.below(4) == 0 {
                    vec![self.access_of(Place::Own, part)]
                } else {
                    vec![Op::Read(Place::Own, part)]
                }
            }
            Alone => {
                let access = self.access_of(Place::Own, Part::Whole);
                let is_fenced = self.below(2) == 0;
                let fence = is_fenced.then_some(Op::Fence(Acquire));
                let inner = fence.into_iter().chain([access]).collect();
                vec![Op::StrongCount, Op::If(1, inner)]
            }
        }
    }

    /// Loads or stores both atomics, with a fence between now and then.
    fn loose(&mut self) -> Vec<Op> {
        let first = self.below(2);
        let mut ops = Vec::new();
        for atomic in [first, 1 - first] {
            let is_load = self.below(2) == 0;
            let strong = if is_load { Acquire } else { Release };
            let order = self.of(&[strong, Relaxed, Relaxed]);
            let value = self.value();
            ops.push(if is_load {
                Op::Load(atomic, order)
            } else {
                Op::Store(atomic, value, order)
            });
        }
        if self.below(6) == 0 {
            ops.insert(1, self.fence(&[Acquire, Release]));
        }
        ops
    }

    /// Writes, and stores to an atomic.
    fn publish(&mut self) -> Vec<Op> {
        let mut ops = vec![self.write()];
        let is_fenced = self.below(3) == 0;
        if is_fenced {
            ops.push(self.fence(&[Release]));
        }
        let order = if is_fenced { Relaxed } else { self.storing() };
        let atomic = self.below(2);
        ops.push(match self.below(4) {
            0 => Op::Add(atomic, 1, order),
            1 => Op::Swap(atomic, 1, order),
            _ => Op::Store(atomic, 1, order),
        });
        ops
    }

    /// Loads, and accesses a cell if something is found.
    fn find(&mut self) -> Vec<Op> {
        let is_fenced = self.below(3) == 0;
        let order = if is_fenced { Relaxed } else { self.loading() };
        let atomic = self.below(2);
        let look = match self.below(5) {
            0 => Op::Add(atomic, 1, order),
            1 => Op::Exchange(atomic, [1, 2], [order, self.of(&[order, Relaxed])]),
            _ => Op::Load(atomic, order),
        };
        let mut inner = Vec::new();
        if is_fenced {
            inner.push(self.fence(&[Acquire]));
        }
        inner.push(self.access());
        vec![look, Op::If(1, inner)]
    }

    /// Reads or writes under the lock, now and then as a reader who writes.
    fn rw_locked(&mut self) -> Vec<Op> {
        let is_wrong = self.below(5) == 0;
        if self.below(2) == 0 || is_wrong {
            let lock = if is_wrong {
                Op::ReadLock
            } else {
                Op::WriteLock
            };
            vec![lock, self.write(), Op::RwUnlock]
        } else {
            vec![Op::ReadLock, self.read(), Op::RwUnlock]
        }
    }

    /// Sends a value, mostly after an access.
    fn send(&mut self) -> Vec<Op> {
        let mut ops = Vec::new();
        if self.below(2) == 0 {
            ops.push(self.access());
        }
        let value = self.value();
        ops.push(Op::Send(value, self.below(2) == 0));
        ops.extend((self.below(4) == 0).then_some(Op::DropSender));
        ops
    }

    /// Receives, and may access a cell if there was a certain value.
    fn receive(&mut self) -> Vec<Op> {
        let mut ops = vec![if self.below(2) == 0 {
            Op::Recv
        } else {
            Op::TryRecv
        }];
        if self.below(2) == 0 {
            let access = self.access();
            let value = 1 + self.below(3) as u64;
            let value = value + 20 * self.below(2) as u64;
            ops.push(Op::If(self.of(&[value, 93]), vec![access]));
        }
        ops
    }

    fn read(&mut self) -> Op {
        Op::Read(Place::Cell(self.below(2)), Part::Whole)
    }

    fn write(&mut self) -> Op {
        let value = self.value();
        Op::Write(Place::Cell(self.below(2)), Part::Whole, value)
    }

    fn access(&mut self) -> Op {
        if self.memory == Memory::Weak && self.below(3) > 0 {
            // The order of plain accesses decides which stores these may read, too.
            let (atomic, value) = (self.below(2), self.value());
            return self
                .of(&[
                    &Op::Load(atomic, Relaxed),
                    &Op::Store(atomic, value, Relaxed),
                ])
                .clone();
        }
        let place = Place::Cell(self.below(2));
        self.access_of(place, Part::Whole)
    }

    fn access_of(&mut self, place: Place, part: Part) -> Op {
        if self.below(2) == 0 {
            Op::Read(place, part)
        } else {
            let value = self.value();
            Op::Write(place, part, value)
        }
    }

    fn atomic(&mut self) -> Op {
        let atomic = self.below(2);
        match self.below(5) {
            0 => Op::Load(atomic, self.loading()),
            1 => {
                let value = self.value();
                Op::Store(atomic, value, self.storing())
            }
            2 => Op::Add(atomic, 1, self.replacing()),
            3 => {
                let value = self.value();
                Op::Swap(atomic, value, self.replacing())
            }
            _ => {
                let values = [self.below(2) as u64, 1 + self.below(2) as u64];
                Op::Exchange(atomic, values, [self.replacing(), self.loading()])
            }
        }
    }

    fn count(&mut self) -> Op {
        let value = self.value();
        let all = [
            Op::Clone,
            Op::Clone,
            Op::Drop,
            Op::Drop,
            Op::Drop,
            Op::StrongCount,
            Op::WeakCount,
            Op::TryUnwrap,
            Op::IntoInner,
            Op::GetMut(value),
            Op::GetMut(value),
            Op::Downgrade,
            Op::Upgrade,
            Op::Upgrade,
            Op::CloneWeak,
            Op::DropWeak,
            Op::CountByWeak,
        ];
        all[self.below(all.len() as u32)].clone()
    }

    fn destructor(&mut self) -> Vec<Op> {
        let mut ops = Vec::new();
        for _ in 0..self.below(3) {
            ops.push(match self.below(6) {
                0 => self.write(),
                1 => self.read(),
                2 => self.atomic(),
                3 => self.access_of(Place::Own, Part::Whole),
                _ => Op::Read(Place::Own, Part::Whole),
            });
        }
        ops
    }
}
