//! Futures that are handed to an executor say so: what is spawned, and what `block_on` drives.
//!
//! ```text
//! tokio::spawn(worker(rx))     tokio::spawn(__cct_task!(worker(rx)))
//! block_on(async { 1 })        block_on(__cct_root!(async { 1 }))
//! pool.run_until(job())        pool.run_until(__cct_handed!(job())).__cct_returned()
//! ```
//!
//! Of the last sort, some drive a future, some return one that does, and most have nothing to do with
//! futures. Where the call is over is said so that the engine can tell the first from the second.
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
const SPAWN: [&str; 9] = [
    "spawn",
    "spawn_local",
    "spawn_local_obj",
    "spawn_local_on",
    "spawn_local_with_handle",
    "spawn_obj",
    "spawn_ok",
    "spawn_on",
    "spawn_with_handle",
];

/// Those that drive what they get until it is ready.
const DRIVE: [&str; 1] = ["block_on"];

/// Methods that may drive their only argument, now or as the future that they return.
const MAY_DRIVE: [&str; 2] = ["run", "run_until"];

/// Those of the spawning that want a box of a type of its own, and how that is called.
const SPAWN_OBJECTS: [&str; 2] = ["spawn_local_obj", "spawn_obj"];
const OBJECTS: [&str; 2] = ["FutureObj", "LocalFutureObj"];

/// Methods that box a future and say what type it then is: what they box is handed over.
const BOXING: [&str; 2] = ["boxed", "boxed_local"];

/// Methods whose result has the type that is expected of it.
const AS_EXPECTED: [&str; 6] = ["collect", "into", "parse", "product", "sum", "try_into"];

/// Constructors of std's enums, which are no futures, and whose types are often incomplete.
const ENUMS: [&str; 4] = ["Err", "None", "Ok", "Some"];

/// Says at each call that may be given a future that it is.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    if !may_have_calls(source) {
        return Vec::new();
    }
    find(&source.trees, Names::of(source))
}

/// Tells whether a file may hand something over for certain.
pub(super) fn may_have_calls(source: &Source<'_>) -> bool {
    source.may_have(&SPAWN) || source.may_have(&DRIVE)
}

/// The same for calls that may drive one.
pub(super) fn hand(source: &Source<'_>) -> Vec<Edit> {
    let calls = MAY_DRIVE.map(|name| format!(".{name}("));
    if !source.may_have(&calls.each_ref().map(String::as_str)) {
        return Vec::new();
    }
    find_calls(&source.trees, Names::of(source), &[Role::Hand])
}

/// What names of functions mean in a file.
#[derive(Debug)]
pub(in crate::rewrite) struct Names {
    by_hand: PolledByHand,
    declared: Declared,
}

impl Names {
    /// Looks through all of it, the first time.
    pub(super) fn of<'s>(source: &'s Source<'_>) -> &'s Names {
        source.names.get_or_init(|| Names::find(&source.trees))
    }

    fn find(trees: &[Tree]) -> Names {
        Names {
            by_hand: PolledByHand::find(trees),
            declared: Declared::find(trees, &[&SPAWN, &DRIVE, &MAY_DRIVE]),
        }
    }
}

/// What is handed over in some code of the file.
pub(super) fn find(trees: &[Tree], names: &Names) -> Vec<Edit> {
    find_calls(trees, names, &[Role::Spawn, Role::Drive])
}

/// The calls of some of the roles.
fn find_calls(trees: &[Tree], names: &Names, roles: &[Role]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut ends = Vec::new();
    code::sequences(trees, &mut |sequence| {
        for at in 0..sequence.len() {
            let call = Call::at(sequence, at, names);
            let Some(call) = call.filter(|call| roles.contains(&call.role)) else {
                continue;
            };
            let futures = call.futures();
            if !futures.is_empty() && call.role == Role::Hand {
                let end = Source::range(call.group.span_close()).end;
                ends.push(Edit::insert(end, ".__cct_returned()"));
            }
            for future in futures {
                edits.push(Edit::insert(future.start, call.role.opening()));
                ends.push(Edit::insert(future.end, ")"));
            }
        }
    });
    // Of those that end together, the inner ones are met later.
    edits.extend(ends.into_iter().rev());
    edits
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Spawn,
    Drive,
    Hand,
}

impl Role {
    fn of(name: &Tree) -> Option<Role> {
        match name {
            name if name.is_one_of(&SPAWN) => Some(Role::Spawn),
            name if name.is_one_of(&DRIVE) => Some(Role::Drive),
            name if name.is_one_of(&MAY_DRIVE) => Some(Role::Hand),
            _ => None,
        }
    }

    fn opening(self) -> &'static str {
        match self {
            Role::Spawn => "__cct_task!(",
            Role::Drive => "__cct_root!(",
            Role::Hand => "__cct_handed!(",
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
        let (group, arguments) = sequence.get(at + 1)?.inside(Delimiter::Parenthesis)?;
        let role = Role::of(&sequence[at])?;
        let is_declaration = at > 0 && sequence[at - 1].is_word("fn");
        let is_other = match role {
            Role::Spawn => names.by_hand.is_called(&sequence[..=at]),
            Role::Drive => false,
            // A function of this name may do anything with a future; those of executors are methods.
            Role::Hand => {
                at == 0 || !sequence[at - 1].is_sign('.') || names.declared.has(&sequence[at])
            }
        };
        if is_declaration || is_other {
            return None;
        }
        Some(Call {
            role,
            is_typed: names.declared.has_typed(&sequence[at])
                || sequence[at].is_one_of(&SPAWN_OBJECTS),
            group,
            arguments,
        })
    }

    /// The bytes of the arguments that may be futures. The first usually is; what may be its key, or the
    /// runtime, is followed by it.
    fn futures(&self) -> Vec<Range<usize>> {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(arguments) = arguments.parse2(self.group.stream()) else {
            return async_block(self.arguments).into_iter().collect();
        };
        let mut futures = Vec::new();
        if self.role == Role::Hand && arguments.len() > 1 {
            return futures;
        }
        for argument in &arguments {
            if let Some(handed) = self.handed(argument) {
                let keeps_type = !std::ptr::eq(handed, argument) || !self.is_typed;
                futures.extend(keeps_type.then(|| range(handed)));
                if !is_place(argument) {
                    break;
                }
            }
        }
        futures
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
            Expr::Reference(to) => match self.role {
                Role::Spawn => None,
                Role::Drive => Some(argument),
                Role::Hand => is_place(&to.expr).then_some(argument),
            },
            Expr::Call(call) => match &*call.func {
                Expr::Path(function) if is_box(function, "pin") => self.handed(call.args.first()?),
                Expr::Path(function) if is_object(function) => self.boxed(call.args.first()?),
                Expr::Path(function) if is_box(function, "new") || is_enum(function) => None,
                _ => has_own_type(argument).then_some(argument),
            },
            Expr::MethodCall(call) if BOXING.iter().any(|name| call.method == name) => {
                self.handed(&call.receiver)
            }
            Expr::MethodCall(call) if call.method == "into" => self.boxed(&call.receiver),
            Expr::Path(path) => (!is_enum(path)).then_some(argument),
            Expr::Field(_) | Expr::MethodCall(_) | Expr::Struct(_) => {
                has_own_type(argument).then_some(argument)
            }
            _ => None,
        }
    }

    /// What is in a box that is made here.
    fn boxed<'e>(&self, argument: &'e Expr) -> Option<&'e Expr> {
        match argument {
            Expr::Call(call) => match &*call.func {
                Expr::Path(function) if is_box(function, "new") || is_box(function, "pin") => {
                    self.handed(call.args.first()?)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Tells whether this names something, and makes nothing.
fn is_place(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Field(_) => true,
        Expr::Reference(to) => is_place(&to.expr),
        Expr::Index(index) => is_place(&index.expr),
        _ => false,
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

/// Tells whether this makes an object of a box: `FutureObj::new`.
fn is_object(path: &ExprPath) -> bool {
    let parts = path.path.segments.iter().rev();
    let kind = parts.skip(1).map(|part| &part.ident).next();
    kind.is_some_and(|kind| OBJECTS.iter().any(|name| kind == name))
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
    use super::{hand, run};
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
            (
                "e.spawn_obj(FutureObj::new(Box::new(a())))",
                "e.spawn_obj(FutureObj::new(Box::new(__cct_task!(a()))))",
            ),
            (
                "e.spawn_local_obj(Box::pin(async {}).into())",
                "e.spawn_local_obj(Box::pin(__cct_task!(async {})).into())",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_comes_after_a_key_or_a_runtime_is_found() {
        for (text, expected) in [
            (
                "map.spawn(key, work(a))",
                "map.spawn(__cct_task!(key), __cct_task!(work(a)))",
            ),
            (
                "local.block_on(&rt, async {})",
                "local.block_on(__cct_root!(&rt), __cct_root!(async {}))",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_may_be_driven_is_handed_to_a_call_with_an_end() {
        for (text, expected) in [
            (
                "pool.run_until(work(a))",
                "pool.run_until(__cct_handed!(work(a))).__cct_returned()",
            ),
            (
                "a.run(async {}).await",
                "a.run(__cct_handed!(async {})).__cct_returned().await",
            ),
            (
                "a.run(b.run(c))",
                "a.run(__cct_handed!(b.run(__cct_handed!(c)).__cct_returned())).__cct_returned()",
            ),
        ] {
            assert_eq!(made_by(hand, text), expected);
        }
        for text in [
            "a.run(); a.run(b, c); a.run(|b| c); a.run(1)",
            "run(a); b::run(a)",
            "fn run(a: A) { self.run(a) }",
        ] {
            assert_eq!(made_by(hand, text), text);
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
