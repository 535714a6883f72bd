//! What workers and objects are called in a report.

use std::collections::BTreeMap;

use cct::operation::Operation;
use cct::trace::{ObjectInfo, Site, Step, Trace};

use super::origin::Origin;
use super::source::{Source, short_name};

/// The names of a trace's workers and objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    objects: Vec<String>,
    /// The worker that an object stands for: it is joined and unparked by it.
    owners: BTreeMap<u32, u32>,
    /// The worker that a `spawn` step makes.
    spawned: BTreeMap<usize, u32>,
}

/// `main` or `w1`.
pub(super) fn worker(worker: u32) -> String {
    if worker == 0 {
        "main".to_owned()
    } else {
        format!("w{worker}")
    }
}

impl Names {
    /// Looks the names up.
    pub(super) fn of(trace: &Trace, source: &Source) -> Names {
        let mut names = Names::default();
        let mut children = 1..;
        for (index, step) in trace.steps.iter().enumerate() {
            match (operation(step), step.object) {
                (Some(Operation::Spawn), _) => {
                    names
                        .spawned
                        .extend(children.next().map(|child| (index, child)));
                }
                (Some(Operation::Start | Operation::End | Operation::Park), Some(object)) => {
                    names.owners.insert(object, step.worker);
                }
                _ => {}
            }
        }
        let found: Vec<String> = (0..)
            .zip(&trace.objects)
            .map(|(number, object)| name(trace, source, number, object))
            .collect();
        let mut used = BTreeMap::<&str, usize>::new();
        for name in &found {
            let is_unique = found.iter().filter(|other| *other == name).count() == 1;
            let count = used.entry(name).or_default();
            *count += 1;
            names.objects.push(if is_unique {
                name.clone()
            } else {
                format!("{name}#{count}")
            });
        }
        names
    }

    /// An object's name.
    pub(super) fn object(&self, object: u32) -> &str {
        let index = usize::try_from(object).unwrap_or(usize::MAX);
        self.objects.get(index).map_or("object", String::as_str)
    }

    /// The worker that an object stands for.
    pub(super) fn owner(&self, object: u32) -> Option<u32> {
        self.owners.get(&object).copied()
    }

    /// The worker that the step with this index made.
    pub(super) fn child(&self, step: usize) -> Option<u32> {
        self.spawned.get(&step).copied()
    }
}

/// What the program calls an object, as far as it can be known.
fn name(trace: &Trace, source: &Source, number: u32, object: &ObjectInfo) -> String {
    if let Some(path) = &object.static_path {
        return path.rsplit("::").next().unwrap_or(path).to_owned();
    }
    let steps = || {
        trace
            .steps
            .iter()
            .filter(move |step| step.object == Some(number))
    };
    let (own, others): (Vec<&Site>, Vec<_>) = steps()
        .filter_map(|step| site(trace, step))
        .partition(|site| Origin::of(site) == Origin::User);
    let expression = own
        .into_iter()
        .chain(others)
        .find_map(|site| source.receiver(site));
    expression.map_or_else(
        || steps().next().map_or("object", kind).to_owned(),
        |expression| short_name(&expression),
    )
}

/// The step's operation, unless it is one that this tool does not know.
pub(super) fn operation(step: &Step) -> Option<Operation> {
    Operation::from_code(step.operation)
}

/// The step's site.
pub(super) fn site<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Site> {
    trace.sites.get(usize::try_from(step.site).ok()?)
}

/// What an object must be, judged by what is done to it.
pub(super) fn kind(step: &Step) -> &'static str {
    use Operation as Op;
    match operation(step) {
        Some(Op::Lock | Op::TryLock | Op::Unlock) => "mutex",
        Some(
            Op::Read | Op::TryRead | Op::ReadUnlock | Op::Write | Op::TryWrite | Op::WriteUnlock,
        ) => "rwlock",
        Some(Op::Wait | Op::WaitTimeout | Op::NotifyOne | Op::NotifyAll) => "condvar",
        Some(Op::CallOnce | Op::OnceDone | Op::OnceWait | Op::OnceGet) => "once",
        Some(Op::BarrierWait) => "barrier",
        Some(
            Op::Send | Op::TrySend | Op::Recv | Op::TryRecv | Op::RecvTimeout | Op::Disconnect,
        ) => "channel",
        Some(Op::FutexWait | Op::FutexWake) => "futex",
        Some(Op::Join | Op::IsFinished | Op::Park | Op::Unpark) => "thread",
        Some(Op::ScopeEnd) => "scope",
        _ => "atomic",
    }
}
