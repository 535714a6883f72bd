//! Executors that a program has written itself: what their functions are given are tasks, and roots.
//!
//! ```text
//! fn drive<F: Future>(future: F) -> F::Output { … loop { … future.as_mut().poll(&mut context) … } }
//! fn drive<F: Future>(future: F) -> F::Output { let future = __cct_root!(future); … }
//! ```
//!
//! They go by any name, but they can be read. A function that polls what it is given in a loop, and returns
//! its output and nothing else, drives it. In a file with a function that polls in a loop, one that boxes
//! what it is given, to keep it, spawns it. A future that a caller has handed over already stays as it is.

use cct::known::BOXING;
use proc_macro2::{Delimiter, Group, Ident};
use quote::ToTokens as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{FnArg, Pat, Token, Type};

use crate::rewrite::syntax::{Tree, place_before, sequences, split};
use crate::rewrite::{Edit, Source};

/// Makes parameters tasks, or roots.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    if !source.may_have(&[".poll("]) {
        return Vec::new();
    }
    let mut functions = Vec::new();
    sequences(&source.trees, &mut |sequence| {
        functions.extend((1..sequence.len()).filter_map(|at| Function::at(sequence, at)));
    });
    let is_executor = functions.iter().any(Function::polls_in_a_loop);
    let edits = functions.iter().filter_map(|function| {
        let parameter = function.future()?;
        let wraps = if function.returns_output_of(&parameter) {
            function.polls_in_a_loop().then_some("__cct_root!")
        } else {
            (is_executor && parameter.is_kept && boxes(function.inside, &parameter.name))
                .then_some("__cct_task!")
        };
        let Parameter { binding, name, .. } = &parameter;
        let brace = Source::range(function.body.span_open()).end;
        let at = place_before(source.text, brace, function.first_statement());
        Some(Edit::insert(
            at,
            format!(" let {binding}{name} = {}({name});", wraps?),
        ))
    });
    edits.collect()
}

/// A function with a body, that is not async.
struct Function<'t> {
    generics: &'t [Tree],
    parameters: &'t Group,
    /// From the arrow on, with what is said of the generics.
    result: &'t [Tree],
    body: &'t Group,
    inside: &'t [Tree],
}

/// A parameter that is a future.
struct Parameter {
    /// The text before its name: `mut `, or nothing.
    binding: &'static str,
    name: Ident,
    /// The name of its type, unless that has none.
    generic: Option<Ident>,
    /// The bounds on it, as tokens.
    bounds: String,
    /// It may outlive the call.
    is_kept: bool,
}

impl<'t> Function<'t> {
    /// The place of its first statement, or of its end.
    fn first_statement(&self) -> usize {
        let mut rest = self.inside;
        while let [hash, mark, _, behind @ ..] = rest
            && hash.is_sign('#')
            && mark.is_sign('!')
        {
            rest = behind;
        }
        let end = || Source::range(self.body.span_close()).start;
        rest.first().map_or_else(end, |first| first.range().start)
    }

    /// Reads the one whose name is here.
    fn at(sequence: &'t [Tree], at: usize) -> Option<Function<'t>> {
        let is_named = sequence[at].is_name() && sequence[at - 1].is_word("fn");
        let is_async = at > 1 && sequence[at - 2].is_one_of(&["async", "const"]);
        if !is_named || is_async {
            return None;
        }
        let signature = &sequence[at + 1..];
        let (generics, parameters) = split(signature)?;
        let result = &signature[generics.len() + 1..];
        let end = result.iter().position(|tree| {
            tree.is_sign(';') || tree.is_word("fn") || tree.inside(Delimiter::Brace).is_some()
        })?;
        let (body, inside) = result[end].inside(Delimiter::Brace)?;
        Some(Function {
            generics,
            parameters,
            result: &result[..end],
            body,
            inside,
        })
    }

    /// Tells whether it polls something until that is ready, with a context of its own: one that is given
    /// another's is part of a future.
    fn polls_in_a_loop(&self) -> bool {
        let parameters = self.parameters.stream();
        !parameters.is_empty() && !parameters.to_string().contains("Context") && loops(self.inside)
    }

    /// Its only parameter that is a future, if nothing in it depends on the type of that.
    fn future(&self) -> Option<Parameter> {
        let arguments = Punctuated::<FnArg, Token![,]>::parse_terminated;
        let arguments = arguments.parse2(self.parameters.stream()).ok()?;
        let mut futures = arguments.iter().filter_map(|argument| match argument {
            FnArg::Typed(typed) => self.parameter(&typed.pat, &typed.ty),
            FnArg::Receiver(_) => None,
        });
        let future = futures.next()?;
        let is_said = |generic| says_type(self.inside, generic);
        let is_free = futures.next().is_none() && !future.generic.as_ref().is_some_and(is_said);
        is_free.then_some(future)
    }

    fn parameter(&self, pattern: &Pat, kind: &Type) -> Option<Parameter> {
        let Pat::Ident(pattern) = pattern else {
            return None;
        };
        let (generic, bounds) = match kind {
            Type::ImplTrait(bounds) => {
                let bounds = &bounds.bounds;
                (None, bounds.to_token_stream().to_string())
            }
            Type::Path(path) => {
                let generic = path.path.get_ident()?.clone();
                let bounds = self.bounds(&generic)?;
                (Some(generic), bounds)
            }
            _ => return None,
        };
        let is_future = bounds.split_whitespace().any(|word| word == "Future");
        (is_future && pattern.by_ref.is_none()).then(|| Parameter {
            binding: pattern.mutability.map_or("", |_| "mut "),
            name: pattern.ident.clone(),
            generic,
            is_kept: bounds.contains("'static"),
            bounds,
        })
    }

    /// The bounds of a type that the function is generic in.
    fn bounds(&self, generic: &Ident) -> Option<String> {
        let mut found = None::<String>;
        for said in [self.generics, self.result] {
            let starts = said.windows(2).enumerate();
            let starts =
                starts.filter(|(_, pair)| pair[0].name() == Some(generic) && pair[1].is_sign(':'));
            for (at, _) in starts {
                let rest = &said[at + 2..];
                let bounds = found.get_or_insert_default();
                bounds.push_str(&until_comma(rest));
            }
        }
        found
    }

    /// Tells whether it returns what the future does.
    fn returns_output_of(&self, parameter: &Parameter) -> bool {
        let [dash, arrow, result @ ..] = self.result else {
            return false;
        };
        if !dash.is_sign('-') || !arrow.is_sign('>') {
            return false;
        }
        let end = result.iter().position(|tree| tree.is_word("where"));
        match &result[..end.unwrap_or(result.len())] {
            [generic, first, second, output] => {
                generic.name() == parameter.generic.as_ref()
                    && first.is_sign(':')
                    && second.is_sign(':')
                    && output.is_word("Output")
            }
            [output] => output.name().is_some_and(|output| {
                let said = format!("Output = {output}");
                parameter.bounds.contains(&said)
            }),
            _ => false,
        }
    }
}

/// The tokens of one bound in a list of them.
fn until_comma(rest: &[Tree]) -> String {
    let mut depth = 0;
    let mut bound = String::new();
    for tree in rest {
        depth += i32::from(tree.is_sign('<')) - i32::from(tree.is_sign('>'));
        if depth < 0 || depth == 0 && tree.is_sign(',') {
            break;
        }
        bound.push_str(&tree.to_string());
        // A lifetime is a sign and a name.
        if !tree.is_sign('\'') {
            bound.push(' ');
        }
    }
    bound
}

/// Tells whether code has a loop without an end of its own that polls something.
fn loops(trees: &[Tree]) -> bool {
    let mut is_loop = false;
    trees.iter().any(|tree| {
        is_loop |= tree.is_one_of(&["loop", "while"]);
        let Tree::Group(group, inside) = tree else {
            return false;
        };
        let is_body = is_loop && group.delimiter() == Delimiter::Brace;
        is_loop &= !is_body;
        loops(inside) || is_body && polls(inside)
    })
}

fn polls(trees: &[Tree]) -> bool {
    let is_call = |part: &[Tree]| {
        part[0].is_sign('.')
            && part[1].is_word("poll")
            && part[2].inside(Delimiter::Parenthesis).is_some()
    };
    trees.windows(3).any(is_call)
        || trees.iter().any(|tree| match tree {
            Tree::Group(_, inside) => polls(inside),
            Tree::Leaf(_) => false,
        })
}

/// Tells whether code boxes what has this name: `Box::pin(name)`, `name.boxed()`.
fn boxes(trees: &[Tree], name: &Ident) -> bool {
    let is_it = |tree: &Tree| tree.name() == Some(name);
    let is_argument = |part: &[Tree]| {
        part[0].is_word("Box")
            && part[3].is_one_of(&["new", "pin"])
            && matches!(part[4].inside(Delimiter::Parenthesis), Some((_, [only])) if is_it(only))
    };
    let is_receiver =
        |part: &[Tree]| is_it(&part[0]) && part[1].is_sign('.') && part[2].is_one_of(&BOXING);
    trees.windows(5).any(is_argument)
        || trees.windows(3).any(is_receiver)
        || trees.iter().any(|tree| match tree {
            Tree::Group(_, inside) => boxes(inside, name),
            Tree::Leaf(_) => false,
        })
}

/// Tells whether code speaks of this type, but for what its future's output is.
fn says_type(trees: &[Tree], generic: &Ident) -> bool {
    trees.iter().enumerate().any(|(at, tree)| match tree {
        Tree::Group(_, inside) => says_type(inside, generic),
        leaf @ Tree::Leaf(_) => {
            let is_output = trees.get(at + 3).is_some_and(|last| last.is_word("Output"));
            leaf.name() == Some(generic) && !is_output
        }
    })
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    const LOOP: &str = "loop { if let Ready(x) = f.as_mut().poll(&mut cx) { return x; } }";

    #[test]
    fn what_a_function_polls_to_its_end_is_a_root() {
        for (signature, binding) in [
            ("fn drive<F: Future>(f: F) -> F::Output", ""),
            (
                "fn drive<F>(&self, mut f: F) -> F::Output where F: Future",
                "mut ",
            ),
            ("fn drive<T>(f: impl Future<Output = T>, n: u8) -> T", ""),
            (
                "pub fn drive<T, F: Future<Output = T> + Send>(f: F) -> T",
                "",
            ),
        ] {
            let made = made_by(run, &format!("{signature} {{ {LOOP} }}"));
            let expected = format!("{signature} {{ let {binding}f = __cct_root!(f); {LOOP} }}");
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn what_a_body_says_of_itself_comes_first() {
        let signature = "fn drive<F: Future>(f: F) -> F::Output";
        for own in ["//! A.\n", "#![a] "] {
            let made = made_by(run, &format!("{signature} {{ {own}{LOOP} }}"));
            let expected = format!("{signature} {{ {own} let f = __cct_root!(f);{LOOP} }}");
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn what_an_executor_keeps_is_a_task() {
        let executor = format!("fn go(&self) {{ {LOOP} }}");
        for (signature, boxing) in [
            (
                "fn add(&self, f: impl Future<Output = ()> + Send + 'static)",
                "Box::pin(f)",
            ),
            (
                "fn add<F>(&self, f: F) where F: Future + 'static",
                "f.boxed_local()",
            ),
        ] {
            let made = made_by(
                run,
                &format!("{executor} {signature} {{ q.push({boxing}) }}"),
            );
            let expected =
                format!("{executor} {signature} {{ let f = __cct_task!(f); q.push({boxing}) }}");
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn what_is_polled_by_hand_or_by_a_future_stays() {
        for text in [
            "fn once<F: Future>(f: F) -> F::Output { match pin!(f).poll(&mut cx) { Ready(x) => x } }",
            "fn count<F: Future>(f: F) -> usize { loop { f.poll(&mut cx); } }",
            "fn poll<F: Future>(f: F, cx: &mut Context<'_>) -> F::Output { loop { f.poll(cx) } }",
            "fn some<F: Future>(f: F) -> F::Output { for _ in 0..9 { f.poll(&mut cx) } }",
            "fn own<F: Future>(f: F) -> F::Output { let f: Pin<&mut F>; loop { f.poll(&mut cx) } }",
            "fn keep(f: impl Future + 'static) { Box::pin(f) }",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
