//! The table is complete, and the fixture `numbers` calls each of its rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::NUMBERED;

/// Symbols without a number, by the reason: the C library makes them of functions or memory of its own, or
/// of system calls that the table has under another symbol.
const UNNUMBERED: &[(&str, &[&str])] = &[
    (
        "memory of the C library",
        &[
            "malloc",
            "calloc",
            "realloc",
            "free",
            "memalign",
            "aligned_alloc",
            "posix_memalign",
            "malloc_usable_size",
        ],
    ),
    (
        "POSIX threads are words in memory, and futexes on them",
        &["pthread_*", "sem_*"],
    ),
    ("a list of the C library's", &["__register_atfork"]),
    (
        "the environment is memory, or is told by a path",
        &["getenv", "secure_getenv", "getcwd"],
    ),
    (
        "told where tests run together, and else left to the kernel",
        &["bind", "umask"],
    ),
    ("noted with paths", &["chdir", "fchdir"]),
    (
        "system calls on paths are left to the kernel, and noted",
        &["fopen", "fopen64", "opendir", "realpath"],
    ),
    (
        "an answer that the C library reads from a file",
        &["sysconf", "get_nprocs", "get_nprocs_conf"],
    ),
    ("mmap", &["mmap64"]),
    ("nanosleep", &["usleep", "sleep"]),
    ("pwrite and ftruncate", &["pwrite64", "ftruncate64"]),
    ("close_range", &["closefrom"]),
    ("getrandom", &["getentropy"]),
    ("read and write", &["eventfd_read", "eventfd_write"]),
    ("sendto and recvfrom", &["send", "recv"]),
    (
        "clone and execve, in ways that are the C library's",
        &["posix_spawn", "posix_spawnp", "popen", "system"],
    ),
    ("wait4", &["wait", "waitpid"]),
    ("rt_sigaction", &["signal"]),
    ("rt_sigtimedwait", &["sigwait", "sigwaitinfo"]),
    ("tgkill", &["raise"]),
    (
        "_exit, and functions of the program before it",
        &["_Exit", "exit", "quick_exit"],
    ),
];

/// The numbers that only x86-64 has. There the C library has newer ones behind these symbols, or, for the
/// last, those of `clone` and `clock_gettime`.
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[&str] = &[
    "pipe",
    "epoll_create",
    "epoll_wait",
    "poll",
    "select",
    "dup2",
    "vfork",
    "time",
];
#[cfg(target_arch = "x86_64")]
const OLD: &[&str] = &[];

#[test]
fn each_symbol_has_a_number_or_a_reason() {
    let symbols = symbols();
    assert!(symbols.len() > 100, "{} symbols", symbols.len());
    let reasons = UNNUMBERED.iter().flat_map(|(_, names)| *names);
    let has_reason = |symbol: &str| {
        reasons.clone().any(|name| match name.strip_suffix('*') {
            Some(family) => symbol.starts_with(family),
            None => symbol == *name,
        })
    };
    for symbol in &symbols {
        let has_number = NUMBERED.iter().any(|(numbered, ..)| numbered == symbol);
        let is_old = OLD.contains(&&**symbol);
        assert!(
            has_number != (has_reason(symbol) || is_old),
            "`{symbol}` needs a row, or a reason to have none"
        );
    }
    for (symbol, number, _) in NUMBERED {
        assert!(
            symbols.contains(*symbol),
            "{number}: `{symbol}` is not taken over"
        );
    }
}

#[test]
fn a_number_has_one_row() {
    let numbers: BTreeSet<_> = NUMBERED.iter().map(|(.., number)| number).collect();
    assert_eq!(numbers.len(), NUMBERED.len());
}

#[test]
fn each_row_is_called_by_the_fixture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    let of = |fixture: &str| texts(&root.join(fixture).join("tests")).concat();
    // The call that ends the process is with other ends.
    let text = of("numbers") + &of("crashes");
    let calls = |number: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.any(|word| word == number)
    };
    for (_, number, _) in NUMBERED {
        assert!(calls(number), "no test calls `{number}`");
    }
}

/// The C library's functions that this crate defines, read from its source.
fn symbols() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/symbols");
    let mut found = BTreeSet::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut add = |text: &str| {
        let name = text.trim_start().split(|c| !is_word(c)).next();
        found.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
    };
    for text in texts(&root) {
        for definition in text.split("#[unsafe(no_mangle)]\n").skip(1) {
            // In a macro, the name is a variable.
            let (_, name) = definition.split_once(" fn ").expect("a function");
            add(name);
        }
        text.split("with_caller!(").skip(1).for_each(&mut add);
        if let Some((_, list)) = text.split_once("\nfor_carrier! {\n") {
            let (list, _) = list.split_once("\n}").expect("the end of the list");
            list.lines().for_each(&mut add);
        }
    }
    found
}

/// The files of Rust code in a folder, this one excepted.
fn texts(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else if !path.ends_with("numbers/tests.rs") {
            found.push(fs::read_to_string(path).expect("a readable file"));
        }
    }
    found
}
