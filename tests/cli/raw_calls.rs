//! Crates that know how to do without libc are built to do with it.

use cct_tests::support::Workspace;

/// A package that says, as rustix does, how it is built; its tests run under control.
fn workspace(version: &str) -> Workspace {
    let workspace = Workspace::empty(Some("raw"));
    workspace.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"user\"]\nresolver = \"2\"\n",
    );
    workspace.write(
        "user/Cargo.toml",
        "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
         [dependencies]\nrustix = { path = \"../../rustix\" }\n",
    );
    workspace.write(
        "user/src/lib.rs",
        "#[test]\nfn it_goes_through_libc() {\n    assert_eq!(rustix::way(), \"libc\");\n}\n",
    );
    workspace.write(
        "../rustix/Cargo.toml",
        &format!(
            "[package]\nname = \"rustix\"\nversion = \"{version}\"\nedition = \"2021\"\n\n\
             [lints.rust]\nunexpected_cfgs = \"allow\"\n\n\
             [target.'cfg(rustix_use_libc)'.dependencies]\nway = {{ path = \"../way\" }}\n",
        ),
    );
    workspace.write(
        "../rustix/build.rs",
        "fn main() {\n    if std::env::var_os(\"CARGO_CFG_RUSTIX_USE_LIBC\").is_some() {\n        \
         println!(\"cargo:rustc-cfg=libc\");\n    }\n}\n",
    );
    workspace.write(
        "../rustix/src/lib.rs",
        "#[cfg(libc)]\npub use way::way;\n#[cfg(not(libc))]\npub fn way() -> &'static str {\n    \
         \"raw\"\n}\n",
    );
    workspace.write(
        "../way/Cargo.toml",
        "[package]\nname = \"way\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    workspace.write(
        "../way/src/lib.rs",
        "pub fn way() -> &'static str {\n    \"libc\"\n}\n",
    );
    workspace
}

#[test]
fn a_crate_that_knows_libc_uses_it() {
    let finished = workspace("0.38.99").test(&[], 0);
    assert!(
        !finished.stderr.contains("is not known"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_version_that_is_not_known_is_told() {
    let finished = workspace("7.0.0").test(&[], 0);
    let told = "warning: `rustix` 7.0.0 is not known to this tool; not under control there: epoll";
    assert!(finished.stderr.contains(told), "{}", finished.stderr);
}
