//! Where code lies whose data races are meant: functions that are named by patterns, as places in the
//! executable.
//!
//! Code that is inlined into another function belongs to that one.

use std::fs;
use std::path::Path;

use addr2line::demangle_auto;
use object::{Object as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind};

use crate::config::{Matcher, glob};

/// The places of functions with these paths, as a process is told of them; none if there are none.
pub(super) fn places(executable: &Path, patterns: &[String]) -> Option<String> {
    if patterns.is_empty() {
        return None;
    }
    let bytes = fs::read(executable).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let base = file.segments().map(|segment| segment.address()).min()?;
    let globs: Vec<Matcher> = patterns.iter().map(|pattern| glob(pattern)).collect();
    let functions = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let named = functions.filter(|symbol| {
        symbol.name().is_ok_and(|name| {
            let path = demangle_auto(name.into(), None);
            let path = without_hash(&path);
            globs.iter().any(|glob| glob.fits(path))
        })
    });
    // The address of a call is told as that of the code after it.
    let places = named.map(|symbol| {
        let start = symbol.address() - base;
        format!("{:x}-{:x}", start + 1, start + symbol.size() + 1)
    });
    let places: Vec<String> = places.collect();
    (!places.is_empty()).then(|| places.join(","))
}

/// A path without the hash at its end that names one of several instances.
fn without_hash(path: &str) -> &str {
    path.rsplit_once("::h")
        .filter(|(_, hash)| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map_or(path, |(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_an_executable_are_found_by_their_paths() {
        let own = std::env::current_exe().expect("this test is one");
        let find = |pattern: &str| places(&own, &[pattern.to_owned()]);
        assert!(find("cargo_cct::run::benign::*").is_some());
        assert!(find("cargo_cct::run::no_such_thing::*").is_none());
        assert_eq!(places(&own, &[]), None);
    }
}
