//! The source lines that the shown steps are on, each with what happened there.

use std::collections::BTreeMap;

use cct::operation::Operation;
use cct::trace::{Site, Trace};

use super::describe;
use super::layout::Layout;
use super::names::{self, Names};
use super::origin::Origin;
use super::rows::{Row, Stretch};
use super::source::Source;
use crate::report::style::{BAD, FAINT, NOTE, paint};
use crate::report::words::put;

/// At most this many lines are cited: those nearest to the failure.
const MOST_LINES: usize = 10;
/// At most this many steps are named on a line.
const MOST_STEPS: usize = 4;
/// The columns that the numbers of lines take.
const MARGIN: usize = 9;
/// The columns of a line of code that has its steps beside it.
const CODE: usize = 56;
/// With less room for these they have a line of their own.
const FEWEST_TAGS: usize = 30;

/// Cites the lines of the shown steps, and of the failure's own site.
pub(super) fn text(
    trace: &Trace,
    names: &Names,
    rows: &[Row],
    failing: usize,
    bug_site: Option<&Site>,
    source: &Source,
    layout: &Layout,
) -> String {
    let mut lines = BTreeMap::<(String, u32), Vec<usize>>::new();
    // A task has no place at which it ends, and the failure has a mark of its own.
    let has_place = |&index: &usize| {
        let step = &trace.steps[index];
        match names::operation(step) {
            Some(Operation::End) => !step.note,
            Some(Operation::Panic) => index != failing,
            _ => true,
        }
    };
    let mut near: Vec<usize> = rows.iter().filter_map(step).filter(has_place).collect();
    let folded = rows.iter().filter_map(|row| match row {
        Row::Folded(stretch) if stretch.is_one_call => Some((stretch.first, stretch)),
        _ => None,
    });
    let folded: BTreeMap<usize, &Stretch> = folded.collect();
    near.extend(folded.keys());
    near.sort_by_key(|step| step.abs_diff(failing));
    if let Some(site) = bug_site.filter(|site| Origin::of(site) == Origin::User) {
        lines.entry((site.file.clone(), site.line)).or_default();
    }
    for index in near {
        let Some(site) = names::place(trace, &trace.steps[index]) else {
            continue;
        };
        let key = (site.file.clone(), site.line);
        if Origin::of(site) == Origin::User
            && (lines.contains_key(&key) || lines.len() < MOST_LINES)
        {
            lines.entry(key).or_default().push(index);
        }
    }
    let mut out = String::new();
    let mut file = String::new();
    for ((name, line), mut steps) in lines {
        let Some(text) = source.line(&name, line) else {
            continue;
        };
        if name != file {
            put!(out, "  {}\n", paint(NOTE, &name));
            file = name;
        }
        steps.sort_unstable();
        let is_bug = bug_site.is_some_and(|site| site.file == file && site.line == line);
        let bar = layout.pick("│", "|");
        let room = layout.width - MARGIN;
        let (code_room, tags_room) = if room >= CODE + 2 + FEWEST_TAGS {
            (CODE, room - CODE - 2)
        } else {
            (room, room - 2)
        };
        // A tab has no width of its own in a column.
        let code = clip(&text.trim_end().replace('\t', "    "), code_room);
        let tags = tags(trace, names, &steps, &folded, is_bug);
        let tags = paint(FAINT, &fit(&tags, tags_room, layout));
        let style = if is_bug { BAD } else { anstyle::Style::new() };
        if code_room == CODE {
            let code = paint(style, &format!("{code:<CODE$}"));
            put!(
                out,
                "{}\n",
                format!("  {line:>4} {bar} {code}  {tags}").trim_end()
            );
        } else {
            put!(out, "  {line:>4} {bar} {}\n", paint(style, &code));
            if !tags.is_empty() {
                put!(out, "  {:>4} {bar}   {tags}\n", "");
            }
        }
    }
    out
}

fn step(row: &Row) -> Option<usize> {
    match row {
        Row::Step(step) | Row::Spin { step, .. } => Some(*step),
        Row::Folded(_)
        | Row::Executor { .. }
        | Row::Print(_)
        | Row::Gap(_)
        | Row::Preempted { .. } => None,
    }
}

fn tags(
    trace: &Trace,
    names: &Names,
    steps: &[usize],
    folded: &BTreeMap<usize, &Stretch>,
    is_bug: bool,
) -> Vec<String> {
    let tags = steps.iter().map(|&index| {
        let step = &trace.steps[index];
        let effect = match folded.get(&index) {
            Some(stretch) => stretch.within(),
            None => describe::effect(trace, step),
        };
        let (number, worker) = (names.step(index), names.worker(step.worker));
        format!("{number} {worker} {effect}")
    });
    tags.chain(is_bug.then(|| "✗".to_owned())).collect()
}

/// As many of the tags as there is room for; the latest are nearest to the failure.
fn fit(tags: &[String], room: usize, layout: &Layout) -> String {
    let from = tags.len().saturating_sub(MOST_STEPS);
    let some = |hidden: usize| {
        let more = (hidden > 0).then(|| format!("{hidden} more"));
        let shown = more.into_iter().chain(tags[hidden..].iter().cloned());
        let text = shown.collect::<Vec<_>>().join(layout.pick(" · ", ", "));
        layout.text(&text)
    };
    let fits = |&hidden: &usize| some(hidden).chars().count() <= room;
    some((from..tags.len()).find(fits).unwrap_or(tags.len()))
}

fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let head: String = text.chars().take(width - 1).collect();
    format!("{head}~")
}
