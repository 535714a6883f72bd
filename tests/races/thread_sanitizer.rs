//! The same programs under ThreadSanitizer, as rustc has it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Rounds of a program, each with other pauses between its operations.
const ROUNDS: &str = "300";

/// The program that runs a program, built with ThreadSanitizer.
pub(crate) struct ThreadSanitizer {
    binary: PathBuf,
}

impl ThreadSanitizer {
    pub(crate) fn build() -> ThreadSanitizer {
        let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("thread-sanitizer");
        let source = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/races/thread_sanitizer/program.rs"
        );
        let finished = Command::new("rustc")
            // The flag is one of nightly, its runtime comes with every toolchain.
            .env("RUSTC_BOOTSTRAP", "1")
            .args(["--edition", "2024", "-Zsanitizer=thread"])
            .arg("-Cunsafe-allow-abi-mismatch=sanitizer")
            .arg(source)
            .arg("-o")
            .arg(&binary)
            .output()
            .expect("rustc runs");
        assert!(
            finished.status.success(),
            "{}",
            String::from_utf8_lossy(&finished.stderr)
        );
        ThreadSanitizer { binary }
    }

    /// True if a round has a data race.
    pub(crate) fn finds_race(&self, program: &str) -> bool {
        let finished = Command::new(&self.binary)
            .env("PROGRAM", program)
            .env("ROUNDS", ROUNDS)
            .env("TSAN_OPTIONS", "halt_on_error=1 exitcode=66")
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&finished.stderr);
        match finished.status.code() {
            Some(0) => false,
            Some(66) if said.contains("ThreadSanitizer: data race") => true,
            _ => panic!("`{program}` ended with {}: {said}", finished.status),
        }
    }
}
