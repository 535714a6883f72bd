//! An execution that somebody leads, as far as it has come: what happened, and what can happen next.

use std::collections::BTreeMap;
use std::path::Path;

use cct::operation::Operation;
use cct::trace::Outcome;
use cct::trace::{ObjectInfo, Site, Step, Trace, WorkerInfo, WorkerKind};
use cct::verdict::{Bug, Verdict};
use cct::wire::{Act, Asks, Happened, Offer, Question};

use super::columns;
use super::describe;
use super::layout::Layout;
use super::names::{self, Names};
use super::source::{Source, short_site};
use crate::report::style::{BAD, FAINT, GOOD, NOTE, STRONG, WARN, paint};
use crate::report::visible::visible;
use crate::report::words::{count, put};
use crate::rewrite::Named;

/// Of more steps than this, made at a stretch, the last are shown.
const MOST_STEPS: usize = 20;
/// The room for what a worker is about to do.
const DOING: usize = 30;

/// The steps so far.
#[derive(Debug)]
pub(crate) struct Live {
    trace: Trace,
    objects: BTreeMap<u64, u32>,
    sites: BTreeMap<Site, u32>,
    source: Source,
    layout: Layout,
    /// How many steps have been shown.
    shown: usize,
    /// How many workers have been introduced.
    introduced: usize,
}

impl Live {
    /// Nothing has happened yet; `root` is the workspace that the sites' paths start from.
    pub(crate) fn new(root: &Path, named: &Named, layout: Layout) -> Live {
        Live {
            trace: Trace::default(),
            objects: BTreeMap::new(),
            sites: BTreeMap::new(),
            source: Source::new(root).with(named),
            layout,
            shown: 0,
            introduced: 0,
        }
    }

    /// The iteration begins anew.
    pub(crate) fn restart(&mut self) {
        *self = Live::new(self.source.root(), self.source.named(), self.layout);
    }

    /// More has happened.
    pub(crate) fn add(&mut self, workers: &[WorkerKind], happened: Vec<Happened>) {
        let workers = workers.iter().map(|&kind| WorkerInfo {
            name: None,
            spawned_at: None,
            kind,
            made_by: None,
        });
        self.trace.workers.extend(workers);
        for one in happened {
            if one.act.operation == Operation::Spawn as u8 {
                self.spawned_at(&one.act.site);
            }
            let step = self.step(one);
            self.trace.steps.push(step);
        }
    }

    /// A worker was spawned: the first whose site is not known.
    fn spawned_at(&mut self, site: &Site) {
        let mut made = self.trace.workers.iter_mut().skip(1);
        let made = made.find(|info| {
            let is_spawned = matches!(info.kind, WorkerKind::Thread | WorkerKind::Task);
            is_spawned && info.spawned_at.is_none()
        });
        if let Some(made) = made {
            made.spawned_at = Some(site.clone());
            made.made_by = u32::try_from(self.trace.steps.len()).ok();
        }
    }

    /// How many steps there were.
    pub(crate) fn len(&self) -> usize {
        self.trace.steps.len()
    }

    /// The worker that ran last.
    pub(crate) fn current(&self) -> Option<u32> {
        self.trace.steps.last().map(|step| step.worker)
    }

    /// The steps that have not been shown yet.
    pub(crate) fn news(&mut self) -> String {
        let from = self.shown;
        self.shown = self.len();
        let hidden = (self.len() - from).saturating_sub(MOST_STEPS);
        let mut out = String::new();
        if hidden > 0 {
            let hidden = format!("{} before, see `trace`", count(hidden as u64, "step"));
            put!(out, "{:>7}{}\n", "", paint(FAINT, &hidden));
        }
        out + &self.steps(from + hidden) + &self.introductions()
    }

    /// The new workers that are no threads: the line of their `spawn` introduces threads.
    fn introductions(&mut self) -> String {
        let names = Names::of(&self.trace, &self.source);
        let mut out = String::new();
        for worker in self.introduced..self.trace.workers.len() {
            let worker = number(worker);
            if names.kind(worker) != WorkerKind::Thread {
                let text = format!("{} is {}", names::worker(worker), names.title(worker));
                put!(out, "{:>7}{}\n", "", paint(FAINT, &text));
            }
        }
        self.introduced = self.trace.workers.len();
        out
    }

    /// Nothing that has happened so far is news.
    pub(crate) fn skip_news(&mut self) {
        self.shown = self.len();
    }

    /// The steps from one on.
    pub(crate) fn steps(&self, from: usize) -> String {
        let names = Names::of(&self.trace, &self.source);
        let mut out = String::new();
        for (index, step) in self.trace.steps.iter().enumerate().skip(from) {
            let text = describe::step(&self.trace, &names, index);
            let worker = names::worker(step.worker);
            let line = self.layout.text(&format!("{worker:>5}: {text:<DOING$}"));
            let is_first = step.worker == 0 && step.operation == Operation::Start as u8;
            // The body begins in our own code.
            let site = names::site(&self.trace, step).filter(|_| !is_first);
            let site = site.map(short_site).unwrap_or_default();
            let line = format!("{:>5} {line}  {}", index + 1, paint(FAINT, &site));
            put!(out, "{}\n", line.trim_end());
        }
        out
    }

    /// The question; `default` is the answer of an empty line.
    pub(crate) fn question(&mut self, question: &Question, default: u32) -> String {
        match &question.asks {
            Asks::Worker(offers) => self.offers(offers, &question.waits, default),
            Asks::Index(n) => format!(
                "  a value from 0 to {}; an empty line means {default}\n",
                n - 1,
            ),
            Asks::Nothing => String::new(),
        }
    }

    fn offers(&mut self, offers: &[Offer], waits: &[Offer], default: u32) -> String {
        // The next steps are described as if they had happened: names need the whole.
        let so_far = self.len();
        for offer in offers.iter().chain(waits) {
            let step = self.step(Happened {
                worker: offer.worker,
                act: offer.act.clone(),
                outcome: Outcome::Done,
                read: None,
                written: None,
            });
            self.trace.steps.push(step);
        }
        let names = Names::of(&self.trace, &self.source);
        let mut out = String::new();
        for (index, offer) in (so_far..).zip(offers.iter().chain(waits)) {
            let mark = if offer.worker == default { ">" } else { " " };
            let mut text = describe::step(&self.trace, &names, index);
            if index >= so_far + offers.len() {
                if offer.act.operation == Operation::Poll as u8 {
                    "polls a task".clone_into(&mut text);
                } else {
                    text.push_str(" … waits");
                }
            }
            let text = self.layout.text(&text);
            let worker = format!("{:>5}", names::worker(offer.worker));
            let site = short_site(&offer.act.site);
            let line = self.source.line(&offer.act.site.file, offer.act.site.line);
            let line = line.unwrap_or_default();
            let before = format!("{mark} {worker}: {text:<DOING$}  {site:<14}");
            let room = self.layout.width.saturating_sub(before.chars().count() + 2);
            put!(
                out,
                "  {} {worker}: {text:<DOING$}  {site:<14}  {}\n",
                paint(NOTE, mark),
                paint(FAINT, &clip(line.trim(), room))
            );
        }
        self.trace.steps.truncate(so_far);
        out
    }

    fn step(&mut self, happened: Happened) -> Step {
        let Act {
            operation,
            object,
            site,
        } = happened.act;
        let has_object = object != 0
            && !matches!(
                Operation::from_code(operation),
                Some(Operation::Start | Operation::End)
            );
        let (objects, sites) = (&mut self.trace.objects, &mut self.trace.sites);
        let source = &self.source;
        let object = has_object.then(|| {
            *self.objects.entry(object).or_insert_with(|| {
                objects.push(ObjectInfo {
                    address: object,
                    static_path: None,
                });
                number(objects.len() - 1)
            })
        });
        let site = *self.sites.entry(site).or_insert_with_key(|site| {
            let mut own = site.clone();
            columns::restore_one(&mut own, source);
            sites.push(own);
            number(sites.len() - 1)
        });
        Step {
            outcome: happened.outcome,
            read: happened.read,
            written: happened.written,
            ..Step::of(happened.worker, operation, object, site)
        }
    }
}

/// How the iteration ended.
pub(crate) fn ended_as(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => format!("  {}\n", paint(GOOD, "the test passes")),
        Verdict::CutOff => format!("  {}\n", paint(WARN, "cut off at the step bound")),
        Verdict::Failed(bug) => failed_with(bug),
    }
}

/// The bug that it ended with.
pub(crate) fn failed_with(bug: &Bug) -> String {
    let place = bug.site.as_ref().map(short_site);
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    format!(
        "  {}{place}: {}\n",
        paint(BAD, "the test fails"),
        paint(STRONG, &visible(bug.message.trim_end())).replace('\n', "\n    ")
    )
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("an execution has fewer than 2^32 parts")
}

fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let head: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{head}~")
}
