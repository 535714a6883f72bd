//! The words for nextest that decide how cargo builds: with them, a replay builds the same again.

/// The words that were found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Build {
    /// The same for `cargo test`.
    pub words: Vec<String>,
    /// The manifest.
    pub manifest_path: Option<String>,
}

/// Options that `cargo test` has, too.
const FLAGS: [&str; 12] = [
    "--workspace",
    "--all",
    "--lib",
    "--bins",
    "--tests",
    "--examples",
    "--benches",
    "--all-targets",
    "--all-features",
    "--no-default-features",
    "--release",
    "--ignore-rust-version",
];
/// Likewise, with a value.
const VALUES: [&str; 9] = [
    "--package",
    "--exclude",
    "--bin",
    "--test",
    "--example",
    "--bench",
    "--features",
    "--config",
    "-Z",
];

/// Picks them out.
pub(super) fn selection(words: &[String]) -> Build {
    let mut build = Build::default();
    let mut words = words.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            // `-pbank`, as cargo takes it.
            None if is_short(word) && word.len() > 2 => (&word[..2], Some(word[2..].to_owned())),
            None => (word.as_str(), None),
        };
        let name = match name {
            "-p" => "--package",
            "-F" => "--features",
            "-r" => "--release",
            // A profile of nextest's is called `--profile`.
            "--cargo-profile" => "--profile",
            "--profile" => "",
            name => name,
        };
        if FLAGS.contains(&name) {
            build.words.push(name.to_owned());
        } else if VALUES.contains(&name) || name == "--profile" {
            let value = inline.or_else(|| words.next().cloned());
            build.words.push(name.to_owned());
            build.words.extend(value);
        } else if name == "--manifest-path" {
            build.manifest_path = inline.or_else(|| words.next().cloned());
        }
    }
    build
}

fn is_short(word: &str) -> bool {
    ["-p", "-F", "-Z"]
        .iter()
        .any(|short| word.starts_with(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_build_are_told_from_words_that_run() {
        let words = "run -p bank -Fa,b --profile ci --cargo-profile=fast --test two -E test(one) \
                     --manifest-path x/Cargo.toml --retries 2 -r -- --lib";
        let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
        let build = selection(&words);
        assert_eq!(
            build.words.join(" "),
            "--package bank --features a,b --profile fast --test two --release"
        );
        assert_eq!(build.manifest_path.as_deref(), Some("x/Cargo.toml"));
    }
}
