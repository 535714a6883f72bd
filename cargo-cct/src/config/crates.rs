//! Names of crates in settings: one that is not in the graph would change nothing, and nobody would know.

use std::collections::BTreeSet;
use std::path::Path;

use super::suggest::did_you_mean;

/// A crate that does not exist here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{setting}` names `{name}`, which is no package of the workspace or its dependencies{advice}"
)]
pub(crate) struct NoCrate {
    setting: &'static str,
    name: String,
    advice: String,
}

/// Looks the names up in the lock file of the workspace with this root, if there is one yet.
#[expect(single_use_lifetimes, reason = "`impl` has no anonymous ones yet")]
pub(crate) fn check<'a>(
    root: &Path,
    named: impl IntoIterator<Item = (&'static str, &'a str)>,
) -> Result<(), NoCrate> {
    let mut named = named.into_iter().peekable();
    if named.peek().is_none() {
        return Ok(());
    }
    let packages = std::fs::read_to_string(root.join("Cargo.lock"));
    let packages = packages.ok().and_then(|text| packages_in(&text));
    let Some(packages) = packages else {
        // Cargo writes it, or says what is wrong with it.
        return Ok(());
    };
    for (setting, name) in named {
        if !packages.contains(name) {
            return Err(NoCrate {
                setting,
                name: name.to_owned(),
                advice: did_you_mean(name, packages.iter().map(String::as_str)),
            });
        }
    }
    Ok(())
}

fn packages_in(lock: &str) -> Option<BTreeSet<String>> {
    let lock: toml::Table = lock.parse().ok()?;
    let packages = lock.get("package")?.as_array()?.iter();
    let names = packages.filter_map(|package| package.get("name")?.as_str());
    Some(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_lock_file() {
        let root = std::env::temp_dir().join(format!("cct-lock-{}", std::process::id()));
        std::fs::create_dir_all(&root).expect("a folder");
        let check = |name| check(&root, [("atomic", name)]);
        assert_eq!(check("anything"), Ok(()));
        let lock = "version = 4\n[[package]]\nname = \"parking_lot\"\nversion = \"0.12.0\"\n";
        std::fs::write(root.join("Cargo.lock"), lock).expect("a file");
        assert_eq!(check("parking_lot"), Ok(()));
        let error = check("parking-lot")
            .expect_err("another spelling")
            .to_string();
        assert!(error.ends_with("did you mean `parking_lot`?"), "{error}");
        assert!(check("serde").is_err());
        std::fs::remove_dir_all(&root).expect("removable");
    }
}
