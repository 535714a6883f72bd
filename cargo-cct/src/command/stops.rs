//! The steps before which a replay stops, found in a trace: those of `--until` and `--break`.

use std::path::Path;

use anyhow::{Context as _, bail};
use cct::trace::{Site, Trace};

use crate::cli::ReplayArgs;
use crate::failure::{Aligned, Sources};
use crate::report::Origin;

/// The steps to stop before, by index in the trace, in order; and what has to be said of that.
#[derive(Debug)]
pub(super) struct Stops {
    pub(super) steps: Vec<usize>,
    pub(super) remarks: Vec<String>,
}

/// True if the replay is to stop anywhere.
pub(super) fn are_wanted(args: &ReplayArgs) -> bool {
    args.until.is_some() || !args.breaks.is_empty()
}

impl Stops {
    /// The steps of `trace`. Where the program has changed, numbers are those on record, and `aligned`
    /// has the steps that are the same.
    pub(super) fn find(
        args: &ReplayArgs,
        trace: &Trace,
        aligned: Option<&Aligned<'_>>,
        root: &Path,
    ) -> anyhow::Result<Stops> {
        let mut stops = Stops {
            steps: Vec::new(),
            remarks: Vec::new(),
        };
        if let Some(number) = args.until {
            stops.add_number(number, trace, aligned)?;
        }
        let mut places = Places::of(trace, root);
        for name in &args.breaks {
            stops.steps.extend(places.steps_at(name)?);
        }
        stops.steps.sort_unstable();
        stops.steps.dedup();
        Ok(stops)
    }

    fn add_number(
        &mut self,
        number: u32,
        trace: &Trace,
        aligned: Option<&Aligned<'_>>,
    ) -> anyhow::Result<()> {
        let recorded = aligned.map_or(trace, |aligned| aligned.recorded);
        let index = index_of(recorded, number).with_context(|| {
            format!(
                "there is no step {number}: the last one is step {}",
                recorded.len()
            )
        })?;
        let Some(aligned) = aligned else {
            self.steps.push(index);
            return Ok(());
        };
        let mut pairs = aligned.pairs.iter();
        let pair = pairs.find(|(before, _)| *before >= index);
        let &(before, now) = pair.with_context(|| {
            format!("step {number} on record, and all after it, do not happen any more")
        })?;
        let (found, here) = (recorded.number_of(before), trace.number_of(now));
        if before != index {
            self.remarks.push(format!(
                "step {number} on record does not happen any more; step {found} is the next that does"
            ));
        }
        if found != here {
            self.remarks.push(format!(
                "step {found} on record is step {here} of the program as it is now"
            ));
        }
        self.steps.push(now);
        Ok(())
    }
}

/// The index of the step with this number.
fn index_of(trace: &Trace, number: u32) -> Option<usize> {
    let mut steps = (0..trace.steps.len()).filter(|&index| !trace.steps[index].note);
    steps.nth((number as usize).checked_sub(1)?)
}

/// The places of steps in the user's code.
struct Places<'a> {
    /// For each step its index, and where it is.
    steps: Vec<(usize, &'a Site)>,
    trace: &'a Trace,
    sources: Sources,
}

/// A place as it is typed.
enum Name<'a> {
    /// A line, of the file whose path ends so, if one is named.
    Line(Option<&'a str>, u32),
    /// A function, with or without its type.
    Function(&'a str),
}

impl<'a> Name<'a> {
    fn of(text: &'a str) -> Name<'a> {
        let number = |text: &str| text.parse().ok();
        let Some((before, last)) = text.rsplit_once(':') else {
            return number(text).map_or(Name::Function(text), |line| Name::Line(None, line));
        };
        let Some(last) = number(last) else {
            return Name::Function(text);
        };
        // As reports have it, with a column.
        if let Some((file, line)) = before.rsplit_once(':')
            && let Some(line) = number(line)
        {
            return Name::Line(Some(file), line);
        }
        let file = Some(before).filter(|file| !file.is_empty());
        Name::Line(file, last)
    }
}

/// So many places are named where none fits.
const NEAREST: usize = 3;

impl<'a> Places<'a> {
    fn of(trace: &'a Trace, root: &Path) -> Places<'a> {
        let steps = trace.steps.iter().enumerate();
        let steps = steps.filter(|(_, step)| !step.note);
        // A step can be of two places: its own, and that of the user's call which led there.
        let places = steps.flat_map(|(index, step)| {
            let sites = [step.caller, Some(step.site)].into_iter().flatten();
            let sites = sites.filter_map(|site| trace.sites.get(site as usize));
            sites.map(move |site| (index, site))
        });
        Places {
            steps: places.collect(),
            trace,
            sources: Sources::new(root),
        }
    }

    /// The steps there; an error names those that are near.
    fn steps_at(&mut self, name: &str) -> anyhow::Result<Vec<usize>> {
        let found: Vec<(usize, &Site)> = match Name::of(name) {
            Name::Line(file, line) => {
                let is_it = |site: &Site| {
                    site.line == line && file.is_none_or(|file| is_end(file, &site.file))
                };
                self.steps
                    .iter()
                    .copied()
                    .filter(|(_, site)| is_it(site))
                    .collect()
            }
            Name::Function(function) => {
                let steps = self.steps.clone();
                let is_in = |site: &Site| is_called(function, &self.function(site));
                let mut is_in = is_in;
                steps.into_iter().filter(|(_, site)| is_in(site)).collect()
            }
        };
        let mut files: Vec<&str> = found.iter().map(|(_, site)| site.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        match (Name::of(name), &files[..]) {
            (_, []) => bail!("no step is at `{name}`{}", self.near(&Name::of(name))),
            (Name::Line(..), [first, second, ..]) => {
                bail!("`{name}` may be in `{first}` or in `{second}`: the path can be longer")
            }
            _ => Ok(found.into_iter().map(|(index, _)| index).collect()),
        }
    }

    fn function(&mut self, site: &Site) -> String {
        self.sources.place(site).function
    }

    /// The places that may have been meant, in words.
    fn near(&mut self, name: &Name<'_>) -> String {
        let mut steps = self.steps.clone();
        steps.retain(|(_, site)| Origin::of(site) == Origin::User);
        let told: Vec<String> = match name {
            Name::Line(file, line) => {
                let mut files: Vec<&str> = steps.iter().map(|(_, site)| &*site.file).collect();
                let mut near = steps;
                near.retain(|(_, site)| file.is_none_or(|file| is_end(file, &site.file)));
                if near.is_empty() {
                    files.sort_unstable();
                    files.dedup();
                    files.iter().map(|file| format!("`{file}`")).collect()
                } else {
                    near.sort_by_key(|(index, site)| (site.line.abs_diff(*line), *index));
                    near.dedup_by_key(|(_, site)| (site.file.clone(), site.line));
                    let number = |index| self.trace.number_of(index);
                    let told = near.iter().take(NEAREST).map(|(index, site)| {
                        format!("`{}:{}` (step {})", site.file, site.line, number(*index))
                    });
                    told.collect()
                }
            }
            Name::Function(_) => {
                let mut names: Vec<String> =
                    steps.iter().map(|(_, site)| self.function(site)).collect();
                names.retain(|name| !name.is_empty());
                names.sort_unstable();
                names.dedup();
                names.iter().map(|name| format!("`{name}`")).collect()
            }
        };
        if told.is_empty() {
            String::new()
        } else {
            format!("; there are steps at {}", told.join(", "))
        }
    }
}

/// True if the path ends with this one.
fn is_end(end: &str, path: &str) -> bool {
    let end = end.trim_start_matches("./");
    let before = path.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/') || end.starts_with('/'))
}

/// True if the function, which may be a method, goes by this name.
fn is_called(name: &str, function: &str) -> bool {
    let last = function.rsplit("::").next().unwrap_or_default();
    let in_module = || {
        name.strip_suffix(function)
            .is_some_and(|module| module.ends_with("::"))
    };
    !function.is_empty() && (name == function || name == last || in_module())
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation;

    use super::*;
    use crate::sample;

    fn trace() -> Trace {
        let mut steps: Vec<_> = (0..5)
            .map(|worker| sample::step(worker % 2, Operation::Load, "src/lib.rs"))
            .collect();
        steps[1].0.note = true;
        steps[4].1 = "tests/lib.rs".to_owned();
        sample::trace(&steps)
    }

    #[test]
    fn numbers_leave_notes_out() {
        let trace = trace();
        assert_eq!(index_of(&trace, 1), Some(0));
        assert_eq!(index_of(&trace, 2), Some(2));
        assert_eq!(index_of(&trace, 4), Some(4));
        assert_eq!(index_of(&trace, 5), None);
        assert_eq!(index_of(&trace, 0), None);
    }

    #[test]
    fn places_are_read_as_reports_write_them() {
        let line = |text| match Name::of(text) {
            Name::Line(file, line) => Some((file, line)),
            Name::Function(_) => None,
        };
        assert_eq!(line("src/lib.rs:47"), Some((Some("src/lib.rs"), 47)));
        assert_eq!(line("src/lib.rs:47:22"), Some((Some("src/lib.rs"), 47)));
        assert_eq!(line("47"), Some((None, 47)));
        assert_eq!(line(":47"), Some((None, 47)));
        assert_eq!(line("Account::withdraw"), None);
    }

    #[test]
    fn ends_of_paths_and_names_are_enough_and_parts_are_not() {
        assert!(is_end("lib.rs", "src/lib.rs") && is_end("./src/lib.rs", "src/lib.rs"));
        assert!(!is_end("ib.rs", "src/lib.rs"));
        assert!(is_called("withdraw", "Account::withdraw"));
        assert!(is_called("bank::Account::withdraw", "Account::withdraw"));
        assert!(!is_called("draw", "Account::withdraw") && !is_called("f", ""));
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is_near() {
        let trace = trace();
        let mut places = Places::of(&trace, Path::new("/nowhere"));
        let line = trace.sites[0].line;
        assert_eq!(
            places
                .steps_at(&format!("src/lib.rs:{line}"))
                .expect("it is there")
                .len(),
            3
        );
        let error = |places: &mut Places<'_>, name: &str| {
            places
                .steps_at(name)
                .expect_err("it is not there")
                .to_string()
        };
        assert!(
            error(&mut places, "src/lib.rs:90").contains(&format!("`src/lib.rs:{line}` (step 1)"))
        );
        assert!(error(&mut places, "other.rs:1").contains("`tests/lib.rs`"));
        assert!(error(&mut places, &line.to_string()).contains("may be in"));
        assert!(error(&mut places, "nobody").contains("no step is at `nobody`"));
    }
}
