//! The name that was meant, where one was typed that does not exist.

/// How alike two names are at least, from 0 to 1.
const ALIKE: f64 = 0.8;

/// The most similar of the known names, if one is similar enough.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.replace('-', "_").to_ascii_lowercase();
    let likeness = |known: &str| {
        let (name, known) = (plain(name), plain(known));
        // Short names are unlike each other as soon as one letter differs.
        match strsim::damerau_levenshtein(&name, &known) {
            ..=1 => 1.0,
            _ => strsim::jaro_winkler(&name, &known),
        }
    };
    let alike = known.into_iter().map(|known| (likeness(known), known));
    let best = alike.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness >= ALIKE)
        .map(|(_, known)| known)
}

/// The end of a message about a name that does not exist; empty if none is similar.
#[expect(single_use_lifetimes, reason = "`impl` has no anonymous ones yet")]
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(name, known).map_or_else(String::new, |known| format!("; did you mean `{known}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_alike_is_suggested() {
        let known = ["iterations", "strategy", "max_steps", "time", "timeouts"];
        for (typed, meant) in [
            ("iteration", Some("iterations")),
            ("itertaions", Some("iterations")),
            ("max-step", Some("max_steps")),
            ("STRATEGY", Some("strategy")),
            ("home", None),
            ("x", None),
        ] {
            assert_eq!(closest(typed, known), meant, "{typed}");
        }
        assert_eq!(did_you_mean("timout", known), "; did you mean `timeouts`?");
        assert_eq!(did_you_mean("", known), "");
    }
}
