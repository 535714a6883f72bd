//! The cct sysroot: engine, shims and facades, built once for each toolchain and kept in the cache.
//!
//! ```text
//! <cache>/<key>/lib/            libstd.rlib, libcore.rlib (the facades), libcct.rlib and all they need
//!                               stub.rs, which stands in for the user's own build of the engine
//! <cache>/<key>/src/            what it was built from; debuggers find it here
//! <cache>/wrapper-<digest>/     copies of this executable, as wrappers
//! ```

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, process};

use cargo_metadata::Message;

use super::cache::{Cache, CacheError, Entry, News};
use super::code;
use super::digest;
use super::embedded;
use super::later;
use super::toolchain::Toolchain;
use crate::room;
use crate::run::{helper, stop};

/// A sysroot that is there.
#[derive(Debug)]
pub(crate) struct Sysroot {
    /// The folder with everything to link.
    pub lib: PathBuf,
    /// This executable under the names of its other roles.
    pub wrappers: Wrappers,
    /// Both are there as long as this is.
    _used: [Entry; 2],
}

/// The paths under which cargo runs this executable.
#[derive(Clone, Debug)]
pub(crate) struct Wrappers {
    /// As rustc wrapper.
    pub rustc: PathBuf,
    /// In rustdoc's place.
    pub rustdoc: PathBuf,
}

/// Why there is no sysroot.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SysrootError {
    /// There is no cache to keep it in.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// There is no room for it.
    #[error("the facade of std cannot be built in the cache")]
    NoRoom(#[source] io::Error),
    /// Cargo or rustc could not be started.
    #[error("cannot run `{0}`")]
    Run(PathBuf, #[source] io::Error),
    /// The sources do not compile here.
    #[error(
        "the facade of std does not build with {release}:\n{output}\n\
         unless the toolchain or the machine lacks what these lines name, it is a mistake of cargo-cct's"
    )]
    Build {
        /// The toolchain's version.
        release: String,
        /// The messages of cargo or rustc.
        output: String,
    },
}

impl Sysroot {
    /// Finds the sysroot in the cache, or builds it; `tell` is called before something that takes long.
    pub(crate) fn ensure(
        toolchain: &Toolchain,
        cache: &Cache,
        tell: &dyn Fn(News<'_>),
    ) -> Result<Sysroot, SysrootError> {
        let build = |staging: &Path, home: &Path| {
            build(toolchain, staging, home).map_err(|error| blame_the_disk(error, staging))
        };
        let entry = cache.entry(&key(toolchain), tell, build)?;
        let lib = entry.home.join("lib");
        let (wrappers, executables) = Wrappers::ensure(cache, tell)?;
        Ok(Sysroot {
            lib,
            wrappers,
            _used: [entry, executables],
        })
    }
}

/// A toolchain is not to blame if its compiler had no room: in the cache, or for temporary files.
fn blame_the_disk(error: SysrootError, staging: &Path) -> SysrootError {
    let SysrootError::Build { output, .. } = &error else {
        return error;
    };
    let lack = room::lacks(staging, room::FOR_A_BUILD);
    let lack = lack.or_else(room::lacks_for_temporary_files);
    let told = || {
        let last = output
            .lines()
            .rfind(|line| room::is_told_in(line.as_bytes()))?;
        Some(io::Error::new(io::ErrorKind::StorageFull, last.trim()))
    };
    lack.or_else(told).map_or(error, SysrootError::NoRoom)
}

impl Wrappers {
    /// Copies this executable; cargo does not notice a wrapper that changed under the same name.
    fn ensure(cache: &Cache, tell: &dyn Fn(News<'_>)) -> Result<(Wrappers, Entry), SysrootError> {
        let name = format!("wrapper-{}", &embedded::WRAPPER[..16]);
        let tell_rest = |news: News<'_>| {
            // It takes no time to copy.
            if !matches!(news, News::Makes | News::WaitsFor(_)) {
                tell(news);
            }
        };
        let fill = |staging: &Path, _: &Path| {
            let copy = || {
                let rustc = staging.join(RUSTC);
                fs::copy(env::current_exe()?, &rustc)?;
                fs::hard_link(&rustc, staging.join(RUSTDOC))
            };
            copy().map_err(|error| CacheError::Access(staging.to_owned(), error).into())
        };
        let entry = cache.entry::<SysrootError>(&name, &tell_rest, fill)?;
        let wrappers = Wrappers {
            rustc: entry.home.join(RUSTC),
            rustdoc: entry.home.join(RUSTDOC),
        };
        Ok((wrappers, entry))
    }
}

/// The names of the executable in its other roles.
pub(super) const RUSTC: &str = "cct-rustc";
pub(super) const RUSTDOC: &str = "cct-rustdoc";

/// Names the engine of this tool, and how crates are built for it.
pub(crate) fn engine() -> String {
    let parts = [embedded::SOURCES, embedded::WRAPPER];
    digest::of_parts(&parts.map(str::as_bytes))
}

fn key(toolchain: &Toolchain) -> String {
    let parts = [
        embedded::SOURCES,
        embedded::WRAPPER,
        &toolchain.version,
        &toolchain.host,
        env!("CARGO_PKG_VERSION"),
    ];
    digest::of_parts(&parts.map(str::as_bytes))[..16].to_owned()
}

/// Fills `staging` with what `home` is to hold.
fn build(toolchain: &Toolchain, staging: &Path, home: &Path) -> Result<(), SysrootError> {
    let failed = |error| CacheError::Access(staging.to_owned(), error);
    let src = staging.join("src");
    let lib = staging.join("lib");
    for (name, text) in embedded::FILES {
        let path = src.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&src)).map_err(failed)?;
        fs::write(&path, text).map_err(failed)?;
    }
    fs::create_dir_all(&lib).map_err(failed)?;
    for file in build_crates(toolchain, staging, home)? {
        if let Some(name) = file.file_name() {
            fs::copy(&file, lib.join(name)).map_err(failed)?;
        }
    }
    for facade in ["core", "std"] {
        build_facade(toolchain, staging, home, facade)?;
    }
    let scratch = staging.join("target");
    code::probe(&toolchain.rustc, &scratch, &lib).map_err(failed)?;
    later::probe(&toolchain.rustc, &scratch, &lib).map_err(failed)?;
    // A question without an answer may have been taken for a no.
    stop::check().map_err(failed)?;
    fs::write(lib.join("stamp"), embedded::SOURCES).map_err(failed)?;
    fs::write(lib.join("stub.rs"), "#![no_std]\n").map_err(failed)?;
    Ok(fs::remove_dir_all(scratch).map_err(failed)?)
}

/// Builds engine, shims and macros; returns the libraries.
fn build_crates(
    toolchain: &Toolchain,
    staging: &Path,
    home: &Path,
) -> Result<Vec<PathBuf>, SysrootError> {
    let mut last = None;
    // Without the network first: a second toolchain on a train must not need it.
    for mode in [Some("--offline"), None] {
        let mut command = Command::new(&toolchain.cargo);
        command
            .args([
                "build",
                "--release",
                "--workspace",
                "--target",
                &toolchain.host,
            ])
            .args(["--message-format=json-render-diagnostics", "--color=never"])
            .args(mode)
            .arg("--target-dir")
            .arg(staging.join("target"))
            .current_dir(staging.join("src"));
        clean_environment(&mut command);
        command.env("RUSTC", &toolchain.rustc);
        command.env(
            "CARGO_ENCODED_RUSTFLAGS",
            flags(toolchain, staging, home).join("\x1f"),
        );
        let output = output(&mut command)?;
        if output.status.success() {
            let messages = Message::parse_stream(output.stdout.as_slice());
            return Ok(messages
                .filter_map(|message| match message {
                    Ok(Message::CompilerArtifact(artifact)) => Some(artifact.filenames),
                    _ => None,
                })
                .flatten()
                .filter(|file| matches!(file.extension(), Some("rlib" | "so")))
                .map(Into::into)
                .collect());
        }
        last = Some(broken(toolchain, &output));
    }
    Err(last.expect("both modes were tried"))
}

fn build_facade(
    toolchain: &Toolchain,
    staging: &Path,
    home: &Path,
    name: &str,
) -> Result<(), SysrootError> {
    let lib = staging.join("lib");
    let mut command = Command::new(&toolchain.rustc);
    command
        .args([
            "--crate-name",
            name,
            "--crate-type",
            "rlib",
            "--edition",
            "2024",
            "-O",
        ])
        .args(["-C", "embed-bitcode=yes", "--target", &toolchain.host])
        .args(flags(toolchain, staging, home))
        .arg("-L")
        .arg(prefixed("dependency=", &lib))
        .arg("--out-dir")
        .arg(&lib)
        .arg(
            staging
                .join("src")
                .join("cct-shims")
                .join("facades")
                .join(format!("{name}.rs")),
        );
    for needed in ["cct", "cct_shims", "cct_macros"] {
        if let Some(file) = library(&lib, needed) {
            command
                .arg("--extern")
                .arg(prefixed(&format!("{needed}="), &file));
        }
    }
    clean_environment(&mut command);
    let output = output(&mut command)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(broken(toolchain, &output))
    }
}

/// Finds a crate's library by its name, with or without cargo's suffix.
pub(crate) fn library(lib: &Path, name: &str) -> Option<PathBuf> {
    let files = fs::read_dir(lib)
        .ok()?
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let stem = format!("lib{name}");
    files.into_iter().find(|path| {
        let found = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        matches!(
            path.extension().and_then(|end| end.to_str()),
            Some("rlib" | "so")
        ) && (found == stem
            || found
                .strip_prefix(&stem)
                .is_some_and(|rest| rest.starts_with('-')))
    })
}

/// A compiler option made of words and a path, which need not be text.
pub(crate) fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut option = OsString::from(prefix);
    option.push(path);
    option
}

/// The extra metadata keeps crates apart from the user's own builds of the same versions.
fn flags(toolchain: &Toolchain, staging: &Path, home: &Path) -> Vec<String> {
    let (staging, home) = (staging.join("src"), home.join("src"));
    let mut flags = vec![
        "-Cmetadata=cct-sysroot".to_owned(),
        // A lint of a later compiler's is no reason against it.
        "--cap-lints=allow".to_owned(),
        format!(
            "--remap-path-prefix={}={}",
            staging.display(),
            home.display()
        ),
    ];
    // A cargo of nightly leaves it out of libraries, and has a second file for it.
    let whole = "-Zembed-metadata=yes";
    let mut asked = Command::new(&toolchain.rustc);
    asked.args([whole, "--print", "sysroot"]);
    clean_environment(&mut asked);
    if output(&mut asked).is_ok_and(|answer| answer.status.success()) {
        flags.push(whole.to_owned());
    }
    flags
}

/// Removes what an outer cargo, or the user for an own build, has set.
fn clean_environment(command: &mut Command) {
    const KEPT: [&str; 5] = [
        "CARGO_HOME",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTRIES_",
        "CARGO_REGISTRY_",
    ];
    const REMOVED: [&str; 6] = [
        "RUSTC",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTDOC",
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
    ];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let cargo = text.starts_with("CARGO") && !KEPT.iter().any(|kept| text.starts_with(kept));
        if cargo || REMOVED.contains(&&*text) || text.starts_with("CCT_") {
            command.env_remove(&name);
        }
    }
}

fn output(command: &mut Command) -> Result<process::Output, SysrootError> {
    let program = PathBuf::from(command.get_program());
    helper::output(command.stdin(Stdio::null())).map_err(|error| SysrootError::Run(program, error))
}

fn broken(toolchain: &Toolchain, output: &process::Output) -> SysrootError {
    SysrootError::Build {
        release: toolchain.release().to_owned(),
        output: String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_owned(),
    }
}
