//! Which packages the source layer is for, and how much of it, as the tool tells it to the wrapper.
//!
//! Each package has a variable of its own: a choice that changes has that package built again, and those
//! that depend on it, but no other.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use cct::config::Settings;
use cct::wire;
use serde::{Deserialize, Serialize};

use super::code::Code;
use super::workspace::Workspace;
use crate::rewrite::{self, Named, Passes};

/// The packages that were chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Chosen {
    /// Whether the workspace's members are; none to have it as each says in its manifest, and by default
    /// they are.
    pub members: Option<bool>,
    /// Others, by name, whatever their version.
    pub dependencies: Vec<String>,
    /// Functions that are named beside those that are known.
    #[serde(default)]
    pub named: Named,
    /// The accesses to memory that are seen, for which all crates are instrumented.
    #[serde(default)]
    pub code: Option<Code>,
}

/// The value that means a package wherever it is; otherwise it is the package's folder.
const ANYWHERE: &str = "*";
/// The value for a package that is not chosen, but whose random choices are.
const CHOICES: &str = "choices";

impl Chosen {
    /// Adds what manifests say to what was typed.
    ///
    /// A test's attribute comes too late for its build.
    pub(crate) fn new(typed: &Settings, workspace: &Workspace) -> Chosen {
        // All that is typed, or else what any file says.
        let all = |of: fn(&Settings) -> Option<&Vec<String>>| {
            let manifests = workspace.packages.values();
            let configured = manifests.filter_map(|member| of(&member.config));
            // A crate that counts for a single test has to be built so for all.
            let overrides = workspace.profile.overrides.iter();
            let overrides = overrides.filter_map(|it| of(&it.settings));
            let configured = configured.chain(overrides);
            let mut names: Vec<String> = match of(typed) {
                Some(names) => names.clone(),
                None => configured.flatten().cloned().collect(),
            };
            names.sort();
            names.dedup();
            names
        };
        Chosen {
            code: code(typed, workspace),
            members: typed.rewrite,
            dependencies: all(|settings| settings.interleave.as_ref()),
            named: Named {
                spawn: all(|settings| settings.spawn.as_ref()),
                drive: all(|settings| settings.drive.as_ref()),
            },
        }
    }

    /// The variables for the wrapper.
    pub(crate) fn variables(&self, workspace: &Workspace) -> Vec<(String, OsString)> {
        let members = workspace.packages.values();
        let members =
            members.filter(|member| self.members.or(member.config.rewrite) != Some(false));
        let members = members.filter_map(|member| {
            let folder = member.package.manifest_path.parent()?;
            let value = format!("{}{folder}", self.named);
            Some((variable(&member.package.name), value.into()))
        });
        let dependencies = self.dependencies.iter();
        let chosen = members.chain(dependencies.map(|name| {
            let value = format!("{}{ANYWHERE}", self.named);
            (variable(name), value.into())
        }));
        let mut variables: BTreeMap<String, OsString> = chosen.collect();
        if let Some(code) = self.code {
            variables.insert(wire::ENV_CODE.to_owned(), code.name().into());
        }
        if self.members != Some(false) {
            // A member of that name has said for itself what it wants.
            for package in rewrite::with_random_choices().filter(|name| !workspace.has_member(name))
            {
                variables
                    .entry(variable(package))
                    .or_insert_with(|| CHOICES.into());
            }
        }
        variables.into_iter().collect()
    }
}

/// The accesses that somebody is to see: all that is typed, or else what any member's settings say.
fn code(typed: &Settings, workspace: &Workspace) -> Option<Code> {
    let members = workspace.packages.values();
    let settings = members.map(|member| typed.clone().over(member.config.clone()));
    settings
        .filter_map(|settings| Code::wanted(&settings.resolve()))
        .max()
}

/// Tells the wrapper what to do to the package that cargo builds.
pub(super) fn passes(package: &str) -> (Passes, Named) {
    let Some(value) = env::var_os(variable(package)) else {
        return (Passes::NONE, Named::default());
    };
    // A folder whose name is no text is no member's: cargo has none.
    let value = value.to_string_lossy();
    let (named, value) = Named::split(&value);
    let place = |path: &Path| fs::canonicalize(path).ok();
    let folder = env::var_os("CARGO_MANIFEST_DIR").and_then(|folder| place(Path::new(&folder)));
    let passes = if value == CHOICES {
        rewrite::choices_of(package)
    } else if value == ANYWHERE || (folder.is_some() && folder == place(Path::new(value))) {
        Passes::ALL.and(rewrite::choices_of(package))
    } else {
        Passes::NONE
    };
    (passes, named)
}

/// The variable that a package's crates depend on.
pub(super) fn variable(package: &str) -> String {
    format!("CCT_REWRITE_{package}")
}
