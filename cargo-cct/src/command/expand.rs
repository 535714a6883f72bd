//! `cargo cct expand`: what the source layer changes in a package or file, without building anything.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use cargo_metadata::{MetadataCommand, Package, TargetKind};
use cct::config::Settings;

use super::load;
use crate::build::chosen::Chosen;
use crate::build::shadow::rust_files;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::cli::ExpandArgs;
use crate::exit::Exit;
use crate::report::{expansion, say};
use crate::rewrite::{self, Edition, Passes};
use crate::run::helper;

/// Does it.
pub(super) fn run(args: &ExpandArgs) -> anyhow::Result<Exit> {
    let (toolchain, workspace) = load(&args.place.cargo_args())?;
    let packages = packages(&toolchain, &workspace)?;
    let path = Path::new(&args.subject);
    let is_path = path.extension().is_some_and(|end| end == "rs") || path.components().count() > 1;
    let (package, files) = if is_path {
        let file = fs::canonicalize(path).with_context(|| no_such_file(path))?;
        let package = owner(&packages, &file)
            .with_context(|| format!("`{}` is not part of any package here", path.display()))?;
        (package, vec![file])
    } else {
        let package = find(&packages, &workspace, &args.subject)?;
        (package, rust_files(&folder(package)))
    };
    if is_for_the_build(package) {
        bail!(
            "`{}` is a procedural macro: it is part of the build, and never rewritten",
            package.name
        );
    }
    let files: Vec<_> = files
        .into_iter()
        .filter(|file| !is_build_script(package, file))
        .collect();
    if files.is_empty() {
        bail!(
            "`{}` is of the build script, which is never rewritten",
            args.subject
        );
    }
    let edition = Edition::parse(Some(package.edition.as_str()));
    let passes = Passes::ALL.and(rewrite::choices_of(&package.name));
    let chosen = Chosen::new(&Settings::default(), &workspace);
    let mut changed = 0;
    for file in &files {
        let text = fs::read_to_string(file)
            .with_context(|| format!("cannot read `{}`", file.display()))?;
        let edits = rewrite::edits(&text, file, edition, passes, &chosen.named);
        if !edits.is_empty() {
            changed += 1;
            let name = super::relative(file, &workspace.root);
            if args.output.json {
                expansion::json(&package.name, &name, &text, &edits)?;
            } else {
                say(expansion::diff(&name, &text, &edits))?;
            }
        }
    }
    if changed == 0 && !args.output.json {
        crate::report::remark_line!("nothing to rewrite in `{}`", args.subject);
    }
    Ok(Exit::Success)
}

/// All packages of the graph, members first.
fn packages(toolchain: &Toolchain, workspace: &Workspace) -> anyhow::Result<Vec<Package>> {
    let mut asked = MetadataCommand::new();
    asked
        .cargo_path(&toolchain.cargo)
        .manifest_path(&workspace.manifest);
    let metadata = helper::metadata(&asked)
        .context("cannot read the packages that the workspace depends on")?;
    let mut packages = metadata.packages;
    packages.sort_by_key(|package| !workspace.packages.contains_key(&package.id));
    Ok(packages)
}

fn find<'a>(
    packages: &'a [Package],
    workspace: &Workspace,
    subject: &str,
) -> anyhow::Result<&'a Package> {
    let (name, version) = match subject.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (subject, None),
    };
    // A crate's name has underscores where its package's may have dashes.
    let plain = |name: &str| name.replace('-', "_");
    let found: Vec<_> = packages
        .iter()
        .filter(|package| plain(&package.name) == plain(name))
        .filter(|package| version.is_none_or(|version| package.version.to_string() == version))
        .collect();
    match found[..] {
        [package] => Ok(package),
        [] => bail!(
            "no package `{subject}` here; members: {}; dependencies: {}",
            names(packages, |it| workspace.packages.contains_key(&it.id)),
            names(packages, |it| !workspace.packages.contains_key(&it.id)),
        ),
        _ => {
            let versions: Vec<_> = found
                .iter()
                .map(|package| format!("`{name}@{}`", package.version))
                .collect();
            bail!("`{subject}` is not one package: {}", versions.join(", "))
        }
    }
}

fn names(packages: &[Package], of: impl Fn(&Package) -> bool) -> String {
    let packages = packages.iter().filter(|package| of(package));
    let mut names: Vec<_> = packages
        .map(|package| format!("`{}`", package.name))
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}

/// Says what there is where a file was looked for.
fn no_such_file(path: &Path) -> String {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut names: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter_map(|path| Some(format!("`{}`", path.file_name()?.to_string_lossy())))
        .collect();
    names.sort();
    let there = if names.is_empty() {
        "no Rust file".to_owned()
    } else {
        names.join(", ")
    };
    let folder = folder.display();
    format!(
        "no file `{}`; in `{folder}` there is {there}",
        path.display()
    )
}

/// The package in whose folder a file is; the deepest counts.
fn owner<'a>(packages: &'a [Package], file: &Path) -> Option<&'a Package> {
    let depth = |package: &&Package| folder(package).components().count();
    packages
        .iter()
        .filter(|package| file.starts_with(folder(package)))
        .max_by_key(depth)
}

fn folder(package: &Package) -> PathBuf {
    let folder = package
        .manifest_path
        .parent()
        .unwrap_or(&package.manifest_path);
    fs::canonicalize(folder).unwrap_or_else(|_| folder.into())
}

fn is_for_the_build(package: &Package) -> bool {
    package
        .targets
        .iter()
        .any(|target| target.kind.contains(&TargetKind::ProcMacro))
}

fn is_build_script(package: &Package, file: &Path) -> bool {
    let mut scripts = package
        .targets
        .iter()
        .filter(|target| target.kind.contains(&TargetKind::CustomBuild));
    scripts.any(|script| fs::canonicalize(&script.src_path).is_ok_and(|path| path == file))
}
