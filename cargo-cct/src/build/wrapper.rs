//! This executable as cargo's rustc wrapper, and in rustdoc's place.
//!
//! A call without `--target` passes untouched: questions about the host, build scripts, procedural macros.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use cct::claim::Exception;
use cct::known::ASSEMBLY;
use cct::wire::ENV_CODE;

use super::chosen;
use super::code;
use super::dep_info::DepInfo;
use super::facts::{self, SourceFacts, Words};
use super::later::Later;
use super::layer::{Call, Compiled};
use super::marker::{Kind, Marker, Treatment};
use super::mentions;
use super::raw_calls;
use super::rustc_args::{self, Facts, Injection};
use super::sysroot;

/// The sysroot's `lib` folder; also in each dep-info file, so that another sysroot means a rebuild.
pub(crate) const ENV_SYSROOT: &str = "CCT_SYSROOT";
/// The wrapper that was set before us, if there was one.
pub(crate) const ENV_CHAINED: &str = "CCT_CHAINED_WRAPPER";
/// The rustdoc to run.
pub(crate) const ENV_RUSTDOC: &str = "CCT_RUSTDOC";

/// The crates of the sysroot, by package and crate, when they are in the user's graph too: a crate cannot be
/// remapped onto itself, and there must be one engine.
const OWN: [(&str, &str, Kind); 2] = [
    ("cct-runtime", "cct", Kind::Engine),
    ("cct-shims", "cct_shims", Kind::Shims),
];

/// The roles of this process, when it is not the subcommand.
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
        if name == sysroot::RUSTC {
            Some(Role::Rustc)
        } else if name == sysroot::RUSTDOC {
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
        crate::report::remark_line!("error: the rustc wrapper of cargo-cct: {error}");
        ExitCode::FAILURE
    })
}

fn run_rustc(words: Vec<OsString>) -> io::Result<ExitCode> {
    let (program, args) = split_program(words);
    let args = expand_files(args)?;
    let facts = rustc_args::facts(&args);
    let sysroot = env::var_os(ENV_SYSROOT).map(PathBuf::from);
    let Some(lib) = sysroot.filter(|_| facts.has_target) else {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).args(&args);
        return match env::var_os(ENV_CHAINED) {
            Some(chained) if facts.is_query => ask(&mut command, Path::new(&chained)),
            _ => Err(command.exec()),
        };
    };
    let mut call = Call {
        program: &program,
        args: &args,
        facts: &facts,
    };
    if facts.asks_cfg {
        return answer(&call);
    }
    if facts.is_query {
        return Ok(exit_code(call.run()?.status.code()));
    }
    if let Some(reason) = refusal(&package().0, &facts) {
        return Err(io::Error::other(reason));
    }
    let compiled = if let Some(kind) = own(&facts) {
        // Before it is built: cargo begins with dependent crates once there is metadata.
        leave(&facts, &marker(&facts, &lib, kind, Treatment::AsWritten))?;
        let args = rustc_args::hollow(&args, &lib.join("stub.rs"));
        call.args = &args;
        call.run()?
    } else {
        let code = code::options(&lib, code::seen(&lib, &facts), &facts);
        if facts.has_passes && !code.is_empty() {
            // Of what kind they are decides how others are named beside them.
            return Err(io::Error::other(
                "`-C passes` does not go with passes of our own: leave it out, or say `--counts none \
                 --races=false`",
            ));
        }
        let args = remapped(&args, &lib, &code);
        call.args = &args;
        let (passes, named) = chosen::passes(&package().0);
        if passes.is_empty() {
            call.run()?
        } else {
            let before = result(&facts).and_then(|file| Marker::read(&file));
            call.run_rewritten(
                passes,
                named,
                before.map(|marker| marker.treatment).as_ref(),
            )?
        }
    };
    let code = compiled.status.code();
    if compiled.status.success() {
        note(&facts, &lib, compiled)?;
    }
    Ok(exit_code(code))
}

/// Has the compiler say something of itself, through the wrapper that was set before us.
fn ask(command: &mut Command, chained: &Path) -> io::Result<ExitCode> {
    let status = command.status()?;
    if !status.success() {
        anstream::eprintln!(
            "error: `{}`, the wrapper of rustc that is set here, ended with {status}",
            chained.display()
        );
    }
    Ok(exit_code(status.code()))
}

/// Answers what the target is like: as rustc does, and with what makes crates use libc.
fn answer(call: &Call<'_>) -> io::Result<ExitCode> {
    let mut command = Command::new(&call.program[0]);
    command.args(&call.program[1..]).args(call.args);
    let output = command.stderr(Stdio::inherit()).output()?;
    let mut said = output.stdout;
    if output.status.success() {
        // Cargo takes all lines up to the end, and this is the last that it asks for.
        for cfg in raw_calls::cfgs() {
            writeln!(said, "{cfg}")?;
        }
    }
    io::stdout().write_all(&said)?;
    Ok(exit_code(output.status.code()))
}

/// Tells whether a library is part of the sysroot.
fn own(facts: &Facts) -> Option<Kind> {
    let package = env::var("CARGO_PKG_NAME")
        .ok()
        .filter(|_| !facts.is_executable)?;
    let is_this =
        |(name, krate, _): &&(&str, &str, Kind)| *name == package && *krate == facts.crate_name;
    OWN.iter().find(is_this).map(|(_, _, kind)| *kind)
}

/// Why a crate is none that can be tested: the engine is linked once, as tests need it.
fn refusal(package: &str, facts: &Facts) -> Option<String> {
    OWN.iter().find(|(name, ..)| *name == package)?;
    let is_known = |feature: &String| ["default", "engine"].contains(&&**feature);
    let other = facts.features.iter().find(|feature| !is_known(feature));
    let what = match other {
        Some(feature) => {
            format!("a package that has `{package}` with the feature `{feature}` uses")
        }
        None if facts.is_executable => format!("`{package}` is a part of"),
        None => return None,
    };
    Some(format!(
        "{what} the engine itself, and cannot be tested by it: name other packages with `--package`, or \
         leave such ones out with `--workspace --exclude`"
    ))
}

fn run_rustdoc(args: &[OsString]) -> ExitCode {
    let mut command = Command::new(env::var_os(ENV_RUSTDOC).unwrap_or_else(|| "rustdoc".into()));
    let has_target = rustc_args::facts(args).has_target;
    match env::var_os(ENV_SYSROOT) {
        Some(lib) if has_target && args.iter().any(|arg| arg == "--test") => {
            // Tests of the documentation run natively.
            let remapped = remapped(args, Path::new(&lib), &[]);
            command.args(remapped)
        }
        _ => command.args(args),
    };
    let error = command.exec();
    crate::report::remark_line!("error: cannot run {:?}: {error}", command.get_program());
    ExitCode::FAILURE
}

fn remapped(args: &[OsString], lib: &Path, code: &[OsString]) -> Vec<OsString> {
    let file = |name: &str| {
        super::sysroot::library(lib, name).unwrap_or_else(|| lib.join(format!("lib{name}.rlib")))
    };
    let injection = Injection {
        lib,
        cct: &file("cct"),
        code,
    };
    let mut args = rustc_args::rewrite(args, &injection, |path| {
        let found = Marker::read(path)?;
        OWN.iter()
            .find(|(_, _, kind)| *kind == found.kind)
            .map(|(_, krate, _)| file(krate))
    });
    let package = package().0;
    for known in ASSEMBLY.iter().filter(|known| known.package == package) {
        args.extend(["--cfg".into(), known.cfg.into()]);
    }
    args
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

/// The name of a crate's files, without prefix and ending.
fn stem(facts: &Facts) -> String {
    format!("{}{}", facts.crate_name, facts.extra_filename)
}

/// The file that a crate becomes, by which its note is found.
fn result(facts: &Facts) -> Option<PathBuf> {
    let stem = stem(facts);
    let name = if facts.is_executable {
        stem
    } else {
        format!("lib{stem}.rlib")
    };
    Some(facts.out_dir.as_ref()?.join(name))
}

/// The package that cargo builds: name and version.
fn package() -> (String, String) {
    let variable = |name| env::var(name).unwrap_or_default();
    (variable("CARGO_PKG_NAME"), variable("CARGO_PKG_VERSION"))
}

fn marker(facts: &Facts, lib: &Path, kind: Kind, treatment: Treatment) -> Marker {
    let later = match (kind, dep_info(facts)) {
        (Kind::Harness | Kind::Program | Kind::Library, Some(file)) => {
            mentions::of_crate(&file, &Later::of(lib).names)
        }
        _ => Vec::new(),
    };
    Marker {
        later,
        kind,
        treatment,
        package: package(),
        facts: match kind {
            // The sysroot's takes its place.
            Kind::Engine | Kind::Shims => SourceFacts::NONE,
            _ => source_facts(facts, lib),
        },
        externs: facts.externs.clone(),
    }
}

/// The facts of the crate's source; counts that the code layer shows are no exception.
fn source_facts(facts: &Facts, lib: &Path) -> SourceFacts {
    let mut found = dep_info(facts).map_or(SourceFacts::UNKNOWN, |file| {
        facts::of_crate(&file, Words::All)
    });
    let later = Later::of(lib);
    let names_later =
        || dep_info(facts).is_some_and(|file| !mentions::of_crate(&file, &later.names).is_empty());
    if later.is_unreadable || names_later() {
        found.left_out.add(Exception::LaterItems);
    }
    found.code = code::seen(lib, facts);
    if found.code.is_some() {
        found.left_out = found.left_out.without(Exception::ReferenceCounts);
    }
    found
}

/// The file in which rustc names the crate's sources.
fn dep_info(facts: &Facts) -> Option<PathBuf> {
    Some(facts.out_dir.as_ref()?.join(format!("{}.d", stem(facts))))
}

fn leave(facts: &Facts, marker: &Marker) -> io::Result<()> {
    result(facts).map_or(Ok(()), |file| marker.write(&file))
}

/// Leaves word of how the crate was built: for cargo, and for the runner.
fn note(facts: &Facts, lib: &Path, compiled: Compiled) -> io::Result<()> {
    let Some(file) = dep_info(facts) else {
        return Ok(());
    };
    let (package, _) = package();
    let text = |value: OsString| value.to_string_lossy().into_owned();
    let choice = chosen::variable(&package);
    let chosen = env::var_os(&choice).map(text);
    let changes = DepInfo {
        remaps: &compiled.remaps,
        // The sysroot is a dependency: its path by a variable, its content by a file.
        files: &[&lib.join("stamp")],
        variables: &[
            (ENV_SYSROOT.to_owned(), lib.to_str().map(str::to_owned)),
            (choice, chosen),
            (ENV_CODE.to_owned(), env::var(ENV_CODE).ok()),
        ],
    };
    changes.apply(&file)?;
    if own(facts).is_some() {
        return Ok(());
    }
    let kind = match facts {
        facts if facts.is_test => Kind::Harness,
        facts if facts.is_executable => Kind::Program,
        _ => Kind::Library,
    };
    leave(facts, &marker(facts, lib, kind, compiled.treatment))
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
    let is_ours = |name: &OsStr| name == sysroot::RUSTC;
    (!Path::new(&wrapper).file_name().is_some_and(is_ours)).then_some(wrapper)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn the_engine_as_tests_use_it_is_all_that_is_built() {
        let refusal = |package: &str, words: &str| {
            let words: Vec<OsString> = words.split(' ').map(Into::into).collect();
            refusal(package, &rustc_args::facts(&words))
        };
        let lib = "--crate-name cct --crate-type lib --cfg feature=\"engine\"";
        assert_eq!(refusal("cct-runtime", lib), None);
        assert_eq!(refusal("mine", "--crate-name mine --test"), None);
        assert_eq!(
            refusal("mine", "--crate-type lib --cfg feature=\"serde\""),
            None
        );
        let own = refusal("cct-runtime", "--crate-name cct --test").expect("the engine's tests");
        assert!(own.starts_with("`cct-runtime` is a part of"), "{own}");
        let tool = format!("{lib} --cfg feature=\"serde\"");
        let tool = refusal("cct-runtime", &tool).expect("a tool's engine");
        assert!(tool.contains("with the feature `serde`"), "{tool}");
    }
}
