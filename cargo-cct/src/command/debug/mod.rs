//! A replay under a debugger, which is told of the workers by a script that comes with the tool.
//!
//! The script is written to a file and named on the debugger's command line, so no rule about which files a
//! debugger loads by itself is in the way. Other commands get the test as it is.

mod launch_json;
mod vscode;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::Context as _;
use cct::codec::Wire as _;
use cct::trace::Trace;
use cct::wire::{self, Event};

use crate::build::toolchain::Toolchain;
use crate::exit::Exit;
use crate::failure::Record;
use crate::plain_file;
use crate::room;
use crate::run::stop::leave_signals_to_others;
use crate::run::{Launch, Lines, Mode, Scratch, events, spawn};

pub(super) use vscode::write_entry;

const FOR_GDB: &str = include_str!("gdb.py");
const FOR_LLDB: &str = include_str!("lldb.py");

/// An event that a process has written before its end is read in this time.
const UNDER_WAY: Duration = Duration::from_secs(10);

/// The debuggers that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Debugger {
    Gdb,
    Lldb,
    /// A recorder that starts gdb later.
    Rr,
}

impl Debugger {
    /// Tells by the first word of a command.
    fn of(program: &str) -> Option<Debugger> {
        let name = Path::new(program).file_name()?.to_str()?;
        match name {
            "rr" => Some(Debugger::Rr),
            _ if name.contains("lldb") => Some(Debugger::Lldb),
            _ if name.contains("gdb") && !name.contains("gdbserver") => Some(Debugger::Gdb),
            _ => None,
        }
    }

    /// The script's name and text.
    fn script(self) -> (&'static str, &'static str) {
        match self {
            Debugger::Gdb | Debugger::Rr => ("cct-gdb.py", FOR_GDB),
            Debugger::Lldb => ("cct_lldb.py", FOR_LLDB),
        }
    }

    /// The words that are followed by the test's own, with the script loaded before anything else.
    fn words(self, mut given: Vec<String>, script: &Path, toolchain: &Toolchain) -> Vec<String> {
        let script = script.to_string_lossy().into_owned();
        let mut ours: Vec<String> = match self {
            Debugger::Gdb => {
                // As `rust-gdb` does, so that values are shown as in Rust.
                let printers = printers(toolchain).to_string_lossy().into_owned();
                vec![
                    "-q".to_owned(),
                    "-iex".to_owned(),
                    format!("add-auto-load-safe-path {printers}"),
                    format!("--directory={printers}"),
                    "-x".to_owned(),
                    script,
                ]
            }
            Debugger::Lldb => {
                // The first does without Python, which some builds of lldb have trouble with.
                vec![
                    "-o".to_owned(),
                    "breakpoint set --name cct_stopped_here".to_owned(),
                    "-o".to_owned(),
                    format!("command script import {script}"),
                ]
            }
            Debugger::Rr if given.len() == 1 => vec!["record".to_owned()],
            Debugger::Rr => Vec::new(),
        };
        let ends_options = match self {
            Debugger::Gdb => "--args",
            Debugger::Lldb | Debugger::Rr => "--",
        };
        let rest = given.split_off(1);
        given.append(&mut ours);
        given.extend(rest.into_iter().filter(|word| word != ends_options));
        if self != Debugger::Rr {
            given.push(ends_options.to_owned());
        }
        given
    }
}

/// The folder of rustc's own scripts for debuggers.
fn printers(toolchain: &Toolchain) -> PathBuf {
    toolchain.sysroot.join("lib").join("rustlib").join("etc")
}

/// Runs the schedule, or where the program has changed its guide, under a debugger, with the terminal in its
/// hands. Returns the last event of the process, if it came to one.
pub(super) fn debug(
    debugger: &str,
    (launch, record, guide): (&Launch<'_>, &Record, Option<&Trace>),
    toolchain: &Toolchain,
    scratch: &Scratch,
) -> anyhow::Result<(Exit, Option<Event>)> {
    let words = shell_words::split(debugger)
        .with_context(|| format!("`--debugger {debugger}` is no command line"))?;
    anyhow::ensure!(!words.is_empty(), "`--debugger` needs a command");
    let program = words[0].clone();
    let known = Debugger::of(&program);
    let words = match known {
        Some(known) => {
            let (name, text) = known.script();
            let script = scratch.path("debugger").join(name);
            write(&script, text)?;
            known.words(words, &script, toolchain)
        }
        None => words,
    };
    let file = scratch.path("schedule");
    let (bytes, mode) = match guide {
        Some(guide) => (guide.to_bytes(), Mode::Follow(file.clone())),
        None => (record.schedule.to_bytes(), Mode::Replay(file.clone())),
    };
    fs::write(&file, bytes).map_err(|error| room::at(&file, error))?;
    let launch = Launch {
        mode,
        ..launch.clone()
    };
    let board = scratch.board()?;
    let mut command = launch.command(&words)?;
    command.env(wire::ENV_DEBUGGED, "1");
    let python = match known {
        Some(Debugger::Gdb) => Some(printers(toolchain)),
        Some(Debugger::Lldb) => python_of_lldb(&program),
        Some(Debugger::Rr) | None => None,
    };
    if let Some(folder) = python {
        command.env("PYTHONPATH", python_path(&folder)?);
    }
    let started = spawn(command, &board, None);
    let (mut child, pipe) = started.with_context(|| missing(&program))?;
    // The process's events are read, so that it never waits for us; the terminal shows the test.
    let events = events::receive(pipe)?;
    // An interrupt is for the debugger.
    leave_signals_to_others().context("cannot listen for signals")?;
    let status = child.wait()?;
    let mut last = events::rest(&events, UNDER_WAY)
        .filter(|event| matches!(event, Event::Replayed(_)))
        .last();
    if let Some(Event::Replayed(replayed)) = &mut last {
        Lines::of(launch.executable).name(replayed, &board);
    }
    let exit = if status.success() {
        Exit::Success
    } else {
        Exit::Failed
    };
    Ok((exit, last))
}

/// The folder with the Python part of this lldb, beside the program itself. Debian's and Ubuntu's do not look
/// there.
fn python_of_lldb(program: &str) -> Option<PathBuf> {
    let is_path = program.contains('/');
    let named = || {
        let folders = std::env::var_os("PATH")?;
        let mut files = std::env::split_paths(&folders).map(|folder| folder.join(program));
        files.find(|file| file.is_file())
    };
    let file = if is_path {
        Some(program.into())
    } else {
        named()
    };
    let file = fs::canonicalize(file?).ok()?;
    let versions = fs::read_dir(file.parent()?.parent()?.join("lib")).ok()?;
    let versions = versions.flatten().map(|entry| entry.path());
    let folders = versions.flat_map(|version| {
        ["dist-packages", "site-packages"].map(|packages| version.join(packages))
    });
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.retain(|folder| {
        folder
            .join("lldb")
            .join("embedded_interpreter.py")
            .is_file()
    });
    folders.sort();
    folders.pop()
}

/// Python's search path with this folder first.
fn python_path(folder: &Path) -> anyhow::Result<OsString> {
    let before = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let before = std::env::split_paths(&before).filter(|folder| !folder.as_os_str().is_empty());
    let folders = [folder.to_owned()].into_iter().chain(before);
    std::env::join_paths(folders).with_context(|| format!("`{}` has a `:`", folder.display()))
}

fn missing(program: &str) -> String {
    match Debugger::of(program) {
        Some(_) => format!("cannot run `{program}`: is it installed?"),
        None => format!("cannot run `{program}`"),
    }
}

/// Writes a file of ours in a folder that need not exist.
fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    plain_file::replace(path, |path| fs::write(path, text.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debugger_is_known_by_its_name() {
        for (program, known) in [
            ("gdb", Some(Debugger::Gdb)),
            ("/usr/bin/rust-gdb", Some(Debugger::Gdb)),
            ("gdb-multiarch", Some(Debugger::Gdb)),
            ("rust-lldb", Some(Debugger::Lldb)),
            ("lldb-14", Some(Debugger::Lldb)),
            ("rr", Some(Debugger::Rr)),
            ("gdbserver", None),
            ("env", None),
            ("valgrind", None),
        ] {
            assert_eq!(Debugger::of(program), known, "{program}");
        }
    }

    #[test]
    fn the_script_comes_first_and_the_test_last() {
        let toolchain = Toolchain {
            cargo: PathBuf::new(),
            rustc: PathBuf::new(),
            version: String::new(),
            host: String::new(),
            sysroot: "/rust".into(),
        };
        let words = |debugger: Debugger, given: &[&str]| {
            let given = given.iter().map(|&word| word.to_owned()).collect();
            let words = debugger.words(given, Path::new("/x/s.py"), &toolchain);
            words.join(" ")
        };
        assert_eq!(
            words(Debugger::Gdb, &["rust-gdb", "--args"]),
            "rust-gdb -q -iex add-auto-load-safe-path /rust/lib/rustlib/etc \
             --directory=/rust/lib/rustlib/etc -x /x/s.py --args"
        );
        assert!(words(Debugger::Gdb, &["gdb", "-batch"]).ends_with("-x /x/s.py -batch --args"));
        assert_eq!(
            words(Debugger::Lldb, &["lldb", "--batch"]),
            "lldb -o breakpoint set --name cct_stopped_here -o command script import /x/s.py --batch --"
        );
        assert_eq!(words(Debugger::Rr, &["rr"]), "rr record");
        assert_eq!(words(Debugger::Rr, &["rr", "record", "-n"]), "rr record -n");
    }
}
