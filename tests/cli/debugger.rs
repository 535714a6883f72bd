//! `cargo cct replay --debugger gdb`, and lldb: every worker is a thread with a stack, and the debugged
//! execution is the one that failed. And the stacks of workers in reports.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

pub(crate) const MANIFEST: &str =
    "[package]\nname = \"debugged\"\nedition = \"2024\"\n[workspace]\n";

pub(crate) const SOURCE: &str = r"
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

pub struct Account {
    balance: AtomicU64,
    entries: Mutex<u32>,
}

impl Account {
    pub fn balance(&self) -> u64 {
        *self.entries.lock().unwrap() += 1;
        self.balance.load(SeqCst)
    }

    pub fn withdraw(&self, amount: u64) {
        let balance = self.balance.load(SeqCst);
        self.balance.store(balance - amount, SeqCst);
    }
}

pub fn both(first: &Mutex<u32>, second: &Mutex<u32>) {
    let mut first = first.lock().unwrap();
    *first += *second.lock().unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn withdrawals_add_up() {
        let account = Account { balance: AtomicU64::new(1000), entries: Mutex::new(0) };
        thread::scope(|scope| {
            scope.spawn(|| account.withdraw(100));
            account.withdraw(300);
        });
        assert_eq!(account.balance(), 600);
    }

    #[test]
    fn both_are_locked() {
        let (one, other) = (Mutex::new(1), Mutex::new(2));
        thread::scope(|scope| {
            scope.spawn(|| both(&one, &other));
            both(&other, &one);
        });
    }
}
";

pub(crate) static FOUND: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let workspace = Workspace::empty(Some("debugged"));
    workspace.write("Cargo.toml", MANIFEST);
    workspace.write("src/lib.rs", SOURCE);
    let events = workspace.explore(&["--iterations", "100"], 100);
    (workspace, events)
});

pub(crate) fn id_of(test: &str) -> String {
    let (_, events) = &*FOUND;
    text(&events.test(&format!("debugged tests::{test}"))["failure"]["id"]).to_owned()
}

/// A session of gdb, as it was told; none without gdb.
fn session(test: &str, commands: &[&str]) -> Option<String> {
    session_with(test, &[], commands)
}

/// The same with more arguments for the replay.
pub(crate) fn session_with(test: &str, args: &[&str], commands: &[&str]) -> Option<String> {
    debugged(
        "gdb -batch",
        "-ex",
        (&FOUND.0, &id_of(test)),
        args,
        commands,
    )
}

/// A session of gdb with a failure of another workspace; none without gdb.
pub(crate) fn session_of(workspace: &Workspace, id: &str, commands: &[&str]) -> Option<String> {
    debugged("gdb -batch", "-ex", (workspace, id), &[], commands)
}

/// True if this debugger runs here; says so where it does not.
fn is_there(debugger: &str) -> bool {
    let mut version = Command::new(debugger);
    version.stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = version.arg("--version").status();
    let is_there = is_there.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("SKIPPED: there is no {debugger} on this machine, so nothing was debugged");
    }
    is_there
}

/// True if the debugger could call functions in this session; says so where no program's functions can be: on
/// some processors an older gdb cannot put back their registers.
fn has_called(told: &str) -> bool {
    let has_called = !told.contains("Couldn't write extended state status");
    if !has_called {
        eprintln!("SKIPPED: this gdb cannot call functions on this machine, so none was evaluated");
    }
    has_called
}

/// A session of a debugger that takes each command behind this option; none without the debugger.
fn debugged(
    debugger: &str,
    option: &str,
    (workspace, id): (&Workspace, &str),
    args: &[&str],
    commands: &[&str],
) -> Option<String> {
    if !is_there(debugger.split(' ').next().unwrap_or_default()) {
        return None;
    }
    let commands: Vec<String> = commands
        .iter()
        .map(|one| format!("{option} '{one}'"))
        .collect();
    let debugger = format!("{debugger} {}", commands.join(" "));
    let mut replay = workspace.cct();
    replay.args(["replay", id, "--debugger", &debugger]);
    let finished = Finished::of(replay.args(args));
    let told = format!("{}{}", finished.stdout, finished.stderr);
    // lldb closes the descriptor by which the process tells its steps.
    let is_told = told.contains("Reproduced") || debugger.starts_with("lldb");
    assert!(is_told, "the execution is another one: {told}");
    Some(told)
}

#[test]
fn every_worker_of_a_deadlock_is_a_thread_with_a_stack() {
    let commands = [
        "run",
        "info threads",
        "cct workers",
        "thread apply all bt",
        "continue",
    ];
    let Some(told) = session("both_are_locked", &commands) else {
        return;
    };
    let (before, stacks) = told.split_once("\nThread ").expect("the stacks are told");
    assert!(before.contains("stops: every worker waits"), "{told}");
    for name in ["\"main\"", "\"w1\""] {
        let threads = before.lines().filter(|line| line.contains(name));
        assert_eq!(threads.count(), 1, "{name}: {told}");
    }
    let at = before
        .lines()
        .filter(|line| line.contains("debugged::both at src/lib.rs:24"));
    assert_eq!(at.count(), 2, "{told}");
    let stacks: Vec<&str> = stacks.split("\nThread ").collect();
    let has = |stack: &&&str| stack.contains("debugged::both") && stack.contains("both_are_locked");
    assert_eq!(stacks.iter().filter(has).count(), 2, "{told}");
}

#[test]
fn evaluation_takes_no_steps_and_a_panic_stops_where_it_is() {
    let commands = [
        "break debugged::Account::withdraw",
        "run",
        "print debugged::Account::balance(self)",
        "info threads",
        "delete",
        "continue",
        "bt",
        "continue",
    ];
    let Some(told) = session("withdrawals_add_up", &commands) else {
        return;
    };
    assert!(!has_called(&told) || told.contains("$1 = 1000"), "{told}");
    assert!(told.contains("\"w1\""), "{told}");
    let (_, at_panic) = told
        .split_once("cct: main stops: panic: assertion")
        .expect("it stops");
    assert!(at_panic.contains("tests::withdrawals_add_up"), "{told}");
}

/// The calls of a worker's stack as lldb lists them.
fn has_stack(told: &str, name: &str, function: &str) -> bool {
    let stacks = told.split("thread #");
    let mut of_worker = stacks.filter(|stack| stack.contains(&format!("name = '{name}'")));
    of_worker.any(|stack| stack.contains(function))
}

#[test]
fn lldb_shows_the_workers_of_a_deadlock() {
    let commands = [
        "run",
        "thread list",
        "cct-workers",
        "thread backtrace all",
        "continue",
    ];
    let told = debugged(
        "lldb --batch",
        "-o",
        (&FOUND.0, &id_of("both_are_locked")),
        &[],
        &commands,
    );
    let Some(told) = told else { return };
    for name in ["main", "w1"] {
        let is_listed =
            |line: &str| line.contains("thread #") && line.contains(&format!("name = '{name}'"));
        assert!(told.lines().any(is_listed), "{name}: {told}");
        assert!(has_stack(&told, name, "debugged::both"), "{name}: {told}");
        assert!(has_stack(&told, name, "both_are_locked"), "{name}: {told}");
    }
    // The rest comes of Python, which some builds of lldb do not have.
    if told.contains("No module named") || told.contains("no embedded script interpreter") {
        eprintln!("SKIPPED: this lldb has no Python, so the script was not tried");
        return;
    }
    assert!(told.contains("stops: every worker waits"), "{told}");
    let at = told
        .lines()
        .filter(|line| line.contains("debugged::both at lib.rs:24"));
    assert_eq!(at.count(), 2, "{told}");
}

#[test]
fn lldb_stops_at_a_panic_and_evaluation_takes_no_steps_there() {
    let commands = [
        "run",
        "thread list",
        "bt",
        "expression account.balance.v.value",
        "continue",
    ];
    let told = debugged(
        "lldb --batch",
        "-o",
        (&FOUND.0, &id_of("withdrawals_add_up")),
        &[],
        &commands,
    );
    let Some(told) = told else { return };
    assert!(has_stack(&told, "main", "withdrawals_add_up"), "{told}");
    assert!(told.contains("panicking"), "{told}");
}

/// Evaluates calls that are full of steps where each step counts: in the middle of the schedule.
#[test]
fn no_evaluation_of_gdb_takes_a_step() {
    let commands = [
        "run",
        "print debugged::Account::balance(self)",
        "print debugged::Account::balance(self)",
        "thread apply all bt 3",
        "continue",
        "print debugged::Account::balance(self)",
        "continue",
        "continue",
        "continue",
        "continue",
    ];
    let args = ["--break", "withdraw"];
    let Some(told) = session_with("withdrawals_add_up", &args, &commands) else {
        return;
    };
    let are_told = told.contains("$1 = 1000") && told.contains("$2 = 1000");
    assert!(!has_called(&told) || are_told, "{told}");
}

#[test]
fn a_replay_has_backtraces_as_a_native_run_does() {
    let of = |test: &str, how: &str| {
        let mut replay = FOUND.0.cct();
        replay
            .env("RUST_BACKTRACE", how)
            .args(["replay", &id_of(test)]);
        let told = Finished::of(&mut replay);
        told.expect(100);
        told.stdout
    };
    let none = of("withdrawals_add_up", "0");
    assert!(!none.contains("stack backtrace"), "{none}");
    let short = of("withdrawals_add_up", "1");
    assert!(short.contains("stack backtrace:\n      ["), "{short}");
    let deadlock = of("both_are_locked", "1");
    for worker in ["main", "w1"] {
        assert!(
            deadlock.contains(&format!("stack of {worker}:")),
            "{deadlock}"
        );
    }
}

#[test]
fn backtraces_are_as_in_a_native_run() {
    let of = |test: &str, how: &str| {
        let mut show = FOUND.0.cct();
        show.env("RUST_BACKTRACE", how).args(["show", &id_of(test)]);
        let shown = Finished::of(&mut show);
        shown.expect(0);
        shown.stdout
    };
    let none = of("withdrawals_add_up", "0");
    assert!(!none.contains("stack backtrace"), "{none}");
    let short = of("withdrawals_add_up", "1");
    assert!(short.contains("stack backtrace:\n      ["), "{short}");
    assert!(
        short.contains("::withdrawals_add_up\n             at ./src/lib.rs:39:9"),
        "{short}"
    );
    assert!(!short.contains("worker_main"), "{short}");
    let full = of("withdrawals_add_up", "full");
    assert!(full.contains("worker_main"), "{full}");
    let deadlock = of("both_are_locked", "0");
    for line in [46, 47] {
        let called = format!("called at src/lib.rs:{line}:");
        assert!(deadlock.contains(&called), "no `{called}`: {deadlock}");
    }
    let stacks = of("both_are_locked", "1");
    assert!(
        stacks.contains("stack of w1:") && stacks.contains("stack of main:"),
        "{stacks}"
    );
}

#[test]
fn an_entry_for_an_editor_leaves_the_rest_of_the_file_alone() {
    let (workspace, _) = &*FOUND;
    let mine = "{\n    // mine\n    \"configurations\": [],\n}\n";
    workspace.write(".vscode/launch.json", mine);
    let id = id_of("both_are_locked");
    let write = || Finished::of(workspace.cct().args(["replay", &id, "--vscode"]));
    write().expect(0);
    let written = workspace.read(".vscode/launch.json");
    assert!(written.starts_with("{\n    // mine\n"), "{written}");
    assert!(
        written.contains("(CodeLLDB)") && written.contains("cppdbg"),
        "{written}"
    );
    write().expect(0);
    assert_eq!(workspace.read(".vscode/launch.json"), written);
    workspace.write(".vscode/launch.json", "{ \"configurations\": [ ");
    let told = write();
    told.expect(0);
    assert!(told.stdout.contains("stays as it is"), "{told:#?}");
    assert_eq!(
        workspace.read(".vscode/launch.json"),
        "{ \"configurations\": [ "
    );
    fs::remove_file(workspace.path(".vscode/launch.json")).expect("it is there");
}
