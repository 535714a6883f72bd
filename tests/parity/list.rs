//! The list of std's stable items, as `extract.py` writes it.

use std::collections::BTreeMap;
use std::process::Command;

use cct_tests::support::Finished;
use serde::Deserialize;
use serde_json::Value;

/// The committed list.
const JSON: &str = include_str!("std_items.json");

/// The items that the facades have to offer.
#[derive(Debug, Deserialize)]
pub(crate) struct List {
    /// Release of the toolchain whose documentation was read.
    pub(crate) rust: String,
    /// Names by module, separated by spaces.
    #[serde(rename = "std paths")]
    std_paths: BTreeMap<String, String>,
    /// The same of core.
    #[serde(rename = "core paths")]
    core_paths: BTreeMap<String, String>,
    /// The items of the shadowed modules; `core` marks those that core has too.
    items: Vec<Value>,
}

/// One item with everything that a use of it has to name. Texts are Rust source.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Item {
    /// A function or a method.
    Function(Function),
    /// A trait that a type implements.
    Implements {
        #[serde(rename = "impl")]
        bound: String,
        of: String,
        #[serde(default, flatten)]
        context: Context,
        #[serde(default)]
        types: BTreeMap<String, String>,
    },
    /// An auto trait that a type must not implement under these bounds.
    Lacks {
        #[serde(rename = "not")]
        bound: String,
        of: String,
        #[serde(default, flatten)]
        context: Context,
    },
    /// A constant.
    Value {
        value: String,
        #[serde(rename = "type")]
        kind: String,
    },
    /// A variant of an enum; `fields` has its parentheses, or is empty.
    Variant {
        variant: String,
        of: String,
        #[serde(default, flatten)]
        context: Context,
        fields: String,
    },
    /// A public field.
    Field {
        field: String,
        of: String,
        #[serde(default, flatten)]
        context: Context,
        #[serde(rename = "type")]
        kind: String,
    },
    /// A type alias with its parameters.
    Alias {
        alias: String,
        #[serde(default, flatten)]
        context: Context,
        #[serde(rename = "type")]
        kind: String,
    },
    /// An item that is only named.
    Path { path: String },
}

/// The generics around an item.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Context {
    /// Parameters with their bounds, lifetimes first.
    #[serde(default)]
    pub(crate) generics: String,
    /// Predicates of the where clause.
    #[serde(default, rename = "where")]
    pub(crate) predicates: String,
}

/// A function or a method.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Function {
    /// Path for reports; its last part is the name.
    #[serde(rename = "fn")]
    pub(crate) path: String,
    /// The type that a method belongs to, with its parameters.
    pub(crate) of: Option<String>,
    #[serde(default, flatten)]
    pub(crate) context: Context,
    /// Type parameters that a caller can name.
    #[serde(default)]
    pub(crate) turbofish: String,
    pub(crate) args: Vec<String>,
    pub(crate) ret: String,
    #[serde(default, rename = "const")]
    pub(crate) is_const: bool,
    #[serde(default, rename = "unsafe")]
    pub(crate) is_unsafe: bool,
}

/// Items of releases after the list's, in the same form; the facades are to have them where std has.
const LATER: &str = include_str!("later_items.json");

/// Reads the list of what came later.
pub(crate) fn later() -> Vec<Item> {
    serde_json::from_str(LATER).expect("items of the form that the list has")
}

/// Reads the committed list.
pub(crate) fn read() -> List {
    serde_json::from_str(JSON).expect("the list is written by extract.py")
}

impl List {
    /// True unless the compiler's release came before the one that was read.
    pub(crate) fn is_of_this_release_or_before(&self) -> bool {
        let told = Finished::of(Command::new("rustc").arg("-V"));
        let release = told.stdout.split(' ').nth(1).expect("`rustc 1.95.0 (…)`");
        numbers(&self.rust) <= numbers(release)
    }

    /// Returns each item as it is found in std, then those that core has as well.
    pub(crate) fn items(&self) -> Vec<Item> {
        let paths = self
            .std_paths
            .iter()
            .chain(&self.core_paths)
            .flat_map(|(module, names)| {
                let names = names.split(' ').filter(|name| !name.is_empty());
                names.map(move |name| Item::Path {
                    path: format!("{module}::{name}"),
                })
            });
        let twins = self.items.iter().filter(|item| item["core"] == true);
        let twins = twins.map(|item| item.to_string().replace("std::", "core::"));
        let items = self.items.iter().map(Value::to_string).chain(twins);
        let items = items.map(|text| {
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
        });
        paths.chain(items).collect()
    }
}

/// The numbers of a release, without the name of its channel.
fn numbers(release: &str) -> Vec<u32> {
    let numbers = release.split('-').next().unwrap_or_default().split('.');
    numbers
        .map(|number| number.parse().expect("a release is made of numbers"))
        .collect()
}
