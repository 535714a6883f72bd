//! The names of workers, steps and objects in a report.

use std::collections::{BTreeMap, BTreeSet};

use cct::operation::Operation;
use cct::trace::{ObjectInfo, Site, Step, Trace, WorkerInfo, WorkerKind};

use super::actors::Actors;
use super::inside::OuterCall;
use super::origin::Origin;
use super::source::{Source, short_name, short_site};
use crate::report::visible::visible_on_a_line;
use crate::run::lane;

/// The names of a trace's workers, steps and objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    workers: Vec<WorkerInfo>,
    /// The number of each step; a note has that of the step during which it was made.
    steps: Vec<usize>,
    objects: Vec<String>,
    /// The awaited expressions, by site.
    awaited: BTreeMap<u32, String>,
    /// The same in full, by the site of the caller, where a dependency's steps follow.
    awaited_in_full: BTreeMap<u32, String>,
    /// The call in the user's code, by site, where a dependency's steps follow.
    calls: BTreeMap<u32, String>,
    /// The same by step, where these are shown at their own places.
    outer_calls: BTreeMap<usize, OuterCall>,
    /// The files of a dependency whose steps are shown at their own places.
    inner_files: BTreeSet<String>,
    /// The line that called the function of a step, by step, where several lines call that.
    called_at: BTreeMap<usize, Site>,
    /// The worker that an object stands for: it is joined and unparked by it.
    owners: BTreeMap<u32, u32>,
    /// The worker that a `spawn` step makes.
    spawned: BTreeMap<usize, u32>,
    actors: Actors,
}

/// `main` or `w1`: what tells every worker from every other, also where nothing is known of it.
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
        let mut names = Names {
            workers: trace.workers.clone(),
            called_at: called_at(trace),
            actors: Actors::of(trace),
            ..Names::default()
        };
        for (worker, info) in (0..).zip(&trace.workers) {
            let step = info.made_by.and_then(|step| usize::try_from(step).ok());
            names.spawned.extend(step.map(|step| (step, worker)));
        }
        let mut number = 0;
        // A lock's poison flag is an object of its own, and goes by the lock's name.
        let mut flags = BTreeSet::new();
        for step in &trace.steps {
            number += usize::from(!step.note);
            names.steps.push(number);
            if let Some(caller) = step.caller {
                let found = site_at(trace, caller).and_then(|site| source.called(site));
                names.calls.extend(found.map(|found| (caller, found)));
                let found = site_at(trace, caller).and_then(|site| source.awaited_in_full(site));
                names
                    .awaited_in_full
                    .extend(found.map(|found| (caller, found)));
            }
            match (operation(step), step.object) {
                (Some(Operation::Start | Operation::End | Operation::Park), Some(object)) => {
                    names.owners.insert(object, step.worker);
                }
                (
                    Some(Operation::Poison | Operation::IsPoisoned | Operation::ClearPoison),
                    Some(object),
                ) => {
                    flags.insert(object);
                }
                (Some(Operation::Await), _) => {
                    let found = site(trace, step).and_then(|site| source.awaited(site));
                    names.awaited.extend(found.map(|found| (step.site, found)));
                }
                _ => {}
            }
        }
        let found: Vec<(bool, String)> = (0..)
            .zip(&trace.objects)
            .map(|(number, object)| {
                let is_flag = flags.contains(&number);
                let owned = names.actors.object(number).map(str::to_owned);
                let name = owned.unwrap_or_else(|| name(trace, source, number, object));
                (is_flag, name)
            })
            .collect();
        let mut used = BTreeMap::<&str, usize>::new();
        for (is_flag, name) in &found {
            let others = found.iter().filter(|(is_flag, _)| !is_flag);
            let is_unique = *is_flag || others.filter(|(_, other)| other == name).count() == 1;
            let count = used.entry(name).or_default();
            *count += usize::from(!is_flag);
            names.objects.push(if is_unique {
                name.clone()
            } else {
                format!("{name}#{count}")
            });
        }
        for (flag, lock) in poisoned(trace) {
            let name = names.objects[lock].clone();
            names.objects[flag] = name;
        }
        names
    }

    fn info(&self, worker: u32) -> Option<&WorkerInfo> {
        self.workers.get(usize::try_from(worker).ok()?)
    }

    /// The kind of the worker.
    pub(super) fn kind(&self, worker: u32) -> WorkerKind {
        self.info(worker).map(|info| info.kind).unwrap_or_default()
    }

    /// The worker in whose column a worker's steps are: the steps of a thread and of the future that it
    /// blocks on come one after the other, and are one thing to the reader.
    pub(super) fn lane(&self, worker: u32) -> u32 {
        lane(&self.workers, worker)
    }

    /// `main` or `w1`, where the reader need not tell a thread from the future that it blocks on; an actor
    /// by its name.
    pub(super) fn worker(&self, number: u32) -> String {
        let lane = self.lane(number);
        let name = self.actors.name(lane);
        name.map_or_else(|| worker(lane), str::to_owned)
    }

    /// The worker where it is introduced: `w1 thread at lib.rs:7`.
    pub(super) fn head(&self, number: u32) -> String {
        let (short, lane) = (self.worker(number), self.lane(number));
        let Some(info) = self.info(lane).filter(|_| lane > 0) else {
            return short;
        };
        let site = spawned_at(info).map(short_site);
        let spawned = site.map_or_else(String::new, |site| format!(" spawned {site}"));
        match (info.kind, &info.name) {
            _ if self.actors.name(lane).is_some() => format!("{short} ({}){spawned}", worker(lane)),
            (WorkerKind::WakeUp, _) => format!("{short} wakes tasks"),
            (WorkerKind::Task, _) => format!("{short} task{spawned}"),
            (_, Some(name)) => format!("{short} `{}`{spawned}", visible_on_a_line(name)),
            (_, None) => format!("{short}{spawned}"),
        }
    }

    /// The worker in a sentence: `task 3 spawned at lib.rs:27`.
    pub(super) fn title(&self, number: u32) -> String {
        let info = self.info(number);
        let site = info.and_then(spawned_at);
        let site = site.map_or_else(String::new, |site| {
            format!(" spawned at {}", short_site(site))
        });
        let name = info.and_then(|info| info.name.as_ref());
        match (self.kind(number), name) {
            (WorkerKind::Root(thread), _) => {
                format!("the future that {} blocks on", worker(thread))
            }
            (WorkerKind::WakeUp, _) => format!("worker {number}, which wakes tasks"),
            (WorkerKind::Task, _) => format!("task {number}{site}"),
            (WorkerKind::Thread, _) if number == 0 => "main".to_owned(),
            (WorkerKind::Thread, _) if self.actors.name(number).is_some() => {
                format!("{}{site}", self.worker(number))
            }
            (WorkerKind::Thread, Some(name)) => {
                format!("thread {number} `{}`{site}", visible_on_a_line(name))
            }
            (WorkerKind::Thread, None) => format!("thread {number}{site}"),
        }
    }

    /// The number of the step with this index, from 1.
    pub(super) fn step(&self, index: usize) -> usize {
        self.steps.get(index).copied().unwrap_or(index + 1)
    }

    /// The expression that the step awaits.
    pub(super) fn awaited(&self, step: &Step) -> Option<&str> {
        self.awaited.get(&step.site).map(String::as_str)
    }

    /// Returns the call in the user's code that a step in other code comes of: `total.lock`.
    pub(super) fn call(&self, step: &Step) -> Option<&str> {
        self.calls.get(&step.caller?).map(String::as_str)
    }

    /// Returns the call in the user's code that a step comes of which is shown at its own place.
    pub(super) fn outer_call(&self, index: usize) -> Option<&OuterCall> {
        self.outer_calls.get(&index)
    }

    /// The same names where these calls are of steps that are shown at their own places, in these files.
    pub(super) fn with_inner(
        self,
        outer_calls: BTreeMap<usize, OuterCall>,
        inner_files: BTreeSet<String>,
    ) -> Names {
        Names {
            outer_calls,
            inner_files,
            ..self
        }
    }

    /// True for a place in a dependency whose steps are shown at their own places.
    pub(super) fn is_inner(&self, site: &Site) -> bool {
        self.inner_files.contains(&site.file)
    }

    /// A place in a sentence: the user's without its folders, a dependency's with its package.
    pub(super) fn at(&self, site: &Site) -> String {
        if self.is_inner(site) {
            format!("{}:{}", site.file, site.line)
        } else {
            short_site(site)
        }
    }

    /// The line that called the function which the step is in, where several lines call it.
    pub(super) fn called_at(&self, index: usize) -> Option<&Site> {
        self.called_at.get(&index)
    }

    /// Returns the call or the await in the user's code that a step in other code comes of.
    pub(super) fn what(&self, step: &Step) -> Option<String> {
        let awaited = || {
            let awaited = self.awaited_in_full.get(&step.caller?)?;
            Some(format!(
                "{}.await",
                awaited.strip_prefix("self.").unwrap_or(awaited)
            ))
        };
        self.call(step).map(str::to_owned).or_else(awaited)
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

    /// The step that made a worker.
    pub(super) fn spawn(&self, worker: u32) -> Option<usize> {
        usize::try_from(self.info(worker)?.made_by?).ok()
    }

    /// The worker that the step with this index made.
    pub(super) fn child(&self, step: usize) -> Option<u32> {
        self.spawned.get(&step).copied()
    }
}

/// Each flag that was set while its lock was given back, with the lock.
fn poisoned(trace: &Trace) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for (index, step) in trace.steps.iter().enumerate() {
        if operation(step) != Some(Operation::Poison) {
            continue;
        }
        let mut after = trace.steps[index + 1..].iter();
        let next = after.find(|next| next.worker == step.worker);
        let lock = next.filter(|next| operation(next).is_some_and(Operation::releases));
        if let (Some(flag), Some(lock)) = (step.object, lock.and_then(|lock| lock.object)) {
            found.insert(flag as usize, lock as usize);
        }
    }
    found
}

/// The line that called the function of each step, if it is not the same for all steps of that line.
fn called_at(trace: &Trace) -> BTreeMap<usize, Site> {
    let line = |site: &Site| (site.file.clone(), site.line);
    let mut callers = BTreeMap::<_, BTreeMap<usize, &Site>>::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let Some((shown, caller)) = place(trace, step).and_then(|shown| {
            let caller = caller_of_line(trace, step, shown)?;
            Some((shown, caller))
        }) else {
            continue;
        };
        callers
            .entry(line(shown))
            .or_default()
            .insert(index, caller);
    }
    callers.retain(|_, callers| {
        let lines: BTreeSet<_> = callers.values().map(|site| line(site)).collect();
        lines.len() > 1
    });
    let steps = callers.into_values().flatten();
    steps.map(|(step, site)| (step, site.clone())).collect()
}

/// The innermost of the calls that led to the step which is in the user's code, but for the step's own line.
pub(super) fn first_own_call<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Site> {
    let path = trace.paths.get(usize::try_from(step.path?).ok()?)?;
    let own = site(trace, step);
    let mut lines = path.iter().filter_map(|&line| site_at(trace, line));
    lines.find(|line| {
        let is_own = own.is_some_and(|own| (&own.file, own.line) == (&line.file, line.line));
        Origin::of(line) == Origin::User && !is_own
    })
}

/// The line of the same owner that called the function of the shown line, with no other code in between.
fn caller_of_line<'a>(trace: &'a Trace, step: &Step, shown: &Site) -> Option<&'a Site> {
    let path = trace.paths.get(usize::try_from(step.path?).ok()?)?;
    let lines = path.iter().filter_map(|&line| site_at(trace, line));
    let is_shown = |site: &&Site| (&site.file, site.line) == (&shown.file, shown.line);
    let next = lines
        .skip_while(|site| !is_shown(site))
        .find(|site| !is_shown(site))?;
    (Origin::of(next) == Origin::of(shown)).then_some(next)
}

/// The program's name of an object, as far as it can be known.
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
        .filter(|step| !operation(step).is_some_and(Operation::borrows_site))
        .filter_map(|step| site(trace, step))
        .partition(|site| Origin::of(site) == Origin::User);
    let expression = own
        .into_iter()
        .chain(others)
        .find_map(|site| source.receiver(site));
    expression.map_or_else(
        || {
            let told = steps().map(kind).find(|&kind| kind != "descriptor");
            told.unwrap_or("descriptor").to_owned()
        },
        |expression| short_name(&expression),
    )
}

/// The step's operation, unless it is one that this tool does not know.
pub(super) fn operation(step: &Step) -> Option<Operation> {
    Operation::from_code(step.operation)
}

/// The step's site.
pub(super) fn site<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Site> {
    site_at(trace, step.site)
}

/// Where the user's code makes the call that the step comes of, if it is in other code.
pub(super) fn caller<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Site> {
    site_at(trace, step.caller?)
}

/// The step's place as it is shown: in the user's code, if there is one.
pub(super) fn place<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Site> {
    caller(trace, step).or_else(|| site(trace, step))
}

fn site_at(trace: &Trace, number: u32) -> Option<&Site> {
    trace.sites.get(usize::try_from(number).ok()?)
}

/// The type of an object, judged by the operations on it.
pub(super) fn kind(step: &Step) -> &'static str {
    operation(step).map_or("object", Operation::about)
}
/// Where the program spawned the worker: tests that run together are spawned by the engine.
fn spawned_at(info: &WorkerInfo) -> Option<&Site> {
    let is_programs = |site: &&Site| {
        !matches!(
            cct::origin::Origin::of(&site.file),
            cct::origin::Origin::Cct
        )
    };
    info.spawned_at.as_ref().filter(is_programs)
}
