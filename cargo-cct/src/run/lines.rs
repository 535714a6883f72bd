//! The user's lines, of steps in dependencies and of crashes.
//!
//! A test process tells both as places in its executable: the calls that led there, see `frames.rs`
//! of the engine. Here their lines are looked up in the executable's debug information, and the
//! innermost one in the user's own code is taken. Everything that is inlined counts as the call it
//! was.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use addr2line::gimli::{self, Reader};
use addr2line::{FunctionName, Loader, Location, demangle_auto};
use cct::operation::Operation;
use cct::trace::{Call, Outcome, Site, Step, Trace};
use cct::verdict::{AccessWay, Bug, BugKind, RacyAccess, Verdict};
use cct::wire::Replayed;

use super::board::BoardFile;
use crate::build::cargo::Executable;
use crate::column;
use crate::report::Origin;

/// An executable's lines, read when they are first asked for.
pub(crate) struct Lines<'a> {
    executable: &'a Executable,
    loader: OnceCell<Option<Loader>>,
    known: BTreeMap<u64, Option<Site>>,
    /// The lines of files, by the paths that sites have.
    texts: RefCell<BTreeMap<String, Vec<String>>>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(executable: &'a Executable) -> Lines<'a> {
        Lines {
            executable,
            loader: OnceCell::new(),
            known: BTreeMap::new(),
            texts: RefCell::default(),
        }
    }

    /// The innermost of these calls that is in the user's code.
    pub(super) fn own(&mut self, frames: &[u64]) -> Option<Site> {
        frames.iter().find_map(|&place| self.own_at(place))
    }

    /// The innermost of these calls that is neither in std nor in the shims: `Arc` is generic, and so is part
    /// of the code that uses it.
    fn outside_std(&self, frames: &[u64]) -> Option<Site> {
        let mut found = None;
        for &place in frames {
            self.each_call(place, &mut |_, site| {
                let outside = site.filter(|site| Origin::of(site) != Origin::Std);
                found = found.take().or(outside);
            });
            if found.is_some() {
                break;
            }
        }
        found
    }

    fn own_at(&mut self, place: u64) -> Option<Site> {
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        let found = self.look_up(place);
        self.known.insert(place, found.clone());
        found
    }

    fn look_up(&self, place: u64) -> Option<Site> {
        let mut found = None;
        self.each_call(place, &mut |_, site| {
            let own = site.filter(|site| Origin::of(site) == Origin::User);
            found = found.take().or(own);
        });
        found
    }

    /// The calls at these places, those that are inlined included.
    pub(crate) fn calls(&self, frames: &[u64]) -> Vec<Call> {
        let mut calls = Vec::new();
        for &place in frames {
            self.each_call(place, &mut |function, site| {
                calls.push(Call { function, site });
            });
        }
        calls
    }

    /// Visits the calls at a place, the innermost first.
    fn each_call(&self, place: u64, visit: &mut dyn FnMut(String, Option<Site>)) {
        let path = &self.executable.path;
        // Without debug information nothing is known, and the failure is told without it.
        let loader = self.loader.get_or_init(|| Loader::new(path).ok());
        let Some(loader) = loader else { return };
        let Ok(mut frames) = loader.find_frames(place) else {
            return;
        };
        let mut calls = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            calls.push(frame);
        }
        let is_known = !calls.is_empty();
        let function = calls.len().saturating_sub(1);
        for (number, frame) in calls.into_iter().enumerate() {
            let site = frame.location.and_then(|location| self.site(&location));
            let before = || self.line_before(loader, place).filter(|_| number == 0);
            let site = site.or_else(before);
            let name = frame.function.as_ref();
            // Tables of lines have no more than plain names, of what is inlined and of what that is in.
            let is_plain = name.is_none_or(is_plain);
            let linked = || symbol(loader, place).filter(|_| is_plain && number == function);
            let name = linked().or_else(|| Some(name?.demangle().ok()?.into_owned()));
            visit(name.unwrap_or_else(|| "<unknown>".to_owned()), site);
        }
        // The runtime has names, and no lines.
        if !is_known && let Some(symbol) = symbol(loader, place) {
            visit(symbol, None);
        }
    }

    fn site(&self, location: &Location<'_>) -> Option<Site> {
        let site = Site {
            file: as_given(location.file?, &self.executable.root),
            line: location.line.filter(|&line| line > 0)?,
            column: location.column.unwrap_or(1).max(1),
        };
        Some(self.as_compiled(site))
    }

    /// The line of the code just before this place, of the same function: a function that has a large frame
    /// makes sure of its stack in code that is of no line.
    fn line_before(&self, loader: &Loader, place: u64) -> Option<Site> {
        let function = loader.find_symbol(place)?;
        let places = (1..=PROLOGUE).map(|distance| place.saturating_sub(distance));
        let mut own = places.take_while(|&before| loader.find_symbol(before) == Some(function));
        own.find_map(|before| self.site(&loader.find_location(before).ok()??))
    }

    /// The site with its column as the compiler tells those of calls, where the line is known.
    fn as_compiled(&self, site: Site) -> Site {
        let mut texts = self.texts.borrow_mut();
        let read = || {
            let text =
                fs::read_to_string(self.executable.root.join(&site.file)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        let lines = texts.entry(site.file.clone()).or_insert_with(read);
        let line = (site.line as usize)
            .checked_sub(1)
            .and_then(|line| lines.get(line));
        let column = line.map_or(site.column, |line| column::of_bytes(line, site.column));
        Site { column, ..site }
    }

    /// Names what a process has told of its execution, and left on its board.
    pub(crate) fn name(&mut self, replayed: &mut Replayed, board: &BoardFile) {
        let mut bug = match &mut replayed.verdict {
            Verdict::Failed(bug) => Some(&mut **bug),
            Verdict::Passed | Verdict::CutOff => None,
        };
        if let Some(bug) = &mut bug {
            self.place(bug, board);
        }
        self.name_callers(&mut replayed.trace, bug);
    }

    /// A crash, or a hang, is where the signal came. A stack ends at any place of a recursion: that is where
    /// most of its calls are.
    pub(super) fn place(&mut self, bug: &mut Bug, board: &BoardFile) {
        let frames = board.frames().unwrap_or_default();
        let found = match bug.kind {
            BugKind::StackOverflow => self.most_frequent(&frames),
            _ => self.own(&frames),
        };
        bug.site = found.or(bug.site.take());
    }

    /// The line of the user's code that most of these calls are at; of several the innermost.
    fn most_frequent(&mut self, frames: &[u64]) -> Option<Site> {
        let own: Vec<Site> = frames
            .iter()
            .filter_map(|&place| self.own_at(place))
            .collect();
        let line = |site: &Site| (site.file.clone(), site.line);
        let mut counts = BTreeMap::<_, usize>::new();
        for site in &own {
            *counts.entry(line(site)).or_default() += 1;
        }
        // The last of several maxima is taken.
        own.into_iter().rev().max_by_key(|site| counts[&line(site)])
    }

    /// Names the callers of a trace's steps, and of what waits at its end.
    pub(super) fn name_callers(&mut self, trace: &mut Trace, bug: Option<&mut Bug>) {
        let stacks = std::mem::take(&mut trace.stacks);
        for backtrace in &mut trace.backtraces {
            let stack = usize::try_from(backtrace.stack).ok();
            let stack = stack.and_then(|stack| stacks.get(stack));
            backtrace.calls = self.calls(stack.map_or(&[], Vec::as_slice));
        }
        let own: Vec<Option<Site>> = stacks.iter().map(|stack| self.own(stack)).collect();
        let mut numbers = BTreeMap::new();
        let of_steps: Vec<Option<u32>> = trace.steps.iter().map(|step| step.stack).collect();
        let mut number = |sites: &mut Vec<Site>, site: &Site| {
            *numbers.entry(site.clone()).or_insert_with(|| {
                sites.push(site.clone());
                u32::try_from(sites.len() - 1).unwrap_or(u32::MAX)
            })
        };
        for index in 0..trace.steps.len() {
            let stack = trace.steps[index].stack.take();
            if has_no_line(&trace.steps[index])
                && let Some(frames) =
                    stack.and_then(|stack| stacks.get(usize::try_from(stack).ok()?))
                && let Some(site) = self.outside_std(frames)
            {
                trace.steps[index].site = number(&mut trace.sites, &site);
            }
            let site = stack.and_then(|stack| own.get(usize::try_from(stack).ok()?)?.as_ref());
            let Some(site) = site.filter(|_| !is_own(trace, index)) else {
                continue;
            };
            trace.steps[index].caller = Some(number(&mut trace.sites, site));
        }
        self.name_paths(trace, &stacks, &of_steps);
        for index in 0..trace.steps.len() {
            if is_nowhere(trace, index) {
                trace.steps[index].caller = last_call(trace, index);
            }
        }
        let Some(bug) = bug else { return };
        if let Some(race) = &mut bug.race {
            for access in race.accesses_mut() {
                self.name_access(access, &stacks);
            }
            note_access(trace, &mut race.later);
            if note_access(trace, &mut race.earlier) {
                race.later.step = race.later.step.map(|step| step + 1);
            }
            bug.site.clone_from(&race.later.site);
        }
        for wait in &mut bug.waits {
            let mut steps = trace.steps.iter().rev();
            let last = steps.find(|step| step.worker == wait.worker);
            let last = last.filter(|step| step.outcome == Outcome::Waits || wait.spins);
            let caller = last.and_then(|step| step.caller);
            wait.caller =
                caller.and_then(|site| trace.sites.get(usize::try_from(site).ok()?).cloned());
        }
    }

    /// Names the calls that led to an access, and the user's line among them, or else the innermost that is
    /// not std's.
    fn name_access(&mut self, access: &mut RacyAccess, stacks: &[Vec<u64>]) {
        let frames = access.stack.and_then(|stack| stacks.get(stack as usize));
        let Some(frames) = frames else { return };
        let calls = self.calls(frames).into_iter();
        // The calls by which compiled code tells of it.
        access.calls = calls.skip_while(is_engines).collect();
        access.site = self.own(frames).or_else(|| self.outside_std(frames));
    }

    /// Looks up the lines of the calls that led to steps; `of_steps` has the stack of each.
    fn name_paths(&self, trace: &mut Trace, stacks: &[Vec<u64>], of_steps: &[Option<u32>]) {
        let mut sites = BTreeMap::new();
        for (number, site) in (0..).zip(&trace.sites) {
            sites.entry(site.clone()).or_insert(number);
        }
        let mut places = BTreeMap::<u64, Vec<u32>>::new();
        let mut paths = BTreeMap::<Vec<u32>, u32>::new();
        let mut of_stacks = BTreeMap::new();
        for (step, stack) in trace.steps.iter_mut().zip(of_steps) {
            let Some(stack) = *stack else { continue };
            let path = of_stacks.entry(stack).or_insert_with(|| {
                let frames = stacks.get(usize::try_from(stack).ok()?)?;
                let mut path = Vec::new();
                for &place in frames {
                    let lines = places.entry(place).or_insert_with(|| {
                        let mut lines = Vec::new();
                        self.each_call(place, &mut |_, site| {
                            let site = site.filter(|site| Origin::of(site) != Origin::Std);
                            lines.extend(site.map(|site| {
                                *sites.entry(site).or_insert_with_key(|site| {
                                    trace.sites.push(site.clone());
                                    u32::try_from(trace.sites.len() - 1).unwrap_or(u32::MAX)
                                })
                            }));
                        });
                        lines
                    });
                    path.extend_from_slice(lines);
                }
                path.truncate(LONGEST_PATH);
                let next = u32::try_from(paths.len()).ok()?;
                (!path.is_empty()).then(|| *paths.entry(path).or_insert(next))
            });
            step.path = *path;
        }
        let line = |site: &Site| (site.file.clone(), site.line);
        let mut of_numbers: Vec<(Vec<u32>, u32)> = paths.into_iter().collect();
        of_numbers.sort_unstable_by_key(|(_, number)| *number);
        trace.paths = of_numbers.into_iter().map(|(path, _)| path).collect();
        let (sites, paths) = (&trace.sites, &trace.paths);
        for step in &mut trace.steps {
            // A step that comes about otherwise than by a call has the calls of the step before.
            let own = sites.get(step.site as usize).map(line);
            let borrows = Operation::from_code(step.operation).is_some_and(Operation::borrows_site);
            let path = step.path.and_then(|path| paths.get(path as usize));
            let mut lines = path
                .into_iter()
                .flatten()
                .filter_map(|&site| sites.get(site as usize));
            let is_there = borrows || step.note || lines.any(|site| Some(line(site)) == own);
            step.path = step.path.filter(|_| is_there);
        }
    }
}

/// True of a name of Rust's that is not the one that is linked: it lacks its path.
fn is_plain<R: Reader>(name: &FunctionName<R>) -> bool {
    let (raw, demangled) = (name.raw_name(), name.demangle());
    name.language == Some(gimli::DW_LANG_Rust) && raw.ok() == demangled.ok()
}

/// The function at a place, by the names that are linked.
fn symbol(loader: &Loader, place: u64) -> Option<String> {
    let symbol = loader.find_symbol(place)?;
    Some(demangle_auto(symbol.into(), None).into_owned())
}

/// Puts a note of the access into the trace, where its line is known: behind the step during which it was.
/// False if it is not.
fn note_access(trace: &mut Trace, access: &mut RacyAccess) -> bool {
    let (Some(site), Some(step)) = (&access.site, access.step) else {
        return false;
    };
    let operation = match access.way {
        AccessWay::Read | AccessWay::AtomicRead => Operation::MemoryRead,
        AccessWay::Write | AccessWay::AtomicWrite => Operation::MemoryWrite,
        AccessWay::Free => Operation::MemoryFree,
    };
    let number = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
    let place = trace.sites.iter().position(|known| known == site);
    let place = place.unwrap_or_else(|| {
        trace.sites.push(site.clone());
        trace.sites.len() - 1
    });
    let unit = if access.size == 1 { "byte" } else { "bytes" };
    trace.labels.push(format!("{} {unit}", access.size));
    let label = Some(number(trace.labels.len() - 1));
    let index = step as usize + 1;
    trace.insert_note(
        index,
        Step {
            label,
            ..Step::of(access.worker, operation as u8, None, number(place))
        },
    );
    access.step = Some(number(index));
    true
}

/// True for a call of the engine, or of the shims.
fn is_engines(call: &Call) -> bool {
    let path = call.function.trim_start_matches(['<', '&']);
    path.starts_with("cct::") || path.starts_with("cct_shims::")
}

/// The first bytes of a function, in which it makes sure of its stack.
const PROLOGUE: u64 = 64;

/// So many lines of the calls that led to a step are kept.
const LONGEST_PATH: usize = 24;

/// True if the step's own site is a line of the user's, where what happens is written.
fn is_own(trace: &Trace, index: usize) -> bool {
    let step = &trace.steps[index];
    let site = usize::try_from(step.site).ok();
    let site = site.and_then(|site| trace.sites.get(site));
    let borrows = Operation::from_code(step.operation).is_some_and(Operation::borrows_site);
    (!borrows || has_no_line(step)) && site.is_some_and(|site| Origin::of(site) == Origin::User)
}

/// True for steps of which compiled code tells: their lines are those of the innermost call outside of std.
fn has_no_line(step: &Step) -> bool {
    Operation::from_code(step.operation)
        .is_some_and(|operation| operation.counts_references() || operation.is_plain())
}

/// True if the step ends a poll, or goes on with the next, at no await of the user's: in a `select!`, whose
/// await is a macro's.
fn is_nowhere(trace: &Trace, index: usize) -> bool {
    let step = &trace.steps[index];
    let site = usize::try_from(step.site).ok();
    let site = site.and_then(|site| trace.sites.get(site));
    let worker = usize::try_from(step.worker).ok();
    let worker = worker.and_then(|worker| trace.workers.get(worker));
    step.operation == Operation::Await as u8
        && step.note == (step.outcome == Outcome::Waits)
        && worker.is_some_and(|info| info.spawned_at.as_ref() == site)
}

/// Where the user's code made the last call of the task before this step: of the poll, or of the one before
/// if it made none.
fn last_call(trace: &Trace, index: usize) -> Option<u32> {
    let worker = trace.steps[index].worker;
    let own = (0..index)
        .rev()
        .filter(|&index| trace.steps[index].worker == worker);
    for before in own {
        let step = &trace.steps[before];
        if step.caller.is_some() {
            return step.caller;
        }
        if step.outcome == Outcome::Waits {
            return None;
        }
    }
    None
}

/// The path as rustc was given it: from the workspace's root, where it ran.
fn as_given(file: &str, root: &Path) -> String {
    let path: PathBuf = Path::new(file).components().collect();
    let path = path.strip_prefix(root).unwrap_or(&path);
    path.to_string_lossy().into_owned()
}
