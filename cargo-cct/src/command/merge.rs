//! `cargo cct merge`: joins results of shards.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::tested::RESULTS;
use crate::cli::MergeArgs;
use crate::exit::Exit;
use crate::failure::Store;
use crate::report::{Json, merged, say, warning_word};
use crate::results::{Ending, Results};

/// Does it.
pub(super) fn run(args: &MergeArgs) -> anyhow::Result<Exit> {
    let given = if args.folders.is_empty() {
        vec![PathBuf::from(RESULTS)]
    } else {
        args.folders.clone()
    };
    let into = match (&args.into, &given[..]) {
        (Some(into), _) => into.clone(),
        (None, [only]) => only.clone(),
        (None, _) => anyhow::bail!(
            "`--into` is to say where the results of {} folders go",
            given.len()
        ),
    };
    let mut folders = Vec::new();
    for folder in &given {
        let found =
            with_results(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
        anyhow::ensure!(!found.is_empty(), "`{}` has no results", folder.display());
        folders.extend(found);
    }
    let mut joined: Option<Results> = None;
    for folder in &folders {
        let Some(results) = Results::read(folder)? else {
            continue;
        };
        match &mut joined {
            Some(joined) => joined.join(folder, results)?,
            None => joined = Some(results),
        }
    }
    let mut joined = joined.context("there are no results")?;
    if let Some(results) = Results::read(&into)? {
        joined.join(&into, results)?;
    }
    let store = Store::new(into.join("failures"));
    let mut lacks = false;
    for folder in &folders {
        let mut leave_out = |error| {
            lacks = true;
            let error = anyhow::Error::from(error);
            crate::report::remark_line!("{}: a failure is left out: {error:#}", warning_word());
        };
        let taken = store.take_in(&Store::new(folder.join("failures")), &mut leave_out);
        let ids =
            taken.with_context(|| format!("cannot take the failures of `{}`", folder.display()))?;
        joined.rename(&ids);
    }
    joined.write(&into)?;
    let (tests, missing) = (joined.tests(), joined.missing());
    for line in merged::missing(&missing) {
        crate::report::remark_line!("{}: {line}", warning_word());
    }
    if args.output.json {
        Json::line("merged", merged::value(&joined, &tests, &missing))?;
    } else {
        say(merged::text(&joined, &tests))?;
    }
    let has = |endings: &[Ending]| tests.values().any(|test| endings.contains(&test.outcome()));
    Ok(
        if has(&[Ending::Failed, Ending::Flaky, Ending::Unfinished]) {
            Exit::Failed
        } else if lacks || has(&[Ending::Refused]) {
            Exit::Setup
        } else if !missing.without.is_empty() || !missing.under_way.is_empty() {
            Exit::Incomplete
        } else if tests.is_empty() {
            Exit::NoTests
        } else {
            Exit::Success
        },
    )
}

/// The folders of results in this one: itself, and those in it.
fn with_results(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if Results::path(&path).is_file() {
            found.push(path);
        }
    }
    if Results::path(folder).is_file() {
        found.push(folder.to_owned());
    }
    found.sort();
    Ok(found)
}
