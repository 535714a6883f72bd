//! The calls and awaits that workers are in: the backtraces of a report.

use cct::origin;
use cct::trace::{AwaitPoint, Backtrace, Call, Site, Trace};
use cct::verdict::{AccessWay, Race, RacyAccess};

use super::names::Names;
use super::origin::Origin;
use crate::report::words::{count, put};

/// How much of a stack is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Stacks {
    /// The user's calls, where workers wait.
    #[default]
    Own,
    /// All but the runtime's, and the backtrace of a panic, as with `RUST_BACKTRACE=1`.
    Short,
    /// All, of every worker, as with `RUST_BACKTRACE=full`.
    Full,
}

impl Stacks {
    /// As std takes it from the environment.
    pub(crate) fn of_environment() -> Stacks {
        match std::env::var("RUST_BACKTRACE").as_deref() {
            Ok("full") => Stacks::Full,
            Ok("0") | Err(_) => Stacks::Own,
            Ok(_) => Stacks::Short,
        }
    }
}

/// The backtrace of the panic that is the step with this index, as std tells it.
pub(super) fn of_panic(trace: &Trace, panic: usize, stacks: Stacks) -> String {
    let is_it = |backtrace: &&Backtrace| backtrace.panic == u32::try_from(panic).ok();
    match trace.backtraces.iter().find(is_it) {
        Some(backtrace) if stacks != Stacks::Own => {
            format!("stack backtrace:\n{}", listed(&backtrace.calls, stacks))
        }
        _ => String::new(),
    }
}

/// The calls that each worker is in at the end, all of them.
pub(super) fn of_workers(trace: &Trace, names: &Names, stacks: Stacks) -> String {
    let mut out = String::new();
    for backtrace in at_end(trace) {
        let worker = names.worker(backtrace.worker);
        put!(
            out,
            "stack of {worker}:\n{}",
            listed(&backtrace.calls, stacks)
        );
    }
    out
}

/// The stacks that are known of the end.
fn at_end(trace: &Trace) -> impl Iterator<Item = &Backtrace> {
    let backtraces = trace.backtraces.iter();
    backtraces.filter(|backtrace| backtrace.panic.is_none())
}

/// A stack in lines, as std's short and full backtraces are.
fn listed(calls: &[Call], stacks: Stacks) -> String {
    let (calls, folded) = match stacks {
        Stacks::Full => (calls, [0, 0]),
        Stacks::Own | Stacks::Short => without_runtime(calls),
    };
    let mut out = String::new();
    let fold = |out: &mut String, calls: usize| {
        if calls > 0 {
            let calls = count(calls as u64, "call");
            put!(out, "      [{calls} of cargo-cct and std]\n");
        }
    };
    fold(&mut out, folded[0]);
    let (mut number, mut engines) = (0, 0);
    for call in calls {
        if stacks != Stacks::Full && is_engines(call) {
            engines += 1;
            continue;
        }
        fold(&mut out, std::mem::take(&mut engines));
        put!(out, "{number:>4}: {}\n", call.function);
        number += 1;
        if let Some(site) = &call.site {
            let here = if site.file.starts_with('/') { "" } else { "./" };
            put!(out, "             at {here}{site}\n");
        }
    }
    fold(&mut out, folded[1]);
    out
}

/// The calls without those of the runtime at both ends, and of std's that it was called by; and how many
/// these are.
fn without_runtime(calls: &[Call]) -> (&[Call], [usize; 2]) {
    let is_end = |call: &Call| call.function.contains("__rust_end_short_backtrace");
    let begin = match calls.iter().position(is_end) {
        Some(end) => end + 1,
        None => calls
            .iter()
            .take_while(|call| !is_own_or_crates(call))
            .count(),
    };
    let rest = &calls[begin..];
    let last = rest.iter().rposition(is_own_or_crates);
    let shown = last.map_or(rest.len(), |last| last + 1);
    (&rest[..shown], [begin, rest.len() - shown])
}

/// True for a call of the engine or its facade, as between a task and its future.
fn is_engines(call: &Call) -> bool {
    let path = call.function.trim_start_matches(['<', '&']);
    path.starts_with("cct::") || path.starts_with("cct_shims::")
}

/// True for the user's code, and that of dependencies.
fn is_own_or_crates(call: &Call) -> bool {
    let site = call.site.as_ref();
    site.is_some_and(|site| !matches!(Origin::of(site), Origin::Std))
}

/// The calls that a worker is in at the end, as far as they are known.
pub(super) fn known(trace: &Trace, worker: u32) -> &[Call] {
    let backtrace = at_end(trace).find(|backtrace| backtrace.worker == worker);
    backtrace.map_or(&[], |backtrace| &backtrace.calls)
}

/// The user's calls that a worker is in at the end, the innermost first, but for the line it is known to wait
/// at: in lines with this margin.
pub(super) fn own(trace: &Trace, worker: u32, at: &Site, margin: &str) -> String {
    own_among(known(trace, worker), at, margin)
}

/// The calls that led to each of two accesses that are a race, if there is more to tell than their lines.
pub(super) fn of_race(race: &Race, names: &Names, stacks: Stacks) -> String {
    let mut out = String::new();
    for (access, which) in [(&race.earlier, "first"), (&race.later, "second")] {
        let Some(site) = &access.site else { continue };
        let calls = match stacks {
            Stacks::Own => own_among(&access.calls, site, "    "),
            Stacks::Short | Stacks::Full => listed(&access.calls, stacks),
        };
        if !calls.is_empty() {
            let (who, what) = (names.worker(access.worker), act(access));
            put!(out, "  {which} access: {who} {what} at {site}\n{calls}");
        }
    }
    out
}

/// The access in words, in the present tense.
fn act(access: &RacyAccess) -> String {
    match access.function.as_str() {
        "" => verb(access.way).to_owned(),
        function => format!("calls `{function}`"),
    }
}

/// Its way in a word.
pub(super) fn verb(way: AccessWay) -> &'static str {
    match way {
        AccessWay::Read => "reads",
        AccessWay::Write => "writes",
        AccessWay::AtomicRead => "atomically reads",
        AccessWay::AtomicWrite => "atomically writes",
        AccessWay::Free => "frees",
    }
}

/// The user's calls among these, the innermost first, but for the line that is told already.
fn own_among(calls: &[Call], at: &Site, margin: &str) -> String {
    let mut out = String::new();
    let is_told = |site: &Site| (&site.file, site.line) == (&at.file, at.line);
    let users = users(calls).into_iter();
    for (site, name) in users.skip_while(|(site, _)| is_told(site)) {
        put!(out, "{margin}called at {site} in {}\n", function(name));
    }
    out
}

/// The user's calls among these with their functions, the innermost first, each at another line than the one
/// before.
pub(super) fn users(calls: &[Call]) -> Vec<(&Site, &str)> {
    let mut users: Vec<(&Site, &str)> = Vec::new();
    for call in calls {
        let Some(site) = call.site.as_ref().filter(|site| is_users(site)) else {
            continue;
        };
        let line = |site: &Site| (site.file.clone(), site.line);
        if users
            .last()
            .is_none_or(|(last, _)| line(last) != line(site))
        {
            users.push((site, &call.function));
        }
    }
    users
}

fn is_users(site: &Site) -> bool {
    matches!(origin::Origin::of(&site.file), origin::Origin::Workspace)
}

/// The awaits that a task is in, those around others first, if there is more to tell than the place that it
/// is known to wait at: in lines with this margin.
pub(super) fn awaits(trace: &Trace, task: u32, at: &Site, margin: &str) -> String {
    let awaits = trace.awaits.iter().find(|awaits| awaits.worker == task);
    let points = awaits.map_or(&[][..], |awaits| &awaits.points);
    let is_told = |point: &AwaitPoint| point.site.file == at.file && point.site.line == at.line;
    let mut out = String::new();
    if matches!(points, [point] if is_told(point)) {
        return out;
    }
    for (level, point) in outermost_first(points) {
        let (indent, body) = ("  ".repeat(level), function(&point.body));
        put!(out, "{margin}{indent}awaits at {} in {body}\n", point.site);
    }
    out
}

/// The awaits in the order in which a reader comes to them, each with the number of those around it that are
/// known.
fn outermost_first(points: &[AwaitPoint]) -> Vec<(usize, &AwaitPoint)> {
    // Each stands after those that it is around: from the end, a deeper one is in the last that is less deep.
    let mut out = Vec::new();
    let mut around: Vec<u32> = Vec::new();
    for point in points.iter().rev() {
        while around.last().is_some_and(|&depth| depth >= point.depth) {
            around.pop();
        }
        out.push((around.len(), point));
        around.push(point.depth);
    }
    // Of branches, the first comes first.
    put_branches_in_order(&mut out);
    out
}

/// Turns the order of neighbours on one level round, with all that is in them.
fn put_branches_in_order(points: &mut Vec<(usize, &AwaitPoint)>) {
    let Some(level) = points.iter().map(|(level, _)| *level).min() else {
        return;
    };
    let mut groups: Vec<Vec<(usize, &AwaitPoint)>> = Vec::new();
    for point in points.drain(..) {
        match groups.last_mut() {
            Some(group) if point.0 > level => group.push(point),
            _ => groups.push(vec![point]),
        }
    }
    for mut group in groups.into_iter().rev() {
        points.push(group.remove(0));
        put_branches_in_order(&mut group);
        points.append(&mut group);
    }
}

/// A function's name as its source has it: a closure goes by the function that it is in, and what `#[test]`
/// makes of a function is in one of the same name.
pub(super) fn function(name: &str) -> &str {
    let mut name = name;
    while let Some(rest) = name.strip_suffix("::{{closure}}") {
        name = rest;
    }
    match name.rsplit_once("::") {
        Some((outer, inner)) if outer.rsplit("::").next() == Some(inner) => outer,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(file: &str, line: u32) -> Site {
        Site {
            file: file.to_owned(),
            line,
            column: 5,
        }
    }

    fn call(function: &str, file: &str, line: u32) -> Call {
        Call {
            function: function.to_owned(),
            site: Some(site(file, line)),
        }
    }

    fn backtrace(panic: Option<u32>, calls: Vec<Call>) -> Trace {
        Trace {
            backtraces: vec![Backtrace {
                worker: 1,
                panic,
                stack: 0,
                calls,
            }],
            ..Trace::default()
        }
    }

    const STD: &str =
        "/rustc/0000000000000000000000000000000000000000/library/std/src/panicking.rs";

    #[test]
    fn a_panic_has_the_backtrace_that_it_has_natively() {
        let calls = vec![
            call("rust_panic_with_hook", STD, 1),
            call("std::sys::backtrace::__rust_end_short_backtrace", STD, 2),
            call("core::panicking::panic_fmt", STD, 3),
            call("bank::transfer", "src/lib.rs", 20),
            call(
                "<cct_shims::future::Driven<F> as core::future::future::Future>::poll",
                STD,
                5,
            ),
            call("cct::task::poll", STD, 6),
            call("bank::run::{{closure}}", "src/lib.rs", 40),
            call("core::ops::function::FnOnce::call_once", STD, 4),
        ];
        let trace = backtrace(Some(7), calls);
        assert_eq!(of_panic(&trace, 7, Stacks::Own), "");
        assert_eq!(of_panic(&trace, 8, Stacks::Short), "");
        let short = of_panic(&trace, 7, Stacks::Short);
        let expected = format!(
            "stack backtrace:
      [2 calls of cargo-cct and std]
   0: core::panicking::panic_fmt
             at {STD}:3:5
   1: bank::transfer
             at ./src/lib.rs:20:5
      [2 calls of cargo-cct and std]
   2: bank::run::{{{{closure}}}}
             at ./src/lib.rs:40:5
      [1 call of cargo-cct and std]
"
        );
        assert_eq!(short, expected);
        let full = of_panic(&trace, 7, Stacks::Full);
        assert!(full.contains("   0: rust_panic_with_hook"), "{full}");
        assert!(full.contains("   7: core::ops::function"), "{full}");
    }

    #[test]
    fn the_users_calls_are_told_without_the_line_that_waits() {
        let calls = vec![
            call("cct::wait", STD, 9),
            call("bank::lock", "src/lib.rs", 20),
            call("bank::transfer", "src/lib.rs", 30),
            call("bank::run::{{closure}}", "src/lib.rs", 40),
            call("bank::run::{{closure}}::{{closure}}", "src/lib.rs", 40),
            call("bank::a_test::a_test", "src/lib.rs", 50),
        ];
        let trace = backtrace(None, calls);
        assert_eq!(
            own(&trace, 1, &site("src/lib.rs", 20), "  "),
            "  called at src/lib.rs:30:5 in bank::transfer\n  called at src/lib.rs:40:5 in bank::run\n  \
             called at src/lib.rs:50:5 in bank::a_test\n"
        );
        assert_eq!(own(&trace, 2, &site("src/lib.rs", 20), "  "), "");
    }

    #[test]
    fn awaits_lead_down_to_the_leaves() {
        let point = |depth, line| AwaitPoint {
            depth,
            site: site("src/lib.rs", line),
            body: format!("app::f{line}::{{{{closure}}}}::{{{{closure}}}}"),
        };
        let of = |points: Vec<AwaitPoint>| {
            let trace = Trace {
                awaits: vec![cct::trace::Awaits { worker: 3, points }],
                ..Trace::default()
            };
            awaits(&trace, 3, &site("src/lib.rs", 9), "")
        };
        assert_eq!(of(Vec::new()), "");
        assert_eq!(of(vec![point(0, 9)]), "");
        // Of two branches the second awaits in turn; all of them are awaited at one place.
        let told = of(vec![point(1, 9), point(2, 8), point(1, 7), point(0, 5)]);
        let expected = "awaits at src/lib.rs:5:5 in app::f5
  awaits at src/lib.rs:9:5 in app::f9
  awaits at src/lib.rs:7:5 in app::f7
    awaits at src/lib.rs:8:5 in app::f8
";
        assert_eq!(told, expected);
    }
}
