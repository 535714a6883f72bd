//! The profiles of tests: each runs once, and what it uses is told.

use std::collections::BTreeMap;

use super::maker::Maker;
use super::portfolio::portfolio;
use super::runner::Runner;
use super::tally::Tally;
use super::together::Member;
use crate::config::Resolved;
use crate::engine::Record;
use crate::footprint::{Footprint, STATIC, Use};
use crate::operation::{Access, Operation};
use crate::trace::Trace;
use crate::verdict::Verdict;
use crate::wire::{Counters, Event};

/// Runs each once; tells its footprint.
pub(super) fn run(
    runner: &mut Runner,
    settings: &Resolved,
    members: &'static [Member],
    tell: &mut dyn FnMut(Event),
) {
    runner.apply(settings);
    let mut strategies = portfolio(settings, settings.strategy.build(), false);
    let mut maker = Maker {
        runner,
        name: "profile",
        settings: settings.clone(),
        tally: Tally::new(Counters::default()),
        shared_stacks: 0,
        each: None,
        witness: None,
    };
    for (number, member) in (1..).zip(members) {
        maker.name = member.name;
        let verdict = maker.make(&mut strategies[0], number, Record::Steps, &*member.body);
        let footprint = footprint(&mut maker, member.name, verdict);
        tell(Event::Footprint(footprint));
        maker.runner.clean_up();
    }
}

fn footprint(maker: &mut Maker<'_>, test: &str, verdict: Verdict) -> Footprint {
    let (mut uses, memory) = maker.runner.engine.observers.shares.take();
    let mut statics = statics_of(&maker.runner.trace());
    for (address, writes) in memory {
        if let Some(path) = maker.runner.surroundings.static_at(address) {
            // A static that is made when it is first used is the same for all.
            let known = statics.entry(path).or_insert(Some(false));
            *known = known.map(|changes| changes | writes);
        }
    }
    let statics = statics.into_iter().filter(|(path, _)| is_of_program(path));
    uses.extend(statics.filter_map(|(name, changes)| {
        let kind = STATIC.to_owned();
        changes.map(|changes| Use {
            kind,
            name,
            changes,
        })
    }));
    Footprint {
        test: test.to_owned(),
        uses,
        failed: match verdict {
            Verdict::Failed(bug) => Some(bug.message),
            Verdict::Passed | Verdict::CutOff => None,
        },
    }
}

/// The statics that operations are about, and whether they change them; none where all that is done is to
/// make them when they are first used.
fn statics_of(trace: &Trace) -> BTreeMap<String, Option<bool>> {
    let mut statics = BTreeMap::<String, Option<bool>>::new();
    for step in &trace.steps {
        let object = step
            .object
            .and_then(|object| trace.objects.get(object as usize));
        let path = object.and_then(|object| object.static_path.as_ref());
        let (Some(path), Some(operation)) = (path, Operation::from_code(step.operation)) else {
            continue;
        };
        let known = statics.entry(path.clone()).or_default();
        if !is_first_use(operation) {
            let changes = operation.access() != Access::Reads;
            *known = Some(known.unwrap_or_default() | changes);
        }
    }
    statics
}

fn is_first_use(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::CallOnce | Operation::OnceDone | Operation::OnceWait | Operation::OnceGet
    )
}

/// Statics of std are shared by all, and so are ours.
fn is_of_program(path: &str) -> bool {
    let others = ["std::", "cct::", "cct_shims::"];
    path.contains("::") && !others.iter().any(|other| path.starts_with(other))
}
