//! Crates that ask the kernel without libc, and how each is talked out of it.
//!
//! What ends in libc is under control by its symbols; an instruction in a crate's own code is not. Those
//! that know both ways are built for libc, by a `cfg` of theirs that stands for it. Cargo hears of it as a
//! property of the target, so that it finds the dependencies that go with it, and hands it to their build
//! scripts.

use cargo_metadata::semver::{Version, VersionReq};

/// A crate that can do both.
struct Package {
    name: &'static str,
    /// Those whose sources were read.
    versions: &'static str,
    cfg: &'static str,
    /// What is out of sight where it is of no use.
    lost: &'static str,
}

/// All that are known.
const PACKAGES: [Package; 1] = [Package {
    name: "rustix",
    // Each has `cfg(rustix_use_libc)` in its manifest, for `libc` and `errno`, and in its build script.
    versions: ">=0.33, <2",
    cfg: "rustix_use_libc",
    lost: "epoll, poll, pipes and clocks, and with them the reactor of async-io and smol",
}];

/// The `cfg`s that belong to every target.
pub(super) fn cfgs() -> impl Iterator<Item = &'static str> {
    PACKAGES.iter().map(|package| package.cfg)
}

/// What is not under control in a version of a package that is not known; none when all is.
pub(super) fn out_of_sight(name: &str, version: &str) -> Option<&'static str> {
    let package = PACKAGES.iter().find(|package| package.name == name)?;
    let version = Version::parse(version).ok()?;
    // A version before a release is one of that release here.
    let release = Version::new(version.major, version.minor, version.patch);
    let known = VersionReq::parse(package.versions).ok()?.matches(&release);
    (!known).then_some(package.lost)
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
