//! A claim about all schedules, in words and for programs: no other file makes one.

use cct::claim::Exceptions;
use serde_json::{Value, json};

use super::Summary;
use super::words::{count, list, put};
use crate::run::{Claim, Scope};

/// The claim, as it stands in the line of a test.
pub(super) fn text(claim: &Claim) -> String {
    let made = claim.made;
    let all = match made {
        1 => "the only schedule".to_owned(),
        n => format!("all {}", count(n, "schedule")),
    };
    let mut out = match claim.scope {
        Scope::Sequential => "1 schedule: nothing to interleave".to_owned(),
        Scope::Proved => "proved over all interleavings".to_owned(),
        Scope::NoChoice => "1 schedule: no choice point".to_owned(),
        Scope::All => format!("{all} explored"),
        Scope::Bounded(Some(bound)) => format!("{all} explored up to bound {bound}"),
        Scope::Bounded(None) => format!("{all} explored within the bound"),
        Scope::Planned(bound) => {
            let bound = bound.map_or(String::new(), |bound| format!(" up to bound {bound}"));
            match made {
                1 => format!("the only plan{bound} carried out"),
                n => format!("all {}{bound} carried out", count(n, "plan")),
            }
        }
    };
    if !claim.but_for.is_empty() {
        put!(out, ", but for {}", exceptions(claim.but_for));
    }
    if claim.scope == Scope::Proved {
        put!(out, ": {}", count(made, "execution"));
    }
    if claim.failed_before > 0 {
        put!(out, "; {} failed in earlier runs", claim.failed_before);
    }
    out
}

/// The word for a table; a star stands for exceptions.
pub(super) fn word(claim: Option<&Claim>) -> String {
    let Some(claim) = claim else {
        return "-".to_owned();
    };
    let word = match claim.scope {
        Scope::Sequential | Scope::Proved | Scope::NoChoice | Scope::All => "yes",
        Scope::Bounded(_) | Scope::Planned(_) => "bound",
    };
    let star = if claim.but_for.is_empty() { "" } else { "*" };
    format!("{word}{star}")
}

/// The same for programs.
pub(super) fn value(claim: &Claim) -> Value {
    let (scope, bound) = match claim.scope {
        Scope::Sequential => ("sequential", None),
        Scope::Proved => ("proved", None),
        Scope::NoChoice | Scope::All => ("all", None),
        Scope::Bounded(bound) => ("bounded", bound),
        Scope::Planned(bound) => ("planned", bound),
    };
    json!({
        "scope": scope,
        "bound": bound,
        "schedules": claim.made,
        "failed_before": claim.failed_before,
        "but_for": claim.but_for,
        "text": text(claim),
    })
}

/// Of how many tests all schedules were explored.
pub(super) fn of_tests(summary: &Summary) -> String {
    let mut out = format!(
        "{} explored to the end",
        count(summary.exhausted as u64, "test")
    );
    if !summary.but_for.is_empty() {
        put!(out, ", but for {}", exceptions(summary.but_for));
    }
    out
}

fn exceptions(exceptions: Exceptions) -> String {
    list(&exceptions.names().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use cct::claim::Exception;

    use super::*;

    fn claim(scope: Scope, made: u64) -> Claim {
        Claim {
            scope,
            made,
            failed_before: 0,
            but_for: Exceptions::NONE,
        }
    }

    #[test]
    fn a_claim_without_exceptions_is_just_that() {
        let told = |scope, made| text(&claim(scope, made));
        assert_eq!(
            told(Scope::Proved, 20),
            "proved over all interleavings: 20 executions"
        );
        assert_eq!(told(Scope::All, 315), "all 315 schedules explored");
        assert_eq!(told(Scope::All, 1), "the only schedule explored");
        let bounded = Scope::Bounded(Some(2));
        assert_eq!(told(bounded, 9), "all 9 schedules explored up to bound 2");
        let planned = Scope::Planned(Some(3));
        assert_eq!(told(planned, 40), "all 40 plans up to bound 3 carried out");
        assert_eq!(told(planned, 1), "the only plan up to bound 3 carried out");
        assert_eq!(
            told(Scope::Sequential, 1),
            "1 schedule: nothing to interleave"
        );
        assert_eq!(told(Scope::NoChoice, 1), "1 schedule: no choice point");
    }

    /// Of any set of exceptions each name is told once, in the same order, in words and for programs.
    ///
    /// Each set that has, or lacks, three at the most, and one in 1,009 of the others;
    /// all of them by `CCT_SETS=all cargo test --release -p cargo-cct each_set`.
    #[test]
    fn each_set_of_exceptions_is_told_in_full() {
        let all = Exception::ALL;
        let every = std::env::var_os("CCT_SETS").is_some_and(|which| which == "all");
        let lacks_three = u32::try_from(all.len()).expect("a few") - 3;
        let is_tried = |bits: &u32| {
            let has = bits.count_ones();
            every || has <= 3 || has >= lacks_three || bits.is_multiple_of(1009)
        };
        for bits in (0..1_u32 << all.len()).filter(is_tried) {
            let chosen = all
                .iter()
                .enumerate()
                .filter(|&(at, _)| bits >> at & 1 != 0);
            let chosen: Vec<Exception> = chosen.map(|(_, &exception)| exception).collect();
            let claim = Claim {
                but_for: chosen.iter().copied().collect(),
                ..claim(Scope::All, 2)
            };
            let told = text(&claim);
            let mut words = told.strip_prefix("all 2 schedules explored");
            if !chosen.is_empty() {
                words = words.and_then(|words| words.strip_prefix(", but for "));
            }
            let words = words.unwrap_or_else(|| panic!("{told}"));
            let names: Vec<_> = chosen.iter().map(|exception| exception.name()).collect();
            let split = words.split(", ").flat_map(|part| part.split(" and "));
            let split: Vec<_> = split.filter(|name| !name.is_empty()).collect();
            assert_eq!(split, names, "{told}");
            assert_eq!(value(&claim)["but_for"], json!(names));
        }
    }
}
