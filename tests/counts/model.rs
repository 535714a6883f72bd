//! All that threads that share an `Arc` may come to, by std's documentation: every order of their steps.

use std::collections::BTreeSet;

/// A program: a word for each thread, a letter for each of its operations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Program(pub Vec<String>);

impl Program {
    /// True if all that can be told of its counts is who drops the value.
    pub(crate) fn only_drops(&self) -> bool {
        self.0
            .iter()
            .all(|word| word.chars().all(|letter| "cd".contains(letter)))
    }

    /// All outcomes: for each thread what it has seen, and the number of the one that dropped the value.
    pub(crate) fn outcomes(&self) -> BTreeSet<String> {
        let (mut known, mut found) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![State::of(self)];
        while let Some(state) = open.pop() {
            if !known.insert(state.clone()) {
                continue;
            }
            let next: Vec<_> = (0..state.threads.len())
                .filter_map(|number| state.after(number))
                .collect();
            if next.is_empty() {
                found.insert(state.outcome());
            }
            open.extend(next);
        }
        found
    }
}

/// A step of a thread, which nobody can interrupt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    /// The main thread makes both references for the next thread, and starts it.
    Make,
    MakeWeak,
    Start(usize),
    Clone,
    /// A reference is given up; the value goes with the last.
    Drop,
    /// The value is dropped by the thread that gave up the last reference.
    DropValue,
    DropWeak,
    Count,
    CountWeak,
    Unwrap,
    /// Whether it is the only reference, as `get_mut` finds.
    IsOnly,
    Upgrade,
}

impl Step {
    fn of(letter: char) -> Step {
        match letter {
            'c' => Step::Clone,
            'd' => Step::Drop,
            'm' => Step::IsOnly,
            's' => Step::Count,
            't' => Step::Unwrap,
            'u' => Step::Upgrade,
            'w' => Step::CountWeak,
            'x' => Step::DropWeak,
            other => panic!("`{other}` is no operation"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Thread {
    is_started: bool,
    /// How many references it has.
    owned: usize,
    has_weak: bool,
    todo: Vec<Step>,
    seen: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    strong: usize,
    weak: usize,
    dropped_by: usize,
    /// The main thread first.
    threads: Vec<Thread>,
}

impl State {
    fn of(program: &Program) -> State {
        let numbers = 1..=program.0.len();
        let starts = numbers.flat_map(|number| [Step::Make, Step::MakeWeak, Step::Start(number)]);
        let main = starts.chain([Step::Drop, Step::DropWeak]).collect();
        let words = program
            .0
            .iter()
            .map(|word| word.chars().map(Step::of).collect());
        let threads = std::iter::once(main).chain(words).enumerate();
        State {
            strong: 1,
            weak: 1,
            dropped_by: 0,
            threads: threads
                .map(|(number, todo)| Thread {
                    is_started: number == 0,
                    owned: 1,
                    has_weak: true,
                    todo,
                    seen: String::new(),
                })
                .collect(),
        }
    }

    fn outcome(&self) -> String {
        let seen: Vec<&str> = self.threads[1..].iter().map(|it| &*it.seen).collect();
        format!("{} {}", seen.join(" "), self.dropped_by)
    }

    /// The state after this thread's next step, if it has one.
    fn after(&self, number: usize) -> Option<State> {
        let mut state = self.clone();
        let thread = &mut state.threads[number];
        if !thread.is_started {
            return None;
        }
        let step = if thread.todo.is_empty() {
            // A thread gives up all that it has in the end.
            let weak = thread.has_weak.then_some(Step::DropWeak);
            (thread.owned > 0).then_some(Step::Drop).or(weak)?
        } else {
            thread.todo.remove(0)
        };
        match step {
            Step::Make => state.strong += 1,
            Step::MakeWeak => state.weak += 1,
            Step::Start(other) => state.threads[other].is_started = true,
            Step::DropValue => state.dropped_by = number,
            Step::DropWeak => {
                state.weak -= usize::from(thread.has_weak);
                thread.has_weak = false;
            }
            Step::Upgrade if !thread.has_weak => thread.seen.push('-'),
            Step::Upgrade if state.strong == 0 => thread.seen.push('n'),
            Step::Upgrade => {
                state.strong += 1;
                thread.owned += 1;
                thread.todo.insert(0, Step::Drop);
                thread.seen.push('y');
            }
            Step::Clone | Step::Drop if thread.owned == 0 => {}
            _ if thread.owned == 0 => thread.seen.push('-'),
            Step::Clone => {
                thread.owned += 1;
                state.strong += 1;
            }
            Step::Drop => {
                thread.owned -= 1;
                state.strong -= 1;
                if state.strong == 0 {
                    thread.todo.insert(0, Step::DropValue);
                }
            }
            Step::Count => thread.seen.push_str(&state.strong.to_string()),
            Step::CountWeak => thread.seen.push_str(&state.weak.to_string()),
            Step::IsOnly => {
                let is_only = state.strong == 1 && state.weak == 0;
                thread.seen.push(if is_only { 'o' } else { 'p' });
            }
            Step::Unwrap if state.strong == 1 => {
                thread.owned -= 1;
                state.strong = 0;
                thread.todo.insert(0, Step::DropValue);
                thread.seen.push('t');
            }
            Step::Unwrap => {
                // It is given back, and dropped.
                thread.todo.insert(0, Step::Drop);
                thread.seen.push('f');
            }
        }
        Some(state)
    }
}
