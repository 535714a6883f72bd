//! Columns in the user's text: the compiler told those of the text that the source layer made of it.
//!
//! Which passes a crate was compiled with is not on record. They are tried, and those are taken under
//! which most sites of the file come to lie at the beginning of a word.

use std::collections::BTreeMap;

use cct::trace::Site;
use cct::verdict::RacyAccess;

use super::origin::Origin;
use super::source::Source;
use crate::column::{self, width};
use crate::failure::Record;
use crate::rewrite::{self, Edit, Edition, Passes};

/// The beginning of every name of the source layer.
const OURS: &str = "__cct_";
/// The part of an await point that a site points at; it stands before the `.` of `.await`.
const AWAIT: &str = "__cct_await";

/// The sites of a record, in its own order.
fn sites(record: &mut Record) -> Vec<&mut Site> {
    let trace = record.trace.iter_mut();
    let mut sites: Vec<&mut Site> = Vec::new();
    for trace in trace {
        sites.extend(&mut trace.sites);
        let workers = trace.workers.iter_mut();
        sites.extend(workers.filter_map(|worker| worker.spawned_at.as_mut()));
        let awaits = trace
            .awaits
            .iter_mut()
            .flat_map(|awaits| &mut awaits.points);
        sites.extend(awaits.map(|point| &mut point.site));
        let calls = trace.backtraces.iter_mut();
        let calls = calls.flat_map(|backtrace| &mut backtrace.calls);
        sites.extend(calls.filter_map(|call| call.site.as_mut()));
    }
    if let Some(bug) = &mut record.bug {
        sites.extend(&mut bug.site);
        sites.extend(bug.led_to.iter_mut().filter_map(|last| last.site.as_mut()));
        let races = bug.race.iter_mut().flat_map(|race| race.accesses_mut());
        sites.extend(races.flat_map(RacyAccess::sites_mut));
        for wait in &mut bug.waits {
            sites.push(&mut wait.site);
            sites.extend(&mut wait.caller);
        }
    }
    let panics = record.unobserved_panics.iter_mut();
    sites.extend(panics.filter_map(|panic| panic.site.as_mut()));
    sites
}

/// Gives each site of the record its column in the user's text.
pub(super) fn restore(record: &mut Record, source: &Source) {
    let mut files = BTreeMap::<String, Vec<&mut Site>>::new();
    for site in sites(record) {
        if Origin::of(site) == Origin::User {
            files.entry(site.file.clone()).or_default().push(site);
        }
    }
    for (file, mut sites) in files {
        let Some(text) = source.text(&file) else {
            continue;
        };
        let tried = tried(&text, &file, source).into_iter().map(|edits| {
            let columns = sites.iter().map(|site| original(&text, &edits, site));
            columns.collect::<Vec<Option<u32>>>()
        });
        let tried: Vec<_> = tried.collect();
        let known = |columns: &&Vec<Option<u32>>| columns.iter().flatten().count();
        // Of several that fit alike, the last is taken: it is tried first.
        let Some(best) = tried.iter().max_by_key(known) else {
            continue;
        };
        let lines: Vec<&str> = text.lines().collect();
        for (site, column) in sites.iter_mut().zip(best) {
            let line = (site.line as usize).checked_sub(1);
            let line = line
                .and_then(|line| lines.get(line))
                .copied()
                .unwrap_or_default();
            site.column = column.unwrap_or_else(|| within(line, site.column));
        }
    }
    record.printed = with_own_columns(&record.printed, source);
    for print in record.trace.iter_mut().flat_map(|trace| &mut trace.prints) {
        print.text = with_own_columns(&print.text, source);
    }
}

/// The column, or where the line begins if it is not so long: the place is that of a macro.
fn within(line: &str, column: u32) -> u32 {
    let indent = line.len() - line.trim_start().len();
    if column::of(line, line.len()) < column {
        column::of(line, indent)
    } else {
        column
    }
}

/// The printed text, where panics tell their places.
fn with_own_columns(text: &str, source: &Source) -> String {
    const PANICKED: &str = " panicked at ";
    if !text.contains(PANICKED) {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let site = line.split_once(PANICKED).and_then(|(_, place)| {
            let mut parts = place.strip_suffix(':')?.rsplitn(3, ':');
            let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let file = parts.next()?.to_owned();
            Some(Site { file, line, column })
        });
        let Some(mut site) = site else {
            return line.to_owned();
        };
        restore_one(&mut site, source);
        let (who, _) = line.split_once(PANICKED).unwrap_or_default();
        format!("{who}{PANICKED}{site}:")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The same for a site alone.
pub(super) fn restore_one(site: &mut Site, source: &Source) {
    let is_own = Origin::of(site) == Origin::User;
    let Some(text) = source.text(&site.file).filter(|_| is_own) else {
        return;
    };
    let tried = tried(&text, &site.file, source);
    let found = tried
        .iter()
        .rev()
        .find_map(|edits| original(&text, edits, site));
    site.column = found.unwrap_or(site.column);
}

/// The edits that may have been made to the file; the most likely are last.
fn tried(text: &str, file: &str, source: &Source) -> Vec<Vec<Edit>> {
    let path = source.root().join(file);
    let rungs = std::iter::successors(Some(Passes::ALL), |passes| passes.fewer());
    let edits =
        rungs.map(|passes| rewrite::edits(text, &path, Edition::Rust2024, passes, source.named()));
    let mut tried: Vec<_> = edits.collect();
    tried.reverse();
    tried
}

/// The column in `text` of a site in what the edits make of it; none if that is no place for a site.
fn original(text: &str, edits: &[Edit], site: &Site) -> Option<u32> {
    let line = usize::try_from(site.line).ok()?.checked_sub(1)?;
    let mut left = usize::try_from(site.column).ok()?.checked_sub(1)?;
    let start = match line {
        0 => 0,
        line => text.match_indices('\n').nth(line - 1)?.0 + 1,
    };
    let end = text[start..]
        .find('\n')
        .map_or(text.len(), |length| start + length);
    let mut at = start;
    let here = edits
        .iter()
        .filter(|edit| edit.range.start >= start && edit.range.end <= end);
    for edit in here {
        let before = width(&text[at..edit.range.start]);
        if left < before {
            break;
        }
        left -= before;
        at = edit.range.end;
        let made = width(&edit.text);
        if left < made {
            let rest = &edit.text[column::at(&edit.text, u32::try_from(left + 1).ok()?)?..];
            let is_await = rest.starts_with(AWAIT);
            let place = at + usize::from(is_await && text[at..].starts_with('.'));
            return rest
                .starts_with(OURS)
                .then(|| column::of(&text[start..end], place - start));
        }
        left -= made;
    }
    let place = at + column::at(&text[at..end], u32::try_from(left + 1).ok()?)?;
    if place == end {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_inside =
        text[start..place].ends_with(is_word) || text[place..].starts_with(char::is_whitespace);
    (!is_inside).then(|| column::of(&text[start..end], place - start))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::rewrite::Named;

    const TEXT: &str =
        "async fn add(a: &M) {\n    let é = a.lock().unwrap();\n\tnext(é, '値').await;\n}\n";

    /// Where the word, which is on the line once, is told and where it is.
    fn columns(line: usize, told: &str, own: &str, passes: Passes) -> (Option<u32>, Option<u32>) {
        let edits = rewrite::edits(
            TEXT,
            Path::new("/a.rs"),
            Edition::Rust2024,
            passes,
            Named::NONE,
        );
        let made = rewrite::apply(TEXT, &edits);
        let column = |text: &str, word: &str| {
            let line = text.lines().nth(line - 1)?;
            let before = line.split(word).next()?;
            u32::try_from(width(before) + 1).ok()
        };
        let site = Site {
            file: "a.rs".to_owned(),
            line: u32::try_from(line).expect("short"),
            column: column(&made, told).expect("it is there"),
        };
        (original(TEXT, &edits, &site), column(TEXT, own))
    }

    #[test]
    fn columns_are_those_of_the_users_text() {
        for passes in [Passes::ALL, Passes::NONE] {
            let (found, own) = columns(2, "lock", "lock", passes);
            assert_eq!(found, own);
        }
        let (found, own) = columns(3, "__cct_await", "await", Passes::ALL);
        assert_eq!(found, own);
    }
}
