//! Asks the compiler which items its std has: a shim has those of its release, and no others.
//!
//! Each is asked for by a library that uses it, so that nothing follows from the number of a release. An item
//! that std has only behind a feature is left out.

use std::env;
use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A `cfg` of the shims, and a use of the item that it stands for.
const ITEMS: [(&str, &str); 8] = [
    (
        "has_atomic_update",
        "use std::sync::atomic::*; pub fn f(a: &AtomicU8, o: Ordering) { a.update(o, o, |n| n); }",
    ),
    (
        "has_atomic_ptr_arithmetic",
        "use std::sync::atomic::*; pub fn f(a: &AtomicPtr<u8>) { a.fetch_ptr_add(1, Ordering::AcqRel); }",
    ),
    (
        "has_rwlock_downgrade",
        "pub fn f(g: std::sync::RwLockWriteGuard<'_, u8>) { std::sync::RwLockWriteGuard::downgrade(g); }",
    ),
    (
        "has_lazy_lock_get",
        "pub fn f(l: &std::sync::LazyLock<u8>) { std::sync::LazyLock::get(l); }",
    ),
    (
        "has_lazy_lock_deref_mut",
        "pub fn f(l: &mut std::sync::LazyLock<u8>) { **l = 1; }",
    ),
    (
        "has_lazy_lock_from",
        "pub fn f() -> std::sync::LazyLock<u8> { std::convert::From::from(1) }",
    ),
    (
        "has_once_default",
        "pub fn f() -> std::sync::Once { Default::default() }",
    ),
    (
        "has_local_key_update",
        "pub fn f(k: &'static std::thread::LocalKey<std::cell::Cell<u8>>) { k.update(|n| n); }",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    for (name, _) in ITEMS {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    if !compiles("")? {
        return Err("the compiler does not compile an empty library".into());
    }
    for (name, text) in ITEMS {
        if compiles(text)? {
            println!("cargo::rustc-cfg={name}");
        }
    }
    Ok(())
}

/// Compiles a library, as far as it takes to know whether it can be, as cargo has the shims compiled.
fn compiles(text: &str) -> Result<bool, Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").ok_or("cargo names the compiler")?;
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo gives a folder")?);
    let mut command = Command::new(rustc);
    command
        .args(["--crate-name=item", "--crate-type=lib", "--edition=2021"])
        .args(["--emit=metadata", "--cap-lints=allow", "--target"])
        .arg(env::var("TARGET")?)
        .args(env::var("CARGO_ENCODED_RUSTFLAGS")?.split_terminator('\x1f'))
        .arg("--out-dir")
        .arg(folder)
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::null());
    let mut compiler = command.spawn()?;
    // Closes at once: the compiler reads up to the end.
    compiler
        .stdin
        .take()
        .ok_or("a pipe was asked for")?
        .write_all(text.as_bytes())?;
    Ok(compiler.wait()?.success())
}
