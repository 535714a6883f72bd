//! The origin of a file by the shape of its path, where no table knows it.
//!
//! A path is text that is baked into an executable, and into the sysroot that is kept for a toolchain: it may
//! have been written when rustup's component `rust-src` was there, and be read when it is not, or the
//! other way round. So no rule asks whether a file exists, and each form counts at all times.

use super::{Origin, Package};

/// How rustc calls std's files: as they were when std was compiled, or, if `rust-src` was there when the
/// user's crate was, as they lie in the toolchain's folder, wherever that is.
const STD: [&str; 2] = ["/rustc/", "/rust/deps/"];
const RUST_SRC: &str = "/lib/rustlib/src/rust/";
/// The folders of this project that are linked into a test executable.
const CCT: [&str; 3] = ["cct-runtime/src/", "cct-shims/src/", "cct-shims/facades/"];

/// Tells whose file this is.
pub(super) fn of(file: &str) -> Origin<'_> {
    if STD.iter().any(|prefix| file.starts_with(prefix)) || file.contains(RUST_SRC) {
        return Origin::Std;
    }
    if CCT.iter().any(|folders| is_below(file, folders)) {
        return Origin::Cct;
    }
    // The registry's folder, or the repository's, comes before the package's.
    if let Some((_, inside)) = file.split_once("/registry/src/") {
        return fetched(inside.split('/').nth(1).unwrap_or_default());
    }
    if let Some((_, inside)) = file.split_once("/git/checkouts/") {
        return fetched(inside.split('/').next().unwrap_or_default());
    }
    // Cargo gives rustc relative paths for packages of the workspace, and hardly any others.
    if file.starts_with('/') {
        Origin::Elsewhere
    } else {
        Origin::Workspace
    }
}

/// `crossbeam-epoch-0.9.18`; a checkout's folder ends with a hash instead.
fn fetched(folder: &str) -> Origin<'_> {
    let (name, version) = folder.rsplit_once('-').unwrap_or((folder, ""));
    Origin::Dependency(Package { name, version })
}

/// True if the file is one of these packages': `/<name>-<version>/` in a registry, `/<name>/` elsewhere.
pub(super) fn is_of(file: &str, names: &[String]) -> bool {
    let is_named = |part: &str, name: &str| match part.strip_prefix(name) {
        Some("") => true,
        Some(rest) => {
            let version = rest.strip_prefix('-').unwrap_or_default();
            version.starts_with(|c: char| c.is_ascii_digit())
        }
        None => false,
    };
    file.split('/')
        .any(|part| names.iter().any(|name| is_named(part, name)))
}

/// True if the path leads through these folders.
fn is_below(file: &str, folders: &str) -> bool {
    let mut found = file.match_indices(folders);
    found.any(|(at, _)| at == 0 || file.as_bytes()[at - 1] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn std_is_known_with_its_source_and_without() {
        for file in [
            "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ub_checks.rs",
            "/rust/deps/hashbrown-0.16.1/src/raw.rs",
            "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/ub_checks.rs",
            "/nix/store/abc-rust/lib/rustlib/src/rust/library/std/src/io/mod.rs",
            "/opt/rust/lib/rustlib/src/rust/vendor/hashbrown-0.16.1/src/raw.rs",
        ] {
            assert_eq!(of(file), Origin::Std, "{file}");
        }
    }

    #[test]
    fn others_are_known_by_their_folders() {
        let registry =
            "/h/.cargo/registry/src/mirror-0123456789abcdef/crossbeam-epoch-0.9.18/src/a.rs";
        assert_eq!(
            of(registry),
            Origin::Dependency(Package {
                name: "crossbeam-epoch",
                version: "0.9.18"
            })
        );
        let checkout = "/h/.cargo/git/checkouts/loom-0123456789abcdef/0123456/src/lib.rs";
        assert_eq!(
            of(checkout),
            Origin::Dependency(Package {
                name: "loom",
                version: "0123456789abcdef"
            })
        );
        assert_eq!(of("cct-shims/src/std/a.rs"), Origin::Cct);
        assert_eq!(of("/cache/cct-runtime/src/a.rs"), Origin::Cct);
        assert_eq!(of("my-cct-runtime/src/a.rs"), Origin::Workspace);
        assert_eq!(of("/home/me/other/src/lib.rs"), Origin::Elsewhere);
        assert_eq!(of("src/library/core/src/lib.rs"), Origin::Workspace);
    }
}
