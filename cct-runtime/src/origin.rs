//! The origin of a source file, told by its path as rustc wrote it down.
//!
//! The one place that knows how the files of std, of this project and of dependencies are called. A path
//! is text that is baked into an executable, and into the sysroot that is kept for a toolchain: it may
//! have been written when rustup's component `rust-src` was there, and be read when it is not, or the
//! other way round. So no rule asks whether a file exists, and each form counts at all times.

/// The origin of a file's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<'a> {
    /// std's, or that of a crate it is made of.
    Std,
    /// This project's: the engine and the shims.
    Cct,
    /// A package of a registry or a repository; its folder there, with a version or a hash at the end.
    Fetched(&'a str),
    /// Another one's that lies outside the workspace, or that cargo gives an absolute path for some reason.
    Elsewhere,
    /// The workspace's: cargo gives rustc relative paths for its packages, and for no others.
    Workspace,
}

/// How rustc calls std's files: as they were when std was compiled, or, if `rust-src` was there when the
/// user's crate was, as they lie in the toolchain's folder, wherever that is.
const STD: [&str; 2] = ["/rustc/", "/rust/deps/"];
const RUST_SRC: &str = "/lib/rustlib/src/rust/";
/// The folders of this project that are linked into a test executable.
const CCT: [&str; 3] = ["cct-runtime/src/", "cct-shims/src/", "cct-shims/facades/"];

impl Origin<'_> {
    /// Tells whose file this is.
    pub fn of(file: &str) -> Origin<'_> {
        if STD.iter().any(|prefix| file.starts_with(prefix)) || file.contains(RUST_SRC) {
            return Origin::Std;
        }
        if CCT.iter().any(|folders| is_below(file, folders)) {
            return Origin::Cct;
        }
        // The registry's folder, or the repository's, comes before the package's.
        if let Some((_, inside)) = file.split_once("/registry/src/") {
            return Origin::Fetched(inside.split('/').nth(1).unwrap_or_default());
        }
        if let Some((_, inside)) = file.split_once("/git/checkouts/") {
            return Origin::Fetched(inside.split('/').next().unwrap_or_default());
        }
        if file.starts_with('/') {
            Origin::Elsewhere
        } else {
            Origin::Workspace
        }
    }
}

/// True if the path leads through these folders.
fn is_below(file: &str, folders: &str) -> bool {
    let mut found = file.match_indices(folders);
    found.any(|(at, _)| at == 0 || file.as_bytes()[at - 1] == b'/')
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn std_is_known_with_its_source_and_without() {
        for file in [
            "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ub_checks.rs",
            "/rust/deps/hashbrown-0.16.1/src/raw.rs",
            "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/ub_checks.rs",
            "/nix/store/abc-rust/lib/rustlib/src/rust/library/std/src/io/mod.rs",
            "/opt/rust/lib/rustlib/src/rust/vendor/hashbrown-0.16.1/src/raw.rs",
        ] {
            assert_eq!(Origin::of(file), Origin::Std, "{file}");
        }
    }

    #[test]
    fn others_are_known_by_their_folders() {
        let registry =
            "/h/.cargo/registry/src/mirror-0123456789abcdef/crossbeam-epoch-0.9.18/src/a.rs";
        assert_eq!(
            Origin::of(registry),
            Origin::Fetched("crossbeam-epoch-0.9.18")
        );
        let checkout = "/h/.cargo/git/checkouts/loom-0123456789abcdef/0123456/src/lib.rs";
        assert_eq!(
            Origin::of(checkout),
            Origin::Fetched("loom-0123456789abcdef")
        );
        assert_eq!(Origin::of("cct-shims/src/std/a.rs"), Origin::Cct);
        assert_eq!(Origin::of("/cache/cct-runtime/src/a.rs"), Origin::Cct);
        assert_eq!(Origin::of("my-cct-runtime/src/a.rs"), Origin::Workspace);
        assert_eq!(Origin::of("/home/me/other/src/lib.rs"), Origin::Elsewhere);
        assert_eq!(Origin::of("src/library/core/src/lib.rs"), Origin::Workspace);
    }
}
