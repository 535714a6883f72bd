//! Crates that choose at random which branch of a `select!` comes first: the engine chooses instead.
//!
//! ```text
//! pub fn thread_rng_n(n: u32) -> u32 { if let Some(chosen) = ::std::__cct::choose(n) { return chosen; } …
//! pub fn shuffle<T>(slice: &mut [T]) { if ::std::__cct::shuffle(slice) { return; } …
//! ```
//!
//! Their generators would begin each iteration alike, some of them with a constant, and no strategy would
//! know that there was anything to choose.

use std::path::Path;

use cct::known::{RANDOM_CHOICES, RandomChoice};
use proc_macro2::Delimiter;

use crate::rewrite::syntax::{Tree, sequences};
use crate::rewrite::{Edit, Edition, Passes, Source};

/// The packages that are known to choose branches at random, some of them more than once.
pub(crate) fn with_random_choices() -> impl Iterator<Item = &'static str> {
    RANDOM_CHOICES.iter().map(|choice| choice.package)
}

/// Tells whether none of the functions is there by which a package chooses at random; `read` gives the text
/// of its files.
pub(crate) fn has_lost_choices(package: &str, read: impl Fn(&str) -> Option<String>) -> bool {
    let mut own = RANDOM_CHOICES
        .iter()
        .filter(|choice| choice.package == package)
        .peekable();
    let is_there = |choice: &RandomChoice| {
        let Some(text) = read(choice.file) else {
            return false;
        };
        let source = Source::parse(&text, Path::new(choice.file), Edition::Rust2021);
        source.is_some_and(|source| !run(&source).is_empty())
    };
    own.peek().is_some() && !own.any(is_there)
}

/// The part that edits the random choices of a package, if it has any.
pub(crate) fn choices_of(package: &str) -> Passes {
    if with_random_choices().any(|name| name == package) {
        Passes::CHOICES
    } else {
        Passes::NONE
    }
}

/// Tells whether that may be in this file.
pub(crate) fn has_random_choices(file: &Path) -> bool {
    RANDOM_CHOICES
        .iter()
        .any(|choice| file.ends_with(choice.file))
}

/// Has the engine choose.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let here = RANDOM_CHOICES
        .iter()
        .filter(|choice| source.path.ends_with(choice.file));
    let names: Vec<_> = here.map(|choice| choice.function).collect();
    let mut edits = Vec::new();
    sequences(&source.trees, &mut |sequence| {
        for at in 0..sequence.len() {
            if sequence[at].is_word("fn")
                && let Some(name) = sequence.get(at + 1)
                && name.is_one_of(&names)
            {
                edits.extend(chosen(&sequence[at + 2..]));
            }
        }
    });
    edits
}

/// The choice at the beginning of a function; `rest` is what follows its name.
fn chosen(rest: &[Tree]) -> Option<Edit> {
    // Else it has no body, and what follows is of another item.
    let mut groups = rest.iter().take_while(|tree| !tree.is_sign(';'));
    let (_, argument) = groups.find_map(|tree| tree.inside(Delimiter::Parenthesis))?;
    let (body, _) = groups.find_map(|tree| tree.inside(Delimiter::Brace))?;
    let (name, kind) = (argument.first()?.name()?, argument.get(2)?);
    let text = if kind.is_sign('&') {
        format!(" if ::std::__cct::shuffle({name}) {{ return; }}")
    } else {
        format!(" if let Some(chosen) = ::std::__cct::choose({name}) {{ return chosen; }}")
    };
    Some(Edit::insert(Source::range(body.span_open()).end, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::{Named, rewrite};

    fn made(file: &str, text: &str) -> Option<String> {
        let path = Path::new("/crates/it").join(file);
        rewrite(text, &path, Edition::Rust2021, Passes::CHOICES, Named::NONE)
    }

    #[test]
    fn what_is_drawn_is_chosen_first() {
        let tokio = "pub fn thread_rng_n(n: u32) -> u32 { a(n) }";
        assert_eq!(
            made("src/macros/support.rs", tokio).as_deref(),
            Some(
                "pub fn thread_rng_n(n: u32) -> u32 { \
                 if let Some(chosen) = ::std::__cct::choose(n) { return chosen; } a(n) }"
            )
        );
        let crossbeam = "pub(crate) fn shuffle<T>(v: &mut [T]) {\n    a(v)\n}";
        assert_eq!(
            made("src/utils.rs", crossbeam).as_deref(),
            Some(
                "pub(crate) fn shuffle<T>(v: &mut [T]) { \
                 if ::std::__cct::shuffle(v) { return; }\n    a(v)\n}"
            )
        );
    }

    #[test]
    fn a_package_has_one_of_its_functions_or_has_lost_them() {
        let lost = |package: &str, there: &str, text: &str| {
            has_lost_choices(package, |file| (file == there).then(|| text.to_owned()))
        };
        let draws = "pub fn thread_rng_n(n: u32) -> u32 { a(n) }";
        assert!(!lost("tokio", "src/util/rand.rs", draws));
        assert!(!lost("tokio", "src/macros/support.rs", draws));
        assert!(lost(
            "tokio",
            "src/macros/support.rs",
            "pub use a::thread_rng_n;"
        ));
        assert!(lost("tokio", "src/elsewhere.rs", draws));
        assert!(!lost("other", "src/lib.rs", ""));
    }

    #[test]
    fn all_else_stays() {
        for (file, text) in [
            ("src/lib.rs", "pub fn shuffle<T>(v: &mut [T]) {}"),
            (
                "src/utils.rs",
                "fn shuffled<T>(v: &mut [T]) {} fn f() { shuffle(v) }",
            ),
            (
                "src/utils.rs",
                "trait A { fn shuffle<T>(v: &mut [T]); fn other(v: &mut [T]) {} }",
            ),
        ] {
            assert_eq!(made(file, text), None);
        }
    }
}
