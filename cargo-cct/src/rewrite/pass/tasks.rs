//! Futures that are handed to an executor say so: what is spawned, and what `block_on` drives.
//!
//! ```text
//! tokio::spawn(worker(rx))     tokio::spawn(__cct_task!(worker(rx)))
//! block_on(async { 1 })        block_on(__cct_root!(async { 1 }))
//! ```
//!
//! The macros find out whether they got a future, by its type, and leave what is none as it is: here a call
//! is known by its name alone. What they must not get are arguments whose type comes from the parameter,
//! since the macro stands between the two.

use std::ops::Range;

use proc_macro2::{Delimiter, Group};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprPath, Stmt, Token};

use super::by_hand::PolledByHand;
use super::code;
use super::declared::Declared;
use crate::rewrite::tree::Tree;
use crate::rewrite::{Edit, Source};

/// Functions and methods that spawn what they get, on executors of all kinds.
const SPAWN: [&str; 7] = [
    "spawn",
    "spawn_local",
    "spawn_local_on",
    "spawn_local_with_handle",
    "spawn_ok",
    "spawn_on",
    "spawn_with_handle",
];

/// Those that drive what they get until it is ready.
const DRIVE: [&str; 1] = ["block_on"];

/// Methods that box a future and say what type it then is: what they box is handed over.
const BOXING: [&str; 2] = ["boxed", "boxed_local"];

/// Methods whose result has the type that is expected of it.
const AS_EXPECTED: [&str; 6] = ["collect", "into", "parse", "product", "sum", "try_into"];

/// Constructors of std's enums, which are no futures, and whose types are often incomplete.
const ENUMS: [&str; 4] = ["Err", "None", "Ok", "Some"];

/// Says at each call that may be given a future that it is.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    find(&source.trees, &Names::find(&source.trees))
}

/// What names of functions mean in a file.
#[derive(Debug)]
pub(super) struct Names {
    by_hand: PolledByHand,
    declared: Declared,
}

impl Names {
    /// Looks through all of it.
    pub(super) fn find(trees: &[Tree]) -> Names {
        Names {
            by_hand: PolledByHand::find(trees),
            declared: Declared::find(trees),
        }
    }
}

/// What is handed over in some code of the file.
pub(super) fn find(trees: &[Tree], names: &Names) -> Vec<Edit> {
    let mut edits = Vec::new();
    code::sequences(trees, &mut |sequence| {
        for at in 0..sequence.len() {
            let Some(call) = Call::at(sequence, at, names) else {
                continue;
            };
            if let Some(future) = call.future() {
                edits.push(Edit::insert(future.start, call.role.opening()));
                edits.push(Edit::insert(future.end, ")"));
            }
        }
    });
    edits
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Spawn,
    Drive,
}

impl Role {
    fn opening(self) -> &'static str {
        match self {
            Role::Spawn => "__cct_task!(",
            Role::Drive => "__cct_root!(",
        }
    }
}

/// A call by one of the names, with its arguments.
struct Call<'t> {
    role: Role,
    /// The function may want an argument of just its type.
    is_typed: bool,
    group: &'t Group,
    arguments: &'t [Tree],
}

impl<'t> Call<'t> {
    fn at(sequence: &'t [Tree], at: usize, names: &Names) -> Option<Call<'t>> {
        let role = match &sequence[at] {
            name if name.is_one_of(&SPAWN) => Role::Spawn,
            name if name.is_one_of(&DRIVE) => Role::Drive,
            _ => return None,
        };
        let is_declaration = at > 0 && sequence[at - 1].is_word("fn");
        let by_hand = role == Role::Spawn && names.by_hand.is_called(&sequence[..=at]);
        if is_declaration || by_hand {
            return None;
        }
        let (group, arguments) = sequence.get(at + 1)?.inside(Delimiter::Parenthesis)?;
        Some(Call {
            role,
            is_typed: names.declared.has(&sequence[at]),
            group,
            arguments,
        })
    }

    /// The bytes of the argument that may be a future: the first, since what else these functions take
    /// are places to spawn on.
    fn future(&self) -> Option<Range<usize>> {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
        match arguments.parse2(self.group.stream()) {
            Ok(arguments) => {
                let argument = arguments.first()?;
                let handed = self.handed(argument)?;
                let keeps_type = !std::ptr::eq(handed, argument) || !self.is_typed;
                keeps_type.then(|| range(handed))
            }
            Err(_) => async_block(self.arguments),
        }
    }

    /// The part of an argument to put into the macro.
    fn handed<'e>(&self, argument: &'e Expr) -> Option<&'e Expr> {
        match argument {
            Expr::Async(block) => block.attrs.is_empty().then_some(argument),
            Expr::Paren(inner) => self.handed(&inner.expr),
            Expr::Block(block) => {
                let is_future = block.attrs.is_empty() && ends_with_async(&block.block.stmts);
                is_future.then_some(argument)
            }
            // Scoped or pinned elsewhere: to be driven, such a thing is a future; to be spawned it never is.
            Expr::Reference(_) => (self.role == Role::Drive).then_some(argument),
            Expr::Call(call) => match &*call.func {
                Expr::Path(function) if is_box(function, "pin") => self.handed(call.args.first()?),
                Expr::Path(function) if is_box(function, "new") || is_enum(function) => None,
                _ => has_own_type(argument).then_some(argument),
            },
            Expr::MethodCall(call) if BOXING.iter().any(|name| call.method == name) => {
                self.handed(&call.receiver)
            }
            Expr::Path(path) => (!is_enum(path)).then_some(argument),
            Expr::Field(_) | Expr::MethodCall(_) | Expr::Struct(_) => {
                has_own_type(argument).then_some(argument)
            }
            _ => None,
        }
    }
}

/// Tells whether an expression's type follows from itself.
fn has_own_type(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => {
            let as_expected = AS_EXPECTED.iter().any(|name| call.method == name);
            !(as_expected && call.turbofish.is_none()) && has_own_type(&call.receiver)
        }
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => !path
                .path
                .segments
                .iter()
                .any(|part| part.ident == "default"),
            _ => true,
        },
        Expr::Field(field) => has_own_type(&field.base),
        Expr::Try(inner) => has_own_type(&inner.expr),
        Expr::Await(inner) => has_own_type(&inner.base),
        _ => true,
    }
}

/// Tells whether this is `Box::pin`, or another function of `Box`, by whatever path.
fn is_box(path: &ExprPath, function: &str) -> bool {
    let mut parts = path.path.segments.iter().rev();
    parts.next().is_some_and(|part| part.ident == function)
        && parts.next().is_some_and(|part| part.ident == "Box")
}

fn is_enum(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| ENUMS.iter().any(|name| last.ident == name))
}

/// Tells whether a block's value is an async block: `{ let rx = rx.clone(); async move { … } }`.
fn ends_with_async(statements: &[Stmt]) -> bool {
    match statements.last() {
        Some(Stmt::Expr(Expr::Async(_), None)) => true,
        Some(Stmt::Expr(Expr::Block(block), None)) => ends_with_async(&block.block.stmts),
        _ => false,
    }
}

/// An async block that is all of an argument, in a macro's rule, where variables of the macro in it leave
/// nothing to parse.
fn async_block(arguments: &[Tree]) -> Option<Range<usize>> {
    let length = match arguments {
        [word, body, ..] if word.is_word("async") && is_body(body) => 2,
        [word, by, body, ..] if word.is_word("async") && by.is_word("move") && is_body(body) => 3,
        _ => return None,
    };
    let ends = arguments.get(length).is_none_or(|next| next.is_sign(','));
    ends.then(|| arguments[0].range().start..arguments[length - 1].range().end)
}

fn is_body(tree: &Tree) -> bool {
    tree.inside(Delimiter::Brace).is_some()
}

fn range(expression: &Expr) -> Range<usize> {
    Source::range(expression.span())
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    #[test]
    fn what_may_be_a_future_is_handed_over() {
        for (text, expected) in [
            (
                "tokio::spawn(async move { a }, b)",
                "tokio::spawn(__cct_task!(async move { a }), b)",
            ),
            (
                "spawn(async {}.instrument(s))",
                "spawn(__cct_task!(async {}.instrument(s)))",
            ),
            (
                "set.spawn_on(work(a, b), &h)",
                "set.spawn_on(__cct_task!(work(a, b)), &h)",
            ),
            (
                "s.spawn_local(self.run::<A, B>())",
                "s.spawn_local(__cct_task!(self.run::<A, B>()))",
            ),
            ("pool.spawn_ok(job,)", "pool.spawn_ok(__cct_task!(job),)"),
            ("spawn(Job { n: 1 })", "spawn(__cct_task!(Job { n: 1 }))"),
            (
                "spawn({ let a = a.clone(); async move { a } })",
                "spawn(__cct_task!({ let a = a.clone(); async move { a } }))",
            ),
            ("rt.block_on(f(&x))", "rt.block_on(__cct_root!(f(&x)))"),
            ("block_on(&mut f)", "block_on(__cct_root!(&mut f))"),
            (
                "block_on(async { spawn(a()) })",
                "block_on(__cct_root!(async { spawn(__cct_task!(a())) }))",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    /// The box may become one of `dyn Future`, as its parameter wants it, which only a box can.
    #[test]
    fn what_is_boxed_is_handed_over_in_its_box() {
        for (text, expected) in [
            (
                "e.spawn(Box::pin(a()))",
                "e.spawn(Box::pin(__cct_task!(a())))",
            ),
            (
                "e.spawn(async {}.boxed())",
                "e.spawn(__cct_task!(async {}).boxed())",
            ),
            (
                "e.spawn(a().b().boxed_local())",
                "e.spawn(__cct_task!(a().b()).boxed_local())",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn macros_rules_are_read_as_far_as_they_can_be() {
        for (text, expected) in [
            (
                "macro_rules! m { ($($b:tt)*) => { spawn(async move { $($b)* }) } }",
                "macro_rules! m { ($($b:tt)*) => { spawn(__cct_task!(async move { $($b)* })) } }",
            ),
            (
                "macro_rules! m { ($f:expr) => { spawn($f) } }",
                "macro_rules! m { ($f:expr) => { spawn($f) } }",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_is_no_future_or_has_no_type_of_its_own_stays() {
        for text in [
            "spawn(|| a()); spawn(move || a()); s.spawn(|s| a()); spawn(async || a())",
            "fn spawn(a: A) {} command.spawn(); spawn!(a); spawn::<F>(a)",
            "w.spawn(1); w.spawn(-a); w.spawn((a, b)); w.spawn(&a); w.spawn(\"a\"); w.spawn(vec![1])",
            "w.spawn(a.into()); w.spawn(a.parse().unwrap()); w.spawn(a.iter().collect())",
            "w.spawn(None); w.spawn(Some(a)); w.spawn(Box::new(a)); w.spawn(Default::default())",
            "spawn({ let a = b; move || a })",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
