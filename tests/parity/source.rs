//! Turns the list into source text: one line for each item, so that an error's line names it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::parity::list::{Context, Function, Item};

/// A generated file: the item behind each line.
#[derive(Debug)]
pub(crate) struct Source {
    /// Pairs of a line and the name it is reported under.
    pub(crate) lines: Vec<(String, String)>,
}

impl Source {
    /// Writes a use of each item.
    pub(crate) fn of(items: &[Item]) -> Self {
        let checks = items
            .iter()
            .enumerate()
            .map(|(index, item)| (check(index, item), name(item)));
        let prelude = PRELUDE
            .lines()
            .map(|line| (line.to_owned(), "the prelude".to_owned()));
        Self {
            lines: prelude.chain(checks).collect(),
        }
    }

    /// Returns the file's text, with the lines that stand in `missing` left empty.
    pub(crate) fn text(&self, missing: &BTreeMap<usize, String>) -> String {
        let mut text = String::new();
        for (index, (line, _)) in self.lines.iter().enumerate() {
            let line = if missing.contains_key(&index) {
                ""
            } else {
                line
            };
            writeln!(text, "{line}").expect("a string takes any text");
        }
        text
    }
}

/// An auto trait is missing where exactly one of two blanket impls applies.
const PRELUDE: &str = "\
#![allow(warnings)]
trait UnlessSend<A> { fn some() {} }
impl<T: ?Sized> UnlessSend<()> for T {}
impl<T: ?Sized + Send> UnlessSend<u8> for T {}
trait UnlessSync<A> { fn some() {} }
impl<T: ?Sized> UnlessSync<()> for T {}
impl<T: ?Sized + Sync> UnlessSync<u8> for T {}
trait UnlessUnpin<A> { fn some() {} }
impl<T: ?Sized> UnlessUnpin<()> for T {}
impl<T: ?Sized + Unpin> UnlessUnpin<u8> for T {}
trait UnlessUnwindSafe<A> { fn some() {} }
impl<T: ?Sized> UnlessUnwindSafe<()> for T {}
impl<T: ?Sized + std::panic::UnwindSafe> UnlessUnwindSafe<u8> for T {}
trait UnlessRefUnwindSafe<A> { fn some() {} }
impl<T: ?Sized> UnlessRefUnwindSafe<()> for T {}
impl<T: ?Sized + std::panic::RefUnwindSafe> UnlessRefUnwindSafe<u8> for T {}";

/// Returns what an item is called in a report.
fn name(item: &Item) -> String {
    let bounds = |context: &Context| match (&*context.generics, &*context.predicates) {
        ("", "") => String::new(),
        (generics, "") => format!(" with {generics}"),
        (generics, predicates) => format!(" with {generics} where {predicates}"),
    };
    match item {
        Item::Function(function) => {
            let word = if function.is_const { "const fn" } else { "fn" };
            format!("{word} {} of {}", function.path, function.args.join(", "))
        }
        Item::Implements {
            bound, of, context, ..
        } => {
            format!("impl {bound} for {of}{}", bounds(context))
        }
        Item::Lacks { bound, of, context } => format!("impl !{bound} for {of}{}", bounds(context)),
        Item::Value { value, .. } => format!("const {value}"),
        Item::Variant { variant, .. } => format!("variant {variant}"),
        Item::Field { field, .. } => format!("field {field}"),
        Item::Alias { alias, .. } => format!("type {alias}"),
        Item::Path { path } => format!("path {path}"),
    }
}

/// Returns one line that compiles where the item is as listed.
fn check(index: usize, item: &Item) -> String {
    match item {
        Item::Function(function) => function_check(index, function),
        Item::Implements {
            bound,
            of,
            context,
            types,
        } => {
            let types = types.iter().map(|(name, kind)| format!("{name} = {kind}"));
            let bound = with_types(bound, &types.collect::<Vec<_>>().join(", "));
            impl_check(index, &bound, of, context)
        }
        Item::Lacks { bound, of, context } => {
            let (generics, predicates) = named_lifetimes(context, of);
            let unless = format!("Unless{}", bound.rsplit("::").next().unwrap_or_default());
            let of = of.replace("'_", "'anon");
            format!("fn c{index}<{generics}>() {predicates} {{ <{of} as {unless}<_>>::some(); }}")
        }
        Item::Value { value, kind } => format!("const C{index}: {kind} = {value};"),
        Item::Variant {
            variant,
            of,
            context,
            fields,
        } if fields.is_empty() => format!(
            "fn c{index}<{}>(x: {of}) -> {of} {{ match x {{ {variant} => {variant}, y => y }} }}",
            context.generics
        ),
        Item::Variant {
            variant,
            of,
            context,
            fields,
        } => format!(
            "fn c{index}<{}>(x: {of}) {{ let _: fn{fields} -> {of} = {variant}; \
             if let {variant}(..) = x {{}} }}",
            context.generics
        ),
        Item::Field {
            field,
            of,
            context,
            kind,
        } => {
            let field = field.rsplit('.').next().unwrap_or_default();
            format!(
                "fn c{index}<{}>(x: {of}) -> {kind} {{ x.{field} }}",
                context.generics
            )
        }
        Item::Alias {
            alias,
            context,
            kind,
        } => {
            format!(
                "fn c{index}<{}>(x: {alias}) -> {kind} {{ x }}",
                context.generics
            )
        }
        Item::Path { path } => format!("use {path} as _;"),
    }
}

/// A function must coerce to a pointer of its exact signature; a const one must be callable from
/// a const function with the same bounds.
fn function_check(index: usize, function: &Function) -> String {
    let name = function.path.rsplit("::").next().unwrap_or_default();
    let path = match &function.of {
        Some(of) => format!("<{of}>::{name}"),
        None => function.path.clone(),
    };
    let turbofish = match &*function.turbofish {
        "" => String::new(),
        types => format!("::<{types}>"),
    };
    let generics = &function.context.generics;
    let predicates = where_clause(generics, &function.context.predicates);
    let (args, ret) = (function.args.join(", "), &function.ret);
    let word = if function.is_unsafe { "unsafe " } else { "" };
    let mut line = format!(
        "fn c{index}<{generics}>() {predicates} \
         {{ let _: {word}fn({args}) -> {ret} = {path}{turbofish}; }}"
    );
    if function.is_const {
        let named = function.args.iter().enumerate();
        let named: Vec<_> = named.map(|(at, kind)| format!("a{at}: {kind}")).collect();
        let passed: Vec<_> = (0..named.len()).map(|at| format!("a{at}")).collect();
        let call = format!("{path}{turbofish}({})", passed.join(", "));
        let body = if function.is_unsafe {
            format!("unsafe {{ {call} }}")
        } else {
            call
        };
        let named = named.join(", ");
        write!(
            line,
            " const {word}fn k{index}<{generics}>({named}) -> {ret} {predicates} {{ {body} }}"
        )
        .expect("a string takes any text");
    }
    line
}

/// An impl must satisfy the where clause of a function that is called with the type.
fn impl_check(index: usize, bound: &str, of: &str, context: &Context) -> String {
    let (generics, predicates) = named_lifetimes(context, of);
    let of = of.replace("'_", "'anon");
    let needs = match &*predicates {
        "" => format!("where {of}: {bound}"),
        predicates => format!("{predicates}, {of}: {bound}"),
    };
    let types: Vec<_> = parameter_names(&generics)
        .into_iter()
        .filter(|name| !name.starts_with('\''))
        .collect();
    let turbofish = match types.join(", ") {
        types if types.is_empty() => String::new(),
        types => format!("::<{types}>"),
    };
    format!(
        "fn i{index}<{generics}>() {needs} {{}} \
         fn c{index}<{generics}>() {predicates} {{ i{index}{turbofish}() }}"
    )
}

/// Adds associated types to a bound.
fn with_types(bound: &str, types: &str) -> String {
    match bound.strip_suffix('>') {
        _ if types.is_empty() => bound.to_owned(),
        Some(open) => format!("{open}, {types}>"),
        None => format!("{bound}<{types}>"),
    }
}

/// Returns generics and where clause for a type whose `'_` are written as `'anon`.
fn named_lifetimes(context: &Context, of: &str) -> (String, String) {
    let anonymous = if of.contains("'_") { "'anon, " } else { "" };
    let generics = format!("{anonymous}{}", context.generics);
    let predicates = where_clause(&generics, &context.predicates);
    (generics, predicates)
}

/// Returns a where clause, or nothing. Added is that all parameters outlive all lifetimes, which
/// std's signatures imply by naming references to them.
fn where_clause(generics: &str, predicates: &str) -> String {
    let (lifetimes, types): (Vec<_>, Vec<_>) = parameter_names(generics)
        .into_iter()
        .partition(|name| name.starts_with('\''));
    let mut all: Vec<_> = lifetimes
        .iter()
        .flat_map(|lifetime| types.iter().map(move |name| format!("{name}: {lifetime}")))
        .collect();
    if generics.contains("'env") && generics.contains("'scope") {
        all.push("'env: 'scope".to_owned());
    }
    if !predicates.is_empty() {
        all.push(predicates.to_owned());
    }
    if all.is_empty() {
        String::new()
    } else {
        format!("where {}", all.join(", "))
    }
}

/// Returns the names of generic parameters.
fn parameter_names(generics: &str) -> Vec<String> {
    split_parameters(generics)
        .iter()
        .map(|parameter| {
            parameter
                .split(':')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// Splits parameters at the commas outside all brackets.
fn split_parameters(generics: &str) -> Vec<String> {
    let (mut parts, mut depth, mut before) = (vec![String::new()], 0, ' ');
    for letter in generics.chars() {
        match letter {
            '<' | '(' => depth += 1,
            ')' => depth -= 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if letter != ',' || depth > 0 => part.push(letter),
            _ => parts.push(String::new()),
        }
        before = letter;
    }
    parts
}
