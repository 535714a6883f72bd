//! Boundaries between statements: a call of code that is not interleaved is one step, and this is where the
//! next one begins.
//!
//! ```text
//! let old = map.get(&1); map.insert(old, 2)
//! __cct_statement(); let old = map.get(&1); __cct_statement(); map.insert(old, 2)
//! ```
//!
//! A boundary is a statement of its own, so nothing lives longer or shorter for it. It follows the token
//! before it: where lines end as statements do, no column moves, in panics and in what the compiler says.
//! Where the compiler
//! evaluates code there is none, nor in what macros are given, where a statement is not known to be one.

use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprAwait, ExprCall, ExprConst, ExprForLoop, ExprMacro, ExprMethodCall,
    ExprRepeat, ExprWhile, GenericArgument, ImplItemConst, ImplItemFn, ItemConst, ItemFn,
    ItemStatic, Signature, Stmt, TraitItemConst, TraitItemFn, Type, Variant,
};

use crate::rewrite::syntax::{Start, end_of, one_line, place_before};
use crate::rewrite::{Edit, Source};

const BOUNDARY: &str = "__cct_statement();";

/// Functions with such attributes are no place for a call.
const OWN_RULES: [&str; 2] = ["naked", "target_feature"];

/// Puts a boundary in front of each statement that calls something.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let mut boundaries = Boundaries {
        text: source.text,
        edits: Vec::new(),
        is_left: false,
        calls: false,
    };
    if let Ok(file) = syn::parse2(source.tokens.clone()) {
        boundaries.visit_file(&file);
    }
    boundaries.edits
}

struct Boundaries<'t> {
    text: &'t str,
    edits: Vec<Edit>,
    /// The code that is visited gets no boundary.
    is_left: bool,
    /// The statement that is visited calls something outside of its blocks.
    calls: bool,
}

impl Boundaries<'_> {
    /// Visits something that gets boundaries, or none, whatever is around it.
    fn within(&mut self, is_left: bool, visit: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.is_left, is_left);
        visit(self);
        self.is_left = around;
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, body: &Block) {
        let is_left = signature.constness.is_some() || attributes.iter().any(has_own_rules);
        self.within(is_left, |boundaries| boundaries.visit_block(body));
    }

    /// Visits a loop, whose head may call something each time round: then so may what follows it.
    fn rounds(&mut self, head: &Expr, always_calls: bool, body: &Block) {
        let around = std::mem::replace(&mut self.calls, always_calls);
        self.visit_expr(head);
        let head_calls = self.calls;
        if body.stmts.is_empty() && head_calls && !self.is_left {
            let at = Source::range(body.brace_token.span.close()).start;
            self.edits.push(Edit::insert(at, BOUNDARY));
        }
        self.visit_statements(body, head_calls);
        self.calls = around || head_calls;
    }

    /// Visits a block; its first statement gets a boundary in any case, if so said.
    fn visit_statements(&mut self, body: &Block, mut begins: bool) {
        let around = self.calls;
        for (at, statement) in body.stmts.iter().enumerate() {
            self.calls = std::mem::take(&mut begins);
            self.visit_stmt(statement);
            let is_item = matches!(statement, Stmt::Item(_));
            if self.calls && !is_item && !self.is_left {
                let start = Start::of(statement);
                let boundary = self.conditions(start.attributes) + BOUNDARY;
                let start = Source::range(start.at).start;
                let before = match at.checked_sub(1) {
                    Some(before) => end_of(&body.stmts[before]),
                    None => Source::range(body.brace_token.span.open()).end,
                };
                let place = place_before(self.text, before, start);
                self.edits.push(Edit::insert(place, format!(" {boundary}")));
            }
        }
        self.calls = around;
    }

    /// The conditions under which a statement is there, for its boundary. Without it, what comes before is
    /// the value of the block.
    fn conditions(&self, attributes: &[Attribute]) -> String {
        let conditions = attributes.iter().filter(|one| one.path().is_ident("cfg"));
        let written = conditions.map(|one| {
            let start = Source::range(one.pound_token.span).start;
            let end = Source::range(one.bracket_token.span.close()).end;
            one_line(&self.text[start..end]) + " "
        });
        written.collect()
    }
}

impl<'ast> Visit<'ast> for Boundaries<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        self.visit_statements(block, false);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        self.calls |= matches!(statement, Stmt::Macro(_));
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        self.calls |= !is_constructor(&call.func);
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.calls = true;
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_macro(&mut self, _: &'ast ExprMacro) {
        self.calls = true;
    }

    fn visit_expr_await(&mut self, awaited: &'ast ExprAwait) {
        self.calls = true;
        visit::visit_expr_await(self, awaited);
    }

    fn visit_expr_for_loop(&mut self, rounds: &'ast ExprForLoop) {
        self.rounds(&rounds.expr, true, &rounds.body);
    }

    fn visit_expr_while(&mut self, rounds: &'ast ExprWhile) {
        self.rounds(&rounds.cond, false, &rounds.body);
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.attrs, &function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.function(&function.attrs, &function.sig, &function.block);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.function(&function.attrs, &function.sig, body);
        }
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.within(true, |boundaries| boundaries.visit_expr(&item.expr));
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        self.within(true, |boundaries| boundaries.visit_expr(&item.expr));
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.within(true, |boundaries| boundaries.visit_expr(&item.expr));
    }

    fn visit_trait_item_const(&mut self, item: &'ast TraitItemConst) {
        self.within(true, |boundaries| {
            visit::visit_trait_item_const(boundaries, item);
        });
    }

    fn visit_expr_const(&mut self, block: &'ast ExprConst) {
        self.within(true, |boundaries| boundaries.visit_block(&block.block));
    }

    fn visit_expr_repeat(&mut self, array: &'ast ExprRepeat) {
        self.visit_expr(&array.expr);
        self.within(true, |boundaries| boundaries.visit_expr(&array.len));
    }

    // The compiler evaluates code in these.
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_generic_argument(&mut self, _: &'ast GenericArgument) {}
    fn visit_variant(&mut self, _: &'ast Variant) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn has_own_rules(attribute: &Attribute) -> bool {
    let is_one = |path: &syn::Path| OWN_RULES.iter().any(|name| path.is_ident(name));
    let path = attribute.path();
    // `#[unsafe(naked)]`
    let inside = || attribute.parse_args::<syn::Path>();
    is_one(path) || (path.is_ident("unsafe") && inside().is_ok_and(|path| is_one(&path)))
}

/// Tells whether a function is named as tuple structs and variants are.
fn is_constructor(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let name = path.path.segments.last().map(|last| last.ident.to_string());
    name.is_some_and(|name| name.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    /// A function's body after the pass, with `¦` for a boundary.
    fn bounded(body: &str) -> String {
        let made = made_by(run, &format!("fn f() {{ {body} }}"));
        let inside = made
            .strip_prefix("fn f() { ")
            .and_then(|made| made.strip_suffix(" }"));
        inside
            .expect("a body")
            .replace("__cct_statement(); ", "¦")
            .replace("__cct_statement();", "¦")
    }

    #[test]
    fn statements_that_call_have_borders() {
        for (body, expected) in [
            ("a(); b.c(); d!(); e", "¦a(); ¦b.c(); ¦d!(); e"),
            (
                "let x = 1; let y = x + a(); y",
                "let x = 1; ¦let y = x + a(); y",
            ),
            ("a.b(c())?.d", "¦a.b(c())?.d"),
            (
                "#[cfg(x)] a(); #[b] let c = d(); #[e] f!();",
                "#[cfg(x)] ¦#[cfg(x)] a(); ¦#[b] let c = d(); ¦#[e] f!();",
            ),
            (
                "let Some(x) = a() else { return b() };",
                "¦let Some(x) = a() else { ¦return b() };",
            ),
            (
                "Some(1); A { b: 2 }; C(d())",
                "Some(1); A { b: 2 }; ¦C(d())",
            ),
            (
                "<A as B>::c(); ::d(); *e = f(); (g)(); ..h()",
                "¦<A as B>::c(); ¦::d(); ¦*e = f(); ¦(g)(); ¦..h()",
            ),
        ] {
            assert_eq!(bounded(body), expected);
        }
    }

    #[test]
    fn blocks_have_their_own() {
        for (body, expected) in [
            ("if x { a() } else { b() }", "if x { ¦a() } else { ¦b() }"),
            ("if c() { a } else { b }", "¦if c() { a } else { b }"),
            (
                "'l: loop { a(); break 'l; }",
                "'l: loop { ¦a(); break 'l; }",
            ),
            (
                "match x { A => a(), B => { b() } }",
                "¦match x { A => a(), B => { ¦b() } }",
            ),
            (
                "let f = move || { a() }; async { b().await }",
                "let f = move || { ¦a() }; async { ¦b().await }",
            ),
            ("unsafe { a() } 'b: { c() }", "unsafe { ¦a() } 'b: { ¦c() }"),
        ] {
            assert_eq!(bounded(body), expected);
        }
    }

    #[test]
    fn the_value_of_a_block_is_the_last_statement_that_is_there() {
        for (body, expected) in [
            (
                "#[cfg(a)] { b() } #[cfg(not(a))] { c(); d }",
                "#[cfg(a)] { ¦b() } #[cfg(not(a))] { ¦c(); d }",
            ),
            (
                "#[cfg(a)] b! {} #[cfg(\n  not(a),\n)] c.d()",
                "#[cfg(a)] ¦#[cfg(a)] b! {} #[cfg(not(a))] ¦#[cfg(\n  not(a),\n)] c.d()",
            ),
        ] {
            assert_eq!(bounded(body), expected);
        }
    }

    /// The condition of a loop follows the operations of its body, and the body follows the condition.
    #[test]
    fn rounds_begin_with_one_if_their_head_calls() {
        for (body, expected) in [
            (
                "for x in a { x += 1; b() }",
                "¦for x in a { ¦x += 1; ¦b() }",
            ),
            ("while a() { b = 1; }", "¦while a() { ¦b = 1; }"),
            ("while a() { b(); }", "¦while a() { ¦b(); }"),
            ("while a() {}", "¦while a() {¦}"),
            ("while let Some(_) = a {}", "while let Some(_) = a {}"),
        ] {
            assert_eq!(bounded(body), expected);
        }
    }

    #[test]
    fn what_the_compiler_evaluates_has_none() {
        for text in [
            "const fn f() { a() } const A: u8 = { a() }; static B: C = { d(); C };",
            "struct A([u8; { a() }]); enum B { C = { d() } } fn f(_: [u8; { a() }]) {}",
            "fn f() { const { a(); } } fn g() -> A<{ b() }> { [0; { c() }] }",
            "trait A { const B: u8 = { c() }; const fn d() { e() } }",
            "#[target_feature(enable = \"avx2\")] fn f() { a() } #[unsafe(naked)] fn g() { a() }",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }

    #[test]
    fn what_begins_a_line_stays_in_its_column() {
        assert_eq!(
            made_by(
                run,
                "fn f() { // why\n    a();\n    // and\n    b();\n    let c = d(); /* x */ e()\n}"
            ),
            "fn f() { __cct_statement(); // why\n    a(); __cct_statement();\n    // and\n    b(); \
             __cct_statement();\n    let c = d(); __cct_statement(); /* x */ e()\n}"
        );
        assert_eq!(
            made_by(
                run,
                "fn f() {\n    /// doc\n    x();\n    if y { z } // z\n    w()\n}"
            ),
            "fn f() { __cct_statement();\n    /// doc\n    x();\n    \
             if y { z } __cct_statement(); // z\n    w()\n}"
        );
    }

    #[test]
    fn functions_within_are_functions_again() {
        assert_eq!(
            made_by(run, "const A: () = { impl B { fn c() { d() } } };"),
            "const A: () = { impl B { fn c() { __cct_statement(); d() } } };"
        );
        assert_eq!(
            made_by(run, "fn f() {\n //! A.\n g()\n }"),
            "fn f() {\n //! A.\n  __cct_statement();g()\n }"
        );
        assert_eq!(
            made_by(run, "fn f() { #![a] fn g() { h() } }"),
            "fn f() { #![a] fn g() { __cct_statement(); h() } }"
        );
    }
}
