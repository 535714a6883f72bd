//! The code layer: the compiler's own instrumentation of memory accesses.
//!
//! LLVM's ThreadSanitizer pass replaces each access of a crate by a call, on stable toolchains as well: of
//! atomics, which shows the counts of `Arc` and `Weak`, or of plain memory as well, of which races are made.
//! How passes are named is the matter of each LLVM, so it is tried when the sysroot is built, and the options
//! that worked are kept there.
//!
//! Without optimisation a crate uses what std has compiled of generic code, `<[u8]>::copy_from_slice` say,
//! which tells nothing. That each crate is to compile its own is an option of nightly that stable compilers
//! have as well; where one does not take it, no more is lost than that.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use cct::config::{Counts, Resolved};
use cct::wire::ENV_CODE;
use serde::{Deserialize, Serialize};

use super::rustc_args::Facts;
use crate::run::helper;

/// The accesses that are to be seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Code {
    /// Accesses of atomics, in all crates.
    Atomics,
    /// Accesses of plain memory as well, in crates that may have unsafe code.
    All,
}

impl Code {
    pub(super) const EACH: [Code; 2] = [Code::Atomics, Code::All];

    /// The accesses that are to be seen for these settings.
    pub(crate) fn wanted(settings: &Resolved) -> Option<Code> {
        let looks_at_memory = settings.races || !settings.points.is_empty();
        match (looks_at_memory, settings.counts) {
            (true, _) => Some(Code::All),
            (false, Counts::None) => None,
            (false, _) => Some(Code::Atomics),
        }
    }

    /// The name, in the variable and of the sysroot's file.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Code::Atomics => "atomics",
            Code::All => "all",
        }
    }

    const fn options(self) -> &'static [&'static str] {
        match self {
            Code::Atomics => &["-Cpasses=function(tsan)", NO_CALLS],
            // Without optimisation the compiler reads what the source does not, and makes nothing of it: the
            // whole of an enum for its discriminant, say.
            Code::All => &[
                "-Cpasses=function(dce),forceattrs,function(tsan)",
                "-Cllvm-args=-force-attribute=sanitize_thread",
                "-Cllvm-args=-tsan-distinguish-volatile=1",
                NO_CALLS,
            ],
        }
    }

    /// The calls that are to become of the sample.
    const fn calls(self) -> &'static [&'static str] {
        match self {
            Code::Atomics => &["__tsan_atomic64_fetch_add"],
            Code::All => &["__tsan_atomic64_fetch_add", "__tsan_write4"],
        }
    }

    /// The file of the sysroot with the options, one on each line; empty if they do not work.
    fn file(self) -> String {
        format!("code-{}", self.name())
    }

    /// True if the sysroot with these libraries knows options that work.
    pub(crate) fn is_on(self, lib: &Path) -> bool {
        fs::metadata(lib.join(self.file())).is_ok_and(|file| file.len() > 0)
    }
}

/// No calls at the beginnings and ends of functions.
const NO_CALLS: &str = "-Cllvm-args=-tsan-instrument-func-entry-exit=0";
/// Generic code that is used is compiled anew in each crate.
const OWN_GENERICS: &str = "-Zshare-generics=no";
/// Names are mangled as by the release: a compiler that takes options of nightly mangles as nightly does.
const LEGACY_NAMES: &str = "-Csymbol-mangling-version=legacy";
/// Makes the compiler take [`LEGACY_NAMES`].
const UNSTABLE: &str = "-Zunstable-options";
/// Makes the compiler take [`OWN_GENERICS`].
const UNSTABLE_OPTIONS: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");
/// A crate with an atomic operation and a plain one.
const SAMPLE: &str = "#![no_std]\nuse core::sync::atomic::{AtomicU64, Ordering};\n\
    pub fn up(count: &AtomicU64) -> u64 { count.fetch_add(1, Ordering::Relaxed) }\n\
    pub fn set(number: &mut u32) { *number = 1; }\n";

/// Tries the options with this compiler, in a folder of its own, and leaves those that work in the sysroot's
/// libraries.
pub(super) fn probe(rustc: &Path, scratch: &Path, lib: &Path) -> io::Result<()> {
    fs::create_dir_all(scratch)?;
    let (sample, assembly) = (scratch.join("sample.rs"), scratch.join("sample.s"));
    fs::write(&sample, SAMPLE)?;
    let compiles = |code: Code, more: &[&str]| -> io::Result<bool> {
        let mut rustc = Command::new(rustc);
        rustc
            .args(["--crate-type=rlib", "--edition=2024", "--emit=asm"])
            .args(code.options())
            .args(more)
            .arg("-o")
            .args([&assembly, &sample])
            .stdin(Stdio::null());
        if !more.is_empty() {
            rustc.env(UNSTABLE_OPTIONS.0, UNSTABLE_OPTIONS.1);
        }
        Ok(helper::output(&mut rustc)?.status.success()
            && fs::read_to_string(&assembly)
                .is_ok_and(|text| code.calls().iter().all(|call| text.contains(call))))
    };
    for code in Code::EACH {
        let mut options: Vec<&str> = Vec::new();
        if compiles(code, &[])? {
            options.extend(code.options());
            let own: &[&str] = if fs::read_to_string(&assembly)?.contains("_ZN") {
                &[OWN_GENERICS, UNSTABLE, LEGACY_NAMES]
            } else {
                &[OWN_GENERICS]
            };
            if compiles(code, own)? {
                options.extend(own);
            }
        }
        fs::write(lib.join(code.file()), options.join("\n"))?;
    }
    Ok(())
}

/// The accesses of a crate that are seen; none if nobody asks for them, the options do not work, or it is
/// instrumented by a sanitizer of the user's, which takes the same functions.
pub(super) fn seen(lib: &Path, facts: &Facts) -> Option<Code> {
    let name = env::var_os(ENV_CODE).filter(|_| !facts.has_sanitizer)?;
    let is_all = name == Code::All.name() && Code::All.is_on(lib) && !is_safe(facts);
    let code = if is_all { Code::All } else { Code::Atomics };
    code.is_on(lib).then_some(code)
}

/// The options for a crate of which these accesses are to be seen.
pub(super) fn options(lib: &Path, code: Option<Code>, facts: &Facts) -> Vec<OsString> {
    let text = code.and_then(|code| fs::read_to_string(lib.join(code.file())).ok());
    let options = text.unwrap_or_default();
    // A build script that tries what the compiler takes is to have the true answer.
    let is_cargos = env::var_os("CARGO_CRATE_NAME").is_some_and(|name| name == *facts.crate_name);
    options
        .lines()
        .filter(|&option| match option {
            OWN_GENERICS | UNSTABLE => is_cargos,
            LEGACY_NAMES => is_cargos && !facts.has_mangling,
            _ => true,
        })
        .map(OsString::from)
        .collect()
}

/// The variable that the compiler needs for these arguments.
pub(super) fn environment(args: &[OsString]) -> Option<(&'static str, &'static str)> {
    args.iter()
        .any(|arg| arg == OWN_GENERICS)
        .then_some(UNSTABLE_OPTIONS)
}

/// True for a crate of others that has no unsafe code, as it says itself: by it alone there is no race.
fn is_safe(facts: &Facts) -> bool {
    let root = facts.root.as_ref().filter(|_| facts.is_foreign);
    let text = root.and_then(|root| fs::read_to_string(root).ok());
    text.is_some_and(|text| {
        text.lines()
            .any(|line| line.trim_start().starts_with("#![forbid(") && line.contains("unsafe_code"))
    })
}
