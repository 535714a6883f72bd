//! The data of the page, as compact JSON: columns of numbers, and each text once.

use std::collections::{BTreeMap, BTreeSet};

use cct::operation::Operation;
use cct::trace::{Outcome, Site};
use serde_json::{Value, json};

use super::order;
use crate::report::commands::command;
use crate::report::failure::{Facts, Report, Switch};

/// So many lines are shown before and after one that a step is on.
const AROUND: u32 = 5;

/// The bits of a step, as the page knows them.
mod bit {
    pub(super) const NOTE: u32 = 1;
    pub(super) const SWITCH: u32 = 2;
    pub(super) const PREEMPTION: u32 = 4;
    pub(super) const FOREIGN: u32 = 8;
    pub(super) const WAITS: u32 = 16;
    pub(super) const EARLY: u32 = 32;
    pub(super) const PANIC: u32 = 64;
}

/// All that the page shows of a failure; `found` is the same failure from before it was shrunk.
pub(super) fn of(report: &Report, found: Option<&Report>) -> Value {
    let record = report.record();
    let (label, message) = report.verdict();
    let mut source = Lines::default();
    let mut views = Vec::new();
    for (title, report) in [("shrunk", Some(report)), ("as found", found)] {
        if let Some(facts) = report.and_then(Report::facts) {
            views.push(view(title, facts, &mut source));
        }
    }
    let site = record.bug.as_ref().and_then(|bug| bug.site.as_ref());
    site.inspect(|site| source.cite(site));
    json!({
        "id": record.id,
        "test": record.name.to_string(),
        "label": label,
        "message": message,
        "mark": mark(report),
        "site": site.map(|site| (&site.file, site.line)),
        "facts": facts(report),
        "commands": commands(report),
        "printed": report.own_output(),
        "views": views,
        "source": source.read(report),
    })
}

/// The mark of the step that failed.
fn mark(report: &Report) -> String {
    match &report.record().bug {
        Some(bug) if bug.worker.is_none() => format!("✗ {}", report.verdict().0.to_lowercase()),
        Some(_) => "✗ failed here".to_owned(),
        None => "the last step".to_owned(),
    }
}

/// Where the failure comes from: pairs of a word and its value.
fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let record = report.record();
    let (from, strategy) = (&record.provenance, &record.schedule.strategy);
    let mut facts = vec![("package", from.package.clone())];
    if !strategy.is_empty() {
        facts.push(("strategy", strategy.clone()));
    }
    if record.iteration > 0 {
        facts.push(("iteration", record.iteration.to_string()));
    }
    facts.push(("seed", from.run_seed.to_string()));
    let rustc = from.rustc.strip_prefix("rustc ").unwrap_or(&from.rustc);
    facts.push(("rustc", rustc.to_owned()));
    facts.push(("cargo-cct", from.tool.clone()));
    facts
}

/// The commands that lead further.
fn commands(report: &Report) -> Vec<String> {
    let replay = report.replay_command();
    let show = command("show", &report.record().id.to_string());
    vec![
        replay.clone(),
        format!("{replay} --debugger \"rust-gdb --args\""),
        format!("{show} --full"),
    ]
}

/// One schedule of the failure.
fn view(title: &str, facts: Facts<'_>, source: &mut Lines) -> Value {
    let trace = facts.trace();
    let mut texts = Texts::default();
    let (mut lanes, mut workers) = (Vec::new(), Vec::new());
    let (mut said, mut objects) = (Vec::new(), Vec::new());
    let (mut places, mut bits) = (Vec::new(), Vec::new());
    let mut sites = Vec::<(u32, u32, u32)>::new();
    let mut numbers = BTreeMap::new();
    let mut kinds = BTreeMap::new();
    let mut crates = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        lanes.push(facts.lane(step.worker));
        workers.push(step.worker);
        said.push(texts.number(facts.text(index)));
        objects.push(step.object.map_or(-1, i64::from));
        if let Some(object) = step.object {
            kinds.entry(object).or_insert_with(|| Facts::kind(step));
        }
        let is_first = step.worker == 0 && step.operation == Operation::Start as u8;
        // The body begins in our own code.
        let place = facts.place(step).filter(|_| !is_first);
        let place = place.map(|site| {
            source.cite(site);
            let key = (texts.number(site.file.clone()), site.line, site.column);
            *numbers.entry(key).or_insert_with(|| {
                sites.push(key);
                sites.len() - 1
            })
        });
        places.push(place.map_or(-1, |place| i64::try_from(place).unwrap_or(-1)));
        let foreign = facts.crate_of(step).filter(|_| !is_first);
        let is = |condition, bit| if condition { bit } else { 0 };
        let switch = facts.switch(index);
        bits.push(
            is(step.note, bit::NOTE)
                | is(switch != Switch::None, bit::SWITCH)
                | is(switch == Switch::Preemption, bit::PREEMPTION)
                | is(foreign.is_some(), bit::FOREIGN)
                | is(step.outcome == Outcome::Waits, bit::WAITS)
                | is(!step.ahead_of.is_empty(), bit::EARLY)
                | is(step.operation == Operation::Panic as u8, bit::PANIC),
        );
        crates.push(foreign.map_or(-1, |name| i64::from(texts.number(name))));
    }
    let edges = order::edges(facts);
    let edges = edges
        .iter()
        .flat_map(|edge| [edge.from, edge.to, edge.why as usize]);
    let length = facts.length();
    let prints = trace.prints.iter().map(|print| {
        // Before the first step there is nothing to show it at.
        let during = print.after.saturating_sub(1);
        (during, facts.worker(print.worker), &print.text)
    });
    let object = |(number, kind)| (number, facts.object(number), kind);
    let certain = facts.certain();
    json!({
        "title": title,
        "steps": length.steps,
        "switches": length.switches,
        "preemptions": length.preemptions,
        "failing": facts.failing(),
        "certain": certain.as_ref().and_then(|(_, step)| *step),
        "certainty": certain.as_ref().map(|(words, _)| words),
        "workers": self::workers(facts),
        "waits": facts.waits(),
        "objects": kinds.into_iter().map(object).collect::<Vec<_>>(),
        "sites": sites,
        "lane": lanes,
        "worker": workers,
        "text": said,
        "object": objects,
        "place": places,
        "crate": if crates.iter().all(|&name| name < 0) { Vec::new() } else { crates },
        "bits": bits,
        "edges": edges.collect::<Vec<_>>(),
        "prints": prints.collect::<Vec<_>>(),
        "texts": texts.texts,
    })
}

/// The columns: number, name, where it comes from, and how it is in the end.
fn workers(facts: Facts<'_>) -> Vec<Value> {
    let trace = facts.trace();
    let mut last = BTreeMap::new();
    for (index, step) in trace.steps.iter().enumerate() {
        last.insert(facts.lane(step.worker), index);
    }
    let known = (0..).zip(&trace.workers);
    let lanes = known.filter(|&(worker, _)| facts.lane(worker) == worker);
    let shown = lanes.map(|(worker, info)| {
        let end = last
            .get(&worker)
            .map_or("has no step", |&index| end(facts, index));
        json!({
            "number": worker,
            "name": facts.worker(worker),
            "title": facts.title(worker),
            "by": info.name.as_ref().filter(|_| worker > 0),
            "spawned": info.spawned_at.as_ref().map(|site| format!("{}:{}", site.file, site.line)),
            "end": end,
            "last": last.get(&worker),
        })
    });
    shown.collect()
}

/// How a worker is after its last step.
fn end(facts: Facts<'_>, last: usize) -> &'static str {
    let step = &facts.trace().steps[last];
    match (Operation::from_code(step.operation), step.outcome) {
        (Some(Operation::End), _) => "has ended",
        (Some(Operation::Panic), _) => "panicked",
        (_, Outcome::Waits) => "waits",
        _ if last == facts.failing() => "failed",
        // Nobody may have asked for its end, which is no step then.
        _ => "has no further step",
    }
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Texts {
    fn number(&mut self, text: String) -> u32 {
        let next = u32::try_from(self.texts.len()).expect("a trace has fewer than 2^32 texts");
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}

/// The lines of the source that steps are on.
#[derive(Default)]
struct Lines {
    files: BTreeMap<String, BTreeSet<u32>>,
}

impl Lines {
    fn cite(&mut self, site: &Site) {
        let lines = self.files.entry(site.file.clone()).or_default();
        lines.insert(site.line);
    }

    /// Their texts, with those around them: by file, pairs of a number and a text.
    fn read(&self, report: &Report) -> BTreeMap<&str, Vec<(u32, String)>> {
        let mut files = BTreeMap::new();
        for (file, cited) in &self.files {
            let around =
                |&line: &u32| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
            let lines: BTreeSet<u32> = cited.iter().flat_map(around).collect();
            let text = |line| Some((line, report.source_line(file, line)?));
            let lines: Vec<_> = lines.into_iter().filter_map(text).collect();
            if !lines.is_empty() {
                files.insert(file.as_str(), lines);
            }
        }
        files
    }
}
