//! How many tests run at a time: as many as are asked for, if the machine can do it.

use std::fs;
use std::num::NonZero;

use anyhow::{Context as _, bail};

use crate::cli::{HarnessArgs, TestArgs};
use crate::report::{remark_line, warning_word};

/// The most for each core: more would only wait for each other.
const FOR_EACH_CORE: usize = 16;
/// The descriptors that the tool has open for each test at a time, and those that it has anyway.
const DESCRIPTORS: usize = 12;
const OTHERS: usize = 32;

/// Reads it off the arguments.
pub(super) fn width(args: &TestArgs, harness: &HarnessArgs) -> anyhow::Result<usize> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let asked = asked(args, harness, cores)?;
    let wanted = asked.unwrap_or(cores);
    let (most, why) = bound(cores, open_files());
    if wanted > most && asked.is_some() && !args.output.quiet {
        remark_line!(
            "{}: {most} tests run at a time instead of {wanted}: {why}",
            warning_word()
        );
    }
    Ok(wanted.min(most))
}

/// The number that was typed, if one was.
fn asked(args: &TestArgs, harness: &HarnessArgs, cores: usize) -> anyhow::Result<Option<usize>> {
    if let Some(threads) = harness.threads {
        return Ok(Some(threads));
    }
    let jobs = args.cargo.jobs.as_deref();
    let Some(jobs) = jobs.filter(|&jobs| jobs != "default") else {
        return Ok(None);
    };
    let number: isize = jobs
        .parse()
        .with_context(|| format!("`-j {jobs}` is no number"))?;
    // As cargo has it, a negative number leaves that many cores alone.
    Ok(Some(match number {
        0 => bail!("with `-j 0` nothing could run: give a number from 1, or leave it out"),
        1.. => number.unsigned_abs(),
        _ => cores.saturating_sub(number.unsigned_abs()).max(1),
    }))
}

/// The most that the machine can do, and why.
fn bound(cores: usize, open_files: Option<usize>) -> (usize, String) {
    let by_cores = cores.saturating_mul(FOR_EACH_CORE);
    let by_files = open_files.map(|most| (most.saturating_sub(OTHERS) / DESCRIPTORS).max(1));
    match by_files {
        Some(by_files) if by_files < by_cores => {
            let open_files = open_files.unwrap_or_default();
            (
                by_files,
                format!("`ulimit -n` allows {open_files} open files"),
            )
        }
        _ => (
            by_cores,
            format!(
                "the machine has {}",
                crate::report::count(cores as u64, "core")
            ),
        ),
    }
}

/// How many files this process may have open; none if there is no limit, or none is told.
fn open_files() -> Option<usize> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    line?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_and_open_files_bound_it() {
        assert_eq!(bound(2, None).0, 32);
        assert_eq!(bound(2, Some(1 << 20)).0, 32);
        assert_eq!(bound(64, Some(1024)).0, 82);
        assert_eq!(bound(2, Some(8)).0, 1, "one test runs in any case");
        assert!(open_files().is_none_or(|most| most > 0));
    }
}
