//! The commands that reports tell a user to type: with the arguments that lead to where the failures are.

use std::sync::OnceLock;

/// The arguments, as a shell reads them, each with a blank before it.
static PLACE: OnceLock<String> = OnceLock::new();

/// From now on all commands are told with these options, which were typed for this one.
pub(crate) fn set_place<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let mut place = String::new();
    for (option, value) in options {
        super::words::put!(place, " {option} {}", quoted(value));
    }
    // There is one command line.
    let _ = PLACE.set(place);
}

/// The command that does this with a failure.
pub(crate) fn command(verb: &str, failure: &str) -> String {
    let place = PLACE.get().map_or("", String::as_str);
    format!("cargo cct {verb} {failure}{place}")
}

fn quoted(value: &str) -> String {
    shell_words::quote(value).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_what_was_typed() {
        assert_eq!(quoted("a/b-c_1.cct"), "a/b-c_1.cct");
        for value in ["", "it's here", "$HOME", "a\"b"] {
            assert_eq!(
                shell_words::split(&quoted(value)),
                Ok(vec![value.to_owned()])
            );
        }
    }
}
