//! The functions that the shims define, read from their expanded source.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cct_tests::support::{self, Finished};
use syn::{
    Attribute, GenericArgument, GenericParam, ImplItem, Item, ItemImpl, PathArguments, Type,
    Visibility,
};

/// Returns all of them: what is public, and every function of an impl of a trait, whose type may be private,
/// since its destructor is part of a public one.
pub(crate) fn functions() -> BTreeSet<String> {
    let file = syn::parse_file(&expanded()).expect("the compiler prints Rust");
    let mut found = Found::default();
    let std = file.items.into_iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == "std" => module.content,
        _ => None,
    });
    found.items(&[], &std.expect("the shims have a module `std`").1);
    found.names
}

/// Returns the source of the shims with all macros expanded: most functions of atomics are made by one.
fn expanded() -> String {
    let libraries = support::check("cct-shims").libraries;
    let mut command = Command::new("rustc");
    command
        .args(["--crate-name", "cct_shims", "--crate-type", "lib"])
        .args(["--edition", "2024", "-Zunpretty=expanded"])
        .env("RUSTC_BOOTSTRAP", "1");
    for file in &libraries {
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let name = stem
            .and_then(|stem| stem.strip_prefix("lib"))
            .unwrap_or_default();
        let name = name.split('-').next().unwrap_or_default();
        if ["cct", "cct_macros", "libc"].contains(&name) {
            let file = file.display();
            command.arg("--extern").arg(format!("{name}={file}"));
        }
        let folder = file.parent().expect("a file is in a folder").display();
        command.arg("-L").arg(format!("dependency={folder}"));
    }
    for cfg in cfgs(&libraries[0]) {
        command.args(["--cfg", &cfg]);
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cct-shims/src/lib.rs");
    let finished = Finished::of(command.arg(source));
    finished.expect(0);
    finished.stdout
}

/// The answers of the shims' build script, the latest: which items std has.
fn cfgs(library: &Path) -> Vec<String> {
    let folders = library.ancestors().map(|folder| folder.join("build"));
    let build = folders
        .into_iter()
        .find(|folder| folder.is_dir())
        .expect("there is a build script");
    let entries = fs::read_dir(build).expect("it is a folder").flatten();
    let is_ours = |path: &Path| path.to_string_lossy().contains("/cct-shims-");
    let outputs = entries
        .map(|entry| entry.path())
        .filter(|path| is_ours(path));
    let outputs = outputs
        .map(|path| path.join("output"))
        .filter(|path| path.exists());
    let written = |path: &PathBuf| path.metadata().and_then(|it| it.modified()).ok();
    let latest = outputs.max_by_key(written).expect("it has run");
    let said = fs::read_to_string(latest).expect("a text");
    let answers = said
        .lines()
        .filter_map(|line| line.split_once("rustc-cfg="));
    answers.map(|(_, cfg)| cfg.to_owned()).collect()
}

#[derive(Default)]
struct Found {
    names: BTreeSet<String>,
}

impl Found {
    /// Adds the functions of a module's items; `path` has its public modules only, since private ones
    /// export what they have to the next above.
    fn items(&mut self, path: &[String], items: &[Item]) {
        for item in items {
            match item {
                Item::Mod(module) => {
                    let mut path = path.to_vec();
                    if is_public(&module.vis) {
                        path.push(module.ident.to_string());
                    }
                    if let Some((_, items)) = &module.content {
                        self.items(&path, items);
                    }
                }
                Item::Fn(function) if is_public(&function.vis) => {
                    self.add(path, &function.sig.ident.to_string());
                }
                Item::Impl(of) => self.implemented(path, of),
                _ => {}
            }
        }
    }

    fn implemented(&mut self, path: &[String], of: &ItemImpl) {
        let parameters: Vec<_> = of.generics.params.iter().filter_map(parameter).collect();
        let kind = type_name(&of.self_ty, &parameters);
        let of_trait = of.trait_.as_ref().map(|(_, path, _)| {
            let last = path.segments.last().expect("a path has a segment");
            let types = types(&last.arguments).filter(|kind| !is_primitive(kind));
            named(&last.ident.to_string(), types, &parameters)
        });
        for item in &of.items {
            let ImplItem::Fn(function) = item else {
                continue;
            };
            let name = &function.sig.ident;
            match &of_trait {
                None if is_public(&function.vis) => self.add(path, &format!("{kind}::{name}")),
                // Checks of a derive, at compile time only.
                Some(of_trait) if !(of_trait == "Eq" && is_derived(&of.attrs)) => {
                    self.add(path, &format!("{kind}: {of_trait}::{name}"));
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, path: &[String], name: &str) {
        let name = [path, &[name.to_owned()]].concat().join("::");
        assert!(
            self.names.insert(name.clone()),
            "two functions are called {name}"
        );
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_derived(attributes: &[Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|attribute| attribute.path().is_ident("automatically_derived"))
}

fn parameter(parameter: &GenericParam) -> Option<String> {
    match parameter {
        GenericParam::Type(kind) => Some(kind.ident.to_string()),
        _ => None,
    }
}

/// Returns a type's last name, and such arguments as are no parameters.
fn type_name(kind: &Type, parameters: &[String]) -> String {
    match kind {
        Type::Reference(reference) => format!("&{}", type_name(&reference.elem, parameters)),
        Type::Path(path) => {
            let last = path.path.segments.last().expect("a path has a segment");
            named(&last.ident.to_string(), types(&last.arguments), parameters)
        }
        _ => panic!("the shims implement for paths and references"),
    }
}

#[expect(single_use_lifetimes, reason = "an anonymous one is not stable here")]
fn named<'a>(name: &str, types: impl Iterator<Item = &'a Type>, parameters: &[String]) -> String {
    let types = types.map(|kind| type_name(kind, parameters));
    let types: Vec<_> = types.filter(|kind| !parameters.contains(kind)).collect();
    match &types[..] {
        [] => name.to_owned(),
        types => format!("{name}<{}>", types.join(", ")),
    }
}

fn types(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let given = match arguments {
        PathArguments::AngleBracketed(given) => Some(&given.args),
        _ => None,
    };
    given
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(kind) => Some(kind),
            _ => None,
        })
}

/// The type that an atomic holds tells nothing beyond its name.
fn is_primitive(kind: &Type) -> bool {
    match kind {
        Type::Path(path) => path.path.get_ident().is_some_and(|name| {
            name.to_string()
                .starts_with(|letter: char| letter.is_lowercase())
        }),
        kind => matches!(kind, Type::Ptr(_)),
    }
}
