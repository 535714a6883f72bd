//! The actors among a trace's workers, and the timers: they go by the names that the program gives them.

use std::collections::BTreeMap;

use cct::operation::Operation as Op;
use cct::trace::{Did, Doing, Step, Trace, WorkerKind};
use cct::verdict::Wait;

use super::describe::label;
use super::names::operation;
use crate::report::visible::visible_on_a_line;

/// A longer name is cut.
const LONGEST: usize = 40;

/// The words by which a transition tells the state that it leads to.
const LEADS: [&str; 4] = ["begin in ", "goto ", "push ", "pop to "];

/// The names of workers that are actors or their timers, and of objects that belong to them.
#[derive(Clone, Debug, Default)]
pub(super) struct Actors {
    workers: BTreeMap<u32, String>,
    objects: BTreeMap<u32, u32>,
}

impl Actors {
    /// Finds them: the owner of an inbox takes events from it, and a timer ticks.
    pub(super) fn of(trace: &Trace) -> Actors {
        let mut actors = Actors::default();
        for step in &trace.steps {
            let info = trace.workers.get(step.worker as usize);
            let Some(info) = info.filter(|info| info.kind == WorkerKind::Thread) else {
                continue;
            };
            let is_owners = matches!(operation(step), Some(Op::Dequeue | Op::Tick));
            let (true, Some(name)) = (is_owners && step.worker > 0, &info.name) else {
                continue;
            };
            let cut = || visible_on_a_line(name).chars().take(LONGEST).collect();
            actors.workers.entry(step.worker).or_insert_with(cut);
            if let Some(object) = step.object {
                actors.objects.entry(object).or_insert(step.worker);
            }
        }
        actors.number();
        actors
    }

    /// Tells those of one name apart.
    fn number(&mut self) {
        let mut named = BTreeMap::<String, Vec<u32>>::new();
        for (&worker, name) in &self.workers {
            named.entry(name.clone()).or_default().push(worker);
        }
        for (name, workers) in named.into_iter().filter(|(_, workers)| workers.len() > 1) {
            for (number, worker) in (1..).zip(workers) {
                self.workers.insert(worker, format!("{name}#{number}"));
            }
        }
    }

    /// The name of a worker that is one.
    pub(super) fn name(&self, worker: u32) -> Option<&str> {
        self.workers.get(&worker).map(String::as_str)
    }

    /// The name of an object, by its owner.
    pub(super) fn object(&self, object: u32) -> Option<&str> {
        self.name(*self.objects.get(&object)?)
    }
}

/// The state that a worker is in before the step with this index, if it is a machine.
pub(super) fn state(trace: &Trace, worker: u32, index: usize) -> Option<&str> {
    let own = |step: &&Step| step.worker == worker && operation(step) == Some(Op::Transition);
    let before = trace.steps.iter().take(index).rev().filter(own);
    let mut labels = before.filter_map(|step| label(trace, step));
    labels.find_map(|label| LEADS.iter().find_map(|lead| label.strip_prefix(lead)))
}

/// An event that an actor ignored.
pub(super) struct Ignored<'a> {
    /// The step in which it did, by index.
    pub(super) step: usize,
    pub(super) event: &'a str,
    pub(super) state: Option<&'a str>,
}

/// The events that were ignored, in their order.
pub(super) fn ignored(trace: &Trace) -> impl Iterator<Item = Ignored<'_>> {
    let text = |label: Option<u32>| trace.labels.get(label? as usize).map(String::as_str);
    let ignored = trace.log.doings.iter().filter(|it| it.did == Did::Ignored);
    ignored.filter_map(move |doing| {
        Some(Ignored {
            step: during(trace, doing)?,
            event: text(doing.event)?,
            state: text(doing.state),
        })
    })
}

/// The step during which it was done, by index.
fn during(trace: &Trace, doing: &Doing) -> Option<usize> {
    let before = trace.steps.get(..doing.after as usize)?;
    before.iter().rposition(|step| !step.note)
}

/// True if an actor has ignored events in the step with this index, and taken none.
pub(super) fn only_ignores(trace: &Trace, index: usize) -> bool {
    let doings = &trace.log.doings;
    let first = doings.partition_point(|doing| doing.after as usize <= index);
    let own = doings[first..].iter();
    let own = own.take_while(|doing| during(trace, doing) == Some(index));
    let (mut ignores, mut takes) = (false, false);
    for doing in own {
        ignores |= doing.did == Did::Ignored;
        takes |= doing.did == Did::Dequeued;
    }
    ignores && !takes
}

/// True if an actor has nothing to do: it does not wait in a handler, but where it was created.
pub(super) fn is_at_rest(trace: &Trace, wait: &Wait) -> bool {
    let info = trace.workers.get(wait.worker as usize);
    let created = info.and_then(|info| info.spawned_at.as_ref());
    Op::from_code(wait.operation) == Some(Op::Dequeue)
        && wait.task.is_none()
        && created.is_some_and(|created| *created == wait.site)
}

#[cfg(test)]
mod tests {
    use cct::trace::Site;

    use super::*;
    use crate::sample::{step, trace};

    fn of_actors() -> Trace {
        let mut steps = [
            step(1, Op::Dequeue, "src/a.rs"),
            step(1, Op::Transition, "src/a.rs"),
            step(1, Op::Transition, "src/a.rs"),
            step(2, Op::Dequeue, "src/a.rs"),
            step(3, Op::Tick, "src/a.rs"),
            step(4, Op::Dequeue, "src/a.rs"),
            step(5, Op::Load, "src/a.rs"),
        ];
        for (at, object) in [(0, 1), (3, 2), (4, 3), (5, 4)] {
            steps[at].0.object = Some(object);
        }
        for (at, label) in [(1, 0), (2, 1)] {
            (steps[at].0.note, steps[at].0.label) = (true, Some(label));
        }
        let mut trace = trace(&steps);
        trace.labels = vec!["begin in Idle".to_owned(), "goto Busy".to_owned()];
        let names = [
            "main",
            "Server 0",
            "Node 1",
            "timer of Server 0",
            "Node 1",
            "Other",
        ];
        for (info, name) in trace.workers.iter_mut().zip(names) {
            info.name = Some(name.to_owned());
        }
        trace
    }

    #[test]
    fn owners_of_inboxes_and_timers_go_by_their_names() {
        let actors = Actors::of(&of_actors());
        assert_eq!(actors.name(0), None);
        assert_eq!(actors.name(1), Some("Server 0"));
        assert_eq!(
            (actors.name(2), actors.name(4)),
            (Some("Node 1#1"), Some("Node 1#2"))
        );
        assert_eq!(actors.object(3), Some("timer of Server 0"));
        // It takes no events: it is a thread.
        assert_eq!(actors.name(5), None);
    }

    #[test]
    fn the_state_is_that_of_the_last_transition() {
        let trace = of_actors();
        let states = [0, 2, 3].map(|index| state(&trace, 1, index));
        assert_eq!(states, [None, Some("Idle"), Some("Busy")]);
        assert_eq!(state(&trace, 2, 9), None);
    }

    #[test]
    fn ignored_events_are_those_of_the_log() {
        let mut trace = of_actors();
        trace.labels.extend(["Noise", "Idle"].map(str::to_owned));
        let doing = |after, did| Doing {
            worker: 1,
            after,
            actor: 0,
            did,
            state: Some(3),
            event: Some(2),
            to: None,
            payload: None,
            number: None,
        };
        trace.log.doings = vec![
            doing(3, Did::Ignored),
            doing(4, Did::Ignored),
            doing(4, Did::Dequeued),
        ];
        let told = ignored(&trace).map(|it| (it.step, it.event, it.state));
        // The third entry is a note of the first step.
        let expected = [(0, "Noise", Some("Idle")), (3, "Noise", Some("Idle"))];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert_eq!([0, 3].map(|step| only_ignores(&trace, step)), [true, false]);
    }

    #[test]
    fn an_actor_is_at_rest_where_it_was_created() {
        let mut trace = of_actors();
        let site = |line| Site {
            file: "src/a.rs".to_owned(),
            line,
            column: 1,
        };
        trace.workers[1].spawned_at = Some(site(1));
        let wait = |line| Wait {
            worker: 1,
            operation: Op::Dequeue as u8,
            address: 0,
            object: None,
            site: site(line),
            holder: None,
            spins: false,
            in_cycle: false,
            task: None,
            caller: None,
        };
        assert_eq!(
            [1, 2].map(|line| is_at_rest(&trace, &wait(line))),
            [true, false]
        );
    }
}
