//! The results of a run that are kept: where, which part of the run they are of, and from which seed.

use std::path::{Path, PathBuf};

use cct::config::Settings;
use cct::part::Part;

use super::name_of;
use crate::build::workspace::Workspace;
use crate::cli::{HarnessArgs, ManyArgs, TestArgs};
use crate::command::ledger::Ledger;
use crate::command::tested::{self, Tested};
use crate::results::Origin;
use crate::run::{Plan, RunSeed, Shard};

/// Where the results of a run go, and which part of it is made.
#[derive(Debug)]
pub(super) struct Results {
    /// The folder of the results, if they are kept, and of what is found in an archive.
    pub folder: PathBuf,
    /// True if results are kept.
    pub are_kept: bool,
    shard: Option<Shard>,
}

/// The folder that is to be typed for the failures of a run with these arguments; none if they go where those
/// of a workspace do, or if it is not known which shard this is.
pub(in crate::command) fn results_of(many: &ManyArgs) -> Option<PathBuf> {
    let results = Results::of(many).ok()?;
    let folder = std::path::absolute(".").ok()?;
    let path = results.folder.strip_prefix(folder);
    let path = path.map_or_else(|_| results.folder.clone(), Path::to_owned);
    results.are_kept.then_some(path)
}

impl Results {
    /// The results that the arguments ask for.
    pub(super) fn of(many: &ManyArgs) -> anyhow::Result<Results> {
        let shard = many
            .shard
            .map(|shard| shard.resolve(|name| std::env::var(name).ok()));
        let shard = shard.transpose()?;
        let folder = many.campaign.as_ref().or(many.results.as_ref());
        let folder = folder.map_or(Path::new(tested::RESULTS), PathBuf::as_path);
        let folder = std::path::absolute(folder)?;
        Ok(Results {
            folder: match shard {
                Some(shard) => folder.join(shard.folder()),
                None => folder,
            },
            are_kept: many.campaign.is_some() || many.results.is_some() || shard.is_some(),
            shard,
        })
    }

    /// Refuses a folder in which something of the user's has the name of a folder of results. Tests of an
    /// archive also run there.
    pub(super) fn check(&self, is_of_archive: bool) -> anyhow::Result<()> {
        let names = if is_of_archive {
            &["failures", "run"][..]
        } else {
            &["failures"]
        };
        for name in names {
            let path = self.folder.join(name);
            anyhow::ensure!(
                path.is_dir() || path.symlink_metadata().is_err(),
                "results have a folder of the name `{}`, and that is none: move it away, or choose another \
                 folder by `--results`",
                path.display()
            );
        }
        Ok(())
    }

    /// True if tests that are not explored are run: they are the same in all shards.
    pub(super) fn has_native_tests(&self) -> bool {
        self.shard.is_none_or(|shard| shard.number == 0)
    }

    /// The part of each search that is made, if not all.
    pub(super) fn part(&self) -> Option<Part> {
        self.are_kept.then(|| Part {
            number: self.shard.map_or(0, |shard| shard.number),
            of: self.shard.map_or(1, |shard| shard.of),
            from: Some(1),
        })
    }

    /// The folder of failures.
    pub(super) fn failures(&self, workspace: &Workspace) -> PathBuf {
        if self.are_kept {
            self.folder.join("failures")
        } else {
            workspace.failures()
        }
    }

    /// The run's seed: that of the results that are there, unless another one is typed; shards agree on one.
    pub(super) fn seed(&self, args: &TestArgs, tested: &Tested) -> anyhow::Result<RunSeed> {
        let typed = args.explore.settings.seed;
        let before = self.are_kept.then(|| Ledger::seed_in(&self.folder));
        let before = before.transpose()?.flatten();
        let common = tested
            .workspace
            .config
            .seed
            .or(tested.seed.filter(|_| self.shard.is_some()));
        anyhow::ensure!(
            self.shard.is_none() || typed.or(before).or(common).is_some(),
            "shards need a common seed: `--seed 1`, or an archive, which has one"
        );
        Ok(RunSeed::choose(typed, before.or(common)))
    }

    /// The results that this run goes on with, or begins, if they are kept. The plan is left with the tests
    /// that have not ended.
    pub(super) fn open(
        &self,
        args: &TestArgs,
        harness: &HarnessArgs,
        tested: &Tested,
        (seed, overrides): (RunSeed, &Settings),
        plan: &mut Plan,
    ) -> anyhow::Result<Option<Ledger>> {
        if !self.are_kept {
            return Ok(None);
        }
        anyhow::ensure!(
            !args.explore.person && !args.explore.compare_strategies,
            "neither `--strategy interactive` nor `--compare-strategies` has results to keep"
        );
        anyhow::ensure!(
            overrides.resume.is_none(),
            "`--resume` keeps one search, and results are kept of whole runs: `--campaign` resumes all tests"
        );
        let is_campaign = args.many.campaign.is_some();
        let mut overrides = overrides.clone();
        if is_campaign {
            // A campaign may be given more time.
            overrides.time = None;
        }
        // A seed that is typed counts more than those of attributes.
        let seed_typed = args.explore.settings.seed.is_some();
        let tests = harness.words.join(" ");
        let origin = Origin {
            tool: tested::tool(),
            executables: tested.digest()?,
            seed: seed.number(),
            settings: format!("{overrides}seed_typed={seed_typed}\ntests={tests}\n"),
            shards: self.shard.map_or(1, |shard| shard.of),
            is_campaign,
        };
        let number = self.shard.map_or(0, |shard| shard.number);
        let mut ledger = Ledger::open(&self.folder, number, origin)?;

        let had_jobs = !plan.jobs.is_empty();
        let has_doctests = args.cargo.wants_doctests() && tested.built.has_doctests;
        if !had_jobs && (self.has_native_tests() || !has_doctests) {
            ledger.match_none();
        }
        plan.jobs.retain(|job| {
            let is_own = job.test().is_some() || self.has_native_tests();
            is_own && !ledger.has_ended(&name_of(job, &tested.built.executables))
        });
        if had_jobs && plan.jobs.is_empty() {
            crate::report::remark_line!(
                "nothing is left to do: all results are in `{}`",
                self.folder.display()
            );
        }
        Ok(Some(ledger))
    }
}
