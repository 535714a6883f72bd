//! Calls that are given futures, and how these are handed over.
//!
//! The macros that are put around an argument find out whether it is a future, by its type, and leave
//! anything else as it is: here a call is known by its name alone. They must not get an argument whose type
//! comes from the parameter, since the macro stands between the two.

use std::ops::Range;

use cct::known::{BOXING, DRIVE, MAY_DRIVE, OBJECTS, SPAWN, SPAWN_OBJECTS};
use proc_macro2::{Delimiter, Group};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprPath, Stmt, Token};

use super::syntax::{self, Tree};
use super::{Edit, Named, Source};

/// Methods whose result has the type that is expected of it.
const AS_EXPECTED: [&str; 6] = ["collect", "into", "parse", "product", "sum", "try_into"];

/// Constructors of std's enums, which are no futures, and whose types are often incomplete.
const ENUMS: [&str; 4] = ["Err", "None", "Ok", "Some"];

/// Hands over what the calls of some roles are given.
pub(super) fn hand_over(source: &Source<'_>, roles: &[Role]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut ends = Vec::new();
    syntax::sequences(&source.trees, &mut |sequence| {
        for at in 0..sequence.len() {
            let call = Call::at(sequence, at, source);
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

/// The ways in which a function uses a future that it is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It makes a task of it.
    Spawn,
    /// It drives it to its end.
    Drive,
    /// It may drive it.
    Hand,
}

impl Role {
    /// By the name that ends `before`.
    fn of(before: &[Tree], named: &Named) -> Option<Role> {
        match before.last()? {
            name if name.is_one_of(&SPAWN) => Some(Role::Spawn),
            name if name.is_one_of(&DRIVE) => Some(Role::Drive),
            _ if named.spawns(before) => Some(Role::Spawn),
            _ if named.drives(before) => Some(Role::Drive),
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
    fn at(sequence: &'t [Tree], at: usize, source: &Source<'_>) -> Option<Call<'t>> {
        let (group, arguments) = sequence.get(at + 1)?.inside(Delimiter::Parenthesis)?;
        let role = Role::of(&sequence[..=at], source.named)?;
        let names = source.names();
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

    /// The content of a box that is made here.
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
