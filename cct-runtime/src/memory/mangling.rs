//! The crate of a mangled symbol, and its path for people.

/// Returns the crate of a Rust symbol, in either mangling scheme; `None` for other symbols.
pub(super) fn crate_of(symbol: &str) -> Option<&str> {
    home_of(symbol).map(|(krate, _)| krate)
}

/// Returns the crate of a Rust symbol and the next part of its path: a module, if the symbol is in one.
pub(super) fn home_of(symbol: &str) -> Option<(&str, &str)> {
    if let Some(rest) = symbol.strip_prefix("_ZN") {
        let mut parts = identifiers(rest);
        let first = parts.next().unwrap_or("");
        return Some(match first.rfind("$LT$") {
            Some(at) => innermost_home(&first[at + 4..]),
            None => (first, parts.next().unwrap_or("")),
        });
    }
    let rest = symbol.strip_prefix("_R")?;
    // A crate root is `C`, an optional disambiguator `s…_`, and the crate's name.
    rest.match_indices('C').find_map(|(at, _)| {
        let rest = &rest[at + 1..];
        let rest = match rest.strip_prefix('s') {
            Some(disambiguated) => disambiguated.split_once('_')?.1,
            None => rest,
        };
        let mut parts = identifiers(rest);
        Some((parts.next()?, parts.next().unwrap_or("")))
    })
}

/// Returns a static's path, such as `bank::ACCOUNTS`.
pub(super) fn path_of(symbol: &str) -> String {
    if let Some(rest) = symbol.strip_prefix("_ZN") {
        let mut parts: Vec<&str> = identifiers(rest).collect();
        if parts
            .last()
            .is_some_and(|last| last.len() == 17 && last.starts_with('h'))
        {
            parts.pop();
        }
        return parts.join("::");
    }
    let Some(rest) = symbol.strip_prefix("_R") else {
        return symbol.to_owned();
    };
    let mut parts = Vec::new();
    let mut at = 0;
    // Identifiers stand out by their lengths; tags and disambiguators are skipped.
    while at < rest.len() {
        let tail = &rest[at..];
        if let Some(disambiguated) = tail.strip_prefix('s')
            && let Some(end) = disambiguated.find('_')
            && disambiguated[..end]
                .chars()
                .all(|c| c.is_ascii_alphanumeric())
        {
            at += end + 2;
        } else if let Some(identifier) = identifiers(tail).next() {
            let end = identifier.as_ptr() as usize - rest.as_ptr() as usize + identifier.len();
            parts.push(identifier);
            at = end;
        } else {
            at += 1;
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("::")
}

/// Reads identifiers that have their lengths before them, one after another.
fn identifiers(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = rest[..digits].parse().ok()?;
        let tail = &rest[digits..];
        // The newer scheme puts `_` before an identifier that begins with a digit or `_`.
        let tail = tail
            .strip_prefix('_')
            .filter(|_| tail.len() > length)
            .unwrap_or(tail);
        let (identifier, after) = tail.split_at_checked(length)?;
        rest = after;
        Some(identifier)
    })
}

/// Returns the crate and the module of `crate..module..Type$u20$as$u20$…$GT$`.
fn innermost_home(path: &str) -> (&str, &str) {
    let path = path
        .trim_start_matches("$RF$")
        .trim_start_matches("dyn$u20$");
    let mut parts = path.split("..");
    (parts.next().unwrap_or(path), parts.next().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::{crate_of, home_of, path_of};

    #[test]
    fn both_schemes_name_their_crate() {
        assert_eq!(
            crate_of("_ZN4bank8ACCOUNTS17h0123456789abcdefE"),
            Some("bank")
        );
        assert_eq!(crate_of("_RNvCs4fqI2P2rA04_4bank8ACCOUNTS"), Some("bank"));
        assert_eq!(
            crate_of("_RNvNtCs1_5rayon8registry12THE_REGISTRY"),
            Some("rayon")
        );
        assert_eq!(crate_of("environ"), None);
    }

    #[test]
    fn both_schemes_name_their_module() {
        let of_module = Some(("cct", "memory"));
        let of_root = Some(("cct", "COUNT"));
        assert_eq!(
            home_of("_ZN3cct6memory5arena5ARENA17h0123456789abcdefE"),
            of_module
        );
        assert_eq!(
            home_of(
                "_ZN60_$LT$cct..memory..arena..Shared$u20$as$u20$core..Sync$GT$4HELD17h0123456789abcdefE"
            ),
            of_module
        );
        assert_eq!(home_of("_RNvNtNtCs1_3cct6memory5arena5ARENA"), of_module);
        assert_eq!(home_of("_ZN3cct5COUNT17h0123456789abcdefE"), of_root);
        assert_eq!(home_of("_RNvCs1_3cct5COUNT"), of_root);
    }

    #[test]
    fn paths_are_readable() {
        assert_eq!(
            path_of("_ZN4bank8ACCOUNTS17h0123456789abcdefE"),
            "bank::ACCOUNTS"
        );
        assert_eq!(
            path_of("_RNvCs4fqI2P2rA04_4bank8ACCOUNTS"),
            "bank::ACCOUNTS"
        );
    }
}
