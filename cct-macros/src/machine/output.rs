//! The expansion beside the block itself.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Generics, parse_quote};

use super::input::{Handler, Input, Of, Parameter, When};
use super::model::{Lead, Model, Named, Rule};

pub(super) fn write(input: &Input, model: &Model) -> TokenStream {
    let names = Names::of(input);
    let events = names.choice(&names.events, &model.events, "events");
    let states = names.choice(&names.states, &model.states, "states");
    let machine = machine(input, model, &names);
    let accepts = accepts(model, &names);
    let has = has_states(model, &names);
    let warnings = warnings(input, model);
    quote!(#events #states #machine #accepts #has #warnings)
}

/// Names that all parts of the expansion have in common.
struct Names<'a> {
    support: TokenStream,
    machine: &'a syn::Type,
    name: &'a Ident,
    generics: &'a Generics,
    events: Ident,
    states: Ident,
}

impl<'a> Names<'a> {
    fn of(input: &'a Input) -> Names<'a> {
        let library = &input.library;
        Names {
            support: quote!(#library::actor),
            machine: &input.block.self_ty,
            name: &input.name,
            generics: &input.block.generics,
            events: format_ident!("{}Event", input.name),
            states: format_ident!("{}State", input.name),
        }
    }

    /// One type for all of these.
    fn choice(&self, name: &Ident, of: &[Named], what: &str) -> TokenStream {
        let variants = of.iter().map(|Named { name, of }| {
            let doc = format!("`{}`", of.to_token_stream());
            quote!(#[doc = #doc] #name(#of))
        });
        let generics = &self.generics;
        let bounds = &generics.where_clause;
        let parameters = generics.params.iter().map(|parameter| match parameter {
            syn::GenericParam::Type(parameter) => {
                let name = &parameter.ident;
                quote!(#name)
            }
            syn::GenericParam::Lifetime(parameter) => {
                let name = &parameter.lifetime;
                quote!(&#name ())
            }
            syn::GenericParam::Const(_) => quote!(()),
        });
        // Parameters that no variant has.
        let rest = (!generics.params.is_empty()).then(|| {
            quote! {
                #[doc(hidden)]
                __Never(::core::convert::Infallible, ::core::marker::PhantomData<fn() -> (#(#parameters,)*)>),
            }
        });
        let doc = format!("The {what} of `{}`.", self.name);
        quote! {
            #[doc = #doc]
            #[allow(private_interfaces, private_bounds, missing_debug_implementations)]
            #[allow(dead_code, unreachable_pub, non_camel_case_types)]
            #[allow(clippy::large_enum_variant, reason = "it is as large as what the program sends")]
            pub enum #name #generics #bounds {
                #(#variants,)*
                #rest
            }
        }
    }

    /// The type with the machine's arguments.
    fn with_arguments(&self, name: &Ident) -> TokenStream {
        let (_, arguments, _) = self.generics.split_for_impl();
        quote!(#name #arguments)
    }
}

fn machine(input: &Input, model: &Model, names: &Names<'_>) -> TokenStream {
    let Names {
        support, machine, ..
    } = names;
    let (parameters, _, bounds) = names.generics.split_for_impl();
    let events = names.with_arguments(&names.events);
    let states = names.with_arguments(&names.states);
    let (event_enum, state_enum) = (&names.events, &names.states);
    let plan = plan(input, model, names);
    let start = if let (Some((value, _)), Some(start)) = (&input.start, model.start) {
        let name = &model.states[start].name;
        quote!(::core::option::Option::Some(#state_enum::#name(#value)))
    } else {
        quote!(::core::option::Option::None)
    };
    let index = |of: &[Named], name: &Ident| {
        let arms = of.iter().enumerate().map(|(number, named)| {
            let variant = &named.name;
            quote!(#name::#variant(_) => #number,)
        });
        quote!(#(#arms)*)
    };
    let event_arms = index(&model.events, event_enum);
    let state_arms = index(&model.states, state_enum);
    let described = model.events.iter().map(|Named { name, .. }| {
        let text = name.to_string();
        quote!(#event_enum::#name(event) => (&#support::describe::Told(event, #text)).told(),)
    });
    let calls = input.handlers.iter().enumerate();
    let calls = calls.map(|(number, handler)| call(number, handler, names));
    let hooks = input.hooks.iter().map(|name| hook(name, support));
    let doc_hidden = quote!(#[doc(hidden)]);
    quote! {
        #[allow(private_interfaces, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #parameters #support::Machine for #machine #bounds {
            type Event = #events;
            type State = #states;
            const PLAN: &'static #support::Plan = &#plan;
            #doc_hidden
            fn start(&self) -> ::core::option::Option<Self::State> {
                #start
            }
            #doc_hidden
            fn state_index(state: &Self::State) -> usize {
                #[allow(unreachable_patterns)]
                match state {
                    #state_arms
                    _ => ::core::unreachable!(),
                }
            }
            #doc_hidden
            fn event_index(event: &Self::Event) -> usize {
                #[allow(unreachable_patterns)]
                match event {
                    #event_arms
                    _ => ::core::unreachable!(),
                }
            }
            #doc_hidden
            fn describe(event: &Self::Event) -> ::std::string::String {
                #[allow(unused_imports)]
                use #support::describe::{ByDebug as _, ByName as _};
                #[allow(unreachable_patterns)]
                match event {
                    #(#described)*
                    _ => ::core::unreachable!(),
                }
            }
            #doc_hidden
            #[allow(unused_variables)]
            fn handle<'a>(
                &'a mut self,
                handler: usize,
                state: ::core::option::Option<&'a mut Self::State>,
                event: ::core::option::Option<Self::Event>,
                cx: &'a mut #support::Context<Self>,
            ) -> impl ::core::future::Future<
                Output = ::core::result::Result<#support::Then<Self>, #support::Failure>,
            > + ::core::marker::Send + 'a {
                async move {
                    match handler {
                        #(#calls)*
                        _ => ::core::unreachable!("there is no such handler"),
                    }
                }
            }
            #(#hooks)*
        }
    }
}

/// The call of a handler, as an arm of a match over their numbers.
fn call(number: usize, handler: &Handler, names: &Names<'_>) -> TokenStream {
    let support = &names.support;
    let (event_enum, state_enum) = (&names.events, &names.states);
    let method = &handler.name;
    let state = handler.parameters.contains(&Parameter::State).then(|| {
        let name = super::input::last(&handler.states[0]);
        quote! {
            let ::core::option::Option::Some(#state_enum::#name(state)) = state else {
                ::core::unreachable!("the handler belongs to this state")
            };
        }
    });
    let event = match &handler.when {
        When::On(Of::Event(of)) => {
            let name = super::input::last(of);
            Some(quote! {
                let ::core::option::Option::Some(#event_enum::#name(event)) = event else {
                    ::core::unreachable!("the handler belongs to this event")
                };
            })
        }
        When::On(Of::Any(_)) => Some(quote! {
            let ::core::option::Option::Some(event) = event else {
                ::core::unreachable!("the handler takes an event")
            };
        }),
        When::On(Of::Default(_)) => Some(quote!(let event = #support::DefaultEvent;)),
        When::On(Of::Halt(_)) => Some(quote!(let event = #support::HaltEvent;)),
        When::Entry | When::Exit => None,
    };
    let arguments = handler.parameters.iter().map(|parameter| match parameter {
        Parameter::State => quote!(state),
        Parameter::Event => quote!(event),
        Parameter::Context => quote!(cx),
    });
    let awaited = handler.is_async.then(|| quote!(.await));
    // A type that cannot be returned is complained about where it is written.
    let span = match &handler.output {
        syn::ReturnType::Default => Span::call_site(),
        syn::ReturnType::Type(_, of) => of.span(),
    };
    let span = span.resolved_at(Span::call_site());
    let returned = quote!(Self::#method(self, #(#arguments),*)#awaited);
    let then = if let When::Exit = handler.when {
        quote_spanned! {span=>
            #support::IntoExit::into_exit(returned).map(|halts| {
                if halts { #support::Then::halt() } else { #support::Then::stay() }
            })
        }
    } else {
        quote_spanned!(span=> #support::IntoThen::<Self>::into_then(returned))
    };
    quote! {
        #number => {
            #state
            #event
            let returned = #returned;
            #then
        }
    }
}

fn hook(name: &Ident, support: &TokenStream) -> TokenStream {
    let (parameters, arguments, output) = match name.to_string().as_str() {
        "event_handled" => (quote!(name: &'static str,), quote!(name,), quote!()),
        "failed" => (
            quote!(failure: &#support::Failure,),
            quote!(failure,),
            quote!(-> #support::Outcome),
        ),
        "halted" => (quote!(), quote!(), quote!()),
        _ => (quote!(event: &Self::Event,), quote!(event,), quote!()),
    };
    // The type's own method comes before that of the trait. A wrong one is complained about where it is.
    let span = name.span().resolved_at(Span::call_site());
    let call = quote_spanned!(span=> Self::#name(self, #arguments cx));
    quote! {
        fn #name(&mut self, #parameters cx: &mut #support::Context<Self>) #output {
            #call
        }
    }
}

fn plan(input: &Input, model: &Model, names: &Names<'_>) -> TokenStream {
    let support = &names.support;
    let name = names.name.to_string();
    let text = |named: &Named| named.name.to_string();
    let states = model.states.iter().map(text);
    let events = model.events.iter().map(text);
    let row = |rules: &[Rule]| {
        let rules = rules.iter().map(|rule| match rule {
            Rule::None => quote!(#support::Rule::None),
            Rule::Defer => quote!(#support::Rule::Defer),
            Rule::Ignore => quote!(#support::Rule::Ignore),
            Rule::Do(handler) => quote!(#support::Rule::Do(#handler)),
            Rule::Leave(handler) => quote!(#support::Rule::Leave(#handler)),
        });
        quote!(&[#(#rules),*])
    };
    let rules = model.rules.iter().map(|rules| row(rules));
    let fallback = row(&model.fallback);
    let none = || quote!(::core::option::Option::None);
    let some = |number: usize| quote!(::core::option::Option::Some(#number));
    let slot = |slot: &Option<usize>| slot.map_or_else(none, some);
    let entries = model.entries.iter().map(slot);
    let exits = model.exits.iter().map(slot);
    let start = slot(&model.start);
    let lead = |lead: &Lead| match lead {
        Lead::Goto(state) => quote!(#support::Lead::Goto(#state)),
        Lead::Push(state) => quote!(#support::Lead::Push(#state)),
        Lead::Pop => quote!(#support::Lead::Pop),
        Lead::Halt => quote!(#support::Lead::Halt),
    };
    let then = model.then.iter().map(|leads| match leads {
        Some(leads) => {
            let leads = leads.iter().map(lead);
            quote!(::core::option::Option::Some(&[#(#leads),*]))
        }
        None => none(),
    });
    let handlers = input.handlers.iter().zip(&model.leads_to).zip(then);
    let handlers = handlers.map(|((handler, leads_to), then)| {
        let name = handler.name.to_string();
        let site = quote_spanned!(handler.name.span()=> ::core::panic::Location::caller());
        quote! {
            #support::Handler { name: #name, site: #site, leads_to: &[#(#leads_to),*], then: #then }
        }
    });
    let groups = input.groups.iter().map(|group| {
        let name = group.name.to_string();
        let members = group.members.iter().map(ToString::to_string);
        quote!((#name, &[#(#members),*]))
    });
    quote! {
        #support::Plan {
            name: #name,
            states: &[#(#states),*],
            events: &[#(#events),*],
            rules: &[#(#rules),*],
            fallback: #fallback,
            entries: &[#(#entries),*],
            exits: &[#(#exits),*],
            handlers: &[#(#handlers),*],
            start: #start,
            groups: &[#(#groups),*],
        }
    }
}

fn accepts(model: &Model, names: &Names<'_>) -> TokenStream {
    let Names {
        support, machine, ..
    } = names;
    let (parameters, _, bounds) = names.generics.split_for_impl();
    let all = names.with_arguments(&names.events);
    let choice = &names.events;
    let each = model.events.iter().map(|Named { name, of }| {
        quote! {
            #[allow(private_interfaces, unreachable_patterns)]
            impl #parameters #support::Accepts<#of> for #machine #bounds {
                fn event(event: #of) -> Self::Event {
                    #choice::#name(event)
                }
                fn try_event(event: Self::Event) -> ::core::result::Result<#of, Self::Event> {
                    match event {
                        #choice::#name(event) => ::core::result::Result::Ok(event),
                        other => ::core::result::Result::Err(other),
                    }
                }
                fn look(event: &Self::Event) -> ::core::option::Option<&#of> {
                    match event {
                        #choice::#name(event) => ::core::option::Option::Some(event),
                        _ => ::core::option::Option::None,
                    }
                }
            }
        }
    });
    quote! {
        #(#each)*
        #[allow(private_interfaces)]
        impl #parameters #support::Accepts<#all> for #machine #bounds {
            fn event(event: #all) -> Self::Event {
                event
            }
            fn try_event(event: Self::Event) -> ::core::result::Result<#all, Self::Event> {
                ::core::result::Result::Ok(event)
            }
            fn look(event: &Self::Event) -> ::core::option::Option<&#all> {
                ::core::option::Option::Some(event)
            }
        }
    }
}

fn has_states(model: &Model, names: &Names<'_>) -> TokenStream {
    let Names {
        support, machine, ..
    } = names;
    let (parameters, _, bounds) = names.generics.split_for_impl();
    let choice = &names.states;
    let each = model.states.iter().map(|Named { name, of }| {
        quote! {
            #[allow(private_interfaces, unreachable_patterns)]
            impl #parameters #support::HasState<#of> for #machine #bounds {
                fn state(state: #of) -> Self::State {
                    #choice::#name(state)
                }
                fn look(state: &Self::State) -> ::core::option::Option<&#of> {
                    match state {
                        #choice::#name(state) => ::core::option::Option::Some(state),
                        _ => ::core::option::Option::None,
                    }
                }
            }
            #[allow(private_interfaces)]
            impl #parameters #support::IntoThen<#machine> for #of #bounds {
                fn into_then(self) -> ::core::result::Result<#support::Then<#machine>, #support::Failure> {
                    ::core::result::Result::Ok(#support::Then::goto(self))
                }
            }
        }
    });
    quote!(#(#each)*)
}

/// A state that nothing leads to is warned of, where it is named first.
fn warnings(input: &Input, model: &Model) -> TokenStream {
    let allowed = input.block.attrs.iter();
    let allowed = allowed.filter(|attribute| attribute.path().is_ident("allow"));
    let allowed: Vec<_> = allowed.collect();
    let each = model.unreachable.iter().map(|&state| {
        let name = &model.states[state].name;
        let note = format!("no handler of `{}` leads to the state `{name}`", input.name);
        let used = quote_spanned!(name.span()=> UNREACHABLE_STATE);
        let item: syn::Item = parse_quote! {
            #(#allowed)*
            const _: () = {
                #[deprecated(note = #note)]
                const UNREACHABLE_STATE: () = ();
                #used
            };
        };
        item.into_token_stream()
    });
    quote!(#(#each)*)
}
