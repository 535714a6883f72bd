//! `cargo cct replay --debugger gdb`: every worker is a thread with a stack, and the debugged execution is
//! the one that failed. And the stacks of workers in reports.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

const MANIFEST: &str = "[package]\nname = \"debugged\"\nedition = \"2024\"\n[workspace]\n";

const SOURCE: &str = r"
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

static FOUND: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let workspace = Workspace::empty(Some("debugged"));
    workspace.write("Cargo.toml", MANIFEST);
    workspace.write("src/lib.rs", SOURCE);
    let events = workspace.explore(&["--iterations", "100"], 100);
    (workspace, events)
});

fn id_of(test: &str) -> String {
    let (_, events) = &*FOUND;
    text(&events.test(&format!("debugged tests::{test}"))["failure"]["id"]).to_owned()
}

/// A session of gdb, as it was told; none without gdb.
fn session(test: &str, commands: &[&str]) -> Option<String> {
    let quiet = Command::new("gdb")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !quiet.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: there is no gdb on this machine, so nothing was debugged");
        return None;
    }
    let commands: Vec<String> = commands.iter().map(|one| format!("-ex '{one}'")).collect();
    let debugger = format!("gdb -batch {}", commands.join(" "));
    let mut replay = FOUND.0.cct();
    let finished = Finished::of(replay.args(["replay", &id_of(test), "--debugger", &debugger]));
    let told = format!("{}{}", finished.stdout, finished.stderr);
    assert!(
        told.contains("Reproduced"),
        "the execution is another one: {told}"
    );
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
    assert!(told.contains("$1 = 1000"), "{told}");
    assert!(told.contains("\"w1\""), "{told}");
    let (_, at_panic) = told
        .split_once("cct: main stops: panic: assertion")
        .expect("it stops");
    assert!(at_panic.contains("tests::withdrawals_add_up"), "{told}");
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
}
