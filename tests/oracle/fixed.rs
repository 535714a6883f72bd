//! Programs for which the engine and the oracle have differed once.

use crate::enumerate::Timeouts;
use crate::program::{Await, Channel, OnceWay, Op, Program, Register, SignalWay};

/// All of them, with what they are about, and with the rule for time-outs.
pub(crate) fn programs() -> Vec<(&'static str, Program, Timeouts)> {
    let late = under_a_lock()
        .into_iter()
        .chain(others())
        .chain(of_ends())
        .chain(late());
    let late = late.map(|(name, program)| (name, program, Timeouts::Late));
    let early = early().into_iter();
    let early = early.map(|(name, program)| (name, program, Timeouts::Race));
    late.chain(early).collect()
}

fn under_a_lock() -> Vec<(&'static str, Program)> {
    let cell = || Op::Once(OnceWay::Cell, 0, Vec::new());
    let once = || Op::Once(OnceWay::Call, 0, Vec::new());
    let lazy = || Op::Once(OnceWay::Lazy, 0, Vec::new());
    let both = |ops: Vec<Op>| vec![ops.clone(), ops];
    vec![
        (
            "who initialises under a lock",
            joined(both(vec![Op::Lock(0), cell(), Op::Unlock(0)])),
        ),
        (
            "who calls once under a lock",
            joined(both(vec![Op::Lock(0), once(), Op::Unlock(0)])),
        ),
        (
            "who makes it under a lock",
            joined(both(vec![Op::Lock(0), lazy(), Op::Unlock(0)])),
        ),
        (
            "who initialises under a write lock",
            joined(both(vec![Op::Write(0), cell(), Op::RwUnlock(0)])),
        ),
        (
            "a look at a cell under a lock",
            joined(vec![
                vec![Op::Lock(0), Op::CellSet(0), Op::Unlock(0)],
                vec![Op::Lock(0), Op::CellGet(0), Op::Unlock(0)],
            ]),
        ),
        (
            "whose message is first under a lock",
            Program {
                channels: vec![Channel {
                    bound: Some(2),
                    receiver: 0,
                }],
                ..joined(vec![
                    vec![
                        Op::Lock(0),
                        Op::Send(0),
                        Op::Unlock(0),
                        Op::Recv(0),
                        Op::Recv(0),
                    ],
                    vec![Op::Lock(0), Op::Send(0), Op::Unlock(0)],
                ])
            },
        ),
        (
            "who waits for a notification first",
            joined(vec![
                vec![Op::Lock(0), Op::NotifyOne(0), Op::Unlock(0)],
                vec![Op::Wait(0), Op::Bump(0)],
                vec![Op::Wait(0), Op::Bump(0)],
            ]),
        ),
    ]
}

fn others() -> Vec<(&'static str, Program)> {
    vec![
        (
            "two that unpark one",
            joined(vec![
                vec![Op::Park, Op::Load(0)],
                vec![Op::Store(0, 1), Op::Unpark(0)],
                vec![Op::Unpark(0)],
            ]),
        ),
        (
            "a waker that is left too late",
            joined(vec![
                vec![Op::BlockOn(vec![Await::One(0, Register::LookThenStore)])],
                vec![Op::Signal(0, SignalWay::SetThenTake)],
            ]),
        ),
        (
            "a waker that is replaced unless it is the same",
            joined(vec![
                vec![Op::BlockOn(vec![Await::One(0, Register::Replace)])],
                vec![Op::Unpark(0), Op::Signal(0, SignalWay::SetThenTake)],
            ]),
        ),
        (
            "a look whether a mutex is poisoned",
            joined(vec![
                vec![Op::IsPoisoned(0), Op::ClearPoison(0)],
                vec![Op::Lock(0), Op::Panic],
            ]),
        ),
        (
            "a look whether a reader-writer lock is poisoned",
            joined(vec![
                vec![Op::RwIsPoisoned(0), Op::RwClearPoison(0)],
                vec![Op::Write(0), Op::Panic],
            ]),
        ),
        (
            "a wait for a poisoned once",
            joined(vec![
                vec![],
                vec![Op::Once(OnceWay::Call, 0, vec![Op::Panic]), Op::OnceWait(0)],
                vec![Op::Once(OnceWay::Force, 0, vec![])],
            ]),
        ),
        (
            "a sender that goes after another that is not the last",
            Program {
                channels: vec![Channel {
                    bound: None,
                    receiver: 1,
                }],
                ..joined(vec![
                    vec![Op::DropSender(0)],
                    vec![Op::DropSender(0), Op::TryRecv(0)],
                ])
            },
        ),
    ]
}

fn of_ends() -> Vec<(&'static str, Program)> {
    let lazy = || Op::Once(OnceWay::Lazy, 0, Vec::new());
    vec![
        (
            "an initialiser's panic that one waits through",
            joined(vec![
                vec![Op::Once(OnceWay::Cell, 0, vec![Op::Panic]), Op::CellSet(0)],
                vec![Op::CellWait(0)],
            ]),
        ),
        (
            "a lazy lock that stays poisoned",
            Program {
                lazy: vec![Op::Panic],
                ..joined(vec![vec![lazy()], vec![lazy(), lazy()]])
            },
        ),
        (
            "two offers of which one is taken",
            Program {
                channels: vec![Channel {
                    bound: Some(0),
                    receiver: 0,
                }],
                ..joined(vec![
                    vec![Op::Recv(0)],
                    vec![Op::Send(0)],
                    vec![Op::Send(0)],
                ])
            },
        ),
        (
            "sends of which the receiver is gone",
            Program {
                channels: vec![Channel {
                    bound: None,
                    receiver: 0,
                }],
                ..joined(vec![vec![], vec![Op::Send(0)], vec![Op::Send(0)]])
            },
        ),
        (
            "a thread that is not over after its last step",
            joined(vec![
                vec![Op::Load(0), Op::IsFinished(1)],
                vec![Op::Store(0, 8)],
            ]),
        ),
        (
            "a circle of waiting that others end before or after",
            joined(vec![
                vec![Op::Lock(1), Op::Join(1)],
                vec![Op::TryLock(0), Op::Lock(1)],
                vec![Op::TryLock(0)],
            ]),
        ),
        (
            "a notification after the time is over",
            joined(vec![
                vec![Op::WaitTimeout(0, 12)],
                vec![Op::Lock(0), Op::Sleep(20), Op::NotifyOne(0)],
            ]),
        ),
        (
            "a panic that comes before others have begun",
            joined(vec![vec![Op::Load(0), Op::Panic], vec![Op::Store(0, 7)]]),
        ),
        (
            "a panic under a lock",
            joined(vec![vec![Op::TryLock(0), Op::Panic], vec![Op::Lock(0)]]),
        ),
    ]
}

/// Time-outs that come when nobody can run.
fn late() -> Vec<(&'static str, Program)> {
    vec![
        (
            "a time-out under a lock that another has, who then notifies",
            forked(vec![
                vec![Op::WaitTimeout(0, 12), Op::Sleep(14), Op::NotifyOne(0)],
                vec![Op::WaitTimeout(0, 26)],
            ]),
        ),
        (
            "a deadlock with a lock that a waiter wants back",
            forked(vec![
                vec![Op::WaitTimeout(0, 12), Op::Join(1)],
                vec![Op::WaitTimeout(0, 26)],
            ]),
        ),
        (
            "two sleeps that end together, the last thing that the body does",
            Program {
                channels: vec![Channel {
                    bound: None,
                    receiver: 0,
                }],
                ..forked(vec![
                    vec![Op::WaitTimeout(0, 12), Op::Sleep(14)],
                    vec![Op::Sleep(26), Op::Send(0)],
                ])
            },
        ),
    ]
}

/// Time-outs that come although others can run.
fn early() -> Vec<(&'static str, Program)> {
    vec![(
        "a time-out as the body ends",
        forked(vec![vec![], vec![Op::ParkTimeout(26)]]),
    )]
}

/// The body spawns the others and does its own part.
fn forked(mut threads: Vec<Vec<Op>>) -> Program {
    let others = 1..threads.len();
    threads[0].splice(..0, others.map(Op::Spawn));
    Program {
        threads,
        barrier: 2,
        ..Program::default()
    }
}

/// The body spawns the others, does its own part, lets go, and joins them.
fn joined(parts: Vec<Vec<Op>>) -> Program {
    let others = 1..parts.len();
    let mut threads = parts;
    let own = std::mem::take(&mut threads[0]);
    let body = &mut threads[0];
    body.extend(others.clone().map(Op::Spawn));
    body.extend(own);
    body.push(Op::Release);
    body.extend(others.map(Op::Join));
    Program {
        threads,
        barrier: 2,
        ..Program::default()
    }
}
