//! The steps as a table: a column for each worker, or one line a step where there is no room.

use std::collections::BTreeMap;

use cct::operation::Operation;
use cct::trace::{Outcome, Site, Trace};

use super::certain;
use super::describe;
use super::inside::OuterCall;
use super::layout::Layout;
use super::names::{self, Names};
use super::origin::Origin;
use super::printed;
use super::rows::{Row, Stretch, first};
use super::source::short_site;
use crate::report::style::{BAD, FAINT, NOTE, STRONG, paint};
use crate::report::visible::visible_on_a_line;
use crate::report::words::put;

/// A trace with what its table needs.
#[derive(Debug)]
pub(super) struct Table<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// Its names.
    pub names: &'a Names,
    /// The step that failed.
    pub failing: usize,
    /// The step after which the failure is certain.
    pub certain: Option<usize>,
    /// The worker that failed and what to write at the end of its column.
    pub end: Option<(u32, String, Option<Site>)>,
}

/// More workers than this are listed below each other.
pub(super) const MOST_COLUMNS: usize = 4;
/// A narrower column helps nobody.
const NARROWEST: usize = 26;
/// A wider one is hard to follow.
const WIDEST: usize = 46;
/// The room for workers' names in a list: at least, and at most.
const SHORT_NAME: usize = 5;
const LONG_NAME: usize = 28;
/// The room for step numbers.
const NUMBER: usize = 7;

/// The text of one cell: what happened, and where.
struct Cell {
    text: String,
    /// So many of its last characters are values and the like, and cut last.
    tail: usize,
    site: String,
    /// The site's file with its package, if that is a dependency's.
    folder: String,
}

/// The calls that the last lines of workers have named.
type Named<'a> = BTreeMap<u32, &'a OuterCall>;

/// Between a call in the user's code and what is done inside of it.
const INSIDE: &str = " › ";

impl Table<'_> {
    /// Writes the rows.
    pub(super) fn text(&self, rows: &[Row], layout: &Layout) -> String {
        let workers = self.lanes(rows);
        let room = layout.width.saturating_sub(NUMBER) / workers.len().max(1);
        if workers.len() > MOST_COLUMNS || room < NARROWEST + 2 {
            self.list(rows, layout)
        } else {
            self.columns(rows, &workers, (room - 2).min(WIDEST), layout)
        }
    }

    /// The workers that have something to show, and the test's own.
    fn lanes(&self, rows: &[Row]) -> Vec<u32> {
        let mut workers: Vec<u32> = rows.iter().filter_map(|row| self.lane(row)).collect();
        workers.push(0);
        workers.extend(self.end.iter().map(|(worker, ..)| self.names.lane(*worker)));
        workers.sort_unstable();
        workers.dedup();
        workers
    }

    fn lane(&self, row: &Row) -> Option<u32> {
        let step = match row {
            Row::Print(print) => return Some(self.names.lane(self.trace.prints[*print].worker)),
            Row::Step(step) | Row::Spin { step, .. } => *step,
            Row::Folded(stretch) => stretch.first,
            Row::Executor { .. } | Row::Gap(_) | Row::Preempted { .. } => return None,
        };
        Some(self.names.lane(self.trace.steps[step].worker))
    }

    fn columns(&self, rows: &[Row], workers: &[u32], width: usize, layout: &Layout) -> String {
        let place = |worker: u32| {
            let lane = self.names.lane(worker);
            workers.iter().position(|&other| other == lane).unwrap_or(0)
        };
        let mut out = String::new();
        let mut head = format!("{:>NUMBER$}", "step");
        for &worker in workers {
            put!(head, "  {:<width$}", fit(&self.names.head(worker), width));
        }
        out.push_str(&paint(STRONG, head.trim_end()));
        trim_line(&mut out);
        let line = layout.pick("─", "-");
        put!(out, "{:>NUMBER$}", line.repeat(NUMBER - 2));
        for _ in workers {
            put!(out, "  {}", line.repeat(width));
        }
        out.push('\n');
        let (mut last, mut named) = (0, Named::new());
        for row in rows {
            match row {
                Row::Executor { stretch, next } => {
                    out.push_str(&self.executor(stretch, *next, layout));
                }
                Row::Gap(count) => {
                    let dots = layout.pick("⋮", ":");
                    put!(
                        out,
                        "{dots:>NUMBER$}  {}\n",
                        paint(FAINT, &more_steps(*count))
                    );
                }
                Row::Preempted { from, to } => {
                    out.push_str(&Self::arrow(place(*from), place(*to), width, layout));
                }
                Row::Print(print) => {
                    let column = place(self.trace.prints[*print].worker);
                    let indent = NUMBER + 2 + column * (width + 2);
                    let room = layout.width.saturating_sub(indent);
                    out.push_str(&self.print(*print, (indent, room), layout));
                }
                Row::Step(_) | Row::Spin { .. } | Row::Folded(_) => {
                    let step = first(row);
                    let column = place(self.trace.steps[step].worker);
                    let cell = self.cell(row, &mut named, layout);
                    let text = filled(&cell, width);
                    let style = if step == self.failing {
                        BAD
                    } else {
                        anstyle::Style::new()
                    };
                    out.push_str(&self.number(row, &mut last, layout));
                    out.push_str(&" ".repeat(2 + column * (width + 2)));
                    let hint = self.hint(row, layout);
                    out.push_str(&paint(
                        style,
                        if hint.is_some() {
                            &text
                        } else {
                            text.trim_end()
                        },
                    ));
                    if let Some(hint) = hint {
                        put!(out, "  {}", paint(BAD, &hint));
                    }
                    trim_line(&mut out);
                }
            }
        }
        if let Some((worker, text, site)) = &self.end {
            let cell = Cell {
                text: layout.text(text),
                tail: 0,
                site: short(site.as_ref()),
                folder: String::new(),
            };
            out.push_str(&" ".repeat(NUMBER + 2 + place(*worker) * (width + 2)));
            out.push_str(&paint(BAD, filled(&cell, width).trim_end()));
            trim_line(&mut out);
        }
        out
    }

    /// An arrow from one column to another.
    fn arrow(from: usize, to: usize, width: usize, layout: &Layout) -> String {
        let (left, right) = (from.min(to), from.max(to));
        let length = (right - left) * (width + 2);
        let line = layout.pick("╌", "-");
        let word = " preempted ";
        let dashes = length.saturating_sub(word.len() + 1);
        let (before, after) = (line.repeat(dashes / 2), line.repeat(dashes - dashes / 2));
        let arrow = if from < to {
            format!("{before}{word}{after}{}", layout.pick("▶", ">"))
        } else {
            format!("{}{before}{word}{after}", layout.pick("◀", "<"))
        };
        let indent = " ".repeat(NUMBER + 3 + left * (width + 2));
        format!("{indent}{}\n", paint(BAD, &arrow))
    }

    fn list(&self, rows: &[Row], layout: &Layout) -> String {
        let mut out = String::new();
        for worker in self.lanes(rows) {
            put!(
                out,
                "{:>NUMBER$}  {}\n",
                "",
                paint(STRONG, &self.names.head(worker))
            );
        }
        out.push('\n');
        let length = |&worker: &u32| self.names.worker(worker).chars().count();
        let lanes = self.lanes(rows);
        let name = (lanes.iter().map(length).max().unwrap_or(0)).clamp(SHORT_NAME, LONG_NAME);
        let (mut last, mut named) = (0, Named::new());
        for row in rows {
            match row {
                Row::Executor { stretch, next } => {
                    out.push_str(&self.executor(stretch, *next, layout));
                }
                Row::Gap(count) => {
                    let dots = layout.pick("⋮", ":");
                    put!(
                        out,
                        "{dots:>NUMBER$}  {}\n",
                        paint(FAINT, &more_steps(*count))
                    );
                }
                Row::Preempted { from, to } => {
                    let line = layout.pick("╌╌", "--");
                    let (from, to) = (self.names.worker(*from), self.names.worker(*to));
                    let text = format!("{line} {from} preempted by {to} {line}");
                    put!(out, "{:>NUMBER$}  {}\n", "", paint(BAD, &text));
                }
                Row::Print(print) => out.push_str(&self.print(*print, (0, 0), layout)),
                Row::Step(_) | Row::Spin { .. } | Row::Folded(_) => {
                    let step = first(row);
                    let worker = self.names.worker(self.trace.steps[step].worker);
                    let cell = self.cell(row, &mut named, layout);
                    let hint = self.hint(row, layout).map(|hint| format!("  {hint}"));
                    let room = layout
                        .width
                        .saturating_sub(NUMBER + name + cell.site.len() + 5);
                    let told = fit_all_but_middle(&cell.text, cell.tail, room.max(NARROWEST));
                    let text = format!("{worker:>name$}: {told}");
                    let style = if step == self.failing {
                        BAD
                    } else {
                        anstyle::Style::new()
                    };
                    put!(
                        out,
                        "{} {}",
                        self.number(row, &mut last, layout),
                        paint(style, &text)
                    );
                    if !cell.site.is_empty() {
                        put!(out, "  {}", paint(FAINT, &cell.site));
                    }
                    put!(out, "{}\n", paint(BAD, &hint.unwrap_or_default()));
                }
            }
        }
        if let Some((worker, text, site)) = &self.end {
            let text = format!(
                "{:>name$}: {}  {}",
                self.names.worker(*worker),
                layout.text(text),
                short(site.as_ref())
            );
            put!(out, "{:>NUMBER$} {}\n", "", paint(BAD, text.trim_end()));
        }
        out
    }

    /// The line for what executors do.
    fn executor(&self, stretch: &Stretch, next: Option<u32>, layout: &Layout) -> String {
        let count = more_steps(stretch.count);
        let steps = match &*stretch.whose {
            [] => count,
            _ => format!("{count} {}", stretch.within()),
        };
        let text = match next {
            Some(task) => {
                let task = self.names.worker(task);
                format!("the executor goes on with {task}  ({steps})")
            }
            None => steps,
        };
        let dots = layout.pick("⋮", ":");
        format!("{dots:>NUMBER$}  {}\n", paint(FAINT, &text))
    }

    /// A line that was printed: in its worker's column if there is room, or else with its worker's name.
    fn print(&self, print: usize, (indent, room): (usize, usize), layout: &Layout) -> String {
        let print = &self.trace.prints[print];
        let text = printed::clipped(&visible_on_a_line(&print.text));
        let text = format!("{} {text}", layout.pick("»", ">>"));
        if text.chars().count() <= room {
            return format!("{:indent$}{}\n", "", paint(NOTE, &text));
        }
        let worker = self.names.worker(print.worker);
        let text = format!("{worker:>5}: {text}");
        format!("{:>NUMBER$} {}\n", "", paint(NOTE, &text))
    }

    /// The number of the row's step, unless the line before has it, and its mark.
    fn number(&self, row: &Row, last: &mut usize, layout: &Layout) -> String {
        let number = self.names.step(first(row));
        let is_news = std::mem::replace(last, number) != number;
        let number = match (is_news, self.certain == Some(first(row))) {
            (true, true) => format!("{} {number}", certain::mark(layout)),
            (true, false) => number.to_string(),
            (false, _) => String::new(),
        };
        format!("{number:>NUMBER$}")
    }

    /// The crate whose step is shown as the user's call.
    fn crate_of(&self, step: usize) -> Option<String> {
        let step = &self.trace.steps[step];
        let waits = matches!(step.outcome, Outcome::Waits | Outcome::Woken);
        let origin = Origin::of(names::site(self.trace, step)?);
        let name = origin.folded().filter(|_| !waits)?;
        self.names.call(step).map(|_| name.to_owned())
    }

    /// The call in the user's code that a step comes of which is shown at its own place, unless the
    /// line before names it.
    fn outer_call<'a>(&'a self, step: usize, named: &mut Named<'a>) -> Option<String> {
        let lane = self.names.lane(self.trace.steps[step].worker);
        let call = self.names.outer_call(step);
        let before = match call {
            Some(call) => named.insert(lane, call),
            None => named.remove(&lane),
        };
        let text = call?.text.as_deref().unwrap_or_default();
        let is_told = before == call || text.is_empty();
        Some(if is_told {
            INSIDE.trim_start().to_owned()
        } else {
            format!("{text}{INSIDE}")
        })
    }

    fn cell<'a>(&'a self, row: &Row, named: &mut Named<'a>, layout: &Layout) -> Cell {
        let call = match row {
            Row::Step(step) => self.outer_call(*step, named),
            _ => None,
        };
        let at = |step: usize| short(names::place(self.trace, &self.trace.steps[step]));
        let (text, site) = match row {
            Row::Folded(stretch) => {
                let (count, within) = (more_steps(stretch.count), stretch.within());
                let call = self.names.call(&self.trace.steps[stretch.first]);
                match call.filter(|_| stretch.is_one_call) {
                    Some(call) => (format!("{call} … {count} {within}"), at(stretch.first)),
                    None if stretch.is_one_call => {
                        (format!("… {count} {within}"), at(stretch.first))
                    }
                    None => (format!("… {count} {within}"), String::new()),
                }
            }
            Row::Spin { step, times, .. } => {
                let text = describe::step(self.trace, self.names, *step);
                let frame = layout.pick(if times.is_some() { "┌ " } else { "│ " }, "| ");
                let times = times
                    .map(|times| format!(" (×{times})"))
                    .unwrap_or_default();
                (format!("{frame}{text}{times}"), at(*step))
            }
            Row::Step(step) => {
                let is_end = names::operation(&self.trace.steps[*step]) == Some(Operation::End);
                let site = if is_end { String::new() } else { at(*step) };
                let text = describe::step(self.trace, self.names, *step);
                let text = format!("{}{text}", call.as_deref().unwrap_or_default());
                let whose = self.crate_of(*step).map(|whose| {
                    let count = more_steps(1);
                    format!(" … {count} in {whose}")
                });
                (text + &whose.unwrap_or_default(), site)
            }
            Row::Executor { .. } | Row::Print(_) | Row::Gap(_) | Row::Preempted { .. } => {
                (String::new(), String::new())
            }
        };
        let tail = match row {
            Row::Step(step) | Row::Spin { step, .. } if self.crate_of(*step).is_none() => {
                let action = match &call {
                    Some(call) => call.clone(),
                    None => describe::action(self.trace, self.names, *step),
                };
                let end = text.split_once(&action).map(|(_, end)| layout.text(end));
                end.map_or(0, |end| end.chars().count())
            }
            _ => 0,
        };
        let shown = match row {
            Row::Step(step) => names::place(self.trace, &self.trace.steps[*step]),
            _ => None,
        };
        let folder = shown.filter(|site| self.names.is_inner(site));
        Cell {
            text: layout.text(&text),
            tail,
            folder: folder.map(folder_of).unwrap_or_default(),
            site,
        }
    }

    fn hint(&self, row: &Row, layout: &Layout) -> Option<String> {
        let Row::Step(step) = row else { return None };
        let lost = describe::overwrites(self.trace, *step)?;
        let lost = self.names.step(lost);
        Some(layout.text(&format!("◀ overwrites step {lost}")))
    }
}

fn short(site: Option<&Site>) -> String {
    site.map(short_site).unwrap_or_default()
}

/// The folders of a site's file.
fn folder_of(site: &Site) -> String {
    let name = site.file.rfind('/').map_or(0, |slash| slash + 1);
    site.file[..name].to_owned()
}

fn more_steps(count: usize) -> String {
    crate::report::words::count(count as u64, "step")
}

/// The text on the left, the site on the right. Where there is not room for both, the site loses its
/// folders and its file, which are cited below, and then the text its end.
fn filled(cell: &Cell, width: usize) -> String {
    let length = |text: &str| text.chars().count();
    let full = format!("{}{}", cell.folder, cell.site);
    let mut site = full.as_str();
    if length(&cell.text) + 1 + length(site) > width {
        site = &cell.site;
    }
    if length(&cell.text) + 1 + length(site) > width {
        site = site.rfind(':').map_or(site, |colon| &site[colon..]);
    }
    let room = width.saturating_sub(length(site) + usize::from(!site.is_empty()));
    let text = fit_all_but_middle(&cell.text, cell.tail, room);
    let space = width.saturating_sub(length(&text) + length(site));
    format!("{text}{}{site}", " ".repeat(space))
}

/// Cuts a text to a width.
fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let head: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{head}~")
}

/// The same, but the end is cut last: values differ in their last digits.
fn fit_all_but_middle(text: &str, tail: usize, width: usize) -> String {
    let length = text.chars().count();
    if length <= width || tail == 0 {
        return fit(text, width);
    }
    let tail = tail.min(width.saturating_sub(1));
    let head: String = text.chars().take(width.saturating_sub(tail + 1)).collect();
    let tail: String = text.chars().skip(length - tail).collect();
    format!("{head}~{tail}")
}

/// Ends a line without leaving spaces at its end.
fn trim_line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;
    use crate::sample::{step, trace};

    fn table(width: usize, workers: u32) -> String {
        let steps: Vec<_> = (0..workers)
            .map(|worker| step(worker, Operation::Load, "src/a.rs"))
            .collect();
        let trace = trace(&steps);
        let names = Names::of(&trace, &Source::new(std::path::Path::new("/nowhere")));
        let end = Some((0, "✗ panicked".to_owned(), None));
        let table = Table {
            trace: &trace,
            names: &names,
            failing: 0,
            certain: None,
            end,
        };
        let rows: Vec<Row> = (0..steps.len()).map(Row::Step).collect();
        let text = table.text(
            &rows,
            &Layout {
                width,
                unicode: true,
            },
        );
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn workers_have_columns() {
        let expected = "   step  main                                            w1
  ─────  ──────────────────────────────────────────────  ──────────────────────────────────────────────
      1  atomic.load                             a.rs:1
      2                                                  atomic.load                             a.rs:1
         ✗ panicked
";
        assert_eq!(table(120, 2), expected);
    }

    #[test]
    fn many_workers_and_narrow_terminals_get_a_list() {
        assert!(table(120, 5).contains("w4: atomic.load  a.rs:1"));
        assert!(table(60, 2).contains("w1: atomic.load  a.rs:1"));
    }

    #[test]
    fn values_keep_their_last_digits() {
        let fitted = |tail, width| fit_all_but_middle("balance.store 1234567", tail, width);
        assert_eq!(fitted(8, 30), "balance.store 1234567");
        assert_eq!(fitted(8, 15), "balanc~ 1234567");
        assert_eq!(fitted(8, 6), "~34567");
        assert_eq!(fitted(0, 15), "balance.store ~");
    }

    #[test]
    fn long_texts_take_room_from_their_sites() {
        let cell = |length| Cell {
            text: "x".repeat(length),
            tail: 0,
            site: "a.rs:12".to_owned(),
            folder: String::new(),
        };
        assert_eq!(
            filled(&cell(10), 20),
            format!("{}   a.rs:12", "x".repeat(10))
        );
        assert_eq!(filled(&cell(16), 20), format!("{} :12", "x".repeat(16)));
        assert_eq!(filled(&cell(40), 20), format!("{}~ :12", "x".repeat(15)));
    }
}
