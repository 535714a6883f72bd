//! Functions that spawn or drive, in the file that declares them.
//!
//! If what they take has a certain type, what stands around their argument would change that, where for a
//! generic function it is the point.

use proc_macro2::{Delimiter, Group, Spacing, TokenTree};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{FnArg, Token, Type};

use super::code;
use super::tree::Tree;

/// The names of functions.
#[derive(Debug)]
pub(in crate::rewrite) struct Declared {
    all: Vec<String>,
    /// The functions that want a certain type.
    typed: Vec<String>,
}

impl Declared {
    /// Looks through the functions of a file for those of these names.
    pub(in crate::rewrite) fn find(trees: &[Tree], names: &[&[&str]]) -> Declared {
        let mut all = Vec::new();
        let mut typed = Vec::new();
        code::sequences(trees, &mut |sequence| {
            for at in 1..sequence.len() {
                let is_one = |name: &Tree| names.iter().any(|names| name.is_one_of(names));
                let name = &sequence[at];
                if !sequence[at - 1].is_word("fn") || !is_one(name) {
                    continue;
                }
                let Some(name) = name.name() else {
                    continue;
                };
                all.push(name.to_string());
                if wants_a_type(&sequence[at + 1..]) {
                    typed.push(name.to_string());
                }
            }
        });
        Declared { all, typed }
    }

    /// Tells whether there is a function of this name.
    pub(in crate::rewrite) fn has(&self, name: &Tree) -> bool {
        self.all.iter().any(|known| name.is_word(known))
    }

    /// Tells whether one wants a certain type.
    pub(in crate::rewrite) fn has_typed(&self, name: &Tree) -> bool {
        self.typed.iter().any(|known| name.is_word(known))
    }
}

/// Tells whether the first parameter of a function, of which this follows the name, is not generic.
fn wants_a_type(signature: &[Tree]) -> bool {
    let Some((generics, parameters)) = split(signature) else {
        return false;
    };
    let arguments = Punctuated::<FnArg, Token![,]>::parse_terminated;
    let Ok(arguments) = arguments.parse2(parameters.stream()) else {
        return false;
    };
    let typed = arguments.iter().find_map(|argument| match argument {
        FnArg::Typed(typed) => Some(&*typed.ty),
        FnArg::Receiver(_) => None,
    });
    match typed {
        None | Some(Type::ImplTrait(_)) => false,
        Some(Type::Path(path)) => {
            let name = path.path.get_ident();
            let declares = |name: &_| generics.iter().any(|tree| tree.name() == Some(name));
            !name.is_some_and(declares)
        }
        Some(_) => true,
    }
}

/// The generics of a function, and its parameters.
pub(in crate::rewrite) fn split(signature: &[Tree]) -> Option<(&[Tree], &Group)> {
    let mut depth = 0;
    for (at, tree) in signature.iter().enumerate() {
        match tree {
            Tree::Leaf(TokenTree::Punct(sign)) => match sign.as_char() {
                '<' => depth += 1,
                '>' if !is_arrow(&signature[..at]) => depth -= 1,
                _ => {}
            },
            Tree::Group(..) if depth == 0 => {
                let (parameters, _) = tree.inside(Delimiter::Parenthesis)?;
                return Some((&signature[..at], parameters));
            }
            _ => {}
        }
    }
    None
}

/// Tells whether a `>` that follows this is an arrow's.
fn is_arrow(before: &[Tree]) -> bool {
    let dash = |tree: &Tree| match tree {
        Tree::Leaf(TokenTree::Punct(sign)) => {
            sign.as_char() == '-' && sign.spacing() == Spacing::Joint
        }
        _ => false,
    };
    before.last().is_some_and(dash)
}

#[cfg(test)]
mod tests {
    use crate::rewrite::tests::with_tasks;

    /// A call in a file with such a function, after the pass.
    fn beside(function: &str, call: &str) -> String {
        let made = with_tasks(&format!("{function} fn f() {{ {call} }}"));
        let call = made
            .split_once("fn f() { ")
            .and_then(|(_, call)| call.strip_suffix(" }"));
        call.expect("a call").to_owned()
    }

    #[test]
    fn what_has_a_certain_type_stays() {
        for function in [
            "fn block_on<F: Future>(self, mut future: Pin<&mut F>) -> F::Output {}",
            "fn block_on(f: BoxFuture<'static, ()>) {}",
            "fn block_on<F: Fn(u8) -> A<B>>(f: &F) {}",
            "fn block_on(f: Job) {}",
        ] {
            assert_eq!(beside(function, "self.block_on(a())"), "self.block_on(a())");
            let boxed = beside(function, "self.block_on(Box::pin(a()))");
            assert_eq!(boxed, "self.block_on(Box::pin(__cct_root!(a())))");
        }
    }

    #[test]
    fn what_has_any_does_not() {
        for function in [
            "fn block_on<F: Fn(u8) -> A<B>>(&self, f: F) {}",
            "fn block_on(self: Arc<Self>, f: impl Future) {}",
            "fn other(f: &F) {}",
        ] {
            assert_eq!(
                beside(function, "block_on(a())"),
                "block_on(__cct_root!(a()))"
            );
        }
    }
}
