//! Crates that draw by lot which branch of a `select!` comes first: the engine chooses instead.
//!
//! ```text
//! pub fn thread_rng_n(n: u32) -> u32 { if let Some(chosen) = ::std::__cct::choose(n) { return chosen; } …
//! pub fn shuffle<T>(slice: &mut [T]) { if ::std::__cct::shuffle(slice) { return; } …
//! ```
//!
//! Their generators would begin each iteration alike, some of them with a constant, and no strategy would
//! know that there was anything to choose.

use std::path::Path;

use proc_macro2::Delimiter;

use crate::rewrite::syntax::{Tree, sequences};
use crate::rewrite::{Edit, Passes, Source};

/// A function that draws lots.
struct Lot {
    package: &'static str,
    /// The end of its file's path.
    file: &'static str,
    name: &'static str,
}

/// All that are known.
const LOTS: [Lot; 4] = [
    Lot {
        package: "tokio",
        file: "src/macros/support.rs",
        name: "thread_rng_n",
    },
    Lot {
        package: "tokio",
        file: "src/util/rand.rs",
        name: "thread_rng_n",
    },
    Lot {
        package: "futures-util",
        file: "src/async_await/random.rs",
        name: "shuffle",
    },
    Lot {
        package: "crossbeam-channel",
        file: "src/utils.rs",
        name: "shuffle",
    },
];

/// The packages that are known to draw lots, some of them more than once.
pub(crate) fn draw_lots() -> impl Iterator<Item = &'static str> {
    LOTS.iter().map(|lot| lot.package)
}

/// What there is to do about the lots of a package.
pub(crate) fn choices_of(package: &str) -> Passes {
    if draw_lots().any(|name| name == package) {
        Passes::CHOICES
    } else {
        Passes::NONE
    }
}

/// Tells whether that may be in this file.
pub(crate) fn draws_lots_in(file: &Path) -> bool {
    LOTS.iter().any(|lot| file.ends_with(lot.file))
}

/// Has the engine choose.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let here = LOTS.iter().filter(|lot| source.path.ends_with(lot.file));
    let names: Vec<_> = here.map(|lot| lot.name).collect();
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
    use crate::rewrite::{Edition, rewrite};

    fn made(file: &str, text: &str) -> Option<String> {
        let path = Path::new("/crates/it").join(file);
        rewrite(text, &path, Edition::Rust2021, Passes::CHOICES)
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
