//! rustc with the facades in the place of std and core.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use cct_tests::support::{self, Finished};

use crate::parity::compile::Compiler;

/// Returns the compiler; the first call checks the shims and builds the facades, from the sources beside this
/// package and not from a cache.
pub(crate) fn compiler() -> &'static Compiler {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    COMPILER.get_or_init(|| {
        let lib = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join("parity")
            .join("lib");
        // Libraries of an earlier build would be candidates too.
        let _ = fs::remove_dir_all(&lib);
        fs::create_dir_all(&lib).expect("the target folder is writable");
        // Nothing is run: what the compiler knows of them is enough.
        let libraries = support::check("cct-shims").libraries;
        for file in &libraries {
            let name = file.file_name().expect("cargo names files");
            fs::copy(file, lib.join(name)).expect("the target folder is writable");
        }
        for facade in ["core", "std"] {
            build_facade(&lib, facade, &libraries);
        }
        let mut args = search(&lib);
        for facade in ["core", "std"] {
            args.push("--extern".into());
            args.push(option(
                &format!("{facade}="),
                &lib.join(format!("lib{facade}.rlib")),
            ));
        }
        Compiler {
            world: "facade",
            args,
        }
    })
}

/// Compiles one facade with its crate's name.
fn build_facade(lib: &Path, name: &str, libraries: &[PathBuf]) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cct-shims/facades");
    let mut command = Command::new("rustc");
    command
        .args([
            "--crate-name",
            name,
            "--crate-type",
            "rlib",
            "--edition",
            "2024",
        ])
        .args(["-C", "metadata=facade", "--cap-lints", "allow", "--out-dir"])
        .arg(lib)
        .args(search(lib));
    for needed in ["cct_shims", "cct_macros", "cct"] {
        for file in libraries.iter().filter(|file| crate_of(file) == needed) {
            command
                .arg("--extern")
                .arg(option(&format!("{needed}="), file));
        }
    }
    Finished::of(command.arg(sources.join(format!("{name}.rs")))).expect(0);
}

/// Returns the options that let rustc find what the facades need.
fn search(lib: &Path) -> Vec<OsString> {
    vec!["-L".into(), option("dependency=", lib)]
}

/// Returns the name of the crate that a library is of.
fn crate_of(file: &Path) -> &str {
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let name = stem.strip_prefix("lib").unwrap_or(stem);
    name.split('-').next().unwrap_or(name)
}

/// Returns an option made of a word and a path.
fn option(word: &str, path: &Path) -> OsString {
    let mut option = OsString::from(word);
    option.push(path);
    option
}
