//! Embeds the sources of what is linked into test binaries, so that the tool is one file.
//!
//! Two digests come with them: one names the sysroot built from the sources, the other tells rustc
//! wrappers of different builds apart.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

const PACKAGES: [&str; 3] = ["cct-runtime", "cct-shims", "cct-macros"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?)
        .join("..")
        .canonicalize()?;
    let mut files = vec![("Cargo.lock".to_owned(), root.join("Cargo.lock"))];
    for package in PACKAGES {
        let manifest = root.join(package).join("Cargo.toml");
        println!("cargo::rerun-if-changed={}", manifest.display());
        let embedded = PathBuf::from(env::var("OUT_DIR")?).join(format!("{package}.toml"));
        fs::write(&embedded, without_tests(&manifest)?)?;
        files.push((format!("{package}/Cargo.toml"), embedded));
        files.extend(sources(&root, &root.join(package).join("src"))?);
        let script = root.join(package).join("build.rs");
        if script.exists() {
            println!("cargo::rerun-if-changed={}", script.display());
            files.push((format!("{package}/build.rs"), script));
        }
    }
    files.extend(sources(&root, &root.join("cct-shims/facades"))?);
    let manifest = PathBuf::from(env::var("OUT_DIR")?).join("Cargo.toml");
    fs::write(&manifest, sysroot_manifest(&root.join("Cargo.toml"))?)?;
    files.push(("Cargo.toml".to_owned(), manifest));
    println!(
        "cargo::rerun-if-changed={}",
        root.join("Cargo.toml").display()
    );
    println!(
        "cargo::rerun-if-changed={}",
        root.join("Cargo.lock").display()
    );

    let mut wrapper = sources(&root, &root.join("cargo-cct/src/build"))?;
    wrapper.extend(sources(&root, &root.join("cargo-cct/src/rewrite"))?);
    wrapper.extend(sources(&root, &root.join("cct-runtime/src/known"))?);
    let mut table = format!(
        "/// Names the sources below.\npub(super) const SOURCES: &str = \"{}\";\n\
         /// Names the code of the wrapper.\npub(super) const WRAPPER: &str = \"{}\";\n\
         /// The files of the sysroot's workspace: path and text.\n\
         pub(super) const FILES: &[(&str, &str)] = &[\n",
        digest(&files)?,
        digest(&wrapper)?,
    );
    for (name, path) in &files {
        let path = path.to_str().ok_or("a path is not UTF-8")?;
        writeln!(table, "    ({name:?}, include_str!({path:?})),")?;
    }
    table.push_str("];\n");
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("embedded.rs"),
        table,
    )?;
    Ok(())
}

/// Lists the files of a folder by their path from the root, in order.
fn sources(root: &Path, folder: &Path) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rs")
        {
            let name = entry
                .path()
                .strip_prefix(root)?
                .to_str()
                .ok_or("a path is not UTF-8")?;
            files.push((name.to_owned(), entry.path().to_owned()));
        }
    }
    Ok(files)
}

/// A package's manifest without what only its tests need: nobody is to have it fetched.
fn without_tests(path: &Path) -> Result<String, Box<dyn Error>> {
    let mut manifest: toml::Table = fs::read_to_string(path)?.parse()?;
    manifest.remove("dev-dependencies");
    Ok(toml::to_string(&manifest)?)
}

/// The repository's manifest with nothing but the embedded packages.
fn sysroot_manifest(path: &Path) -> Result<String, Box<dyn Error>> {
    let mut manifest: toml::Table = fs::read_to_string(path)?.parse()?;
    // Its parts call each other at each operation of a program.
    let profile: toml::Table = "release.codegen-units = 1".parse()?;
    manifest.insert("profile".to_owned(), profile.into());
    let workspace = manifest
        .get_mut("workspace")
        .and_then(toml::Value::as_table_mut);
    let workspace = workspace.ok_or("the repository's manifest has no workspace")?;
    workspace.insert("members".to_owned(), toml::Value::from(PACKAGES.to_vec()));
    workspace.remove("exclude");
    workspace.remove("default-members");
    Ok(toml::to_string(&manifest)?)
}

fn digest(files: &[(String, PathBuf)]) -> Result<String, Box<dyn Error>> {
    let mut hash = Sha256::new();
    for (name, path) in files {
        let text = fs::read(path)?;
        hash.update(format!("{name}\0{}\0", text.len()));
        hash.update(text);
    }
    Ok(hash
        .finalize()
        .iter()
        .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}")))
}
