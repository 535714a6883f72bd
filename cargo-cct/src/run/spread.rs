//! One exploration, in one process or spread over several.
//!
//! Which process makes an iteration does not change it, so the bug with the lowest number is the one that
//! a single process would find: whoever has passed that number is stopped. So it is when a process has seen
//! that there are no more schedules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use cct::config::Isolation;
use cct::covered::Coverage;
use cct::part::Part;
use cct::wire::{Counters, Divergence, Event, Fingerprints, Found, Started};

use super::board::BoardFile;
use super::lines::Lines;
use super::process::Launch;
use super::scratch::Scratch;
use super::stop::Stop;
use super::threads;
use super::watch::{End, bug_of, watch};
use crate::build::cargo::Executable;

/// How often it is looked how far the processes are.
const LOOK: Duration = Duration::from_millis(5);

/// The result of an exploration.
#[derive(Debug, Default)]
pub(super) struct Explored {
    pub(super) started: Option<Started>,
    pub(super) counters: Counters,
    pub(super) diverged: Option<Divergence>,
    pub(super) uncontrolled: Vec<String>,
    /// The bug with the lowest number.
    pub(super) found: Option<Found>,
    pub(super) refused: Option<String>,
    /// Nothing was left to explore.
    pub(super) finished: bool,
    /// The fingerprints that a shard has told.
    pub(super) seen: Option<Fingerprints>,
    /// The coverage of machines, without that of processes that were stopped or have died.
    pub(super) covered: Coverage,
    /// The files that schedules have both changed and depended on.
    pub(super) shared_files: BTreeSet<String>,
    /// The output of the last schedule, or the failing one.
    pub(super) printed: String,
    /// How the process ended that decided.
    pub(super) end: Option<End>,
}

impl Explored {
    /// True if it came to its end, and its first schedule repeated.
    pub(super) fn repeats(&self) -> bool {
        self.finished && self.diverged.is_none()
    }
}

/// Explores in so many processes; `on_progress` hears how far they are together.
pub(super) fn spread(
    launch: &Launch<'_>,
    processes: u32,
    hang_timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
    on_progress: impl Fn(&Counters),
) -> io::Result<Explored> {
    let shares = (0..processes).map(|_| Share::new(scratch, stop));
    let mut shares = shares.collect::<io::Result<Vec<_>>>()?;
    let boards = shares.iter().map(|share| share.board.another());
    let boards = boards.collect::<io::Result<Vec<_>>>()?;
    thread::scope(|scope| {
        let (sender, news) = channel();
        let mut each = (0..).zip(shares.iter().zip(boards));
        let started = each.try_for_each(|(number, (share, board))| {
            let (sender, output) = (sender.clone(), share.output.clone());
            let stop = share.stop.clone();
            let launch = Launch {
                part: match processes {
                    1 => launch.part,
                    of => Some(Part {
                        number,
                        of,
                        from: None,
                    }),
                },
                ..launch.clone()
            };
            let started = threads::start_in(scope, move || {
                let end = watch(&launch, &board, &output, hang_timeout, &stop, |event| {
                    // The listener has given up, and stops us.
                    let _ = sender.send((number, News::Event(Box::new(event))));
                });
                let _ = sender.send((number, News::End(end)));
            });
            started.map(drop)
        });
        drop(sender);
        let result = started.and_then(|()| follow(&mut shares, &news, &on_progress));
        // The processes that are left, after an error.
        for share in &shares {
            share.stop.set();
        }
        result
    })?;
    merge(&shares, launch.executable)
}

/// A message about a process.
enum News {
    Event(Box<Event>),
    End(io::Result<End>),
}

/// One of the processes.
struct Share {
    board: BoardFile,
    output: PathBuf,
    stop: Stop,
    heard: Heard,
    end: Option<End>,
}

/// The messages of a process.
#[derive(Debug, Default)]
struct Heard {
    started: Option<Started>,
    counters: Counters,
    diverged: Option<Divergence>,
    uncontrolled: Vec<String>,
    found: Option<Found>,
    refused: Option<String>,
    seen: Option<Fingerprints>,
    covered: Coverage,
    shared_files: Vec<String>,
    finished: bool,
}

/// Listens until all processes have ended.
fn follow(
    shares: &mut [Share],
    news: &Receiver<(u32, News)>,
    on_progress: &impl Fn(&Counters),
) -> io::Result<()> {
    while shares.iter().any(|share| share.end.is_none()) {
        match news.recv_timeout(LOOK) {
            Ok((number, News::Event(event))) => {
                let is_progress = matches!(*event, Event::Progress(_));
                shares[index(number)].heard.add(*event);
                if is_progress {
                    on_progress(&sum(shares));
                }
            }
            Ok((number, News::End(end))) => shares[index(number)].end = Some(end?),
            Err(RecvTimeoutError::Timeout) => {}
            // Each says how it ended, so this is after the last.
            Err(RecvTimeoutError::Disconnected) => break,
        }
        stop_who_need_not_go_on(shares);
    }
    Ok(())
}

fn index(number: u32) -> usize {
    usize::try_from(number).expect("there are few processes")
}

fn stop_who_need_not_go_on(shares: &mut [Share]) {
    if shares.len() == 1 {
        return;
    }
    let first = shares.iter().filter_map(Share::ends_at).min();
    let decided = shares.iter().any(Share::decides);
    for share in shares.iter().filter(|share| share.end.is_none()) {
        let has_passed = first.is_some_and(|first| share.board.iteration() > first);
        if has_passed || decided {
            share.stop.set();
        }
    }
}

impl Share {
    fn new(scratch: &Scratch, stop: &Stop) -> io::Result<Share> {
        Ok(Share {
            board: scratch.board()?,
            output: scratch.path("output"),
            stop: stop.part(),
            heard: Heard::default(),
            end: None,
        })
    }

    /// The iteration in which it found a bug.
    fn bug_at(&self) -> Option<u64> {
        match &self.heard.found {
            Some(found) => Some(found.iteration),
            None if self.has_died() => Some(self.board.iteration()),
            None => None,
        }
    }

    /// The iteration after which there was nothing left to do for anybody: it has a bug, or is the last one
    /// that there is.
    fn ends_at(&self) -> Option<u64> {
        let seen_all = || self.has_seen_all().then(|| self.board.iteration());
        self.bug_at().or_else(seen_all)
    }

    /// True if it knows that there are no more schedules.
    fn has_seen_all(&self) -> bool {
        self.heard.finished && self.heard.counters.exhausted
    }

    /// True if the process is gone and has not said why.
    fn has_died(&self) -> bool {
        let heard = &self.heard;
        let said = heard.finished || heard.refused.is_some() || heard.found.is_some();
        let ran = heard.started.is_some() && heard.uncontrolled.is_empty();
        let end = self.end.as_ref();
        ran && !said && end.is_some_and(|end| bug_of(end, &self.board).is_some())
    }

    /// The counters of its iterations; of one that has died, as far as they are on its board.
    fn counters(&self) -> Counters {
        let heard = self.heard.counters.clone();
        if !self.has_died() {
            return heard;
        }
        self.board.counts().over(heard)
    }

    /// True if what it says goes for all.
    fn decides(&self) -> bool {
        let heard = &self.heard;
        heard.refused.is_some()
            || heard.finished && heard.ends_as_diverged()
            || !heard.uncontrolled.is_empty()
            || heard.finished && heard.counters.sequential
            || match &self.end {
                Some(End::Blocked(_)) => true,
                Some(End::Exited(_)) => heard.started.is_none(),
                _ => false,
            }
    }

    /// The bug that it found, or died of.
    fn found(&self, executable: &Executable) -> Option<Found> {
        if !self.has_died() {
            let mut found = self.heard.found.clone()?;
            Lines::of(executable).place(&mut found.bug, &self.board);
            return Some(found);
        }
        let mut bug = bug_of(self.end.as_ref()?, &self.board)?;
        Lines::of(executable).place(&mut bug, &self.board);
        Some(Found {
            iteration: self.board.iteration(),
            bug,
            schedule: self.board.schedule().unwrap_or_default(),
        })
    }
}

impl Heard {
    /// True if it ends when its first schedule does not repeat, and that did not.
    fn ends_as_diverged(&self) -> bool {
        let started = self.started.as_ref();
        let is_open = started.is_some_and(|started| started.isolation == Isolation::Auto.name());
        is_open && self.diverged.is_some()
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Started(started) => self.started = Some(started),
            Event::Progress(counters) => self.counters = counters,
            Event::Diverged(divergence) => self.diverged = Some(divergence),
            Event::Uncontrolled(what) => self.uncontrolled.push(what),
            Event::Found(found) => self.found = Some(found),
            Event::Fingerprints(seen) => self.seen = Some(seen),
            Event::Covered(covered) => self.covered = covered,
            Event::SharedFiles(files) => self.shared_files = files,
            Event::Finished(counters) => {
                self.counters = counters;
                self.finished = true;
            }
            // Only replays, interactive iterations, shrinking and delay injection say this.
            Event::Replayed(_)
            | Event::Asked(_)
            | Event::Shrunk(_)
            | Event::Certain(_)
            | Event::Pair(_)
            | Event::Violation(_)
            | Event::Figures(_)
            | Event::Footprint(_) => {}
            Event::Refused(reason) => self.refused = Some(reason),
        }
    }
}

/// All together.
fn merge(shares: &[Share], executable: &Executable) -> io::Result<Explored> {
    let first = shares.iter().enumerate();
    let first = first.filter_map(|(number, share)| Some((share.ends_at()?, number)));
    let number = match first.min() {
        Some((_, number)) => number,
        None => shares.iter().position(Share::decides).unwrap_or(0),
    };
    let share = &shares[number];
    // The other processes' work meanwhile was in vain.
    let is_alone = share.decides() || share.has_seen_all();
    let mut covered = Coverage::default();
    for other in shares {
        if !is_alone || std::ptr::eq(other, share) {
            covered.add(&other.heard.covered);
        }
    }
    let mut explored = Explored {
        counters: if is_alone {
            share.heard.counters.clone()
        } else {
            sum(shares)
        },
        covered,
        found: share.found(executable),
        end: share.end.clone(),
        finished: share.heard.finished
            && (shares.iter().all(|share| share.heard.finished)
                || share.decides()
                || share.has_seen_all()),
        ..Explored::default()
    };
    for share in shares {
        let heard = &share.heard;
        explored.started = explored.started.or_else(|| heard.started.clone());
        explored.diverged = explored.diverged.or_else(|| heard.diverged.clone());
        let files = heard.shared_files.iter().cloned();
        explored.shared_files.extend(files);
        explored.refused = explored.refused.or_else(|| heard.refused.clone());
        let blocked = match &share.end {
            Some(End::Blocked(call)) => Some(call),
            _ => None,
        };
        for what in heard.uncontrolled.iter().chain(blocked) {
            if !explored.uncontrolled.contains(what) {
                explored.uncontrolled.push(what.clone());
            }
        }
    }
    if let [only] = shares {
        explored.seen.clone_from(&only.heard.seen);
    }
    explored.printed = String::from_utf8_lossy(&fs::read(&share.output)?).into_owned();
    for share in shares {
        // The process has ended and what it printed is read: the file is of no further use.
        let _ = fs::remove_file(&share.output);
    }
    Ok(explored)
}

/// The counters of all. Distinct ones are counted together, unless a process was stopped before it could
/// tell which: then some may count twice.
fn sum(shares: &[Share]) -> Counters {
    let mut counters = shares.iter().map(Share::counters);
    let first = counters.next().unwrap_or_default();
    let mut sum = counters.fold(first, Counters::and);
    let seen: Option<Vec<&Fingerprints>> = shares
        .iter()
        .map(|share| share.heard.seen.as_ref())
        .collect();
    if let Some(seen) = seen {
        let schedules: BTreeSet<u64> = seen
            .iter()
            .flat_map(|seen| &seen.schedules)
            .copied()
            .collect();
        let mut behaviours = BTreeMap::new();
        for (&behaviour, &iteration) in seen
            .iter()
            .flat_map(|seen| seen.behaviours.iter().zip(&seen.first))
        {
            let first = behaviours.entry(behaviour).or_insert(iteration);
            *first = iteration.min(*first);
        }
        sum.distinct = schedules.len() as u64;
        sum.behaviours = behaviours.len() as u64;
        sum.last_new = behaviours.into_values().max().unwrap_or(0);
    }
    sum
}
