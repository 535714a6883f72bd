//! Where a statement starts, its attributes included.
//!
//! `syn` tells the place of a whole by making tokens of it again, which for statements in statements takes
//! a square of the time.

use First::{Token, Within};
use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{AttrStyle, Attribute, Expr, ExprRange, Label, Path, QSelf, Stmt};

/// Where something can be put in front of a block's first statement: behind its brace, unless attributes and
/// documentation of its own are between the two.
pub(in crate::rewrite) fn place_before(text: &str, brace: usize, statement: usize) -> usize {
    let between = &text[brace..statement];
    let has_own = ["#!", "//!", "/*!"].iter().any(|own| between.contains(own));
    if has_own { statement } else { brace }
}

/// The beginning of a statement.
#[derive(Debug)]
pub(in crate::rewrite) struct Start<'s> {
    /// Its first token.
    pub at: Span,
    /// Its first attribute, if it has any; attributes inside its braces come after.
    pub attributes: &'s [Attribute],
}

impl<'s> Start<'s> {
    /// Finds it.
    pub(in crate::rewrite) fn of(statement: &'s Stmt) -> Start<'s> {
        match statement {
            Stmt::Local(local) => Start::with(&local.attrs, local.let_token.span),
            Stmt::Macro(call) => Start::with(&call.attrs, of_path(&call.mac.path)),
            Stmt::Expr(expression, _) => Start::of_expression(expression),
            Stmt::Item(item) => Start::with(&[], item.span()),
        }
    }

    /// Attributes belong to the expression, or to one that it starts with.
    fn of_expression(expression: &'s Expr) -> Start<'s> {
        let (attributes, first) = first(expression);
        match first {
            Within(inner) if !attributes.iter().any(is_outer) => Start::of_expression(inner),
            Within(inner) => Start::with(attributes, inner.span()),
            Token(span) => Start::with(attributes, span),
        }
    }

    fn with(attributes: &'s [Attribute], otherwise: Span) -> Start<'s> {
        let first = attributes.iter().find(|attribute| is_outer(attribute));
        Start {
            at: first.map_or(otherwise, |first| first.pound_token.span),
            attributes,
        }
    }
}

fn is_outer(attribute: &Attribute) -> bool {
    matches!(attribute.style, AttrStyle::Outer)
}

/// The start of an expression, after its attributes.
enum First<'e> {
    Token(Span),
    Within(&'e Expr),
}

fn first(expression: &Expr) -> (&[Attribute], First<'_>) {
    match expression {
        Expr::Array(e) => (&e.attrs[..], Token(e.bracket_token.span.open())),
        Expr::Assign(e) => (&e.attrs[..], Within(&e.left)),
        Expr::Async(e) => (&e.attrs[..], Token(e.async_token.span)),
        Expr::Await(e) => (&e.attrs[..], Within(&e.base)),
        Expr::Binary(e) => (&e.attrs[..], Within(&e.left)),
        Expr::Block(e) => (
            &e.attrs[..],
            Token(of_label(e.label.as_ref(), e.block.brace_token.span.open())),
        ),
        Expr::Break(e) => (&e.attrs[..], Token(e.break_token.span)),
        Expr::Call(e) => (&e.attrs[..], Within(&e.func)),
        Expr::Cast(e) => (&e.attrs[..], Within(&e.expr)),
        Expr::Const(e) => (&e.attrs[..], Token(e.const_token.span)),
        Expr::Field(e) => (&e.attrs[..], Within(&e.base)),
        Expr::ForLoop(e) => (
            &e.attrs[..],
            Token(of_label(e.label.as_ref(), e.for_token.span)),
        ),
        Expr::If(e) => (&e.attrs[..], Token(e.if_token.span)),
        Expr::Index(e) => (&e.attrs[..], Within(&e.expr)),
        Expr::Let(e) => (&e.attrs[..], Token(e.let_token.span)),
        Expr::Loop(e) => (
            &e.attrs[..],
            Token(of_label(e.label.as_ref(), e.loop_token.span)),
        ),
        Expr::Macro(e) => (&e.attrs[..], Token(of_path(&e.mac.path))),
        Expr::Match(e) => (&e.attrs[..], Token(e.match_token.span)),
        Expr::MethodCall(e) => (&e.attrs[..], Within(&e.receiver)),
        Expr::Paren(e) => (&e.attrs[..], Token(e.paren_token.span.open())),
        Expr::Path(e) => (&e.attrs[..], Token(of_qualified(e.qself.as_ref(), &e.path))),
        Expr::Range(e) => (&e.attrs[..], of_range(e)),
        Expr::RawAddr(e) => (&e.attrs[..], Token(e.and_token.span)),
        Expr::Reference(e) => (&e.attrs[..], Token(e.and_token.span)),
        Expr::Repeat(e) => (&e.attrs[..], Token(e.bracket_token.span.open())),
        Expr::Return(e) => (&e.attrs[..], Token(e.return_token.span)),
        Expr::Struct(e) => (&e.attrs[..], Token(of_qualified(e.qself.as_ref(), &e.path))),
        Expr::Try(e) => (&e.attrs[..], Within(&e.expr)),
        Expr::TryBlock(e) => (&e.attrs[..], Token(e.try_token.span)),
        Expr::Tuple(e) => (&e.attrs[..], Token(e.paren_token.span.open())),
        Expr::Unary(e) => (&e.attrs[..], Token(e.op.span())),
        Expr::Unsafe(e) => (&e.attrs[..], Token(e.unsafe_token.span)),
        Expr::While(e) => (
            &e.attrs[..],
            Token(of_label(e.label.as_ref(), e.while_token.span)),
        ),
        Expr::Yield(e) => (&e.attrs[..], Token(e.yield_token.span)),
        // Blocks that hold no statements.
        other => (&[], Token(other.span())),
    }
}

fn of_label(label: Option<&Label>, otherwise: Span) -> Span {
    label.map_or(otherwise, |label| label.name.apostrophe)
}

fn of_qualified(qualified: Option<&QSelf>, path: &Path) -> Span {
    qualified.map_or_else(|| of_path(path), |qualified| qualified.lt_token.span)
}

fn of_path(path: &Path) -> Span {
    match (path.leading_colon, path.segments.first()) {
        (Some(colon), _) => colon.spans[0],
        (None, Some(first)) => first.ident.span(),
        (None, None) => path.span(),
    }
}

fn of_range(range: &ExprRange) -> First<'_> {
    match &range.start {
        Some(start) => Within(start),
        None => Token(range.limits.span()),
    }
}
