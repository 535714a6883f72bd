//! Which tokens of a file are code: also those given to macros, since most macros run what they get.

use super::tree::Tree;

/// Macros that make text, or other tokens, of what they are given.
const TAKE_TOKENS: [&str; 11] = [
    "cfg",
    "compile_error",
    "concat",
    "env",
    "include_bytes",
    "include_str",
    "parse_quote",
    "parse_quote_spanned",
    "quote",
    "quote_spanned",
    "stringify",
];

/// Shows `look` each sequence of tokens that stand side by side in code, outer ones first.
///
/// Left out are attributes, the patterns of a macro's rules, and arguments of which a macro only takes the
/// tokens. The expansion of a rule is code.
pub(in crate::rewrite) fn sequences<'t>(trees: &'t [Tree], look: &mut dyn FnMut(&'t [Tree])) {
    look(trees);
    for (at, tree) in trees.iter().enumerate() {
        let Tree::Group(_, inside) = tree else {
            continue;
        };
        match role(&trees[..at], &trees[at + 1..]) {
            Role::Code => sequences(inside, look),
            Role::Rules => expansions(inside, look),
            Role::Data => {}
        }
    }
}

/// The kind of a group, by the tokens before and after it.
enum Role {
    Code,
    /// The rules of a macro.
    Rules,
    Data,
}

fn role(before: &[Tree], after: &[Tree]) -> Role {
    match before {
        [.., sign] if sign.is_sign('#') => Role::Data,
        [.., hash, mark] if hash.is_sign('#') && mark.is_sign('!') => Role::Data,
        [.., name, mark] if mark.is_sign('!') && name.is_one_of(&TAKE_TOKENS) => Role::Data,
        [.., word, mark, name] if word.is_word("macro_rules") && is_name_after(mark, name) => {
            Role::Rules
        }
        // One that a macro defines, whose name is a variable: `macro_rules! $name { … }`.
        [.., word, mark, dollar, _]
            if word.is_word("macro_rules") && is_name_after(mark, dollar) =>
        {
            Role::Rules
        }
        // `macro name { … }` has rules; `macro name(…) { … }` has one, without an arrow.
        [.., word, name] if word.is_word("macro") && name.is_name() => match after {
            [Tree::Group(..), ..] => Role::Data,
            _ => Role::Rules,
        },
        _ => Role::Code,
    }
}

fn is_name_after(mark: &Tree, name: &Tree) -> bool {
    mark.is_sign('!') && (name.is_name() || name.is_sign('$'))
}

/// The right sides of a macro's rules.
fn expansions<'t>(rules: &'t [Tree], look: &mut dyn FnMut(&'t [Tree])) {
    for window in rules.windows(3) {
        if let [line, arrow, Tree::Group(_, inside)] = window
            && line.is_sign('=')
            && arrow.is_sign('>')
        {
            sequences(inside, look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::trees;
    use super::*;

    /// The names that are code.
    fn names(text: &str) -> String {
        let trees = trees(text.parse().expect("tokens")).expect("it is not deep");
        let mut names = Vec::new();
        sequences(&trees, &mut |sequence| {
            for tree in sequence {
                if let Tree::Leaf(proc_macro2::TokenTree::Ident(ident)) = tree {
                    names.push(ident.to_string());
                }
            }
        });
        names.join(" ")
    }

    #[test]
    fn what_macros_are_given_is_code() {
        assert_eq!(names("a!(b { c }); d![e]"), "a d b c e");
    }

    #[test]
    fn attributes_are_none() {
        assert_eq!(names("#![a(b)] #[c = d] e { #![f] g } /// h\n"), "e g");
    }

    #[test]
    fn what_is_taken_as_text_is_none() {
        assert_eq!(
            names("stringify!(a) quote! { b } concat(c)"),
            "stringify quote concat c"
        );
    }

    #[test]
    fn rules_match_what_is_none_and_expand_to_code() {
        let rules =
            "macro_rules! m { (a $x:expr) => { b }; [c] => (d macro_rules! $n { (e) => { f } }) }";
        assert_eq!(names(rules), "macro_rules m b d macro_rules n f");
        assert_eq!(names("macro m { (a) => { b } }"), "macro m b");
        assert_eq!(names("macro m(a) { b }"), "macro m b");
    }
}
