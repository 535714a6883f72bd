//! The arguments of a call of rustc, and their changes, so that a crate is under control.
//!
//! Pure: words in, words out. Order and spelling of what is kept stay as they were.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::sysroot::prefixed;

/// The facts about the crate in a call of rustc.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Facts {
    /// True for a question about the compiler, and for code on standard input: never changed.
    pub is_query: bool,
    /// True when a target is given; without one the crate is for the build itself.
    pub has_target: bool,
    /// True when a test harness is made.
    pub is_test: bool,
    /// True when lints are capped, as cargo does for crates that are not the user's own.
    pub is_foreign: bool,
    /// The crate's name.
    pub crate_name: String,
    /// The suffix that cargo appends to the names of the files.
    pub extra_filename: String,
    /// Where they go.
    pub out_dir: Option<PathBuf>,
    /// True when the result is an executable.
    pub is_executable: bool,
    /// The file that the crate begins with, as it was given.
    pub root: Option<PathBuf>,
    /// The edition that was given.
    pub edition: Option<String>,
    /// True for a question about `cfg`s: who asks decides by the answer what is built.
    pub asks_cfg: bool,
    /// The files of the crates that it is given.
    pub externs: Vec<PathBuf>,
    /// True if a sanitizer is asked for.
    pub has_sanitizer: bool,
    /// True if passes of LLVM are asked for.
    pub has_passes: bool,
    /// It says how names are to be mangled.
    pub has_mangling: bool,
    /// The features of the package that are on.
    pub features: Vec<String>,
}

/// The arguments that are put in.
#[derive(Clone, Debug)]
pub(crate) struct Injection<'a> {
    /// The sysroot's libraries.
    pub lib: &'a Path,
    /// The engine's library.
    pub cct: &'a Path,
    /// The options of the code layer.
    pub code: &'a [OsString],
}

/// Reads a call.
pub(crate) fn facts(args: &[OsString]) -> Facts {
    let mut facts = Facts::default();
    let mut library = false;
    for option in options(args) {
        match (option.name.as_str(), option.value_text().as_str()) {
            ("-" | "-vV" | "-V" | "--version" | "-h" | "--help", _) => facts.is_query = true,
            ("--print", what) => {
                facts.is_query = true;
                facts.asks_cfg |= what == "cfg";
            }
            ("--extern", krate) => {
                let file = krate.split_once('=').map(|(_, file)| file.into());
                facts.externs.extend(file);
            }
            ("--cfg", set) => {
                let feature = set.strip_prefix("feature=\"");
                let feature = feature.and_then(|feature| feature.strip_suffix('"'));
                facts.features.extend(feature.map(str::to_owned));
            }
            ("--edition", year) => facts.edition = Some(year.to_owned()),
            ("--target", _) => facts.has_target = true,
            ("--test", _) => facts.is_test = true,
            ("--cap-lints", _) => facts.is_foreign = true,
            ("--crate-name", name) => name.clone_into(&mut facts.crate_name),
            ("--out-dir", _) => facts.out_dir = option.value.map(Into::into),
            ("--crate-type", kind) => library |= kind != "bin",
            ("-Z", setting) => facts.has_sanitizer |= setting.starts_with("sanitizer="),
            ("-C", setting) => {
                facts.has_passes |= setting.starts_with("passes=");
                facts.has_mangling |= setting.starts_with("symbol-mangling-version=");
                if let Some(extra) = setting.strip_prefix("extra-filename=") {
                    extra.clone_into(&mut facts.extra_filename);
                }
            }
            (source, _) if is_source(source) && facts.root.is_none() => {
                facts.root = option.words.first().map(PathBuf::from);
            }
            _ => {}
        }
    }
    facts.is_executable = facts.is_test || !library;
    facts
}

/// The lints that take ours for the user's: the engine is a crate that nobody uses, and shims of what is
/// unsafe in some editions only are safe. The user's source may ask for them all the same.
pub(crate) const OURS: [&str; 2] = ["unused_crate_dependencies", "unused_unsafe"];

/// Changes a call for a crate of the target: facades in, what would undo them out.
///
/// `stand_in` names the sysroot's library for the user's own build of the engine.
pub(crate) fn rewrite(
    args: &[OsString],
    injection: &Injection<'_>,
    stand_in: impl Fn(&Path) -> Option<PathBuf>,
) -> Vec<OsString> {
    let facts = facts(args);
    let mut out = Vec::new();
    let mut replaced = false;
    // The lines of the user's own code are told where a crash or a dependency's step comes of it.
    let lacks_lines = !facts.is_foreign && !options(args).any(|option| has_lines(&option));
    for option in options(args) {
        match option.name.as_str() {
            "-C" if is_dropped(&option.value_text()) => {}
            "-C" if lacks_lines && option.value_text().starts_with("debuginfo=") => {}
            "--cap-lints" => {}
            "--extern" => match stand_in_for(&option.value_text(), &stand_in) {
                Some((name, file)) => {
                    replaced |= name == "cct";
                    out.push("--extern".into());
                    out.push(prefixed(&format!("{name}="), &file));
                }
                None => out.extend(option.words.iter().cloned()),
            },
            _ => out.extend(option.words.iter().cloned()),
        }
    }
    for facade in ["std", "core"] {
        let file = injection.lib.join(format!("lib{facade}.rlib"));
        out.push("--extern".into());
        out.push(prefixed(&format!("{facade}="), &file));
    }
    if !facts.is_foreign && !replaced {
        out.push("--extern".into());
        out.push(prefixed("cct=", injection.cct));
    }
    out.push("-L".into());
    out.push(prefixed("dependency=", injection.lib));
    // Denied lints may speak of what was put in; a test run is no place for lints anyway.
    out.push("--cap-lints".into());
    out.push(if facts.is_foreign { "allow" } else { "warn" }.into());
    out.extend(OURS.iter().map(|lint| format!("-A{lint}").into()));
    out.extend(injection.code.iter().cloned());
    if lacks_lines {
        out.push("-Cdebuginfo=line-tables-only".into());
    }
    if facts.is_executable {
        // The engine reads the symbol table.
        out.push("-Cstrip=none".into());
    }
    out
}

/// Optimising across crates would inline std past the facade's boundaries, and what may not unwind
/// cannot be tested; a stripped executable hides its statics.
fn is_dropped(setting: &str) -> bool {
    let name = setting.split('=').next().unwrap_or_default();
    matches!(name, "lto" | "linker-plugin-lto" | "strip") || setting == "panic=abort"
}

/// True if the option asks for debug information, which names lines at the least.
fn has_lines(option: &RustcOption<'_>) -> bool {
    let value = option.value_text();
    let level = match option.name.as_str() {
        "-C" => value.strip_prefix("debuginfo="),
        "-g" => return true,
        _ => None,
    };
    level.is_some_and(|level| !matches!(level, "0" | "none"))
}

/// The name under which a crate imports the engine, and what it gets, if this is such an import.
fn stand_in_for(
    value: &str,
    stand_in: &impl Fn(&Path) -> Option<PathBuf>,
) -> Option<(String, PathBuf)> {
    let (name, path) = value.split_once('=')?;
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    Some((name.to_owned(), stand_in(Path::new(path))?))
}

/// Changes a call for the user's own build of the engine: an empty crate takes its place, since nobody
/// is going to link it.
pub(crate) fn hollow(args: &[OsString], stub: &Path) -> Vec<OsString> {
    let mut out = Vec::new();
    for option in options(args) {
        match option.name.as_str() {
            "--extern" | "--cap-lints" => {}
            source if is_source(source) && option.value.is_none() => out.push(stub.into()),
            _ => out.extend(option.words.iter().cloned()),
        }
    }
    out.extend(["--cap-lints", "allow"].map(Into::into));
    out
}

/// Has the crate begin with another file.
pub(crate) fn with_root(args: &[OsString], from: &Path, to: &Path) -> Vec<OsString> {
    let mut replaced = false;
    let words = args.iter().map(|word| {
        if replaced || Path::new(word) != from {
            return word.clone();
        }
        replaced = true;
        to.into()
    });
    words.collect()
}

/// Has the crate only be checked; what comes of that goes to this folder.
pub(crate) fn checked(args: &[OsString], folder: &Path) -> Vec<OsString> {
    let mut out = Vec::new();
    for option in options(args) {
        let is_incremental = || option.value_text().starts_with("incremental=");
        match option.name.as_str() {
            "--emit" | "--out-dir" | "-o" => {}
            "-C" if is_incremental() => {}
            _ => out.extend(option.words.iter().cloned()),
        }
    }
    out.extend(["--emit".into(), "metadata".into(), "--out-dir".into()]);
    out.push(folder.into());
    out
}

fn is_source(word: &str) -> bool {
    !word.starts_with('-') && Path::new(word).extension().is_some_and(|end| end == "rs")
}

/// One option with its value, however they were spelled.
#[derive(Debug)]
struct RustcOption<'a> {
    name: String,
    value: Option<OsString>,
    words: &'a [OsString],
}

impl RustcOption<'_> {
    fn value_text(&self) -> String {
        self.value
            .as_deref()
            .map(OsStr::to_string_lossy)
            .unwrap_or_default()
            .into_owned()
    }
}

/// The options whose value may be the next word, among those that matter here.
const WITH_VALUE: [&str; 9] = [
    "--cfg",
    "--target",
    "--edition",
    "--cap-lints",
    "--crate-name",
    "--out-dir",
    "--crate-type",
    "--extern",
    "--print",
];

fn options(args: &[OsString]) -> impl Iterator<Item = RustcOption<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = args.get(at)?;
        let text = first.to_string_lossy();
        let next = args.get(at + 1);
        let (name, value, count) = if text == "-C" || text == "--codegen" {
            ("-C".to_owned(), next.cloned(), 2)
        } else if let Some(setting) = text.strip_prefix("--codegen=") {
            ("-C".to_owned(), Some(setting.into()), 1)
        } else if let Some(setting) = text.strip_prefix("-C") {
            ("-C".to_owned(), Some(setting.into()), 1)
        } else if WITH_VALUE.contains(&&*text) {
            (text.clone().into_owned(), next.cloned(), 2)
        } else if text.starts_with("--")
            && let Some((name, value)) = text.split_once('=')
        {
            (name.to_owned(), Some(value.into()), 1)
        } else {
            (text.clone().into_owned(), None, 1)
        };
        let words = &args[at..(at + count).min(args.len())];
        at += count;
        Some(RustcOption { name, value, words })
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(Into::into).collect()
    }

    fn rewritten(text: &str) -> String {
        let injection = Injection {
            lib: Path::new("/lib"),
            cct: Path::new("/lib/libcct.rlib"),
            code: &["-Cpasses=seen".into()],
        };
        let out = rewrite(&words(text), &injection, |path| {
            path.ends_with("libcct-1.rmeta")
                .then(|| PathBuf::from("/lib/libcct.rlib"))
        });
        out.iter()
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn questions_are_told_from_builds() {
        for query in [
            "-vV",
            "- --crate-name ___ --print=file-names",
            "--print cfg --target x",
        ] {
            assert!(facts(&words(query)).is_query, "{query}");
        }
        assert!(!facts(&words("--crate-name a a.rs --target x")).is_query);
    }

    #[test]
    fn the_names_of_the_results_are_found() {
        let facts = facts(&words(
            "--crate-name a a.rs --test -C extra-filename=-12 --out-dir /o --target=x \
             --extern priv:b=/d/libb.rmeta --extern proc_macro",
        ));
        assert_eq!(facts.crate_name, "a");
        assert_eq!(facts.extra_filename, "-12");
        assert_eq!(facts.out_dir.as_deref(), Some(Path::new("/o")));
        assert!(facts.has_target && facts.is_test && facts.is_executable);
        assert_eq!(facts.externs, [Path::new("/d/libb.rmeta")]);
    }

    #[test]
    fn a_library_is_no_executable() {
        assert!(!facts(&words("--crate-name a --crate-type lib")).is_executable);
        assert!(facts(&words("--crate-name a --crate-type bin")).is_executable);
    }

    #[test]
    fn facades_are_added_and_lints_capped() {
        let out = rewritten("--crate-name a --crate-type lib --target x");
        assert!(out.contains("--extern std=/lib/libstd.rlib --extern core=/lib/libcore.rlib"));
        assert!(out.contains("--extern cct=/lib/libcct.rlib -L dependency=/lib"));
        assert!(out.contains("--cap-lints warn"));
        let out = rewritten("--crate-name a --crate-type lib --target x --cap-lints warn");
        assert!(out.contains("--cap-lints allow") && !out.contains("--cap-lints warn"));
        assert!(!out.contains("cct="));
    }

    #[test]
    fn what_would_undo_control_is_dropped() {
        let out = rewritten(
            "--test -C lto=fat -C linker-plugin-lto -Cstrip=debuginfo -C panic=abort -C opt-level=3",
        );
        assert!(!out.contains("lto") && !out.contains("strip=debuginfo") && !out.contains("panic"));
        assert!(out.contains("-C opt-level=3") && out.contains("-Cstrip=none"));
    }

    #[test]
    fn the_users_code_has_lines() {
        let lines = |text: &str| rewritten(text).matches("debuginfo=").collect::<String>();
        let added = "-Cdebuginfo=line-tables-only";
        for without in ["a.rs", "a.rs -C debuginfo=0", "a.rs -Cdebuginfo=none"] {
            assert!(rewritten(without).contains(added), "{without}");
            assert_eq!(lines(without), "debuginfo=", "{without}");
        }
        for other in ["a.rs -C debuginfo=2", "a.rs -g", "a.rs --cap-lints allow"] {
            assert!(!rewritten(other).contains(added), "{other}");
        }
    }

    #[test]
    fn the_users_engine_gives_way() {
        let out = rewritten("--extern cct=/t/libcct-1.rmeta --extern own=/t/libcct-2.rmeta");
        assert_eq!(out.matches("cct=/lib/libcct.rlib").count(), 1);
        assert!(out.contains("own=/t/libcct-2.rmeta"));
        assert!(rewritten("--extern e=/t/libcct-1.rmeta").contains("--extern e=/lib/libcct.rlib"));
    }

    #[test]
    fn the_users_engine_is_hollow() {
        let args =
            words("--crate-name cct cct-runtime/src/lib.rs --extern libc=/t/liblibc.rmeta --test");
        let out = hollow(&args, Path::new("/lib/stub.rs"));
        let expected = words("--crate-name cct /lib/stub.rs --test --cap-lints allow");
        assert_eq!(out, expected);
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn words_in_disorder_stay_what_they_are(words in vec(fuzz::texts(vec![
            "--extern", "=", "cct=/a.rlib", "-C", "lto", "debuginfo=2", "-", "--", "--target", "a.rs",
            "--test", "-L", "--cap-lints", "--print", "--emit", "--out-dir", "-o", "panic=abort", ":",
        ]), 0..6)) {
            let args: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            let told: Vec<OsString> = options(&args).flat_map(|option| option.words.to_vec()).collect();
            prop_assert_eq!(&told, &args);
            let injection = Injection {
                lib: Path::new("/lib"),
                cct: Path::new("/lib/libcct.rlib"),
                code: &[],
            };
            let changed = rewrite(&args, &injection, |_| None);
            prop_assert!(changed.iter().any(|word| word == "std=/lib/libstd.rlib"));
            hollow(&args, Path::new("/stub.rs"));
            checked(&args, Path::new("/folder"));
        }
    }
}
