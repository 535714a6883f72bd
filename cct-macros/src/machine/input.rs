//! The block as it was written: arguments, attributes of the block, and methods with an attribute.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Error, Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, Path, PathArguments, ReturnType,
    Token, Type, parenthesized, parse_quote,
};

/// All that was written.
pub(super) struct Input {
    pub(super) library: Path,
    /// The type's name.
    pub(super) name: Ident,
    pub(super) has_states: bool,
    /// It is a block of a type that has a name, without a trait.
    pub(super) is_of_type: bool,
    /// The value to begin with, and its type.
    pub(super) start: Option<(Expr, Type)>,
    pub(super) states: Vec<Type>,
    pub(super) events: Vec<Type>,
    pub(super) groups: Vec<Group>,
    /// Events that are deferred or ignored.
    pub(super) lists: Vec<List>,
    pub(super) handlers: Vec<Handler>,
    pub(super) hooks: Vec<Ident>,
    /// The code of methods that handle nothing, but may make a state for those that do.
    pub(super) helpers: TokenStream,
    /// The block without our attributes.
    pub(super) block: ItemImpl,
}

/// States that have handlers in common.
pub(super) struct Group {
    pub(super) name: Ident,
    pub(super) members: Vec<Ident>,
}

/// `defer(Busy: Ping, Pong)`, and likewise `ignore`.
pub(super) struct List {
    pub(super) defers: bool,
    /// A state or a group; none for all.
    pub(super) state: Option<Type>,
    pub(super) events: Vec<Of>,
}

/// Which events.
#[derive(Clone)]
pub(super) enum Of {
    Event(Box<Type>),
    /// All for which there is no other rule.
    Any(Span),
    /// Having none.
    Default(Span),
    /// The end.
    Halt(Span),
}

/// When a handler is called.
pub(super) enum When {
    On(Of),
    Entry,
    Exit,
}

/// A parameter of a handler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    State,
    Event,
    Context,
}

/// A method that handles something.
pub(super) struct Handler {
    pub(super) name: Ident,
    pub(super) when: When,
    /// States or groups; none is the whole actor's.
    pub(super) states: Vec<Type>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) is_async: bool,
    pub(super) output: ReturnType,
    pub(super) body: TokenStream,
    pub(super) span: Span,
}

/// The methods of `Machine` that a type may have of its own.
const HOOKS: [&str; 7] = [
    "event_dequeued",
    "event_handled",
    "event_ignored",
    "event_deferred",
    "event_unhandled",
    "failed",
    "halted",
];

impl Input {
    pub(super) fn read(
        args: TokenStream,
        mut block: ItemImpl,
        has_states: bool,
        errors: &mut Vec<Error>,
    ) -> Input {
        *block.self_ty = bare(&block.self_ty).clone();
        let name = last(&block.self_ty).filter(|_| block.trait_.is_none());
        let is_of_type = name.is_some();
        if !is_of_type {
            let message = "this attribute stands at an `impl` block of a type, without a trait";
            errors.push(Error::new_spanned(&block.self_ty, message));
        }
        let name = name.cloned();
        let name = name.unwrap_or_else(|| Ident::new("Unknown", Span::call_site()));
        let mut input = Input {
            library: parse_quote!(::cct),
            name,
            has_states,
            is_of_type,
            start: None,
            states: Vec::new(),
            events: Vec::new(),
            groups: Vec::new(),
            lists: Vec::new(),
            handlers: Vec::new(),
            hooks: Vec::new(),
            helpers: TokenStream::new(),
            block: parse_quote!(impl Unknown {}),
        };
        if let Err(error) = (|stream: ParseStream<'_>| input.read_args(stream)).parse2(args) {
            errors.push(error);
        }
        block.attrs.retain(|attribute| {
            let defers = attribute.path().is_ident("defer");
            if !defers && !attribute.path().is_ident("ignore") {
                return true;
            }
            match attribute.parse_args_with(|stream: ParseStream<'_>| input.list(stream, defers)) {
                Ok(list) => input.lists.push(list),
                Err(error) => errors.push(error),
            }
            false
        });
        for item in &mut block.items {
            if let ImplItem::Fn(method) = item
                && let Err(error) = input.read_method(method)
            {
                errors.push(error);
            }
        }
        input.block = block;
        input
    }

    fn read_args(&mut self, stream: ParseStream<'_>) -> syn::Result<()> {
        while !stream.is_empty() {
            let word: Ident = stream.call(syn::ext::IdentExt::parse_any)?;
            match word.to_string().as_str() {
                "crate" => {
                    stream.parse::<Token![=]>()?;
                    self.library = stream.parse()?;
                }
                "start" if self.has_states => {
                    stream.parse::<Token![=]>()?;
                    let value: Expr = stream.parse()?;
                    if self.start.is_some() {
                        let message = "a machine has one start state";
                        return Err(Error::new_spanned(value, message));
                    }
                    let of = type_of(&value)?;
                    self.start = Some((value, of));
                }
                "states" if self.has_states => self.states = list(stream)?,
                "events" => self.events = list(stream)?,
                "groups" if self.has_states => {
                    let inner;
                    parenthesized!(inner in stream);
                    let groups = Punctuated::<Group, Token![,]>::parse_terminated(&inner)?;
                    self.groups = groups.into_iter().collect();
                }
                _ => {
                    let known = if self.has_states {
                        "`start = …`, `states(…)`, `events(…)`, `groups(…)` and `crate = …`"
                    } else {
                        "`events(…)` and `crate = …`; states are for `#[cct::machine]`"
                    };
                    let message = format!("unknown argument: there are {known}");
                    return Err(Error::new(word.span(), message));
                }
            }
            if !stream.is_empty() {
                stream.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    /// The inside of `defer(…)` or `ignore(…)`.
    fn list(&self, stream: ParseStream<'_>, defers: bool) -> syn::Result<List> {
        let state = if self.has_states {
            let state = if stream.peek(Token![_]) {
                stream.parse::<Token![_]>()?;
                None
            } else {
                Some(bare(&stream.parse()?).clone())
            };
            stream.parse::<Token![:]>()?;
            state
        } else {
            None
        };
        let mut events = Vec::new();
        while !stream.is_empty() {
            if stream.peek(Token![_]) {
                events.push(Of::Any(stream.parse::<Token![_]>()?.span()));
            } else {
                events.push(self.of(bare(&stream.parse()?).clone()));
            }
            if !stream.is_empty() {
                stream.parse::<Token![,]>()?;
            }
        }
        if events.is_empty() {
            return Err(stream.error("expected events, as in `Busy: Ping, Pong`"));
        }
        Ok(List {
            defers,
            state,
            events,
        })
    }

    /// Which events a type stands for.
    fn of(&self, event: Type) -> Of {
        let span = event.span();
        match last(&event) {
            Some(name) if *name == format!("{}Event", self.name) => Of::Any(span),
            Some(name) if name == "DefaultEvent" => Of::Default(span),
            Some(name) if name == "HaltEvent" => Of::Halt(span),
            _ => Of::Event(Box::new(event)),
        }
    }

    fn read_method(&mut self, method: &mut ImplItemFn) -> syn::Result<()> {
        let is_ours = |attribute: &Attribute| {
            ["on", "entry", "exit", "hook"]
                .iter()
                .any(|name| attribute.path().is_ident(name))
        };
        let ours: Vec<Attribute> = method
            .attrs
            .iter()
            .filter(|it| is_ours(it))
            .cloned()
            .collect();
        method.attrs.retain(|attribute| !is_ours(attribute));
        let Some(attribute) = ours.first() else {
            method.block.to_tokens(&mut self.helpers);
            return Ok(());
        };
        if let Some(other) = ours.get(1) {
            let message = "a method has one of `#[on]`, `#[entry]`, `#[exit]` and `#[hook]`";
            return Err(Error::new_spanned(other, message));
        }
        if attribute.path().is_ident("hook") {
            let name = &method.sig.ident;
            if !HOOKS.iter().any(|hook| name == hook) {
                let message = format!("no such hook; there are {}", HOOKS.join(", "));
                return Err(Error::new_spanned(name, message));
            }
            self.hooks.push(name.clone());
            return Ok(());
        }
        let handler = self.handler(attribute, method)?;
        // Two transitions in one handler do not compile: the first would be lost.
        method.attrs.push(parse_quote!(#[deny(unused_must_use)]));
        method.attrs.push(parse_quote! {
            #[allow(
                clippy::unused_self,
                clippy::needless_pass_by_value,
                reason = "a handler is a method, and takes its event by value"
            )]
        });
        self.handlers.push(handler);
        Ok(())
    }

    fn handler(&self, attribute: &Attribute, method: &ImplItemFn) -> syn::Result<Handler> {
        let signature = &method.sig;
        let mut states: Vec<Type> = if let syn::Meta::Path(_) = &attribute.meta {
            Vec::new()
        } else {
            let parser = Punctuated::<Type, Token![,]>::parse_terminated;
            let states = attribute.parse_args_with(parser)?;
            states.iter().map(bare).cloned().collect()
        };
        let mut parameters = Vec::new();
        let mut event = None;
        if signature.receiver().is_none() {
            let message = "a handler is a method: it has `&mut self` or `&self`";
            return Err(Error::new_spanned(signature, message));
        }
        for argument in signature.inputs.iter().skip(1) {
            let FnArg::Typed(argument) = argument else {
                continue;
            };
            let parameter = match bare(&argument.ty) {
                Type::Reference(reference) if is_context(&reference.elem) => Parameter::Context,
                Type::Reference(reference) => {
                    states.push(bare(&reference.elem).clone());
                    Parameter::State
                }
                of => {
                    event = Some(of.clone());
                    Parameter::Event
                }
            };
            if parameters.contains(&parameter) {
                let message = "a handler has at most a state, an event and a context";
                return Err(Error::new_spanned(argument, message));
            }
            parameters.push(parameter);
        }
        if parameters.contains(&Parameter::State) && states.len() > 1 {
            let message = "the parameter says which state this is for; several have none in common";
            return Err(Error::new_spanned(attribute, message));
        }
        if let Some(state) = states.first().filter(|_| !self.has_states) {
            let message = "an actor has no states; `#[cct::machine]` has";
            return Err(Error::new_spanned(state, message));
        }
        let when = match (attribute.path().is_ident("on"), event) {
            (true, Some(event)) => When::On(self.of(event)),
            (true, None) => {
                let message =
                    "a handler takes its event by value; to have none is `_: DefaultEvent`";
                return Err(Error::new_spanned(&signature.ident, message));
            }
            (false, Some(event)) => {
                let message = "nothing but the state is given to an entry or exit";
                return Err(Error::new_spanned(event, message));
            }
            (false, None) if states.is_empty() => {
                let message = "which state is it for? It has a parameter of that type, or names it";
                return Err(Error::new_spanned(attribute, message));
            }
            (false, None) if attribute.path().is_ident("entry") => When::Entry,
            (false, None) => When::Exit,
        };
        let body = &method.block;
        Ok(Handler {
            name: signature.ident.clone(),
            when,
            states,
            parameters,
            is_async: signature.asyncness.is_some(),
            output: signature.output.clone(),
            body: quote::quote!(#body),
            span: signature.ident.span(),
        })
    }
}

impl Parse for Group {
    fn parse(stream: ParseStream<'_>) -> syn::Result<Group> {
        let name = stream.parse()?;
        stream.parse::<Token![=]>()?;
        let members = Punctuated::<Ident, Token![|]>::parse_separated_nonempty(stream)?;
        Ok(Group {
            name,
            members: members.into_iter().collect(),
        })
    }
}

fn list(stream: ParseStream<'_>) -> syn::Result<Vec<Type>> {
    let inner;
    parenthesized!(inner in stream);
    let types = Punctuated::<Type, Token![,]>::parse_terminated(&inner)?;
    Ok(types.iter().map(bare).cloned().collect())
}

/// The type without the invisible brackets that it has as the argument of a macro.
fn bare(of: &Type) -> &Type {
    match of {
        Type::Group(of) => bare(&of.elem),
        Type::Paren(of) => bare(&of.elem),
        of => of,
    }
}

/// The last name of a path.
pub(super) fn last(of: &Type) -> Option<&Ident> {
    match bare(of) {
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().map(|segment| &segment.ident)
        }
        _ => None,
    }
}

fn is_context(of: &Type) -> bool {
    last(of).is_some_and(|name| name == "Context")
}

/// The type of a value that names it: `Idle`, `Idle(1)`, `Idle { left: 1 }`, `Idle::new()`.
fn type_of(value: &Expr) -> syn::Result<Type> {
    let mut path = match value {
        Expr::Path(path) => path.path.clone(),
        Expr::Struct(value) => value.path.clone(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path.path.clone(),
            other => return Err(unnamed(other)),
        },
        other => return Err(unnamed(other)),
    };
    // A function of the type, by the custom of names.
    let is_function = path.segments.len() > 1
        && path.segments.last().is_some_and(|name| {
            let name = name.ident.to_string();
            name.starts_with(|first: char| first.is_lowercase())
        });
    if is_function {
        path.segments.pop();
        path.segments.pop_punct();
    }
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token = None;
        }
    }
    Ok(parse_quote!(#path))
}

fn unnamed(value: &Expr) -> Error {
    let message = "expected a value that names its type: `Idle`, `Idle { … }` or `Idle::new(…)`";
    Error::new_spanned(value, message)
}
