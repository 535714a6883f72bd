//! The parts of a source file that edits are made of.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{LineColumn, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// The places of a file, by line; the first is 1.
#[derive(Default)]
pub(crate) struct Code {
    /// The statements that begin their lines, each with the number of modules of the file around it.
    pub(crate) statements: Vec<(usize, usize)>,
    /// The statements among them that have a line of their own, and end with a semicolon.
    whole: Vec<usize>,
    /// The functions that stand by themselves, from their attributes and comments to their ends.
    pub(crate) functions: Vec<(usize, usize)>,
    /// All functions that can run at run time.
    pub(crate) bodies: Vec<Body>,
    /// The lines in which a token goes on that began before.
    inside: BTreeSet<usize>,
    lines: Vec<String>,
    modules: usize,
}

/// A function.
pub(crate) struct Body {
    pub(crate) block: syn::Block,
    pub(crate) tokens: TokenStream,
}

impl Code {
    /// None if it cannot be parsed.
    pub(crate) fn of(source: &str) -> Option<Code> {
        let file = syn::parse_file(source).ok()?;
        let mut code = Code {
            lines: source.lines().map(str::to_owned).collect(),
            ..Code::default()
        };
        code.visit_file(&file);
        code.note_long_tokens(file.to_token_stream());
        for item in &file.items {
            if let syn::Item::Fn(function) = item {
                let span = function.span();
                let (first, last) = (span.start().line, span.end().line);
                let above = code.lines[..first - 1].iter().rev();
                let comments = above.take_while(|line| line.starts_with("// ")).count();
                code.functions.push((first - comments, last));
            }
        }
        Some(code)
    }

    /// True if no token goes on from the line before into this one.
    pub(crate) fn is_between_tokens(&self, line: usize) -> bool {
        !self.inside.contains(&line)
    }

    /// The statements with a line and a semicolon of their own.
    pub(crate) fn whole_statements(&self) -> Vec<usize> {
        self.whole.clone()
    }

    fn note_long_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            if let TokenTree::Group(group) = token {
                self.note_long_tokens(group.stream());
            } else {
                let span = token.span();
                self.inside.extend(span.start().line + 1..=span.end().line);
            }
        }
    }

    fn begins_its_line(&self, at: LineColumn) -> bool {
        let line = self.lines.get(at.line - 1);
        line.is_some_and(|line| line.chars().take(at.column).all(char::is_whitespace))
    }

    /// A function whose statements are executed when the program runs.
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let mut tokens = signature.inputs.to_token_stream();
        tokens.extend(block.to_token_stream());
        self.bodies.push(Body {
            block: block.clone(),
            tokens,
        });
    }
}

impl<'ast> Visit<'ast> for Code {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        // In the log a note would note itself.
        if item.ident == crate::edits::change::LOG_NAME {
            return;
        }
        self.modules += 1;
        visit::visit_item_mod(self, item);
        self.modules -= 1;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() {
            self.add(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            self.add(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_block(&mut self, block: &'ast syn::Block) {
        for statement in &block.stmts {
            let span = statement.span();
            let (start, end) = (span.start(), span.end());
            if matches!(statement, syn::Stmt::Item(_)) || !self.begins_its_line(start) {
                continue;
            }
            self.statements.push((start.line, self.modules));
            let line = &self.lines[start.line - 1];
            if start.line == end.line && line.trim_end().ends_with(';') {
                self.whole.push(start.line);
            }
        }
        visit::visit_block(self, block);
    }
}

/// The variables that a block declares.
#[derive(Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// The names that stand for the variable wherever they are among these tokens, as far as their
    /// neighbours tell.
    pub(crate) fn that_can_be_renamed(self, tokens: &TokenStream) -> Vec<String> {
        let mut others = BTreeSet::new();
        note_other_uses(tokens, &mut others);
        self.0.difference(&others).cloned().collect()
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = pattern.ident.to_string();
        if name.starts_with(char::is_lowercase) && name.len() > 2 {
            self.0.insert(name);
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The words that stand for something else than variables: functions, macros, modules, fields and lifetimes.
fn note_other_uses(tokens: &TokenStream, others: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let sign = |index: Option<usize>| match tokens.get(index?)? {
        TokenTree::Punct(sign) => Some(sign.as_char()),
        TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Parenthesis => {
            Some('(')
        }
        _ => None,
    };
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => note_other_uses(&group.stream(), others),
            TokenTree::Ident(word) => {
                let before = sign(index.checked_sub(1));
                let after = sign(Some(index + 1));
                if before != Some('.') && matches!(after, Some('(' | ':' | '!'))
                    || matches!(before, Some(':' | '\''))
                        && sign(index.checked_sub(2)) == before.filter(|sign| *sign == ':')
                {
                    others.insert(word.to_string());
                }
            }
            _ => {}
        }
    }
}

impl Body {
    /// The file with another name for this variable.
    pub(crate) fn renamed(&self, source: &str, name: &str, other: &str) -> String {
        let mut shorthands = Shorthands::default();
        shorthands.visit_block(&self.block);
        let mut edits = BTreeMap::new();
        note_words(&self.tokens, (name, other), &mut edits);
        for span in shorthands.0 {
            if span.source_text().as_deref() == Some(name) {
                edits.insert(key(span), format!("{name}: {other}"));
            }
        }
        let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
        for ((line, start, end), text) in edits.into_iter().rev() {
            let line = &mut lines[line - 1];
            let chars: Vec<char> = line.chars().collect();
            let part = |range: &[char]| range.iter().collect::<String>();
            *line = part(&chars[..start]) + &text + &part(&chars[end..]);
        }
        lines.join("\n") + "\n"
    }
}

/// A line, and from where to where in it.
type Key = (usize, usize, usize);

fn key(span: Span) -> Key {
    (span.start().line, span.start().column, span.end().column)
}

/// The words that are the variable's name, also in format strings.
fn note_words(
    tokens: &TokenStream,
    (name, other): (&str, &str),
    edits: &mut BTreeMap<Key, String>,
) {
    let mut is_field = false;
    let mut is_range = false;
    for token in tokens.clone() {
        match &token {
            TokenTree::Group(group) => note_words(&group.stream(), (name, other), edits),
            TokenTree::Ident(word) if *word == name && !is_field => {
                edits.insert(key(word.span()), other.to_owned());
            }
            TokenTree::Literal(literal) => {
                let (span, text) = (literal.span(), literal.to_string());
                let renamed = text
                    .replace(&format!("{{{name}}}"), &format!("{{{other}}}"))
                    .replace(&format!("{{{name}:"), &format!("{{{other}:"));
                if renamed != text && span.start().line == span.end().line {
                    edits.insert(key(span), renamed);
                }
            }
            _ => {}
        }
        let is_dot = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '.');
        is_range = is_dot && (is_field || is_range);
        is_field = is_dot && !is_range;
    }
}

/// The fields that have the name of the variable that is in them.
#[derive(Default)]
struct Shorthands(Vec<Span>);

impl<'ast> Visit<'ast> for Shorthands {
    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if field.colon_token.is_none() {
            self.0.push(field.member.span());
        }
        visit::visit_field_value(self, field);
    }

    fn visit_field_pat(&mut self, field: &'ast syn::FieldPat) {
        if field.colon_token.is_none() {
            self.0.push(field.member.span());
        }
        visit::visit_field_pat(self, field);
    }
}
