//! Functions that settings name beside those that are known: they spawn, or drive, what they are given.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::syntax::Tree;

/// The functions, each by its name, or by its path from its crate on: `my_pool::spawn`, `my_pool::Pool::go`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Named {
    /// The functions that spawn.
    pub spawn: Vec<String>,
    /// The functions that drive.
    pub drive: Vec<String>,
}

impl Named {
    /// No function.
    pub(crate) const NONE: &Named = &Named {
        spawn: Vec::new(),
        drive: Vec::new(),
    };

    /// Tells whether the call whose name ends `before` is of a function that spawns.
    pub(super) fn spawns(&self, before: &[Tree]) -> bool {
        self.spawn.iter().any(|path| is_call_of(before, path))
    }

    /// Tells whether it is of one that drives.
    pub(super) fn drives(&self, before: &[Tree]) -> bool {
        self.drive.iter().any(|path| is_call_of(before, path))
    }

    /// The functions' own names.
    pub(super) fn names(&self) -> Vec<&str> {
        let all = self.spawn.iter().chain(&self.drive);
        all.map(|path| own_name(path)).collect()
    }

    /// The paths from crates that are none of these, which are spelled as in paths.
    pub(crate) fn of_no_crate(&self, crates: &[String]) -> Vec<&str> {
        let all = self.spawn.iter().chain(&self.drive);
        let missing = all.filter(|path| {
            let first = path
                .split_once("::")
                .map(|(first, _)| first.replace('-', "_"));
            first.is_some_and(|first| !crates.contains(&first))
        });
        missing.map(String::as_str).collect()
    }

    /// Splits what `Display` has written off the front of a text.
    pub(crate) fn split(text: &str) -> (Named, &str) {
        let list = |names: &str| names.split(',').map(str::to_owned).collect();
        let mut named = Named::default();
        let mut rest = text;
        if let Some((names, after)) = rest
            .strip_prefix("spawn=")
            .and_then(|it| it.split_once(';'))
        {
            (named.spawn, rest) = (list(names), after);
        }
        if let Some((names, after)) = rest
            .strip_prefix("drive=")
            .and_then(|it| it.split_once(';'))
        {
            (named.drive, rest) = (list(names), after);
        }
        (named, rest)
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, names) in [("spawn", &self.spawn), ("drive", &self.drive)] {
            if !names.is_empty() {
                write!(f, "{word}={};", names.join(","))?;
            }
        }
        Ok(())
    }
}

fn own_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Tells whether a call is of the function with this path, as far as its own path goes. An imported name
/// has none, and a method has none: it is only a type's function that may be one.
fn is_call_of(before: &[Tree], path: &str) -> bool {
    let Some((name, before)) = before.split_last() else {
        return false;
    };
    if !name.is_word(own_name(path)) {
        return false;
    }
    let Some(owner) = path.rsplit("::").nth(1) else {
        return true;
    };
    match before {
        [.., dot] if dot.is_sign('.') => owner.starts_with(char::is_uppercase),
        [.., last, first, second] if first.is_sign(':') && second.is_sign(':') => {
            // After a type's parameters nobody can say.
            !last.is_name() || last.is_word(&owner.replace('-', "_"))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::rewrite::{Edition, Passes, rewrite};

    fn named(spawn: &[&str], drive: &[&str]) -> Named {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Named {
            spawn: list(spawn),
            drive: list(drive),
        }
    }

    fn made(text: &str, named: &Named) -> String {
        let passes = Passes::parse("tasks").expect("a part");
        let made = rewrite(text, Path::new("/a.rs"), Edition::Rust2024, passes, named);
        made.unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn named_functions_are_given_tasks_and_roots() {
        let named = named(&["my_pool::go", "submit"], &["my-pool::Pool::finish"]);
        for (text, expected) in [
            ("my_pool::go(a())", "my_pool::go(__cct_task!(a()))"),
            (
                "::my_pool::go(async {})",
                "::my_pool::go(__cct_task!(async {}))",
            ),
            ("go(a())", "go(__cct_task!(a()))"),
            ("pool.submit(a())", "pool.submit(__cct_task!(a()))"),
            ("other::submit(a())", "other::submit(__cct_task!(a()))"),
            ("pool.finish(a())", "pool.finish(__cct_root!(a()))"),
            (
                "Pool::finish(&p, a())",
                "Pool::finish(__cct_root!(&p), __cct_root!(a()))",
            ),
        ] {
            assert_eq!(made(text, &named), expected);
        }
    }

    #[test]
    fn functions_of_others_with_such_names_stay() {
        let named = named(&["my_pool::go"], &["my_pool::Pool::finish"]);
        for text in [
            "other::go(a())",
            "car.go(a())",
            "fn go(a: A) {}",
            "go(1)",
            "Other::finish(a())",
            "going(a())",
        ] {
            assert_eq!(made(text, &named), text);
        }
        assert_eq!(made("go(a())", Named::NONE), "go(a())");
    }

    #[test]
    fn they_are_written_before_a_folder_and_read_again() {
        for named in [
            Named::default(),
            named(&["a::b", "c"], &[]),
            named(&[], &["d"]),
            named(&["a"], &["b", "c"]),
        ] {
            let text = format!("{named}/folder;with=signs");
            assert_eq!(Named::split(&text), (named, "/folder;with=signs"));
        }
    }

    #[test]
    fn paths_begin_with_a_crate() {
        let named = named(&["my-pool::go", "go"], &["gone::go"]);
        assert_eq!(named.of_no_crate(&["my_pool".to_owned()]), ["gone::go"]);
    }
}
