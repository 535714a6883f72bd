//! Files outside the package that its text names: `#[path = "../shared.rs"]`, `include!("../../a.rs")`.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use super::Subject;

/// Longer literals are no paths.
const LONGEST: usize = 512;

/// The paths that a file's string literals may mean and that exist.
///
/// A literal that is something else by its meaning costs a link that nobody follows.
pub(super) fn outside(text: &str, file: &Path, subject: &Subject) -> Vec<String> {
    // Links of the documentation climb as well.
    let mut code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let Some(folder) = file
        .parent()
        .filter(|_| code.any(|line| line.contains("../")))
    else {
        return Vec::new();
    };
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return Vec::new();
    };
    let mut paths: Vec<_> = literals(tokens)
        .iter()
        .filter_map(|literal| normal(&folder.join(literal)))
        .filter(|path| !subject.package.starts_with(path) && is_elsewhere(path, subject))
        .filter(|path| path.exists())
        .filter_map(|path| path.into_os_string().into_string().ok())
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The literals that may be paths upwards, however deep they are.
fn literals(tokens: TokenStream) -> Vec<String> {
    let mut literals = Vec::new();
    let mut open = vec![tokens];
    while let Some(tokens) = open.pop() {
        for token in tokens {
            match token {
                TokenTree::Group(group) => open.push(group.stream()),
                TokenTree::Literal(literal) => literals.extend(path_in(&literal.to_string())),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
    literals
}

fn path_in(literal: &str) -> Option<String> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let climbs = text.contains("../") && !text.starts_with('/');
    let is_path = climbs && text.len() <= LONGEST && !text.contains('\\');
    is_path.then(|| text.to_owned())
}

/// Paths inside the package are found there, and files inside the workspace that are no Rust are linked in.
fn is_elsewhere(path: &Path, subject: &Subject) -> bool {
    let within = if super::files::is_rust(path) {
        &subject.package
    } else {
        &subject.base
    };
    !path.starts_with(within) || has_manifest_between(path, within)
}

/// A package inside the package is skipped by the walk.
fn has_manifest_between(path: &Path, folder: &Path) -> bool {
    super::files::is_rust(path)
        && path
            .ancestors()
            .skip(1)
            .take_while(|ancestor| *ancestor != folder)
            .any(|ancestor| ancestor.join("Cargo.toml").exists())
}

/// Takes `..` out of a path as it is written.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out: Vec<&OsStr> = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop()?;
            }
            Component::Normal(name) => out.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(Path::new("/").join(out.iter().collect::<PathBuf>()))
}
