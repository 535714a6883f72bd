//! Crates whose names are relied on, in versions that nobody checked.

use cargo_metadata::semver::{Version, VersionReq};
use cct::known::{CRATES, Crate};

/// The crate of this package, if this version of it was not checked.
pub(super) fn unchecked(name: &str, version: &str) -> Option<&'static Crate> {
    let known = CRATES.iter().find(|known| known.package == name)?;
    (!has(known.versions, version)).then_some(known)
}

/// Tells whether a range has a version, or that is none at all.
pub(super) fn has(range: &str, version: &str) -> bool {
    let Ok(version) = Version::parse(version) else {
        return true;
    };
    // A version before a release is one of that release here.
    let release = Version::new(version.major, version.minor, version.patch);
    VersionReq::parse(range).is_ok_and(|range| range.matches(&release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_nobody_checked_is_told() {
        assert!(unchecked("tokio", "1.0.1").is_none());
        assert!(unchecked("tokio", "1.99.0-alpha.1").is_none());
        assert!(unchecked("other", "9.0.0").is_none());
        assert!(unchecked("tokio", "0.2.25").is_some());
        assert!(unchecked("tokio", "2.0.0-alpha.1").is_some());
    }

    #[test]
    fn all_ranges_can_be_read() {
        for known in CRATES {
            assert!(VersionReq::parse(known.versions).is_ok(), "{known:?}");
        }
    }
}
