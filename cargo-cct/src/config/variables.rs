//! Variables whose names begin with `CCT_`: a typo in one would be a setting that silently does not count.

use super::suggest::closest;

/// A variable that means nothing, but is much like one that does.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the variable `{name}` means nothing to cargo-cct; did you mean `{meant}`?")]
pub(crate) struct VariableError {
    name: String,
    meant: String,
}

/// Refuses names that are much like one that is for users; returns the others that mean nothing.
pub(crate) fn check(
    names: impl IntoIterator<Item = String>,
    for_users: &[String],
    of_the_tool: &[&str],
) -> Result<Vec<String>, VariableError> {
    let mut strange = Vec::new();
    for name in names {
        let is_known = for_users.contains(&name)
            || of_the_tool.contains(&name.as_str())
            || name.starts_with("CCT_REWRITE_");
        if is_known || !name.starts_with("CCT_") {
            continue;
        }
        // The prefix is alike in all of them.
        let after = |name: &str| name["CCT_".len()..].to_owned();
        let known: Vec<String> = for_users.iter().map(|known| after(known)).collect();
        match closest(&after(&name), known.iter().map(String::as_str)) {
            Some(meant) => {
                let meant = format!("CCT_{meant}");
                return Err(VariableError { name, meant });
            }
            None => strange.push(name),
        }
    }
    Ok(strange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_refused_and_strangers_told() {
        let for_users = ["CCT_TIME", "CCT_ITERATIONS", "CCT_JUNIT"].map(str::to_owned);
        let check = |names: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned());
            check(names, &for_users, &["CCT_MODE"])
        };
        let known = [
            "CCT_TIME",
            "CCT_MODE",
            "CCT_REWRITE_bank",
            "CCT_JUNIT",
            "HOME",
        ];
        assert_eq!(check(&known), Ok(Vec::new()));
        let error = check(&["CCT_ITERATION"]).expect_err("a typo").to_string();
        assert!(error.ends_with("did you mean `CCT_ITERATIONS`?"), "{error}");
        assert_eq!(check(&["CCT_HOME"]), Ok(vec!["CCT_HOME".to_owned()]));
    }
}
