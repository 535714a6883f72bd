//! Where code lies that settings name: code whose data races are meant, and code whose accesses to memory are
//! scheduling points.
//!
//! Functions are found by their symbols: one that is inlined into another belongs to that one. Lines are
//! found by the debug information, which tells also what is inlined there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use addr2line::{Loader, Location, demangle_auto};
use cct::config::Resolved;
use cct::origin::Origin;
use object::{Object as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind};

use crate::build::cargo::Executable;
use crate::build::digest;
use crate::config::{Matcher, glob};

/// The file that tells a test process of the places, for the settings that name code; none if none of it is
/// in the executable.
pub(super) fn file(executable: &Executable, settings: &Resolved) -> io::Result<Option<PathBuf>> {
    type Known = BTreeMap<(PathBuf, Vec<String>, Vec<String>), Option<PathBuf>>;
    static KNOWN: Mutex<Known> = Mutex::new(Known::new());
    let (benign, points) = (&settings.benign_races, &settings.points);
    if benign.is_empty() && points.is_empty() {
        return Ok(None);
    }
    let key = (executable.path.clone(), benign.clone(), points.clone());
    let mut known = KNOWN.lock().expect("no holder panics");
    if let Some(file) = known.get(&key) {
        return Ok(file.clone());
    }
    let text = text(&executable.path, benign, points);
    let file = (!text.is_empty())
        .then(|| write(executable, &text))
        .transpose()?;
    known.insert(key, file.clone());
    Ok(file)
}

/// The file that tells a test process where the functions of std's generic code are; none if nothing is known
/// of the executable.
pub(super) fn functions_of_std(executable: &Executable) -> io::Result<Option<PathBuf>> {
    static KNOWN: Mutex<BTreeMap<PathBuf, Option<PathBuf>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no holder panics");
    if let Some(file) = known.get(&executable.path) {
        return Ok(file.clone());
    }
    let file = write_functions_of_std(executable)?;
    known.insert(executable.path.clone(), file.clone());
    Ok(file)
}

fn write_functions_of_std(executable: &Executable) -> io::Result<Option<PathBuf>> {
    let Some(code) = Code::read(&executable.path) else {
        return Ok(None);
    };
    // One into which code of others is inlined is no place of its own.
    let mut ranges = code.of_std();
    ranges.retain(|range| code.is_only_stds(*range));
    ranges.sort_unstable();
    ranges.dedup_by_key(|range| range.0);
    let ranges: Vec<String> = ranges
        .iter()
        .map(|(start, end)| format!("{:x}-{:x}", start + 1, end + 1))
        .collect();
    write(executable, &ranges.join(",")).map(Some)
}

/// The point for all code.
pub(crate) const ALL: &str = "all";

/// The patterns that name no code of any of these executables.
pub(crate) fn without_code<'a>(
    executables: &[Executable],
    patterns: impl Iterator<Item = &'a String>,
) -> Vec<&'a String> {
    let mut left: Vec<&String> = patterns.collect();
    for executable in executables {
        if left.is_empty() {
            break;
        }
        if let Some(code) = Code::read(&executable.path) {
            left.retain(|pattern| code.named(&[Pattern::read(pattern)]).is_empty());
        }
    }
    left
}

/// Writes the places beside the table of packages.
fn write(executable: &Executable, text: &str) -> io::Result<PathBuf> {
    let folder = executable.origins.parent().unwrap_or(Path::new("."));
    digest::write_named(folder, text.as_bytes())
}

/// The places as a process reads them.
fn text(path: &Path, benign: &[String], points: &[String]) -> String {
    let mut text = String::new();
    let has_all = points.iter().any(|point| point == ALL);
    if has_all {
        let _ = writeln!(text, "points {ALL}");
    }
    let Some(code) = Code::read(path) else {
        return text;
    };
    let patterns = |all: &[String]| -> Vec<Pattern> {
        all.iter().map(|pattern| Pattern::read(pattern)).collect()
    };
    line(&mut text, "benign", code.named(&patterns(benign)));
    if !has_all && line(&mut text, "points", code.named(&patterns(points))) {
        line(&mut text, "std", code.of_std());
    }
    text
}

/// Writes a line, unless there are no ranges. True if it did.
fn line(text: &mut String, name: &str, ranges: Vec<Range>) -> bool {
    // The address of a call is told as that of the code after it.
    let ranges = merged(ranges).into_iter();
    let ranges: Vec<String> = ranges
        .map(|(start, end)| format!("{:x}-{:x}", start + 1, end + 1))
        .collect();
    if !ranges.is_empty() {
        let _ = writeln!(text, "{name} {}", ranges.join(","));
    }
    !ranges.is_empty()
}

/// Where code begins and ends, as offsets in the executable.
type Range = (u64, u64);

/// The same places in order, as few ranges.
fn merged(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut merged: Vec<Range> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// Code, as people name it.
enum Pattern {
    /// Functions by their paths.
    Functions(Matcher),
    /// Lines of a file, by the end of its path.
    Lines(PathBuf, RangeInclusive<u32>),
}

impl Pattern {
    /// Reads `src/cache.rs`, `src/cache.rs:40`, `src/cache.rs:40-60` or `my_crate::pool::*`.
    fn read(pattern: &str) -> Pattern {
        let all = 1..=u32::MAX;
        let (file, lines) = match pattern.rsplit_once(':') {
            Some((file, lines)) if is_file(file) => {
                let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
                let lines = first.parse().ok().zip(last.parse().ok());
                (file, lines.map(|(first, last)| first..=last))
            }
            _ => (pattern, is_file(pattern).then_some(all)),
        };
        match lines {
            Some(lines) => Pattern::Lines(PathBuf::from(file), lines),
            None => Pattern::Functions(glob(pattern)),
        }
    }

    fn has_line(&self, file: Option<&str>, line: Option<u32>) -> bool {
        match (self, file, line) {
            (Pattern::Lines(end, lines), Some(file), Some(line)) => {
                lines.contains(&line) && Path::new(file).ends_with(end)
            }
            _ => false,
        }
    }

    fn has_function(&self, path: &str) -> bool {
        let fits = |path: &str| matches!(self, Pattern::Functions(glob) if glob.fits(path));
        fits(path) || of_type(path).is_some_and(|path| fits(&path))
    }
}

fn is_file(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "rs")
}

/// The code of an executable.
struct Code {
    functions: Vec<Function>,
    lines: Loader,
}

struct Function {
    range: Range,
    path: String,
}

impl Code {
    /// None if it has no debug information, or cannot be read.
    fn read(path: &Path) -> Option<Code> {
        let bytes = fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let base = file.segments().map(|segment| segment.address()).min()?;
        let symbols = file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
        let functions = symbols.filter_map(|symbol| {
            let path = demangle_auto(symbol.name().ok()?.into(), None);
            let start = symbol.address() - base;
            Some(Function {
                range: (start, start + symbol.size()),
                path: without_hash(&path).to_owned(),
            })
        });
        Some(Code {
            functions: functions.collect(),
            lines: Loader::new(path).ok()?,
        })
    }

    /// The places that the patterns name.
    fn named(&self, patterns: &[Pattern]) -> Vec<Range> {
        let names_lines = patterns
            .iter()
            .any(|pattern| matches!(pattern, Pattern::Lines(..)));
        let mut found = Vec::new();
        for function in &self.functions {
            if patterns
                .iter()
                .any(|pattern| pattern.has_function(&function.path))
            {
                found.push(function.range);
            } else if names_lines {
                self.add_lines(function.range, patterns, &mut found);
            }
        }
        found
    }

    /// Adds the places of lines that the patterns name, in a function.
    fn add_lines(&self, function: Range, patterns: &[Pattern], found: &mut Vec<Range>) {
        let Ok(rows) = self.lines.find_location_range(function.0, function.1) else {
            return;
        };
        for (start, size, location) in rows {
            let is_there = have_line(patterns, Some(&location))
                || location.file.is_some_and(is_of_std) && self.calls_from(start, patterns);
            if is_there {
                found.push((start, start + size));
            }
        }
    }

    /// True if code of std was inlined here for a call from a line that is named.
    fn calls_from(&self, place: u64, patterns: &[Pattern]) -> bool {
        let Ok(mut frames) = self.lines.find_frames(place) else {
            return false;
        };
        while let Ok(Some(frame)) = frames.next() {
            let file = frame.location.as_ref().and_then(|location| location.file);
            if !file.is_some_and(is_of_std) {
                return have_line(patterns, frame.location.as_ref());
            }
        }
        false
    }

    /// True if all lines of a function are std's.
    fn is_only_stds(&self, function: Range) -> bool {
        let Ok(mut rows) = self.lines.find_location_range(function.0, function.1) else {
            return false;
        };
        rows.all(|(_, _, location)| location.file.is_none_or(is_of_std))
    }

    /// The functions of std and of the shims, whose accesses are those of their callers.
    fn of_std(&self) -> Vec<Range> {
        let functions = self.functions.iter();
        let of_std = functions.filter(|function| {
            let location = self.lines.find_location(function.range.0);
            let location = location.ok().flatten();
            location.is_some_and(|location| location.file.is_some_and(is_of_std))
        });
        of_std.map(|function| function.range).collect()
    }
}

fn have_line(patterns: &[Pattern], location: Option<&Location<'_>>) -> bool {
    let Some(location) = location else {
        return false;
    };
    let (file, line) = (location.file, location.line);
    patterns.iter().any(|pattern| pattern.has_line(file, line))
}

fn is_of_std(file: &str) -> bool {
    matches!(Origin::of(file), Origin::Std | Origin::Cct)
}

/// A path without the hash at its end that names one of several instances.
fn without_hash(path: &str) -> &str {
    path.rsplit_once("::h")
        .filter(|(_, hash)| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map_or(path, |(path, _)| path)
}

/// `<a::Type>::f` and `<a::Type as b::Trait>::f`, as functions of types are called by one way of mangling or
/// both, as `a::Type::f`.
fn of_type(path: &str) -> Option<String> {
    let inner = path.strip_prefix('<')?;
    let mut open = 1;
    let end = inner.bytes().enumerate().position(|(at, byte)| {
        match byte {
            b'<' => open += 1,
            b'>' if !inner[..at].ends_with('-') => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    let (of, rest) = (&inner[..end], &inner[end + 1..]);
    let of = of.split_once(" as ").map_or(of, |(of, _)| of);
    Some(format!("{of}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_types_are_called_alike_whatever_their_mangling() {
        for (path, called) in [
            ("<a::Type>::f::{closure#0}", Some("a::Type::f::{closure#0}")),
            ("<a::Type<fn() -> u8>>::f", Some("a::Type<fn() -> u8>::f")),
            ("<a::Type as b::Trait<u8>>::f", Some("a::Type::f")),
            ("a::Type<T>::f", None),
        ] {
            assert_eq!(of_type(path).as_deref(), called);
        }
    }

    fn named(pattern: &str) -> Vec<Range> {
        let own = std::env::current_exe().expect("this test is one");
        let code = Code::read(&own).expect("it has symbols");
        code.named(&[Pattern::read(pattern)])
    }

    #[test]
    fn functions_of_an_executable_are_found_by_their_paths() {
        assert!(!named("cargo_cct::run::places::*").is_empty());
        assert!(named("cargo_cct::run::no_such_thing::*").is_empty());
    }

    #[test]
    fn lines_are_found_by_the_end_of_their_files_path() {
        let here = line!();
        let all = merged(named("run/places.rs"));
        let one = merged(named(&format!("src/run/places.rs:{here}-{}", here + 1)));
        let size = |ranges: &[Range]| ranges.iter().map(|(start, end)| end - start).sum::<u64>();
        assert!(0 < size(&one) && size(&one) < size(&all));
        assert!(named("run/places.rs:1").is_empty());
        assert!(named("un/places.rs").is_empty());
    }

    /// Each of the two has its line, whether the other has one or not.
    #[test]
    fn points_are_told_beside_benign_code() {
        let own = std::env::current_exe().expect("this test is one");
        let within = |module: &str| [format!("cargo_cct::{module}::*")];
        let lines = |benign: &[String], points: &[String]| {
            let text = text(&own, benign, points);
            let names: Vec<_> = text.lines().map(|line| line.split(' ').next()).collect();
            names
                .into_iter()
                .flatten()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (one, other) = (within("run::places"), within("config::filter"));
        assert_eq!(lines(&one, &other), ["benign", "points", "std"]);
        assert_eq!(lines(&one, &["all".to_owned()]), ["points", "benign"]);
    }

    #[test]
    fn ranges_that_meet_are_one() {
        assert_eq!(
            merged(vec![(5, 7), (1, 3), (3, 4), (6, 9)]),
            [(1, 4), (5, 9)]
        );
    }
}
