//! This executable as cargo's rustc wrapper, and in rustdoc's place.
//!
//! Questions and host crates (build scripts, procedural macros: no `--target`) pass untouched.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use super::marker::Marker;
use super::rustc_args::{self, Facts, Injection};

/// The sysroot's `lib` folder; also in each dep-info file, so that another sysroot means a rebuild.
pub(crate) const ENV_SYSROOT: &str = "CCT_SYSROOT";
/// The wrapper that was set before us, if there was one.
pub(crate) const ENV_CHAINED: &str = "CCT_CHAINED_WRAPPER";
/// The rustdoc to run.
pub(crate) const ENV_RUSTDOC: &str = "CCT_RUSTDOC";

/// What the sysroot is made of, by package and crate, when it is in the user's graph too: a crate cannot
/// be remapped onto itself, and there must be one engine.
const OWN: [(&str, &str, Marker); 2] = [
    ("cct-runtime", "cct", Marker::Engine),
    ("cct-shims", "cct_shims", Marker::Shims),
];

/// What this process is, when it is not the subcommand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Called as `<wrapper> <rustc> <arguments>`.
    Rustc,
    /// Called as `<wrapper> <arguments of rustdoc>`.
    Rustdoc,
}

impl Role {
    /// Reads the role off the name this process was started as.
    pub(crate) fn of_this_process() -> Option<Role> {
        let name = env::args_os().next()?;
        let name = Path::new(&name).file_name()?.to_str()?;
        if name.starts_with("cct-rustc-") {
            Some(Role::Rustc)
        } else if name.starts_with("cct-rustdoc-") {
            Some(Role::Rustdoc)
        } else {
            None
        }
    }
}

/// Does the compiler's work, and ours around it.
pub(crate) fn run(role: Role) -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let result = match role {
        Role::Rustc => run_rustc(words),
        Role::Rustdoc => Ok(run_rustdoc(&words)),
    };
    result.unwrap_or_else(|error| {
        anstream::eprintln!("error: the rustc wrapper of cargo-cct: {error}");
        ExitCode::FAILURE
    })
}

fn run_rustc(words: Vec<OsString>) -> io::Result<ExitCode> {
    let (program, args) = split_program(words);
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]);
    let args = expand_files(args)?;
    let facts = rustc_args::facts(&args);
    let sysroot = env::var_os(ENV_SYSROOT).map(PathBuf::from);
    let Some(lib) = sysroot.filter(|_| !facts.is_query && facts.has_target) else {
        return Err(command.args(&args).exec());
    };
    let own = own(&facts);
    match own {
        Some(_) => command.args(rustc_args::hollow(&args, &lib.join("stub.rs"))),
        None => command.args(remapped(&args, &lib)),
    };
    let status = command.status()?;
    if status.success() {
        note(&facts, &lib, own)?;
    }
    Ok(exit_code(status.code()))
}

/// Tells whether a library is part of the sysroot.
fn own(facts: &Facts) -> Option<Marker> {
    let package = env::var("CARGO_PKG_NAME")
        .ok()
        .filter(|_| !facts.is_executable)?;
    let is_this =
        |(name, krate, _): &&(&str, &str, Marker)| *name == package && *krate == facts.crate_name;
    OWN.iter().find(is_this).map(|(_, _, marker)| *marker)
}

fn run_rustdoc(args: &[OsString]) -> ExitCode {
    let mut command = Command::new(env::var_os(ENV_RUSTDOC).unwrap_or_else(|| "rustdoc".into()));
    let has_target = rustc_args::facts(args).has_target;
    match env::var_os(ENV_SYSROOT) {
        Some(lib) if has_target && args.iter().any(|arg| arg == "--test") => {
            let remapped = remapped(args, Path::new(&lib));
            command.args(remapped)
        }
        _ => command.args(args),
    };
    let error = command.exec();
    anstream::eprintln!("error: cannot run {:?}: {error}", command.get_program());
    ExitCode::FAILURE
}

fn remapped(args: &[OsString], lib: &Path) -> Vec<OsString> {
    let file = |name: &str| {
        super::sysroot::library(lib, name).unwrap_or_else(|| lib.join(format!("lib{name}.rlib")))
    };
    let injection = Injection {
        lib,
        cct: &file("cct"),
    };
    rustc_args::rewrite(args, &injection, |path| {
        let found = Marker::read(path)?;
        OWN.iter()
            .find(|(_, _, marker)| *marker == found)
            .map(|(_, krate, _)| file(krate))
    })
}

/// Splits off the compiler, the workspace wrapper before it, and the wrapper that was set before us.
fn split_program(words: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let is_rustc = |word: &OsString| {
        Path::new(word)
            .file_stem()
            .is_some_and(|stem| stem == "rustc")
    };
    let count = if words.get(1).is_some_and(is_rustc) {
        2
    } else {
        1
    };
    let mut words = words.into_iter();
    let chained = env::var_os(ENV_CHAINED).filter(|wrapper| !wrapper.is_empty());
    let program: Vec<_> = chained
        .into_iter()
        .chain(words.by_ref().take(count))
        .collect();
    let program = if program.is_empty() {
        vec!["rustc".into()]
    } else {
        program
    };
    (program, words.collect())
}

/// Replaces `@file` by the words in it, one on each line.
fn expand_files(args: Vec<OsString>) -> io::Result<Vec<OsString>> {
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        match arg.to_str().and_then(|text| text.strip_prefix('@')) {
            Some(file) => out.extend(fs::read_to_string(file)?.lines().map(OsString::from)),
            None => out.push(arg),
        }
    }
    Ok(out)
}

/// Leaves word of how the crate was built: for cargo, for the runner, for dependent crates.
fn note(facts: &Facts, lib: &Path, own: Option<Marker>) -> io::Result<()> {
    let Some(out_dir) = &facts.out_dir else {
        return Ok(());
    };
    let stem = format!("{}{}", facts.crate_name, facts.extra_filename);
    let dep_info = out_dir.join(format!("{stem}.d"));
    if dep_info.exists() {
        let text = with_sysroot(&fs::read_to_string(&dep_info)?, lib);
        fs::write(&dep_info, text)?;
    }
    if let Some(marker) = own {
        marker.write(&out_dir.join(format!("lib{stem}.rlib")))?;
    } else if facts.is_executable {
        let marker = if facts.is_test {
            Marker::Harness
        } else {
            Marker::Program
        };
        marker.write(&out_dir.join(stem))?;
    }
    Ok(())
}

/// Makes the sysroot a dependency: its path by a variable, its content by a file.
fn with_sysroot(dep_info: &str, lib: &Path) -> String {
    let escape = |path: &Path| path.to_string_lossy().replace(' ', "\\ ");
    let stamp = escape(&lib.join("stamp"));
    let mut done = false;
    let mut out = String::with_capacity(dep_info.len() + 256);
    for line in dep_info.lines() {
        out.push_str(line);
        if !done && !line.starts_with('#') && line.contains(": ") {
            // Cargo reads the first rule alone.
            done = true;
            out.push(' ');
            out.push_str(&stamp);
        }
        out.push('\n');
    }
    let value = lib
        .to_string_lossy()
        .replace('\\', "\\\\")
        .replace('\n', "\\n");
    out + &format!("\n# env-dep:{ENV_SYSROOT}={value}\n")
}

fn exit_code(code: Option<i32>) -> ExitCode {
    // Killed by a signal: there is no code to hand on.
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(101))
}

/// The wrapper that cargo would have used in this folder without us.
pub(crate) fn wrapper_before(folder: &Path) -> Option<OsString> {
    // Set but empty means none, whatever the configuration says.
    let set = |name: &str| env::var_os(name);
    let configured = || {
        let config = cargo_config2::Config::load_with_cwd(folder).ok()?;
        Some(config.build.rustc_wrapper?.into_os_string())
    };
    let wrapper = set("RUSTC_WRAPPER").or_else(|| set("CARGO_BUILD_RUSTC_WRAPPER"));
    let wrapper = wrapper
        .or_else(configured)
        .filter(|wrapper| !wrapper.is_empty())?;
    let is_ours = |name: &OsStr| name.to_string_lossy().starts_with("cct-rustc-");
    (!Path::new(&wrapper).file_name().is_some_and(is_ours)).then_some(wrapper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sysroot_joins_the_first_rule() {
        let text = with_sysroot(
            "out/a.d: src/a.rs\n\nout/liba.rlib: src/a.rs\n",
            Path::new("/c c/lib"),
        );
        assert!(
            text.starts_with("out/a.d: src/a.rs /c\\ c/lib/stamp\n"),
            "{text}"
        );
        assert!(
            text.ends_with("\n# env-dep:CCT_SYSROOT=/c c/lib\n"),
            "{text}"
        );
    }

    #[test]
    fn a_workspace_wrapper_stays_in_front_of_the_compiler() {
        let words = ["clippy-driver", "/bin/rustc", "--crate-name"]
            .map(OsString::from)
            .to_vec();
        assert_eq!(split_program(words).0, ["clippy-driver", "/bin/rustc"]);
        let words = ["rustc", "-vV"].map(OsString::from).to_vec();
        assert_eq!(
            split_program(words),
            (vec!["rustc".into()], vec!["-vV".into()])
        );
    }
}
