//! A schedule in words, by the places of its steps.

use cct::config::Settings;
use cct::operation::Operation;
use cct::origin::Table;
use cct::trace::{Outcome, Run, Schedule, Site, Step, Trace, WorkerInfo, WorkerKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::landmark::Landmark;
use super::place::{Place, Sources};
use super::portable::portable;

/// The choices of a schedule, and all that they depend on besides the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    strategy: String,
    #[serde(with = "as_text")]
    seed: u64,
    yield_budget: u32,
    max_steps: u32,
    detached_steps: u32,
    #[serde(with = "as_text")]
    wall_clock: u64,
    fair_from: u32,
    temperature: u32,
    coarse: bool,
    early: u32,
    #[serde(with = "as_text")]
    leap: u64,
    #[serde(default, skip_serializing_if = "is_none")]
    staleness: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shares_stacks: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    races: bool,
    choices: Vec<u32>,
    /// The workers in the order they ran, and for how many steps: `main*3 w1*2`.
    runs: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_none(staleness: &u32) -> bool {
    *staleness == 0
}

/// The steps, for people and to be checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Steps {
    /// The kind of each worker, its name, and the number of the site where it was made.
    workers: Vec<String>,
    /// How many objects there are.
    objects: u32,
    /// File, line and column; how far below its function's first line it is, and how many equal lines are
    /// before it, if its file can be read and is not std's; the function; the text of the line.
    sites: Vec<String>,
    /// A line for each turn: the worker, and its steps as `Operation#object@site`.
    turns: Vec<String>,
    /// For each value chosen, the step in which it was, by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    choices_at: Vec<u32>,
}

/// Between the parts of a line.
const BAR: &str = " | ";
/// So many runs are on a line.
const RUNS: usize = 12;

impl Head {
    pub(super) fn of(schedule: &Schedule) -> Head {
        let run = |run: &Run| format!("{}*{}", worker(run.worker), run.steps);
        let runs: Vec<String> = schedule.runs.iter().map(run).collect();
        Head {
            strategy: schedule.strategy.clone(),
            seed: schedule.seed,
            yield_budget: schedule.yield_budget,
            max_steps: schedule.max_steps,
            detached_steps: schedule.detached_steps,
            wall_clock: schedule.wall_clock,
            fair_from: schedule.fair_from,
            temperature: schedule.temperature,
            coarse: schedule.coarse,
            early: schedule.early,
            leap: schedule.leap,
            staleness: schedule.staleness,
            shares_stacks: schedule.shared_stacks != 0,
            races: schedule.race_at != 0,
            choices: schedule.choices.clone(),
            runs: runs.chunks(RUNS).map(|runs| runs.join(" ")).collect(),
        }
    }

    pub(super) fn schedule(&self) -> Result<Schedule, String> {
        let words = self.runs.iter().flat_map(|line| line.split_whitespace());
        let runs = words.map(|word| {
            let run = word.split_once('*').and_then(|(who, steps)| {
                let (worker, steps) = (number_of(who)?, steps.parse().ok()?);
                Some(Run { worker, steps })
            });
            run.ok_or_else(|| format!("`{word}` is no run of steps"))
        });
        Ok(Schedule {
            seed: self.seed,
            yield_budget: self.yield_budget,
            max_steps: self.max_steps,
            detached_steps: self.detached_steps,
            wall_clock: self.wall_clock,
            fair_from: self.fair_from,
            temperature: self.temperature,
            coarse: self.coarse,
            early: self.early,
            leap: self.leap,
            staleness: self.staleness,
            shared_stacks: if self.shares_stacks { u64::MAX } else { 0 },
            race_at: if self.races { Schedule::ANYWHERE } else { 0 },
            strategy: self.strategy.clone(),
            runs: runs.collect::<Result<_, _>>()?,
            choices: self.choices.clone(),
        })
    }
}

impl Steps {
    /// The steps of a trace, whose sites may be followed by more; `table` has the folders of packages.
    pub(super) fn of(trace: &Trace, sites: &[Site], sources: &mut Sources, table: &Table) -> Steps {
        let anywhere = |site: &Site| Site {
            file: portable(table, &site.file),
            ..site.clone()
        };
        let site = |site: &Site| {
            let place = sources.place(site);
            let position = sources.position(site);
            let position = position.map(|(nth, below)| format!("{below}.{nth}"));
            let text = [anywhere(site).to_string(), position.unwrap_or_default()];
            [text.join(BAR), place.function, place.text].join(BAR)
        };
        let mut turns: Vec<(u32, Vec<(String, usize)>)> = Vec::new();
        for step in &trace.steps {
            if turns
                .last()
                .is_none_or(|(worker, _)| *worker != step.worker)
            {
                turns.push((step.worker, Vec::new()));
            }
            let (token, (_, turn)) = (token(step), turns.last_mut().expect("there is one"));
            match turn.last_mut() {
                Some((last, times)) if *last == token => *times += 1,
                _ => turn.push((token, 1)),
            }
        }
        let turn = |(number, steps): (u32, Vec<(String, usize)>)| {
            let words = steps.into_iter().map(|(token, times)| match times {
                1 => token,
                _ => format!("{token}*{times}"),
            });
            let words: Vec<String> = words.collect();
            format!("{}: {}", worker(number), words.join(" "))
        };
        Steps {
            workers: trace
                .workers
                .iter()
                .map(|info| told(info, sites, &anywhere))
                .collect(),
            objects: u32::try_from(trace.objects.len()).unwrap_or(u32::MAX),
            sites: sites.iter().map(site).collect(),
            turns: turns.into_iter().map(turn).collect(),
            choices_at: trace.choices_at.clone(),
        }
    }

    /// The sites with what is around them.
    pub(super) fn landmarks(&self) -> Vec<Landmark> {
        let landmark = |text: &String| {
            let mut parts = text.splitn(4, BAR);
            let site = site_of(parts.next()?)?;
            let (below, nth) = parts.next()?.split_once('.')?;
            let function = parts.next()?.to_owned();
            Some(Landmark {
                site,
                place: Place {
                    function,
                    text: parts.next()?.to_owned(),
                },
                nth: nth.parse().ok()?,
                below: below.parse().ok()?,
            })
        };
        self.sites.iter().filter_map(landmark).collect()
    }

    pub(super) fn trace(&self) -> Result<Trace, String> {
        let site = |text: &String| site_of(text).ok_or_else(|| format!("`{text}` is no site"));
        let sites = self.sites.iter().map(site).collect::<Result<Vec<_>, _>>()?;
        let info =
            |text: &String| info_of(text, &sites).ok_or_else(|| format!("`{text}` is no worker"));
        let workers = self.workers.iter().map(info).collect::<Result<_, _>>()?;
        if self.objects as usize > MOST {
            return Err(format!(
                "{} objects are more than there can be",
                self.objects
            ));
        }
        let object = json!({ "address": 0, "static_path": null });
        let objects = (0..self.objects).map(|_| serde_json::from_value(object.clone()));
        let mut steps = Vec::new();
        for turn in &self.turns {
            let unclear = || format!("`{turn}` is no turn");
            let (who, words) = turn.split_once(':').ok_or_else(unclear)?;
            let worker = number_of(who).ok_or_else(unclear)?;
            for word in words.split_whitespace() {
                let (step, times) =
                    step_of(worker, word).ok_or_else(|| format!("`{word}` is no step"))?;
                let is_known = usize::try_from(step.site).is_ok_and(|site| site < sites.len())
                    && step.object.is_none_or(|object| object < self.objects);
                if !is_known {
                    return Err(format!(
                        "`{word}` is of a site or an object that there is not"
                    ));
                }
                if steps.len() + times > MOST {
                    return Err("it has more steps than there can be".to_owned());
                }
                steps.extend(std::iter::repeat_n(step, times));
            }
        }
        Ok(Trace {
            workers,
            objects: objects
                .collect::<Result<_, _>>()
                .map_err(|error| error.to_string())?,
            sites,
            steps,
            choices_at: self.choices_at.clone(),
            ..Trace::default()
        })
    }
}

fn worker(number: u32) -> String {
    match number {
        0 => "main".to_owned(),
        number => format!("w{number}"),
    }
}

fn number_of(worker: &str) -> Option<u32> {
    match worker.trim() {
        "main" => Some(0),
        name => name.strip_prefix('w')?.parse().ok(),
    }
}

/// The words for how steps end, but for those that are carried out.
const OUTCOMES: [(Outcome, &str); 4] = [
    (Outcome::Refused, ":refused"),
    (Outcome::Waits, ":waits"),
    (Outcome::TimedOut, ":timed_out"),
    (Outcome::Woken, ":woken"),
];

fn token(step: &Step) -> String {
    let note = if step.note { "~" } else { "" };
    let operation = Operation::from_code(step.operation).map_or("?", Operation::key);
    let object = step
        .object
        .map(|object| format!("#{object}"))
        .unwrap_or_default();
    let outcome = OUTCOMES
        .iter()
        .find(|(outcome, _)| *outcome == step.outcome);
    let outcome = outcome.map_or("", |(_, word)| word);
    format!("{note}{operation}{object}@{}{outcome}", step.site)
}

/// A schedule has no more steps, and so no more objects.
const MOST: usize = Settings::MAX_STEPS as usize;

/// A step, and how often it is repeated.
fn step_of(worker: u32, word: &str) -> Option<(Step, usize)> {
    let (word, times) = match word.split_once('*') {
        Some((word, times)) => (word, times.parse().ok().filter(|times| *times <= MOST)?),
        None => (word, 1),
    };
    let named = OUTCOMES.iter().find(|(_, name)| word.ends_with(name));
    let (outcome, name) = named.copied().unwrap_or((Outcome::Done, ""));
    let word = word.strip_suffix(name)?;
    let (what, site) = word.split_once('@')?;
    let (note, what) = match what.strip_prefix('~') {
        Some(what) => (true, what),
        None => (false, what),
    };
    let (operation, object) = match what.split_once('#') {
        Some((operation, object)) => (operation, Some(object.parse().ok()?)),
        None => (what, None),
    };
    let operation = Operation::from_key(operation)? as u8;
    let step = Step {
        outcome,
        note,
        ..Step::of(worker, operation, object, site.parse().ok()?)
    };
    Some((step, times))
}

fn site_of(text: &str) -> Option<Site> {
    let place = text.split(BAR).next()?;
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(Site {
        file: parts.next()?.to_owned(),
        line,
        column,
    })
}

fn told(info: &WorkerInfo, sites: &[Site], anywhere: &dyn Fn(&Site) -> Site) -> String {
    let kind = match info.kind {
        WorkerKind::Thread => "thread".to_owned(),
        WorkerKind::Task => "task".to_owned(),
        WorkerKind::Root(thread) => format!("root of {}", worker(thread)),
        WorkerKind::WakeUp => "wake-up".to_owned(),
    };
    let made = info.spawned_at.as_ref();
    let made = made.map_or_else(String::new, |made| {
        let number = sites.iter().position(|site| site == made);
        number.map_or_else(|| anywhere(made).to_string(), |number| format!("@{number}"))
    });
    [
        kind.as_str(),
        info.name.as_deref().unwrap_or_default(),
        &made,
    ]
    .join(BAR)
}

fn info_of(text: &str, sites: &[Site]) -> Option<WorkerInfo> {
    let mut parts = text.splitn(3, '|').map(str::trim);
    let kind = match parts.next()? {
        "thread" => WorkerKind::Thread,
        "task" => WorkerKind::Task,
        "wake-up" => WorkerKind::WakeUp,
        root => WorkerKind::Root(number_of(root.strip_prefix("root of ")?)?),
    };
    let name = parts.next().filter(|name| !name.is_empty());
    let made = parts.next().filter(|made| !made.is_empty());
    let spawned_at = match made {
        Some(made) => Some(match made.strip_prefix('@') {
            Some(number) => sites.get(number.parse::<usize>().ok()?)?.clone(),
            None => site_of(made)?,
        }),
        None => None,
    };
    Some(WorkerInfo {
        name: name.map(str::to_owned),
        spawned_at,
        kind,
        made_by: None,
    })
}

/// TOML's numbers have a sign, and no room for all that have none.
mod as_text {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
    pub(super) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sample;

    #[test]
    fn steps_are_read_as_they_were_written() {
        let mut steps: Vec<_> = [0, 0, 1, 1, 0]
            .map(|worker| sample::step(worker, Operation::Load, "/nowhere/a b.rs"))
            .into();
        steps[1].0.outcome = Outcome::Refused;
        steps[3].0.note = true;
        steps[4].0.object = None;
        let mut trace = sample::trace(&steps);
        trace.workers[1].kind = WorkerKind::Root(0);
        trace.workers[1].spawned_at = Some(trace.sites[0].clone());
        let sites = trace.sites.clone();
        let written = Steps::of(
            &trace,
            &sites,
            &mut Sources::new(Path::new("/nowhere")),
            &Table::default(),
        );
        assert_eq!(
            written.turns,
            [
                "main: Load#0@0 Load#0@0:refused",
                "w1: Load#0@0 ~Load#0@0",
                "main: Load@0"
            ]
        );
        let read = written.trace().expect("it was written so");
        assert_eq!(read.steps, trace.steps);
        assert_eq!((&read.sites, &read.workers), (&trace.sites, &trace.workers));
    }

    #[test]
    fn schedules_are_read_as_they_were_written() {
        let schedule = Schedule {
            seed: u64::MAX,
            leap: u64::MAX,
            runs: (0..40).map(|n| Run::from((n % 3, n))).collect(),
            choices: vec![1, 2],
            ..Schedule::default()
        };
        let written = Head::of(&schedule);
        assert_eq!(written.schedule(), Ok(schedule));
        let toml = toml::to_string_pretty(&written).expect("words and numbers");
        assert_eq!(toml::from_str(&toml), Ok(written));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for word in [
            "Load",
            "Fly@0",
            "Load#x@0",
            "Load@0*x",
            "Load@0*4000000000",
            "Load@0:flies",
            "",
        ] {
            assert!(step_of(0, word).is_none(), "{word}");
        }
        assert!(site_of("a.rs:1").is_none() && number_of("x1").is_none());
    }
}
