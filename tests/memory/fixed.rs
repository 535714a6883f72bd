//! Programs that are always tried: one that has differed once, and each way to hand on what was done to
//! memory, most with another that is too weak.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::memory::program::Place::{Cell, Own};
use crate::memory::program::{Channel, Gift, Home, Memory, Op, Part, Program};

const STRONG: Gift = Gift {
    strong: true,
    weak: false,
};
const NOTHING: Gift = Gift {
    strong: false,
    weak: false,
};
const READ: Op = Op::Read(Cell(0), Part::Whole);
const WRITE: Op = Op::Write(Cell(0), Part::Whole, 1);
const READ_OWN: Op = Op::Read(Own, Part::Whole);
const WRITE_OWN: Op = Op::Write(Own, Part::Whole, 2);

pub(crate) fn programs() -> Vec<Program> {
    let mut all = counts();
    all.extend(meetings());
    all.extend(atomics());
    all
}

/// References that are given up, and found to be.
fn counts() -> Vec<Program> {
    let fence = || Op::Fence(Acquire);
    let user = || vec![READ_OWN, Op::Drop];
    let alone = |ops: Vec<Op>| vec![Op::Spawn(1, STRONG), Op::StrongCount, Op::If(1, ops)];
    let gone = |op: Op, seen: u64, ops: Vec<Op>| {
        let first = [Op::Downgrade, Op::Spawn(1, STRONG), Op::Drop];
        [&first[..], &[op, Op::If(seen, ops)]].concat()
    };
    let writer = || vec![WRITE, Op::Drop];
    let mut by_destructor = of(vec![Op::Spawn(1, STRONG), Op::Drop], writer());
    by_destructor.destructor = vec![READ, READ_OWN, WRITE_OWN];
    vec![
        // The last drop is no step, and comes behind the other all the same.
        of(vec![Op::Spawn(1, STRONG)], Vec::new()),
        by_destructor,
        of(vec![Op::Spawn(1, STRONG), Op::GetMut(3)], user()),
        of(
            vec![Op::Spawn(1, STRONG), Op::TryUnwrap],
            vec![WRITE_OWN, Op::Drop],
        ),
        of(
            vec![Op::Spawn(1, STRONG), Op::IntoInner],
            vec![WRITE_OWN, Op::Drop],
        ),
        of(alone(vec![fence(), WRITE_OWN]), user()),
        of(alone(vec![WRITE_OWN]), user()),
        of(gone(Op::CountByWeak, 0, vec![fence(), READ]), writer()),
        of(gone(Op::CountByWeak, 0, vec![READ]), writer()),
        of(gone(Op::Upgrade, 91, vec![fence(), READ]), writer()),
        of(gone(Op::Upgrade, 91, vec![READ]), writer()),
    ]
}

/// Locks and channels.
fn meetings() -> Vec<Program> {
    let sender = || vec![Op::Send(1, false), Op::Send(2, false), WRITE];
    let receiver = || vec![Op::Spawn(1, NOTHING), READ, Op::Recv, Op::Recv];
    let mut by_place = of(receiver(), sender());
    by_place.channel.is_bounded = true;
    let last = vec![
        Op::Spawn(1, NOTHING),
        Op::DropSender,
        Op::Recv,
        Op::If(93, vec![READ]),
    ];
    let reader = |op: Op| vec![Op::ReadLock, op, Op::RwUnlock];
    let reads = || [vec![Op::Spawn(1, NOTHING)], reader(READ)].concat();
    vec![
        by_place,
        of(receiver(), sender()),
        of(last, vec![WRITE, Op::DropSender]),
        of(reads(), vec![Op::WriteLock, WRITE, Op::RwUnlock]),
        of(reads(), reader(WRITE)),
        of(
            vec![Op::Spawn(1, NOTHING), Op::Park, READ],
            vec![WRITE, Op::Unpark(0)],
        ),
        of(
            vec![Op::Spawn(1, NOTHING), Op::Get, Op::If(90, vec![READ])],
            vec![Op::Init(0, 1)],
        ),
    ]
}

/// Release sequences, and stores that come in the wrong order where memory is weak.
fn atomics() -> Vec<Program> {
    let find = |seen| {
        let finds = [Op::Load(0, Acquire), Op::If(seen, vec![READ])];
        [&[Op::Spawn(1, NOTHING)], &finds[..]].concat()
    };
    let publish = |op: Op| vec![WRITE, Op::Store(0, 1, Release), op];
    let weak = |body: Vec<Op>, thread: Vec<Op>| Program {
        memory: Memory::Weak,
        ..of(body, thread)
    };
    let load = |atomic| Op::Load(atomic, Relaxed);
    let store = |atomic| Op::Store(atomic, 1, Relaxed);
    let locked = [Op::Spawn(1, NOTHING), Op::Lock, Op::If(1, vec![load(0)])];
    vec![
        of(find(2), publish(Op::Add(0, 1, Relaxed))),
        of(find(2), publish(Op::Store(0, 2, Relaxed))),
        weak(
            vec![Op::Spawn(1, NOTHING), load(1), load(0)],
            vec![store(0), store(1)],
        ),
        weak(
            vec![Op::Spawn(1, NOTHING), store(0), load(1)],
            vec![store(1), load(0)],
        ),
        weak(locked.to_vec(), vec![store(0), Op::Lock]),
        weak(
            vec![Op::Spawn(1, NOTHING), load(0), load(0)],
            vec![store(0), Op::Add(0, 1, Relaxed)],
        ),
    ]
}

fn of(body: Vec<Op>, thread: Vec<Op>) -> Program {
    Program {
        threads: vec![body, thread],
        destructor: Vec::new(),
        channel: Channel {
            is_bounded: false,
            receiver: 0,
        },
        home: Home::Heap,
        memory: Memory::Sc,
    }
}
