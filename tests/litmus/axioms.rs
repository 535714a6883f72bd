//! The executions of a small program that C++20 allows, found by trying all: [intro.races], [atomics.order]
//! and [atomics.fences], without values out of thin air.

use std::collections::BTreeSet;

/// An operation.
#[derive(Clone, Copy, Debug)]
enum Op {
    Load {
        at: usize,
    },
    Store {
        at: usize,
        value: u64,
    },
    Add {
        at: usize,
        by: u64,
    },
    Exchange {
        at: usize,
        old: u64,
        new: u64,
        failing: u8,
    },
    Fence,
}

/// An operation of an execution, or the first value of an atomic.
#[derive(Clone, Copy, Debug)]
struct Event {
    thread: Option<usize>,
    op: Op,
    order: u8,
    /// Of a compare-exchange.
    fails: bool,
}

/// The values that threads read, and then the last ones.
pub(crate) type Outcome = Vec<u64>;

/// The outcomes of a program.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// All that are allowed.
    pub(crate) allowed: BTreeSet<Outcome>,
    /// The outcomes of executions in which nothing has to come before its time: neither a store before one
    /// that is earlier in the modification order, nor what is sequentially consistent before what it follows.
    pub(crate) in_order: BTreeSet<Outcome>,
}

/// A relation, by rows of bits.
type Relation = Vec<u32>;

/// All outcomes of a program, in the notation of the fixture.
pub(crate) fn outcomes(program: &str) -> Outcomes {
    let atomics = atomics_of(program).max().unwrap_or(0).max(1) + 1;
    let mut events: Vec<Event> = (0..atomics)
        .map(|at| Event {
            thread: None,
            op: Op::Store { at, value: 0 },
            order: b'r',
            fails: false,
        })
        .collect();
    for (thread, word) in program.split(';').enumerate() {
        events.extend(word.split(' ').map(|text| event(thread, text.as_bytes())));
    }
    let mut all = Outcomes::default();
    let exchanges: Vec<usize> = (0..events.len())
        .filter(|&index| matches!(events[index].op, Op::Exchange { .. }))
        .collect();
    for failing in 0..1_u32 << exchanges.len() {
        let mut events = events.clone();
        for (bit, &index) in exchanges.iter().enumerate() {
            events[index].fails = failing >> bit & 1 != 0;
        }
        try_all(&events, &mut all);
    }
    all
}

/// The numbers of the atomics that operations are about.
fn atomics_of(program: &str) -> impl Iterator<Item = usize> {
    let words = program.split([' ', ';']).map(str::as_bytes);
    let of_atomics = words.filter(|word| word[0] != b'F');
    of_atomics.map(|word| usize::from(word[1] - b'0'))
}

fn event(thread: usize, text: &[u8]) -> Event {
    let number = |at: usize| u64::from(text[at] - b'0');
    let at = || number(1) as usize;
    let (op, order) = match text[0] {
        b'F' => (Op::Fence, text[1]),
        b'l' => (Op::Load { at: at() }, text[2]),
        b's' => (
            Op::Store {
                at: at(),
                value: number(3),
            },
            text[2],
        ),
        b'f' => (
            Op::Add {
                at: at(),
                by: number(3),
            },
            text[2],
        ),
        _ => {
            let (old, new, failing) = (number(4), number(5), text[3]);
            (
                Op::Exchange {
                    at: at(),
                    old,
                    new,
                    failing,
                },
                text[2],
            )
        }
    };
    Event {
        thread: Some(thread),
        op,
        order,
        fails: false,
    }
}

impl Event {
    fn at(self) -> Option<usize> {
        match self.op {
            Op::Load { at }
            | Op::Store { at, .. }
            | Op::Add { at, .. }
            | Op::Exchange { at, .. } => Some(at),
            Op::Fence => None,
        }
    }

    fn reads(self) -> bool {
        !matches!(self.op, Op::Store { .. } | Op::Fence)
    }

    fn writes(self) -> bool {
        matches!(
            self.op,
            Op::Store { .. } | Op::Add { .. } | Op::Exchange { .. }
        ) && !self.fails
    }

    fn order(self) -> u8 {
        match self.op {
            Op::Exchange { failing, .. } if self.fails => failing,
            _ => self.order,
        }
    }

    fn acquires(self) -> bool {
        matches!(self.order(), b'a' | b'b' | b's')
    }

    fn releases(self) -> bool {
        matches!(self.order(), b'l' | b'b' | b's')
    }

    fn is_sequential(self) -> bool {
        self.order() == b's'
    }
}

/// Tries all stores for each load, and all modification orders.
fn try_all(events: &[Event], all: &mut Outcomes) {
    let reads: Vec<usize> = (0..events.len())
        .filter(|&index| events[index].reads())
        .collect();
    let writes = |at: usize| -> Vec<usize> {
        let is_one = |&index: &usize| events[index].writes() && events[index].at() == Some(at);
        (0..events.len()).filter(is_one).collect()
    };
    let atomics = events.iter().filter(|event| event.thread.is_none()).count();
    let orders: Vec<Vec<Vec<usize>>> = (0..atomics)
        .map(|at| {
            let writes = writes(at);
            // The first value is the first.
            let rest = permutations(&writes[1..]);
            rest.into_iter()
                .map(|rest| [&writes[..1], &rest].concat())
                .collect()
        })
        .collect();
    let mut from = vec![usize::MAX; events.len()];
    choose_stores(events, (&reads, &mut from), &mut |from| {
        let Some(values) = values(events, from) else {
            return;
        };
        for picked in combinations(&orders) {
            judge(events, (from, &values), &picked, all);
        }
    });
}

/// One of each.
fn combinations(choices: &[Vec<Vec<usize>>]) -> Vec<Vec<&Vec<usize>>> {
    let Some((first, rest)) = choices.split_first() else {
        return vec![Vec::new()];
    };
    let rest = combinations(rest);
    let with = |one| rest.iter().map(move |rest| [&[one], &rest[..]].concat());
    first.iter().flat_map(with).collect()
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &item) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(index);
        all.extend(
            permutations(&rest)
                .into_iter()
                .map(|rest| [&[item], &rest[..]].concat()),
        );
    }
    all
}

fn choose_stores(
    events: &[Event],
    (reads, from): (&[usize], &mut Vec<usize>),
    found: &mut dyn FnMut(&[usize]),
) {
    let Some((&read, rest)) = reads.split_first() else {
        return found(from);
    };
    for store in 0..events.len() {
        let is_readable = events[store].writes() && events[store].at() == events[read].at();
        if store != read && is_readable {
            from[read] = store;
            choose_stores(events, (rest, &mut *from), found);
        }
    }
}

/// The value that each event reads, and that it writes; none if they do not fit, or come from nowhere.
fn values(events: &[Event], from: &[usize]) -> Option<Vec<(u64, u64)>> {
    let mut known: Vec<Option<(u64, u64)>> = vec![None; events.len()];
    for _ in 0..=events.len() {
        for (index, event) in events.iter().enumerate() {
            let read = if event.reads() {
                known[from[index]].map(|it| it.1)
            } else {
                Some(0)
            };
            known[index] = known[index].or_else(|| {
                let read = read?;
                let written = match event.op {
                    Op::Store { value, .. } => value,
                    Op::Add { by, .. } => read + by,
                    Op::Exchange { new, .. } => new,
                    Op::Load { .. } | Op::Fence => 0,
                };
                Some((read, written))
            });
        }
    }
    let values: Vec<_> = known.into_iter().collect::<Option<_>>()?;
    let fits = (events.iter().zip(&values)).all(|(event, &(read, _))| match event.op {
        Op::Exchange { old, .. } => (read == old) != event.fails,
        _ => true,
    });
    fits.then_some(values)
}

/// Adds the outcome of an execution, if it is allowed.
fn judge(
    events: &[Event],
    (from, values): (&[usize], &[(u64, u64)]),
    orders: &[&Vec<usize>],
    all: &mut Outcomes,
) {
    let count = events.len();
    let relation = |holds: &dyn Fn(usize, usize) -> bool| -> Relation {
        let row = |one: usize| {
            let others = (0..count).filter(|&other| holds(one, other));
            others.map(|other| 1 << other).sum()
        };
        (0..count).map(row).collect()
    };
    let before = relation(&|one, other| {
        let threads = [events[one].thread, events[other].thread];
        match threads {
            [None, Some(_)] => true,
            [Some(first), Some(second)] => first == second && one < other,
            _ => false,
        }
    });
    let place = |index: usize| {
        let order = events[index].at().map(|at| orders[at]);
        order.and_then(|order| order.iter().position(|&it| it == index))
    };
    let is_same_place = |one: usize, other: usize| {
        events[one].at().is_some() && events[one].at() == events[other].at()
    };
    let modified = relation(&|one, other| {
        is_same_place(one, other) && place(one).zip(place(other)).is_some_and(|(a, b)| a < b)
    });
    let read_by = relation(&|one, other| events[other].reads() && from[other] == one);
    let read_before = relation(&|one, other| {
        let of = events[one].reads().then(|| from[one]);
        one != other && of.is_some_and(|store| modified[store] >> other & 1 != 0)
    });
    let coherent = closed(union(&[&modified, &read_by, &read_before]));
    let meets = relation(&|one, other| meets(events, from, (&before, one), other));
    let happens = closed(union(&[&before, &meets]));
    // A read-modify-write reads what is just before it.
    let is_torn = |index: usize| {
        events[index].reads()
            && events[index].writes()
            && place(from[index]).map(|it| it + 1) != place(index)
    };
    let contradicts = |one: usize| {
        (0..count).any(|other| happens[one] >> other & 1 != 0 && coherent[other] >> one & 1 != 0)
    };
    let has_cycle = |relation: &Relation| (0..count).any(|one| relation[one] >> one & 1 != 0);
    if (0..count).any(is_torn) || has_cycle(&happens) || (0..count).any(contradicts) {
        return;
    }
    if has_cycle(&closed(union(&[&before, &read_by]))) {
        return;
    }
    let is_fence = |index: usize| matches!(events[index].op, Op::Fence);
    let is_sequential = |index: usize| events[index].is_sequential();
    // Where the coherence order shows: at the operation, or at a fence on its outer side.
    let shown = |index: usize, is_first: bool, at: usize| {
        is_sequential(at)
            && (at == index
                || is_fence(at)
                    && if is_first {
                        happens[at] >> index & 1 != 0
                    } else {
                        happens[index] >> at & 1 != 0
                    })
    };
    let required = relation(&|one, other| {
        is_sequential(one)
            && is_sequential(other)
            && (0..count).any(|a| {
                shown(a, true, one)
                    && (0..count).any(|b| coherent[a] >> b & 1 != 0 && shown(b, false, other))
            })
    });
    let strongly = strongly_happens(events, (&before, &meets, &happens));
    let strongly = relation(&|one, other| {
        is_sequential(one) && is_sequential(other) && strongly[one] >> other & 1 != 0
    });
    if has_cycle(&closed(union(&[&required, &strongly]))) {
        return;
    }
    let read = (0..count).filter(|&index| events[index].reads());
    let mut outcome: Outcome = read.map(|index| values[index].0).collect();
    outcome.extend(orders.iter().map(|order| values[order[order.len() - 1]].1));
    let in_order = closed(union(&[&before, &read_by, &modified, &required]));
    if !has_cycle(&in_order) {
        all.in_order.insert(outcome.clone());
    }
    all.allowed.insert(outcome);
}

/// True if what happens at `one` synchronizes with what happens at `other`.
fn meets(
    events: &[Event],
    from: &[usize],
    (before, one): (&Relation, usize),
    other: usize,
) -> bool {
    let is_fence = |index: usize| matches!(events[index].op, Op::Fence);
    if !events[one].releases() || !events[other].acquires() {
        return false;
    }
    (0..events.len()).any(|head| {
        let heads = if is_fence(one) {
            events[head].writes() && events[head].thread.is_some() && before[one] >> head & 1 != 0
        } else {
            head == one && events[one].writes()
        };
        heads
            && (0..events.len()).any(|read| {
                let is_read = if is_fence(other) {
                    events[read].reads() && before[read] >> other & 1 != 0
                } else {
                    read == other && events[other].reads()
                };
                is_read && is_of_sequence(events, from, head, read)
            })
    })
}

/// True if `read` reads the store `head`, or a read-modify-write of the release sequence that it heads.
fn is_of_sequence(events: &[Event], from: &[usize], head: usize, read: usize) -> bool {
    let mut store = from[read];
    loop {
        if store == head {
            return true;
        }
        if !events[store].reads() {
            return false;
        }
        store = from[store];
    }
}

/// The relation that [intro.races] calls so; nothing is consumed here.
fn strongly_happens(
    events: &[Event],
    (before, meets, happens): (&Relation, &Relation, &Relation),
) -> Relation {
    let count = events.len();
    let has = |relation: &Relation, one: usize, other: usize| relation[one] >> other & 1 != 0;
    let direct = (0..count).map(|one| {
        let holds = |other: usize| {
            let both = events[one].is_sequential() && events[other].is_sequential();
            has(before, one, other)
                || both && has(meets, one, other)
                || (0..count).any(|x| {
                    has(before, one, x)
                        && (0..count).any(|y| has(happens, x, y) && has(before, y, other))
                })
        };
        (0..count)
            .filter(|&other| holds(other))
            .map(|other| 1 << other)
            .sum()
    });
    closed(direct.collect())
}

fn union(relations: &[&Relation]) -> Relation {
    let row = |index: usize| {
        relations
            .iter()
            .fold(0, |row, relation| row | relation[index])
    };
    (0..relations[0].len()).map(row).collect()
}

/// The transitive closure.
fn closed(mut relation: Relation) -> Relation {
    for middle in 0..relation.len() {
        let through = relation[middle];
        for row in &mut relation {
            if *row >> middle & 1 != 0 {
                *row |= through;
            }
        }
    }
    relation
}
