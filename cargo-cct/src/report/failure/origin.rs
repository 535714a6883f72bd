//! The origin of a site's code, as reports tell it.

use cct::origin;
use cct::trace::Site;

/// The owner of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The user's own.
    User,
    /// A dependency's.
    Crate(String),
    /// std's, or our stand-in for it.
    Std,
}

impl Origin {
    /// Tells by the file, whose path is as rustc was given it.
    pub(crate) fn of(site: &Site) -> Origin {
        match origin::Origin::of(&site.file) {
            origin::Origin::Std | origin::Origin::Cct => Origin::Std,
            origin::Origin::Dependency(package) => Origin::Crate(package.name.to_owned()),
            origin::Origin::Elsewhere | origin::Origin::Workspace => Origin::User,
        }
    }

    /// The name to show for steps that are folded; none for the user's own.
    pub(super) fn folded(&self) -> Option<&str> {
        match self {
            Origin::User => None,
            Origin::Crate(name) => Some(name),
            Origin::Std => Some("std"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_whose_code_it_is() {
        let of = |file: &str| {
            Origin::of(&Site {
                file: file.to_owned(),
                line: 1,
                column: 1,
            })
        };
        assert_eq!(of("src/lib.rs"), Origin::User);
        assert_eq!(
            of("/h/.cargo/registry/src/mirror-0123456789abcdef/crossbeam-epoch-0.9.18/src/a.rs"),
            Origin::Crate("crossbeam-epoch".to_owned())
        );
        assert_eq!(of("/rustc/5980/library/core/src/a.rs"), Origin::Std);
        assert_eq!(of("cct-shims/src/std/a.rs"), Origin::Std);
        assert_eq!(of("/home/me/other/src/lib.rs"), Origin::User);
    }
}
