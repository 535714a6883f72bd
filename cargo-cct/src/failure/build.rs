//! The part of cargo's arguments that decides how the tests are built, whatever is selected of them.

/// Options that only select packages and targets.
const SELECTS: [&str; 13] = [
    "--package",
    "--workspace",
    "--exclude",
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--example",
    "--examples",
    "--bench",
    "--benches",
    "--all-targets",
];

/// Features, profile and configuration among these arguments.
pub(crate) fn build_of(selection: &[String]) -> Vec<String> {
    let options = selection.chunk_by(|_, next| !next.starts_with('-'));
    let of_build = options.filter(|option| !SELECTS.contains(&option[0].as_str()));
    of_build.flatten().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_features_are_another_build() {
        let build = |text: &str| {
            let words: Vec<_> = text.split(' ').map(str::to_owned).collect();
            build_of(&words).join(" ")
        };
        assert_eq!(build("--workspace --features a"), "--features a");
        assert_eq!(
            build("--package b --features a --test c --release"),
            "--features a --release"
        );
        assert_eq!(build("--lib --all-targets"), "");
    }
}
