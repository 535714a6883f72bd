//! How the crates of the graph were built, and what is out of sight in them.

use std::collections::{BTreeMap, BTreeSet};

use cct::config::{Granularity, Settings};
use serde_json::{Value, json};

use super::style::{FAINT, GOOD, WARN, paint};
use super::words::put;
use crate::build::cargo::BuiltCrate;
use crate::build::chosen::Chosen;
use crate::build::code::Code;
use crate::build::later::Later;
use crate::build::marker::{Kind, Treatment};
use crate::rewrite::Passes;

/// Warnings about crates; `chosen` has those that were to be rewritten.
pub(crate) fn warnings(crates: &[BuiltCrate], chosen: &Chosen) -> Vec<String> {
    let unknown = chosen.dependencies.iter().filter(|name| {
        let is_it = |built: &BuiltCrate| built.marker.package.0 == **name;
        !crates.is_empty() && !crates.iter().any(is_it)
    });
    let unknown =
        unknown.map(|name| format!("`--interleave {name}`: no package of this name was built"));
    let mut lines: Vec<_> = unknown.collect();
    let names: Vec<_> = crates.iter().map(BuiltCrate::name_in_paths).collect();
    if !names.is_empty() {
        lines.extend(chosen.named.of_no_crate(&names).into_iter().map(|path| {
            format!("`{path}` is to spawn or to drive: no crate of this name was built")
        }));
    }
    lines.extend(crates.iter().filter_map(|built| {
        let (name, version) = &built.marker.package;
        let lost = built.out_of_sight()?;
        Some(format!(
            "`{name}` {version} is not known to this tool; not under control there: {lost}"
        ))
    }));
    lines.extend(crates.iter().filter_map(|built| {
        let (name, version) = &built.marker.package;
        let known = built.unchecked()?;
        Some(format!(
            "`{name}` {version} is not among the versions that this tool was checked with ({}); it may \
             miss there: {}",
            known.versions, known.lost
        ))
    }));
    lines.extend(crates.iter().filter_map(|built| {
        let (name, version) = &built.marker.package;
        built.has_lost_choices().then(|| {
            format!(
                "`{name}` {version} chooses branches at random in functions that this tool does not know: \
                 they are no choices of the strategy"
            )
        })
    }));
    lines.extend(crates.iter().filter_map(|built| {
        let (name, version) = &built.marker.package;
        let later = &built.marker.later;
        (!later.is_empty()).then(|| {
            format!(
                "`{name}` {version} uses what came to std after this tool, and is not under control: {}",
                quoted(later)
            )
        })
    }));
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    lines
}

/// Warnings about a std that was just met for the first time.
pub(crate) fn later(later: &Later, release: &str) -> Vec<String> {
    let names = (!later.names.is_empty()).then(|| {
        format!(
            "std of {release} has items that this tool does not know; a program that uses one is built, \
             and what the item does is not under control: {}",
            quoted(&later.names)
        )
    });
    let functions = (!later.functions.is_empty()).then(|| {
        format!(
            "std of {release} has functions that the facade lacks; a program that calls one does not \
             build: {}",
            quoted(&later.functions)
        )
    });
    let unreadable = later.is_unreadable.then(|| {
        format!(
            "rustdoc of {release} does not tell which items its std has: some may be unknown to this tool"
        )
    });
    names
        .into_iter()
        .chain(functions)
        .chain(unreadable)
        .collect()
}

fn quoted(paths: &[String]) -> String {
    let quoted: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
    quoted.join(", ")
}

/// A line for each package and what was done to it.
pub(crate) fn table(crates: &[BuiltCrate]) -> String {
    let mut packages = BTreeMap::<_, Vec<&BuiltCrate>>::new();
    let mut untouched = Vec::new();
    for built in crates {
        let (name, version) = &built.marker.package;
        let word = word(&built.marker.treatment);
        if built.marker.treatment == Treatment::AsWritten {
            untouched.push(format!("{name} {version}"));
        } else {
            packages
                .entry((name, version, word))
                .or_default()
                .push(built);
        }
    }
    let mut out = String::new();
    for ((name, version, word), crates) in packages {
        let targets: Vec<_> = crates.iter().map(|built| target(built)).collect();
        let lost = matches!(crates[0].marker.treatment, Treatment::Reduced { .. });
        let style = if lost { WARN } else { GOOD };
        put!(out, "{} ", paint(style, &format!("{word:>12}")));
        let targets = format!("({})", targets.join(", "));
        put!(out, "{name} {version} {}", paint(FAINT, &targets));
        if lost {
            put!(out, ": the rewritten source did not compile");
        }
        out.push('\n');
    }
    untouched.dedup();
    if !untouched.is_empty() {
        let word = paint(GOOD, &format!("{:>12}", "As written"));
        put!(out, "{word} {}\n", untouched.join(", "));
    }
    out
}

/// A line for each kind of access that is seen, with its packages.
pub(crate) fn seen(crates: &[BuiltCrate]) -> String {
    let mut out = String::new();
    for (code, word, about) in [
        (Some(Code::All), "Seen", "all memory"),
        (Some(Code::Atomics), "Atomics", "no unsafe code"),
        (None, "Unseen", "neither memory nor counts"),
    ] {
        let is_it = |built: &&BuiltCrate| built.marker.facts.code == code;
        let packages = crates
            .iter()
            .filter(is_it)
            .map(|built| &built.marker.package);
        let packages: BTreeSet<_> = packages.collect();
        let names: Vec<_> = packages
            .iter()
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        if !names.is_empty() {
            let style = if code.is_some() { GOOD } else { WARN };
            let word = paint(style, &format!("{word:>12}"));
            let about = paint(FAINT, &format!("({about})"));
            put!(out, "{word} {} {about}\n", names.join(", "));
        }
    }
    out
}

/// How finely a package is explored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Grain {
    /// All its operations are steps.
    Interleaved,
    /// In some schedules they are, in the others a call into it is one.
    ByTurns,
    /// A call into it is one step.
    Atomic,
    /// Some of what it does is out of sight.
    Uncontrolled,
}

impl Grain {
    /// The effect of the settings on a crate; tests may have others of their own.
    fn of(built: &BuiltCrate, settings: &Settings) -> Grain {
        let name = &built.marker.package.0;
        let names =
            |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| list.contains(name));
        match settings.granularity.unwrap_or_default() {
            _ if built.out_of_sight().is_some() => Grain::Uncontrolled,
            _ if names(&settings.interleave) => Grain::Interleaved,
            _ if names(&settings.atomic) => Grain::Atomic,
            Granularity::Workspace if !built.is_member => Grain::Atomic,
            Granularity::Mix if !built.is_member => Grain::ByTurns,
            _ => Grain::Interleaved,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Grain::Interleaved => "interleaved",
            Grain::ByTurns => "by turns",
            Grain::Atomic => "atomic",
            Grain::Uncontrolled => "uncontrolled",
        }
    }
}

/// How finely each package is explored, one line for each grain.
pub(crate) fn grains(crates: &[BuiltCrate], settings: &Settings) -> String {
    let mut packages = BTreeMap::<Grain, BTreeSet<String>>::new();
    for built in crates {
        let (name, version) = &built.marker.package;
        let grain = Grain::of(built, settings);
        packages
            .entry(grain)
            .or_default()
            .insert(format!("{name} {version}"));
    }
    let mut out = String::new();
    for (grain, names) in packages {
        let names: Vec<_> = names.into_iter().collect();
        let mut word = grain.name().to_owned();
        word[..1].make_ascii_uppercase();
        let style = if grain == Grain::Uncontrolled {
            WARN
        } else {
            GOOD
        };
        let word = paint(style, &format!("{word:>12}"));
        put!(out, "{word} {}\n", names.join(", "));
    }
    out
}

/// The same about one crate for programs.
pub(crate) fn json(built: &BuiltCrate, settings: &Settings) -> Value {
    let (name, version) = &built.marker.package;
    let (kind, target) = &built.target;
    let (passes, complete) = match &built.marker.treatment {
        Treatment::AsWritten => (Passes::NONE, true),
        Treatment::Rewritten(passes) => (*passes, true),
        Treatment::Reduced { passes, .. } => (*passes, false),
    };
    let names = passes.names();
    let passes: Vec<_> = names.split(',').filter(|name| !name.is_empty()).collect();
    json!({
        "package": name,
        "package_version": version,
        "kind": kind,
        "target": target,
        "test": is_test(built),
        "passes": passes,
        "rewritten_source_compiles": complete,
        "memory": built.marker.facts.code.map(Code::name),
        "granularity": Grain::of(built, settings).name(),
        "out_of_sight": built.out_of_sight(),
    })
}

fn word(treatment: &Treatment) -> &'static str {
    match treatment {
        Treatment::Reduced { passes, .. } if passes.is_empty() => "As written",
        Treatment::Reduced { .. } => "Await points",
        Treatment::Rewritten(Passes::CHOICES) => "Choices",
        Treatment::Rewritten(_) => "Rewritten",
        Treatment::AsWritten => "As written",
    }
}

fn target(built: &BuiltCrate) -> String {
    let (kind, name) = &built.target;
    if is_test(built) && kind != "test" {
        return format!("tests of {kind} {name}");
    }
    format!("{kind} {name}")
}

fn is_test(built: &BuiltCrate) -> bool {
    built.marker.kind == Kind::Harness
}
