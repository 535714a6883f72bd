//! All executions of a program, one operation at a time.

use crate::definition::{Act, Event, Touch, all_before, conflicts};
use crate::letters::order;

/// A program: for each thread its operations, see the fixture.
#[derive(Debug)]
pub(crate) struct Program(Vec<Vec<Vec<u8>>>);

/// An execution under way.
#[derive(Clone, Debug)]
struct State {
    /// How many operations of each thread are done.
    done: Vec<usize>,
    atomics: [u64; 2],
    /// The thread that has the lock.
    holder: Option<usize>,
    events: Vec<Event>,
}

/// The keys of the two atomics, and that of the lock.
const ATOMICS: u64 = 1;
const LOCK: u64 = 9;

impl Program {
    pub(crate) fn of(text: &str) -> Program {
        let thread = |word: &str| word.split(' ').map(|it| it.as_bytes().to_vec()).collect();
        Program(text.split(';').map(thread).collect())
    }

    /// True if there is an execution with two accesses that nothing orders.
    pub(crate) fn has_race(&self) -> bool {
        let forks = (1..=self.0.len() as u16).map(|child| Event {
            thread: 0,
            act: Act::Fork { child },
        });
        let mut open = vec![State {
            done: vec![0; self.0.len()],
            atomics: [0; 2],
            holder: None,
            events: forks.collect(),
        }];
        while let Some(state) = open.pop() {
            let next: Vec<State> = (0..self.0.len())
                .filter_map(|thread| self.after(&state, thread))
                .collect();
            if next.is_empty() && has_race(&state.events) {
                return true;
            }
            open.extend(next);
        }
        false
    }

    /// The execution with one more operation of this thread, if it has one and can go on.
    fn after(&self, state: &State, thread: usize) -> Option<State> {
        let operation = self.0[thread].get(state.done[thread])?;
        let which = |at: usize| usize::from(operation[at] - b'0');
        let mut next = state.clone();
        next.done[thread] += 1;
        let acts = match operation[0] {
            letter @ (b'R' | b'W') => vec![Act::Access {
                first: 8 * which(1),
                size: 8,
                way: if letter == b'R' {
                    Touch::Read
                } else {
                    Touch::Write
                },
            }],
            b'P' => {
                next.atomics[which(1)] = 1;
                vec![at_atomic(which(1), Touch::Write)]
            }
            b'F' => vec![Act::Fence {
                order: order(operation[1]),
            }],
            b'm' if state.holder.is_some() => return None,
            b'm' => {
                next.holder = Some(thread);
                vec![Act::Acquire { key: LOCK }]
            }
            b'u' => {
                next.holder = None;
                vec![Act::Release { key: LOCK }]
            }
            letter => {
                let (which, order) = (which(1), order(operation[2]));
                let atomic = ATOMICS + which as u64;
                let value = &mut next.atomics[which];
                match letter {
                    b's' => {
                        *value = 1;
                        vec![
                            at_atomic(which, Touch::AtomicWrite),
                            Act::Store { atomic, order },
                        ]
                    }
                    b'f' => {
                        *value += 1;
                        vec![
                            at_atomic(which, Touch::AtomicWrite),
                            Act::Replace { atomic, order },
                        ]
                    }
                    _ => {
                        if letter == b'?' && *value == 0 {
                            next.done[thread] = self.0[thread].len();
                        }
                        vec![
                            at_atomic(which, Touch::AtomicRead),
                            Act::Load { atomic, order },
                        ]
                    }
                }
            }
        };
        let thread = thread as u16 + 1;
        next.events
            .extend(acts.into_iter().map(|act| Event { thread, act }));
        Some(next)
    }
}

/// An access to the memory of an atomic.
fn at_atomic(which: usize, way: Touch) -> Act {
    Act::Access {
        first: 16 + 8 * which,
        size: 8,
        way,
    }
}

fn has_race(events: &[Event]) -> bool {
    let before = all_before(events);
    (0..events.len()).any(|late| !conflicts(events, &before, late).is_empty())
}
