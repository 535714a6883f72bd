//! Async functions that an attribute drives: tests, and `main`.
//!
//! ```text
//! #[tokio::test] async fn t() { BODY }
//! #[tokio::test] async fn t() { async fn t() { BODY} __cct_root!(t()).await }
//! ```
//!
//! The attribute's macro writes the code that drives them, where no pass sees it. So the body becomes a
//! function of its own, of the same name, since tests ask for the name of the function they are in. The
//! await that is added is no point. If the attribute pauses the runtime's clock, that is said first, see
//! [`own_clock`](super::own_clock).

use cct::known::{APPLYING, DRIVING, START_PAUSED};
use proc_macro2::{Delimiter, Group};

use super::own_clock::OWN_CLOCK;
use crate::rewrite::syntax::{Tree, one_line, sequences};
use crate::rewrite::{Edit, Edition, Source};

/// Words that cannot be repeated within: types that have no name, and names that a function in a function
/// does not know.
const ONLY_OUTSIDE: [&str; 3] = ["impl", "where", "Self"];

/// Makes the bodies roots.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let may_have = source.may_have(&["async"]) && source.may_have(&DRIVING);
    if source.edition == Edition::Rust2015 || !may_have {
        return Vec::new();
    }
    let mut edits = Vec::new();
    sequences(&source.trees, &mut |sequence| {
        for at in 0..sequence.len() {
            let function = Function::at(&sequence[at..]);
            let Some(function) = function else {
                continue;
            };
            let attributes = attributes(&sequence[..at]);
            if attributes.iter().any(|attribute| drives(attribute)) {
                let is_paused = |attribute: &&[Tree]| has_one_of(attribute, &[START_PAUSED]);
                let clock = if attributes.iter().any(is_paused) {
                    format!("(){OWN_CLOCK}; ")
                } else {
                    String::new()
                };
                edits.extend(function.edits(source.text, &clock));
            }
        }
    });
    edits
}

/// An async function without parameters of any kind.
struct Function<'t> {
    name: &'t Tree,
    /// From the arrow on; empty without.
    result: &'t [Tree],
    body: &'t Group,
}

impl<'t> Function<'t> {
    /// Reads one that can be written again inside itself.
    fn at(sequence: &'t [Tree]) -> Option<Function<'t>> {
        let [word, keyword, name, parameters, rest @ ..] = sequence else {
            return None;
        };
        if !word.is_word("async") || !keyword.is_word("fn") || !name.is_name() {
            return None;
        }
        let (_, parameters) = parameters.inside(Delimiter::Parenthesis)?;
        let (result, body) = until_body(rest)?;
        let (body, inside) = body.inside(Delimiter::Brace)?;
        let is_type = result.is_empty() || (result[0].is_sign('-') && result[1].is_sign('>'));
        let stays = has_one_of(result, &ONLY_OUTSIDE) || has_one_of(inside, &["Self"]);
        (is_type && parameters.is_empty() && !stays).then_some(Function { name, result, body })
    }

    fn edits(&self, text: &str, clock: &str) -> [Edit; 2] {
        let name = &text[self.name.range()];
        let result = match self.result {
            [first, .., last] => {
                format!(
                    " {}",
                    one_line(&text[first.range().start..last.range().end])
                )
            }
            _ => String::new(),
        };
        let inside = Source::range(self.body.span_open()).end;
        let end = Source::range(self.body.span_close()).start;
        [
            Edit::insert(inside, format!(" async fn {name}(){result} {{")),
            Edit::insert(end, format!("}} {clock}__cct_root!({name}()).await ")),
        ]
    }
}

/// The return type of a function, and its body; none if constants in braces leave that open.
fn until_body(rest: &[Tree]) -> Option<(&[Tree], &Tree)> {
    let is_body = |tree: &Tree| tree.inside(Delimiter::Brace).is_some();
    let end = rest.iter().position(is_body)?;
    let is_constant = matches!(&rest[..end], [.., last] if last.is_sign('<') || last.is_sign(','));
    (end != 1 && !is_constant).then_some((&rest[..end], &rest[end]))
}

fn has_one_of(tokens: &[Tree], words: &[&str]) -> bool {
    tokens.iter().any(|tree| match tree {
        Tree::Group(_, inside) => has_one_of(inside, words),
        leaf @ Tree::Leaf(_) => leaf.is_one_of(words),
    })
}

/// The content of the attributes that end `before`, up to the function's visibility.
fn attributes(before: &[Tree]) -> Vec<&[Tree]> {
    let mut before = match before {
        [rest @ .., word, Tree::Group(..)] if word.is_word("pub") => rest,
        [rest @ .., word] if word.is_word("pub") => rest,
        all => all,
    };
    let mut found = Vec::new();
    while let [rest @ .., hash, attribute] = before
        && hash.is_sign('#')
        && let Some((_, inside)) = attribute.inside(Delimiter::Bracket)
    {
        found.push(inside);
        before = rest;
    }
    found
}

/// Tells whether an attribute drives its function, or does so under a condition: here it holds, or else
/// nobody calls the function.
fn drives(attribute: &[Tree]) -> bool {
    let end = attribute
        .iter()
        .position(|tree| !tree.is_name() && !tree.is_sign(':'));
    let (path, rest) = attribute.split_at(end.unwrap_or(attribute.len()));
    let Some(last) = path.last() else {
        return false;
    };
    let arguments = rest
        .first()
        .and_then(|group| group.inside(Delimiter::Parenthesis));
    match arguments {
        Some((_, inside)) if last.is_word("cfg_attr") => {
            let parts = inside.split(|tree| tree.is_sign(','));
            parts.skip(1).any(drives)
        }
        // `macro_rules_attribute::apply(test!)`
        Some((_, [name, mark, ..])) if last.is_word(APPLYING) => {
            name.is_one_of(&DRIVING) && mark.is_sign('!')
        }
        _ => last.is_one_of(&DRIVING),
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    #[test]
    fn bodies_of_tests_and_of_main_are_roots() {
        for (text, expected) in [
            (
                "#[tokio::test] async fn t() { a }",
                "#[tokio::test] async fn t() { async fn t() { a } __cct_root!(t()).await }",
            ),
            (
                "#[async_std::main]\npub(crate) async fn main() -> Result<(), E> {\n a? // b\n}",
                "#[async_std::main]\npub(crate) async fn main() -> Result<(), E> { \
                 async fn main() -> Result<(), E> {\n a? // b\n} __cct_root!(main()).await }",
            ),
            (
                "mod m { #[test(flavor = \"x\")] #[ignore] /// b\n pub async fn t() {} }",
                "mod m { #[test(flavor = \"x\")] #[ignore] /// b\n pub async fn t() { \
                 async fn t() {} __cct_root!(t()).await } }",
            ),
            (
                "#[cfg_attr(unix, tokio::test)] async fn t() -> A<\n  B,\n> { #![c] }",
                "#[cfg_attr(unix, tokio::test)] async fn t() -> A<\n  B,\n> { \
                 async fn t() -> A< B, > { #![c] } __cct_root!(t()).await }",
            ),
            (
                "#[apply(test!)] async fn t() {}",
                "#[apply(test!)] async fn t() { async fn t() {} __cct_root!(t()).await }",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn an_attribute_pauses_the_clock_of_its_own_function() {
        for (text, expected) in [
            (
                "#[tokio::test(start_paused = true)] async fn t() {}",
                "#[tokio::test(start_paused = true)] async fn t() { async fn t() {} \
                 ().__cct_own_clock(); __cct_root!(t()).await }",
            ),
            (
                "#[test_log::test(tokio::test(start_paused = true))] #[ignore] async fn t() {}",
                "#[test_log::test(tokio::test(start_paused = true))] #[ignore] async fn t() { \
                 async fn t() {} ().__cct_own_clock(); __cct_root!(t()).await }",
            ),
            (
                "#[a::test(start_paused)] fn s() {} #[a::test] async fn t() { pause() }",
                "#[a::test(start_paused)] fn s() {} #[a::test] async fn t() { \
                 async fn t() { pause() } __cct_root!(t()).await }",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_cannot_be_moved_into_a_function_stays() {
        for text in [
            "#[tokio::test] async fn t(a: A) {} #[tokio::test] async fn t<A>() {}",
            "#[tokio::main] async fn main() -> impl A {}",
            "impl A { #[tokio::test] async fn t() { Self::a() } }",
            "#[tokio::test] async fn t() -> A<{ 1 }> {}",
            "macro_rules! m { ($t:ident, $b:block) => { #[tokio::test] async fn $t() $b } }",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }

    #[test]
    fn what_no_attribute_drives_stays() {
        for text in [
            "async fn t() {} #[inline] async fn t() {} #[cfg(test)] async fn t() {}",
            "#[test] fn t() {} #[tokio::test] mod m { async fn t() {} }",
            "#[cfg_attr(test, a)] async fn t() {} #[test_case(1)] async fn t() {}",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
