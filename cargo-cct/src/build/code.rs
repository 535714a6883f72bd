//! The code layer: the compiler's own instrumentation of atomics, which shows the counts of `Arc` and `Weak`.
//!
//! LLVM's ThreadSanitizer pass replaces each atomic operation of a crate by a call, on stable toolchains as
//! well. How passes are named is the matter of each LLVM, so it is tried when the sysroot is built, and the
//! options that worked are kept there.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::rustc_args::Facts;

/// Set where crates are to be instrumented.
pub(crate) const ENV_CODE: &str = "CCT_CODE";

/// The file of the sysroot with the options, one on each line; empty if they do not work.
const FILE: &str = "code";
/// The options: atomics only, and no calls at the beginnings and ends of functions.
const OPTIONS: [&str; 2] = [
    "-Cpasses=function(tsan)",
    "-Cllvm-args=-tsan-instrument-func-entry-exit=0",
];
/// A crate with one atomic operation, and the call that is to become of it.
const SAMPLE: &str = "#![no_std]\nuse core::sync::atomic::{AtomicU64, Ordering};\n\
    pub fn up(count: &AtomicU64) -> u64 { count.fetch_add(1, Ordering::Relaxed) }\n";
const CALL: &str = "__tsan_atomic64_fetch_add";

/// Tries the options with this compiler, in a folder of its own, and leaves those that work in the sysroot's
/// libraries.
pub(super) fn probe(mut rustc: Command, scratch: &Path, lib: &Path) -> io::Result<()> {
    fs::create_dir_all(scratch)?;
    let (sample, assembly) = (scratch.join("sample.rs"), scratch.join("sample.s"));
    fs::write(&sample, SAMPLE)?;
    rustc
        .args(["--crate-type=rlib", "--edition=2024", "--emit=asm"])
        .args(OPTIONS)
        .arg("-o")
        .args([&assembly, &sample])
        .stdin(Stdio::null());
    let works = rustc.output()?.status.success()
        && fs::read_to_string(&assembly).is_ok_and(|text| text.contains(CALL));
    let options = if works {
        OPTIONS.join("\n")
    } else {
        String::new()
    };
    fs::write(lib.join(FILE), options)
}

/// True if the sysroot with these libraries knows options that work.
pub(crate) fn is_on(lib: &Path) -> bool {
    fs::metadata(lib.join(FILE)).is_ok_and(|file| file.len() > 0)
}

/// The options for a crate; none if nobody asks for them, they do not work, or it is instrumented by a
/// sanitizer of the user's, which takes the same functions.
pub(super) fn options(lib: &Path, facts: &Facts) -> Vec<OsString> {
    if env::var_os(ENV_CODE).is_none() || facts.has_sanitizer {
        return Vec::new();
    }
    let options = fs::read_to_string(lib.join(FILE)).unwrap_or_default();
    options.lines().map(OsString::from).collect()
}
