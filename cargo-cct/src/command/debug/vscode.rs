//! An entry for Visual Studio Code, which debugs a failing schedule.
//!
//! Its debuggers start the test themselves: what `cargo cct` hands over otherwise lies in files in the
//! failure's folder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use cct::codec::Wire as _;
use cct::trace::Trace;
use cct::wire;
use serde_json::{Value, json};

use super::launch_json::with_entry;
use super::{FOR_GDB, FOR_LLDB, printers, write};
use crate::build::toolchain::Toolchain;
use crate::failure::Record;
use crate::run::{Launch, Mode};

/// Writes entries for the failure into the workspace's `.vscode/launch.json`, with the guide if the
/// program has changed; `folder` is the failure's.
/// Returns what was done, in words.
pub(in crate::command) fn write_entry(
    (launch, record, guide): (&Launch<'_>, &Record, Option<&Trace>),
    folder: &Path,
    root: &Path,
    toolchain: &Toolchain,
) -> anyhow::Result<String> {
    let place = folder.join("debug");
    let write = |name: &str, bytes: &[u8]| {
        let path = place.join(name);
        let written = write(&path, bytes);
        written.with_context(|| format!("cannot write `{}`", path.display()))?;
        anyhow::Ok(path)
    };
    let mode = match guide {
        Some(guide) => Mode::Follow(write("guide", &guide.to_bytes())?),
        None => Mode::Replay(write("schedule", &record.schedule.to_bytes())?),
    };
    let (gdb, lldb) = (
        write("cct-gdb.py", FOR_GDB.as_bytes())?,
        write("cct_lldb.py", FOR_LLDB.as_bytes())?,
    );
    let launch = Launch {
        mode,
        ..launch.clone()
    };
    let mut command = launch.command(&[])?;
    command.env(wire::ENV_DEBUGGED, "1");
    // The files that the build and the run have handed over are gone with the run.
    for (variable, name) in [(wire::ENV_ORIGINS, "origins"), (wire::ENV_PLACES, "places")] {
        let mut set = command.get_envs().filter(|(set, _)| *set == variable);
        let file = set.next().and_then(|(_, file)| file).map(PathBuf::from);
        if let Some(file) = file {
            command.env(variable, write(name, &fs::read(file)?)?);
        }
    }
    let title = format!("cct {} {}", record.id, record.name.test);
    let entries = [
        (
            format!("{title} (gdb)"),
            for_gdb(&command, root, &gdb, toolchain),
        ),
        (
            format!("{title} (CodeLLDB)"),
            for_lldb(&command, root, &lldb),
        ),
    ];
    let path = root.join(".vscode").join("launch.json");
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
        }
    };
    let mut after = Some(before);
    let mut shown = String::new();
    for (name, mut entry) in entries {
        entry["name"] = Value::String(name.clone());
        let entry = format!("{entry:#}");
        after = after.and_then(|text| with_entry(&text, &name, &entry));
        shown.push_str(&entry);
        shown.push_str(",\n");
    }
    let Some(after) = after else {
        return Ok(format!(
            "`{}` has no list of configurations that could be read; it stays as it is. \
             The entries are:\n{shown}",
            path.display()
        ));
    };
    super::write(&path, after).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(format!(
        "`{}` has \"{title}\": for gdb (the C/C++ extension) and for CodeLLDB\n",
        path.display()
    ))
}

/// The entry for the C/C++ extension.
fn for_gdb(command: &Command, root: &Path, script: &Path, toolchain: &Toolchain) -> Value {
    let environment: Vec<Value> = variables(command)
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    let printers = printers(toolchain);
    json!({
        "type": "cppdbg",
        "request": "launch",
        "MIMode": "gdb",
        "program": text(command.get_program()),
        "args": command.get_args().map(text).collect::<Vec<_>>(),
        "cwd": command.get_current_dir().unwrap_or(root),
        "environment": environment,
        "setupCommands": [
            { "text": format!("add-auto-load-safe-path {}", printers.display()) },
            { "text": format!("directory {}", printers.display()) },
            { "text": format!("source {}", script.display()) },
        ],
    })
}

/// The entry for `CodeLLDB`.
fn for_lldb(command: &Command, root: &Path, script: &Path) -> Value {
    let environment: serde_json::Map<String, Value> = variables(command)
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    json!({
        "type": "lldb",
        "request": "launch",
        "program": text(command.get_program()),
        "args": command.get_args().map(text).collect::<Vec<_>>(),
        "cwd": command.get_current_dir().unwrap_or(root),
        "env": environment,
        "preRunCommands": [
            "breakpoint set --name cct_stopped_here",
            format!("command script import {}", script.display()),
        ],
    })
}

/// The variables that a process is started with.
fn variables(command: &Command) -> impl Iterator<Item = (String, String)> {
    let set = command.get_envs();
    set.filter_map(|(name, value)| Some((text(name), text(value?))))
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}
