//! Which shard of a run this is: typed, or as the machines say that share it out.

use std::fmt;

/// A shard of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Shard {
    /// Its number, from 0.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

/// The value of `--shard`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShardArg {
    /// As the environment says.
    Auto,
    /// This one.
    One(Shard),
}

/// The variable that says how many shards there are where the machines do not.
pub(crate) const COUNT: &str = "CCT_SHARDS";
/// The most shards.
const MOST: u32 = 1 << 20;

/// Variables of a system that starts many tasks.
struct System {
    /// The number of the task.
    index: &'static str,
    /// The first task's number.
    first: u32,
    /// How many there are.
    count: &'static str,
}

/// In all but Slurm's, tasks are numbered without gaps.
const SYSTEMS: [System; 5] = [
    System {
        index: "JOB_COMPLETION_INDEX",
        first: 0,
        count: COUNT,
    },
    System {
        index: "CI_NODE_INDEX",
        first: 1,
        count: "CI_NODE_TOTAL",
    },
    System {
        index: "BUILDKITE_PARALLEL_JOB",
        first: 0,
        count: "BUILDKITE_PARALLEL_JOB_COUNT",
    },
    System {
        index: "CIRCLE_NODE_INDEX",
        first: 0,
        count: "CIRCLE_NODE_TOTAL",
    },
    System {
        index: "PARALLEL_SEQ",
        first: 1,
        count: COUNT,
    },
];
const SLURM: &str = "SLURM_ARRAY_TASK_ID";

/// Why the environment does not say which shard this is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum ShardError {
    /// No variable is set.
    #[error(
        "`--shard auto`: neither Slurm (SLURM_ARRAY_TASK_ID), Kubernetes (JOB_COMPLETION_INDEX), GitLab \
         (CI_NODE_INDEX), Buildkite (BUILDKITE_PARALLEL_JOB), CircleCI (CIRCLE_NODE_INDEX) nor GNU parallel \
         (PARALLEL_SEQ) says which shard this is: use `--shard 1/16` or the like"
    )]
    Nobody,
    /// A variable is missing.
    #[error(
        "`--shard auto`: `{0}` is set, so `{1}` has to say how many shards there are, and it is not set"
    )]
    Missing(&'static str, &'static str),
    /// A variable makes no sense.
    #[error("`--shard auto`: `{0}` is `{1}`, expected {2}")]
    Wrong(&'static str, String, String),
    /// Two systems say different things.
    #[error(
        "`--shard auto`: `{0}` says shard {1} and `{2}` says shard {3}: use `--shard {1}` or `--shard {3}`"
    )]
    Contradiction(&'static str, Shard, &'static str, Shard),
}

impl Shard {
    /// Reads `1/16`.
    fn parse(text: &str) -> Option<Shard> {
        let (number, of) = text.split_once('/')?;
        let (number, of): (u32, u32) = (number.parse().ok()?, of.parse().ok()?);
        let number = number.checked_sub(1)?;
        (number < of && of <= MOST).then_some(Shard { number, of })
    }

    /// The name of its folder of results.
    pub(crate) fn folder(self) -> String {
        let width = self.of.to_string().len();
        format!("shard-{:0width$}-of-{}", self.number + 1, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number + 1, self.of)
    }
}

impl ShardArg {
    /// Reads what was typed.
    pub(crate) fn parse(text: &str) -> Result<ShardArg, String> {
        if text == "auto" {
            return Ok(ShardArg::Auto);
        }
        let shard = Shard::parse(text);
        shard.map(ShardArg::One).ok_or_else(|| {
            format!("expected `auto` or a shard from `1/n` to `n/n`, with n at most {MOST}")
        })
    }

    /// The shard, as variables say if that is what is wanted.
    pub(crate) fn resolve(
        self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Shard, ShardError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if let ShardArg::One(shard) = self {
            return Ok(shard);
        }
        let mut found: Option<(&'static str, Shard)> = None;
        let slurm = set(SLURM).map(|id| Ok((SLURM, slurm(&id, &set)?)));
        let others = SYSTEMS.iter().filter_map(|system| {
            let index = set(system.index)?;
            Some(
                system
                    .shard(&index, &set)
                    .map(|shard| (system.index, shard)),
            )
        });
        for said in slurm.into_iter().chain(others) {
            let (name, shard) = said?;
            match found {
                Some((before, other)) if other != shard => {
                    return Err(ShardError::Contradiction(before, other, name, shard));
                }
                _ => found = found.or(Some((name, shard))),
            }
        }
        found.map(|(_, shard)| shard).ok_or(ShardError::Nobody)
    }
}

impl System {
    fn shard(
        &self,
        index: &str,
        set: &impl Fn(&str) -> Option<String>,
    ) -> Result<Shard, ShardError> {
        let text = set(self.count).ok_or(ShardError::Missing(self.index, self.count))?;
        let of = number(self.count, &text, 1, MOST)?;
        let last = self.first + of - 1;
        let number = number(self.index, index, self.first, last)? - self.first;
        Ok(Shard { number, of })
    }
}

/// Slurm numbers the tasks of an array as the user wants it.
fn slurm(id: &str, set: &impl Fn(&str) -> Option<String>) -> Result<Shard, ShardError> {
    let read = |name: &'static str, least| {
        let text = set(name).ok_or(ShardError::Missing(SLURM, name))?;
        number(name, &text, least, u32::MAX).map(|number| (number, text))
    };
    let (of, _) = read("SLURM_ARRAY_TASK_COUNT", 1)?;
    let (first, _) = read("SLURM_ARRAY_TASK_MIN", 0)?;
    let (last, last_text) = read("SLURM_ARRAY_TASK_MAX", first)?;
    let step = match set("SLURM_ARRAY_TASK_STEP") {
        Some(text) => number("SLURM_ARRAY_TASK_STEP", &text, 1, u32::MAX)?,
        None => 1,
    };
    let expected = u64::from(first) + u64::from(step) * u64::from(of - 1);
    if u64::from(last) != expected {
        let wanted =
            format!("{expected}: {of} tasks from {first} in steps of {step}, without gaps");
        return Err(ShardError::Wrong("SLURM_ARRAY_TASK_MAX", last_text, wanted));
    }
    let index = number(SLURM, id, first, last)? - first;
    if index % step > 0 {
        let wanted = format!("{first} and steps of {step}");
        return Err(ShardError::Wrong(SLURM, id.to_owned(), wanted));
    }
    Ok(Shard {
        number: index / step,
        of,
    })
}

fn number(name: &'static str, text: &str, least: u32, most: u32) -> Result<u32, ShardError> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    let wanted = || match most {
        u32::MAX => format!("a number from {least} on"),
        _ => format!("a number from {least} to {most}"),
    };
    number.ok_or_else(|| ShardError::Wrong(name, text.to_owned(), wanted()))
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::fuzz;

    fn auto(variables: &str) -> Result<String, String> {
        let value = |name: &str| {
            let mut pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
            let found = pairs.find(|(key, _)| *key == name);
            found.map(|(_, value)| value.to_owned())
        };
        let shard = ShardArg::Auto.resolve(value);
        shard
            .map(|shard| shard.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_shard_is_typed_from_one_on() {
        let parse = |text| ShardArg::parse(text).ok();
        assert_eq!(
            parse("1/16"),
            Some(ShardArg::One(Shard { number: 0, of: 16 }))
        );
        assert_eq!(parse("auto"), Some(ShardArg::Auto));
        for wrong in [
            "",
            "0/2",
            "3/2",
            "1",
            "1/0",
            "a/2",
            "1/2/3",
            "-1/2",
            "1/9999999",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn each_system_is_understood() {
        for (variables, shard) in [
            (
                "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=16 SLURM_ARRAY_TASK_MIN=0 \
              SLURM_ARRAY_TASK_MAX=15",
                "4/16",
            ),
            (
                "SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 \
              SLURM_ARRAY_TASK_MAX=18 SLURM_ARRAY_TASK_STEP=4",
                "2/3",
            ),
            ("JOB_COMPLETION_INDEX=0 CCT_SHARDS=8", "1/8"),
            ("CI_NODE_INDEX=8 CI_NODE_TOTAL=8", "8/8"),
            (
                "BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=2",
                "1/2",
            ),
            ("CIRCLE_NODE_INDEX=1 CIRCLE_NODE_TOTAL=2", "2/2"),
            ("PARALLEL_SEQ=5 CCT_SHARDS=5", "5/5"),
            // GitLab tells how many there are even where there is one.
            ("CI_NODE_TOTAL=1 PARALLEL_SEQ=1 CCT_SHARDS=2", "1/2"),
            (
                "JOB_COMPLETION_INDEX=2 CI_NODE_INDEX=3 CI_NODE_TOTAL=4 CCT_SHARDS=4",
                "3/4",
            ),
        ] {
            assert_eq!(auto(variables).as_deref(), Ok(shard), "{variables}");
        }
    }

    #[test]
    fn errors_name_the_variable() {
        for (variables, why) in [
            ("", "SLURM_ARRAY_TASK_ID"),
            ("JOB_COMPLETION_INDEX=0", "`CCT_SHARDS` has to say"),
            (
                "PARALLEL_SEQ=9 CCT_SHARDS=8",
                "`PARALLEL_SEQ` is `9`, expected a number from 1 to 8",
            ),
            ("CI_NODE_INDEX=0 CI_NODE_TOTAL=8", "`CI_NODE_INDEX` is `0`"),
            (
                "CIRCLE_NODE_INDEX=x CIRCLE_NODE_TOTAL=8",
                "`CIRCLE_NODE_INDEX` is `x`",
            ),
            (
                "BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=0",
                "_COUNT` is `0`",
            ),
            (
                "CI_NODE_INDEX=1 CI_NODE_TOTAL=2 PARALLEL_SEQ=2 CCT_SHARDS=2",
                "`CI_NODE_INDEX` says shard 1/2 and `PARALLEL_SEQ` says shard 2/2",
            ),
            ("SLURM_ARRAY_TASK_ID=1", "`SLURM_ARRAY_TASK_COUNT`"),
            // `--array=1,3,7`
            (
                "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 \
              SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1",
                "`SLURM_ARRAY_TASK_MAX` is `7`, expected 3",
            ),
            (
                "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=2 \
              SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_STEP=2",
                "`SLURM_ARRAY_TASK_ID` is `3`",
            ),
        ] {
            let error = auto(variables).expect_err(variables);
            assert!(error.contains(why), "{variables}: {error}");
        }
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn text_in_disorder_is_a_shard_or_told(text in fuzz::texts(vec!["1", "/", "/16", "auto", "0"])) {
            match Shard::parse(&text) {
                Some(shard) => prop_assert!(Shard::parse(&shard.to_string()) == Some(shard)),
                None => prop_assert!(text == "auto" || ShardArg::parse(&text).is_err()),
            }
        }
    }
}
