//! Crates that ask the kernel without libc, and how each is talked out of it.
//!
//! Calls of libc are under control by its symbols; an instruction in a crate's own code is not. Crates that
//! know both ways are built for libc, by a `cfg` of theirs that stands for it. Cargo hears of it as a
//! property of the target, so that it finds the dependencies that go with it, and hands it to their build
//! scripts.

use cct::known::RAW_CALLS;

use super::versions;

/// The `cfg`s that belong to every target.
pub(super) fn cfgs() -> impl Iterator<Item = &'static str> {
    RAW_CALLS.iter().map(|calls| calls.cfg)
}

/// The calls that are not under control in a version of a package that is not known; none when all are.
pub(super) fn out_of_sight(name: &str, version: &str) -> Option<&'static str> {
    let package = RAW_CALLS.iter().find(|calls| calls.package == name)?;
    (!versions::has(package.versions, version)).then_some(package.lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_nobody_read_is_told() {
        assert_eq!(out_of_sight("rustix", "0.38.31"), None);
        assert_eq!(out_of_sight("rustix", "1.1.4"), None);
        assert_eq!(out_of_sight("other", "9.0.0"), None);
        assert!(out_of_sight("rustix", "2.0.0").is_some());
        assert!(out_of_sight("rustix", "0.26.0").is_some());
    }
}
