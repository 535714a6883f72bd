//! Crashes: which signal, at which line of the user's, where everybody was, and the same again.
//!
//! Each depends on the schedule: a thread crashes while another one has a window open.

use std::fs;
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::debugger::session_of;
use crate::explored::text;

/// Test, status, kind of the bug, text on its line, what its message contains.
const CRASHES: [[&str; 5]; 43] = [
    [
        "aborts a_panic_in_drop_while_unwinding",
        "ABORT",
        "abort",
        "the second panic",
        "it had panicked at tests/aborts.rs",
    ],
    [
        "aborts a_panic_that_cannot_unwind",
        "ABORT",
        "abort",
        "no way out",
        "cannot unwind; it had panicked",
    ],
    [
        "aborts a_panic_while_a_message_is_made",
        "ABORT",
        "abort",
        "while a message",
        "aborted the process",
    ],
    [
        "aborts by_c",
        "ABORT",
        "abort",
        "libc::abort()",
        "aborted the process",
    ],
    [
        "aborts by_std",
        "ABORT",
        "abort",
        "process::abort()",
        "`process::abort()`",
    ],
    [
        "exits at_once",
        "EXIT",
        "exit",
        "libc::_exit(0)",
        "`_exit(0)`",
    ],
    ["exits by_c", "EXIT", "exit", "libc::exit(3)", "`exit(3)`"],
    [
        "exits by_number",
        "EXIT",
        "exit",
        "SYS_exit_group",
        "`exit_group(5)`",
    ],
    [
        "exits by_std",
        "EXIT",
        "exit",
        "process::exit(3)",
        "`process::exit(3)`",
    ],
    [
        "handlers a_handler_exits",
        "EXIT",
        "exit",
        "_exit(7)",
        "`_exit(7)`",
    ],
    [
        "handlers a_handler_gives_up",
        "CRASH",
        "signal",
        "8 as *mut u8",
        "wrote to 0x8 (SIGSEGV: null",
    ],
    [
        "handlers a_handler_passes_it_on",
        "CRASH",
        "signal",
        "8 as *mut u8",
        "wrote to 0x8 (SIGSEGV: null",
    ],
    [
        "handlers a_small_stack_for_handlers",
        "CRASH",
        "signal",
        "8 as *mut u8",
        "wrote to 0x8",
    ],
    [
        "heap a_local_is_freed",
        "BAD FREE",
        "bad_memory",
        "&raw mut local[2]",
        "it is on a stack",
    ],
    [
        "heap a_static_is_freed",
        "BAD FREE",
        "bad_memory",
        "STATIC.as_ptr()",
        "it is part of the executable",
    ],
    [
        "heap behind_a_block",
        "BAD FREE",
        "bad_memory",
        "dealloc(other",
        "the block before it, which has 32 bytes",
    ],
    [
        "heap freed_twice",
        "BAD FREE",
        "bad_memory",
        "dealloc(block",
        "has been freed before",
    ],
    [
        "heap freed_twice_in_c",
        "BAD FREE",
        "bad_memory",
        "libc::free(block)",
        "has been freed before",
    ],
    [
        "heap inside_of_a_block_is_freed",
        "BAD FREE",
        "bad_memory",
        "block.add(16)",
        "16 bytes inside of a block of 400 bytes",
    ],
    [
        "signals a_constant_is_written_to",
        "CRASH",
        "signal",
        "constant.add(1)",
        "that may only be read",
    ],
    [
        "signals a_dependency_searches_nowhere",
        "CRASH",
        "signal",
        "memchr::memchr(7",
        "read 0x1000 (SIGSEGV: nothing is mapped there)",
    ],
    [
        "signals a_library_copies_to_nowhere",
        "CRASH",
        "signal",
        "nowhere.copy_from",
        "wrote to 0x40 (SIGSEGV: null, and 64 bytes on)",
    ],
    [
        "signals a_mapped_file_is_cut_short",
        "CRASH",
        "signal",
        "add(4097)",
        "(SIGBUS: behind the end of the mapped file `cut-short`)",
    ],
    [
        "signals a_pointer_in_freed_memory_is_followed",
        "BAD FREE",
        "bad_memory",
        "**node",
        "has been freed",
    ],
    ["signals a_trap", "CRASH", "signal", "", "SIGTRAP"],
    [
        "signals a_wild_pointer_is_written_to",
        "CRASH",
        "signal",
        "wild.write",
        "wrote to 0xdeadbeef000 (SIGSEGV: nothing is mapped there)",
    ],
    [
        "signals an_impossible_address_is_read",
        "CRASH",
        "signal",
        "wild.read",
        "SIGSEGV: no process has such an address",
    ],
    [
        "signals arithmetic",
        "CRASH",
        "signal",
        "",
        "SIGFPE: a division",
    ],
    [
        "signals code_is_no_code",
        "CRASH",
        "signal",
        "code();",
        "SIGSEGV: memory that is no code",
    ],
    [
        "signals it_is_raised",
        "CRASH",
        "signal",
        "libc::raise",
        "was sent SIGSEGV by the test itself",
    ],
    [
        "signals it_terminates_itself",
        "CRASH",
        "signal",
        "libc::kill",
        "sent SIGTERM to itself",
    ],
    [
        "signals memory_is_used_that_is_not_mapped_any_more",
        "CRASH",
        "signal",
        "page.write_volatile(2)",
        "nothing is mapped there",
    ],
    [
        "signals no_instruction",
        "CRASH",
        "signal",
        "asm!(\"ud",
        "SIGILL",
    ],
    [
        "signals null_is_called",
        "CRASH",
        "signal",
        "code();",
        "jumped to 0x1 (SIGSEGV: null",
    ],
    [
        "signals null_is_read",
        "CRASH",
        "signal",
        "(*nothing)[3]",
        "read 0x18 (SIGSEGV: null, and 24 bytes on)",
    ],
    [
        "signals the_guard_of_anothers_stack_is_written_to",
        "CRASH",
        "signal",
        "others.write",
        "the guard of the stack of worker 2",
    ],
    [
        "stacks by_one_large_frame",
        "OVERFLOW",
        "stack_overflow",
        "in_the_window(|| {",
        "'looks' has overflowed its stack",
    ],
    [
        "stacks of_a_task",
        "OVERFLOW",
        "stack_overflow",
        "1 + deeper",
        "worker 3 has overflowed its stack",
    ],
    [
        "stacks of_a_thread",
        "OVERFLOW",
        "stack_overflow",
        "1 + deeper",
        "'looks' has overflowed its stack",
    ],
    [
        "stacks of_a_thread_with_a_small_stack",
        "OVERFLOW",
        "stack_overflow",
        "1 + deeper",
        "'looks' has overflowed",
    ],
    [
        "signals it_stops_itself",
        "HANG",
        "hang",
        "libc::raise(libc::SIGSTOP)",
        "a signal stopped the test process",
    ],
    [
        "stacks of_an_actor",
        "OVERFLOW",
        "stack_overflow",
        "1 + deeper",
        "'Diver 0' has overflowed its stack",
    ],
    [
        "stacks of_the_tests_own_thread",
        "OVERFLOW",
        "stack_overflow",
        "1 + deeper",
        "has overflowed its stack",
    ],
];

/// Handlers of the program's own that mend what they are called for, and ends of other processes.
const PASS: [&str; 4] = [
    "handlers a_child_crashes",
    "handlers a_child_exits",
    "handlers a_fault_is_mended",
    "handlers a_raised_signal_is_handled",
];

const HANG_TIMEOUT: [&str; 2] = ["--hang-timeout", "4s"];

/// The fixture, and what was told of it.
static EXPLORED: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let workspace = Workspace::of_fixture_with_built_library(folder, "crashes");
    let args = [&HANG_TIMEOUT[..], &["--iterations", "300"]].concat();
    let events = workspace.explore(&args, 100);
    (workspace, events)
});

fn ended(test: &str) -> &'static Value {
    EXPLORED.1.test(&format!("crashes::{test}"))
}

/// The report of a test's failure, for programs.
fn report(test: &str) -> Value {
    let id = text(&ended(test)["failure"]["id"]);
    let shown = Finished::of(EXPLORED.0.cct().args(["show", id, "--json"]));
    shown.expect(0);
    serde_json::from_str(&shown.stdout).expect("a report")
}

fn line_at(site: &Value) -> String {
    let file = EXPLORED.0.path(text(&site["file"]));
    let source = fs::read_to_string(file).unwrap_or_default();
    let line = site["line"].as_u64().unwrap_or_default();
    let index = usize::try_from(line).unwrap_or_default().wrapping_sub(1);
    source.lines().nth(index).unwrap_or_default().to_owned()
}

#[test]
fn each_crash_is_what_it_is_where_it_is() {
    let mut wrong = Vec::new();
    for [test, status, kind, line, message] in CRASHES {
        let ended = ended(test);
        let bug = &ended["failure"]["bug"];
        let is_it = ended["status"] == status
            && bug["kind"] == kind
            && text(&bug["message"]).contains(message)
            && line_at(&bug["site"]).contains(line)
            && text(&bug["site"]["file"]).starts_with("tests/");
        if !is_it {
            wrong.push(format!("{test}: {}: {bug:#}", ended["status"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn handlers_of_the_programs_own_do_as_natively() {
    for test in PASS {
        let ended = ended(test);
        assert_eq!(ended["status"], "PASS", "{test}: {ended:#}");
    }
}

/// Kind, place and message are the same again, and so is where everybody was.
#[test]
fn each_crash_replays() {
    let mut wrong = Vec::new();
    for [test, ..] in CRASHES {
        let failure = &ended(test)["failure"];
        let replay = ["replay", text(&failure["id"]), "--json"];
        let replayed = Finished::of(EXPLORED.0.cct().args(replay).args(HANG_TIMEOUT));
        let told = Events::of(&replayed);
        let told = told.of_kind("replayed").next();
        let same = told.is_some_and(|told| {
            let again = &told["failure"];
            told["outcome"] == "reproduced" && again["bug"] == failure["bug"]
        });
        if replayed.code != Some(100) || !same {
            wrong.push(format!("{test}: {replayed:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The stacks of all workers that have not ended, with the line at which each goes on.
#[test]
fn each_crash_tells_where_everybody_was() {
    let mut wrong = Vec::new();
    for [test, ..] in CRASHES {
        let report = report(test);
        let bug = &report["bug"];
        let workers = report["whereabouts"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let calls = |one: &Value, function: &str| {
            let calls = one["calls"].as_array().cloned().unwrap_or_default();
            calls
                .iter()
                .any(|call| text(&call["function"]).contains(function))
        };
        let failed = format!("w{}", bug["worker"]);
        let is_failed = |one: &&Value| text(&one["worker"]) == failed.replace("w0", "main");
        let has_failed = workers.iter().find(is_failed).is_some_and(|one| {
            one["calls"].as_array().is_some_and(|calls| {
                let is_place = |call: &Value| call["site"]["line"] == bug["site"]["line"];
                calls.iter().any(is_place)
            })
        });
        let in_window =
            test.starts_with("stacks of_a_ta") || test.contains("actor") || test.contains("own");
        let others = in_window
            || workers.iter().any(|one| calls(one, "opens_and_shuts"))
                && workers.iter().any(|one| calls(one, "in_the_window"));
        let is_of_panic = test.starts_with("aborts a_panic");
        if !others || workers.len() < 2 || !has_failed && !is_of_panic {
            wrong.push(format!("{test}: {:#}", report["whereabouts"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A signal, its address and what that means are apart from the words, too.
#[test]
fn a_signal_is_told_to_programs() {
    let fault = |test: &str| ended(test)["failure"]["bug"]["fault"].clone();
    let null = fault("signals null_is_read");
    assert_eq!(null["signal"], 11, "{null:#}");
    assert_eq!(null["name"], "SIGSEGV", "{null:#}");
    assert_eq!(null["address"], 24, "{null:#}");
    assert_eq!(null["means"], "null, and 24 bytes on", "{null:#}");
    let unknown = fault("signals an_impossible_address_is_read");
    assert_eq!(unknown["address"], Value::Null, "{unknown:#}");
    let sent = fault("signals it_is_raised");
    assert_eq!(sent["address"], Value::Null, "{sent:#}");
    assert_eq!(sent["means"], "sent by the test itself", "{sent:#}");
    let guard = fault("stacks of_a_thread");
    assert_eq!(guard["means"], "the guard of its own stack", "{guard:#}");
}

#[test]
fn a_report_has_a_line_for_each_worker() {
    let id = text(&ended("signals null_is_read")["failure"]["id"]);
    let shown = Finished::of(EXPLORED.0.cct().args(["show", id]));
    shown.expect(0);
    let (_, told) = shown
        .stdout
        .split_once("where everybody was")
        .expect("a paragraph");
    let (told, _) = told.split_once("\n\n").expect("it ends");
    insta::assert_snapshot!(told, @"
        main  src/lib.rs:46:24 in crashes::in_a_window
                called at src/lib.rs:34:5 in crashes::in_a_window
                called at src/lib.rs:23:5 in crashes::in_the_window
                called at tests/signals.rs:13:5 in signals::null_is_read
        w1    src/lib.rs:10:18 in crashes::waits_for_news
                called at src/lib.rs:35:24 in crashes::in_a_window
        w2    src/lib.rs:18:12 in crashes::opens_and_shuts
                called at src/lib.rs:36:24 in crashes::in_a_window
        w3    tests/signals.rs:16:55 in signals::null_is_read ✗
                called at src/lib.rs:43:17 in crashes::in_a_window
    ");
}

/// A debugger stops at the instruction, and has the stacks of the others.
#[test]
fn a_debugger_stops_at_the_crash() {
    let id = text(&ended("signals null_is_read")["failure"]["id"]);
    let commands = ["run", "bt 4", "info threads", "continue"];
    let Some(told) = session_of(&EXPLORED.0, id, &commands) else {
        return;
    };
    assert!(told.contains("received signal SIGSEGV"), "{told}");
    assert!(
        told.contains("null_is_read") && told.contains("tests/signals.rs"),
        "{told}"
    );
    for worker in ["\"main\"", "\"w2\"", "\"w3 looks\""] {
        assert!(told.contains(worker), "{told}");
    }
}
