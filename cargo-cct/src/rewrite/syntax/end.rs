//! Where a statement ends.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Expr, MacroDelimiter, Stmt};

/// The place behind its last token.
pub(in crate::rewrite) fn end_of(statement: &Stmt) -> usize {
    last(statement).byte_range().end
}

fn last(statement: &Stmt) -> Span {
    match statement {
        Stmt::Local(local) => local.semi_token.span,
        Stmt::Expr(_, Some(semicolon)) => semicolon.span,
        Stmt::Expr(expression, None) => last_of(expression),
        Stmt::Macro(call) => call.semi_token.map_or_else(
            || match &call.mac.delimiter {
                MacroDelimiter::Paren(paren) => paren.span.close(),
                MacroDelimiter::Brace(brace) => brace.span.close(),
                MacroDelimiter::Bracket(bracket) => bracket.span.close(),
            },
            |semicolon| semicolon.span,
        ),
        Stmt::Item(item) => item.span(),
    }
}

/// The last token of an expression that is a statement without a semicolon.
///
/// An expression without a block of its own is the value of the block around it, and nobody asks.
fn last_of(expression: &Expr) -> Span {
    match expression {
        Expr::Async(e) => e.block.brace_token.span.close(),
        Expr::Block(e) => e.block.brace_token.span.close(),
        Expr::Const(e) => e.block.brace_token.span.close(),
        Expr::ForLoop(e) => e.body.brace_token.span.close(),
        Expr::If(e) => match &e.else_branch {
            Some((_, other)) => last_of(other),
            None => e.then_branch.brace_token.span.close(),
        },
        Expr::Loop(e) => e.body.brace_token.span.close(),
        Expr::Match(e) => e.brace_token.span.close(),
        Expr::TryBlock(e) => e.block.brace_token.span.close(),
        Expr::Unsafe(e) => e.block.brace_token.span.close(),
        Expr::While(e) => e.body.brace_token.span.close(),
        other => other.span(),
    }
}
