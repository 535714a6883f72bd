//! The rules of a block: events and states with numbers, and a table of rules.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::{Error, GenericArgument, PathArguments, ReturnType, Type};

use super::input::{Handler, Input, Of, When, last};

pub(super) struct Model {
    pub(super) events: Vec<Named>,
    pub(super) states: Vec<Named>,
    /// By state and column.
    pub(super) rules: Vec<Vec<Rule>>,
    pub(super) fallback: Vec<Rule>,
    pub(super) entries: Vec<Option<usize>>,
    pub(super) exits: Vec<Option<usize>>,
    /// For each handler, the states that its code names.
    pub(super) leads_to: Vec<Vec<usize>>,
    /// For each handler, the transitions that its type allows, if its type says which.
    pub(super) then: Vec<Option<Vec<Lead>>>,
    pub(super) start: Option<usize>,
    /// The states that nothing leads to.
    pub(super) unreachable: Vec<usize>,
}

/// A type, and its last name, which is that of a variant.
pub(super) struct Named {
    pub(super) name: Ident,
    pub(super) of: Type,
}

#[derive(Clone, Copy)]
pub(super) enum Rule {
    None,
    Defer,
    Ignore,
    Do(usize),
    Leave(usize),
}

/// A transition that a handler can return.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    Goto(usize),
    Push(usize),
    Pop,
    Halt,
}

/// An owner of rules: a state, a group, or the actor.
struct Owner {
    name: Option<Ident>,
    rules: Vec<Rule>,
    entry: Option<usize>,
    exit: Option<usize>,
}

impl Model {
    pub(super) fn of(input: &Input, errors: &mut Vec<Error>) -> Model {
        let mut model = Model {
            events: Vec::new(),
            states: Vec::new(),
            rules: Vec::new(),
            fallback: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            leads_to: Vec::new(),
            then: Vec::new(),
            start: None,
            unreachable: Vec::new(),
        };
        model.name_all(input, errors);
        let owners = model.owners(input, errors);
        model.inherit(input, &owners, errors);
        model.find_transitions(input);
        model
    }

    fn name_all(&mut self, input: &Input, errors: &mut Vec<Error>) {
        let is_group = |name: &Ident| input.groups.iter().any(|group| group.name == *name);
        let started = input.start.iter().map(|(_, of)| of);
        let handled = input.handlers.iter().flat_map(|handler| &handler.states);
        let listed = input.lists.iter().filter_map(|list| list.state.as_ref());
        let mut led_to = Vec::new();
        if input.has_states {
            for handler in &input.handlers {
                collect_targets(&handler.output, &mut led_to);
            }
        }
        let all = started.chain(&input.states).chain(handled);
        for of in all.chain(listed).chain(&led_to) {
            if last(of).is_none_or(|name| !is_group(name)) {
                add(&mut self.states, of, "state", errors);
            }
        }
        let handled = input
            .handlers
            .iter()
            .filter_map(|handler| match &handler.when {
                When::On(of) => Some(of),
                When::Entry | When::Exit => None,
            });
        let listed = input.lists.iter().flat_map(|list| &list.events);
        for of in handled.chain(listed) {
            if let Of::Event(of) = of {
                add(&mut self.events, of, "event", errors);
            }
        }
        for of in &input.events {
            add(&mut self.events, of, "event", errors);
        }
        for group in &input.groups {
            for member in &group.members {
                let is_state = self.states.iter().any(|state| state.name == *member);
                if !is_state && !is_group(member) {
                    let message = format!("no state and no group is called `{member}`");
                    errors.push(Error::new(member.span(), message));
                }
            }
        }
        match &input.start {
            Some((_, of)) => {
                self.start = last(of).and_then(|name| find(&self.states, name));
            }
            None if input.has_states && errors.is_empty() => {
                let message = "a machine begins in a state: `#[cct::machine(start = Idle)]`";
                errors.push(Error::new(input.name.span(), message));
            }
            None => {}
        }
    }

    /// The rules that each has of its own; the actor is the last.
    fn owners(&self, input: &Input, errors: &mut Vec<Error>) -> Vec<Owner> {
        let columns = self.events.len() + 3;
        let new = |name: Option<&Ident>| Owner {
            name: name.cloned(),
            rules: vec![Rule::None; columns],
            entry: None,
            exit: None,
        };
        let states = self.states.iter().map(|state| &state.name);
        let groups = input.groups.iter().map(|group| &group.name);
        let mut owners: Vec<Owner> = states.chain(groups).map(|name| new(Some(name))).collect();
        owners.push(new(None));
        let actor = owners.len() - 1;
        let owner_of = |of: &Type, owners: &[Owner]| {
            let name = last(of);
            owners
                .iter()
                .position(|owner| owner.name.as_ref() == name)
                .unwrap_or(actor)
        };
        for (number, handler) in input.handlers.iter().enumerate() {
            let mut of = Vec::new();
            for state in &handler.states {
                of.push(owner_of(state, &owners));
            }
            if of.is_empty() {
                of.push(actor);
            }
            for owner in of {
                let owner = &mut owners[owner];
                let place = match &handler.when {
                    When::Entry => Place::Slot(&mut owner.entry, "entry"),
                    When::Exit => Place::Slot(&mut owner.exit, "exit"),
                    When::On(of) => Place::Rule(&mut owner.rules[self.column(of)]),
                };
                let rule = if self.always_leaves(&handler.output) {
                    Rule::Leave(number)
                } else {
                    Rule::Do(number)
                };
                if let Err(message) = place.fill(rule, number) {
                    errors.push(Error::new(handler.span, message));
                }
            }
        }
        for list in &input.lists {
            let owner = list
                .state
                .as_ref()
                .map_or(actor, |state| owner_of(state, &owners));
            for of in &list.events {
                let rule = if list.defers {
                    Rule::Defer
                } else {
                    Rule::Ignore
                };
                let place = Place::Rule(&mut owners[owner].rules[self.column(of)]);
                let span = span_of(of);
                if let Of::Halt(_) | Of::Default(_) = of {
                    let message = "this event can be handled, and neither deferred nor ignored";
                    errors.push(Error::new(span, message));
                } else if let Err(message) = place.fill(rule, 0) {
                    errors.push(Error::new(span, message));
                }
            }
        }
        owners
    }

    /// Gives each state what it has of its own, or else of the nearest group.
    fn inherit(&mut self, input: &Input, owners: &[Owner], errors: &mut Vec<Error>) {
        let columns = self.events.len() + 3;
        for state in 0..self.states.len() {
            let lines = lines(input, &self.states[state].name, errors);
            let mut levels = vec![vec![&owners[state]]];
            for line in lines {
                let is_in = |owner: &&Owner| {
                    owner
                        .name
                        .as_ref()
                        .is_some_and(|name| line.iter().any(|it| it == name))
                };
                let groups = &owners[self.states.len()..owners.len() - 1];
                levels.push(groups.iter().filter(is_in).collect());
            }
            let mut rules = vec![Rule::None; columns];
            let (mut entry, mut exit) = (None, None);
            for level in &levels {
                for (column, rule) in rules.iter_mut().enumerate() {
                    if let Rule::None = rule {
                        let found = level.iter().map(|owner| owner.rules[column]);
                        let mut found = found.filter(|rule| !matches!(rule, Rule::None));
                        *rule = found.next().unwrap_or(Rule::None);
                        if found.next().is_some() {
                            errors.push(self.ambiguous(state));
                        }
                    }
                }
                entry = entry.or_else(|| level.iter().find_map(|owner| owner.entry));
                exit = exit.or_else(|| level.iter().find_map(|owner| owner.exit));
            }
            self.rules.push(rules);
            self.entries.push(entry);
            self.exits.push(exit);
        }
        self.fallback = owners
            .last()
            .map_or_else(Vec::new, |actor| actor.rules.clone());
    }

    fn ambiguous(&self, state: usize) -> Error {
        let name = &self.states[state].name;
        let message = format!("two groups of the state `{name}` handle the same event");
        Error::new(name.span(), message)
    }

    fn find_transitions(&mut self, input: &Input) {
        for handler in &input.handlers {
            let output = &handler.output;
            self.then.push(self.leads(output));
            let mut names = BTreeSet::new();
            collect(quote::quote!(#output), &mut names);
            collect(handler.body.clone(), &mut names);
            let states = self.states.iter().enumerate();
            let led_to = states.filter(|(_, state)| names.contains(&state.name.to_string()));
            self.leads_to
                .push(led_to.map(|(number, _)| number).collect());
        }
        let mut helped = BTreeSet::new();
        collect(input.helpers.clone(), &mut helped);
        // A handler that neither says where it leads, nor makes what it returns or leaves that to a method of
        // the block, may lead anywhere.
        let methods = input.block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
            _ => None,
        });
        let makers: BTreeSet<String> = methods.chain(["Then".to_owned()]).collect();
        let leads_anywhere = |handler: &Handler| {
            let mut names = BTreeSet::new();
            collect(handler.body.clone(), &mut names);
            names.is_disjoint(&makers)
        };
        let mut handlers = input.handlers.iter().zip(&self.then);
        let is_free = handlers.any(|(handler, then)| then.is_none() && leads_anywhere(handler));
        for state in 0..self.states.len() {
            let is_helped = helped.contains(&self.states[state].name.to_string());
            let is_of_it = |handler: usize| {
                let states = &input.handlers[handler].states;
                states.len() == 1 && last(&states[0]) == Some(&self.states[state].name)
            };
            let mut handlers = self.leads_to.iter().enumerate();
            let is_reached = handlers.any(|(number, to)| to.contains(&state) && !is_of_it(number));
            let is_start = self.start.is_none_or(|start| start == state);
            if !is_start && !is_reached && !is_helped && !is_free {
                self.unreachable.push(state);
            }
        }
    }

    /// The transitions that this type allows; none if it does not say which.
    fn leads(&self, output: &ReturnType) -> Option<Vec<Lead>> {
        let mut leads = Vec::new();
        if let ReturnType::Type(_, of) = output {
            self.collect_leads(of, &mut leads)?;
        }
        Some(leads)
    }

    fn collect_leads(&self, of: &Type, into: &mut Vec<Lead>) -> Option<()> {
        match of {
            Type::Tuple(of) if of.elems.is_empty() => return Some(()),
            Type::Paren(of) => return self.collect_leads(&of.elem, into),
            Type::Group(of) => return self.collect_leads(&of.elem, into),
            _ => {}
        }
        let name = last(of)?;
        if let Some(state) = find(&self.states, name) {
            into.push(Lead::Goto(state));
            return Some(());
        }
        let argument = || first_argument(of);
        let state = || find(&self.states, last(argument()?)?);
        match name.to_string().as_str() {
            "Option" | "Result" => self.collect_leads(argument()?, into)?,
            "Goto" => into.push(Lead::Goto(state()?)),
            "Push" => into.push(Lead::Push(state()?)),
            "Pop" => into.push(Lead::Pop),
            "Halt" => into.push(Lead::Halt),
            // The event that is raised has a handler of its own.
            "Raise" => {}
            _ => return None,
        }
        Some(())
    }

    /// The number of the column of an event.
    fn column(&self, of: &Of) -> usize {
        match of {
            Of::Event(of) => last(of)
                .and_then(|name| find(&self.events, name))
                .unwrap_or(0),
            Of::Default(_) => self.events.len(),
            Of::Halt(_) => self.events.len() + 1,
            Of::Any(_) => self.events.len() + 2,
        }
    }

    /// True if the handler's type is itself a transition to another state.
    fn always_leaves(&self, output: &ReturnType) -> bool {
        let ReturnType::Type(_, of) = output else {
            return false;
        };
        self.is_transition(of)
    }

    fn is_transition(&self, of: &Type) -> bool {
        let Some(name) = last(of) else {
            return false;
        };
        if name == "Result"
            && let Some(of) = first_argument(of)
        {
            return self.is_transition(of);
        }
        name == "Goto" || name == "Push" || find(&self.states, name).is_some()
    }
}

/// Where a rule is to be put.
enum Place<'a> {
    Rule(&'a mut Rule),
    Slot(&'a mut Option<usize>, &'static str),
}

impl Place<'_> {
    fn fill(self, rule: Rule, number: usize) -> Result<(), String> {
        match self {
            Place::Rule(place @ Rule::None) => *place = rule,
            Place::Rule(_) => {
                return Err("there is a rule for this event in this state".to_owned());
            }
            Place::Slot(place @ None, _) => *place = Some(number),
            Place::Slot(_, name) => return Err(format!("there is an {name} of this state")),
        }
        Ok(())
    }
}

/// The groups that a state is in, by distance.
fn lines(input: &Input, state: &Ident, errors: &mut Vec<Error>) -> Vec<Vec<Ident>> {
    let mut lines: Vec<Vec<Ident>> = Vec::new();
    let mut last = vec![state.clone()];
    while !last.is_empty() {
        let is_in = |members: &[Ident]| members.iter().any(|member| last.contains(member));
        let groups = input.groups.iter().filter(|group| is_in(&group.members));
        last = groups.map(|group| group.name.clone()).collect();
        if lines.len() > input.groups.len() {
            let message = "groups are in each other in a circle";
            errors.push(Error::new(state.span(), message));
            return Vec::new();
        }
        lines.push(last.clone());
    }
    lines
}

fn add(to: &mut Vec<Named>, of: &Type, what: &str, errors: &mut Vec<Error>) {
    let Some(name) = last(of) else {
        let message = format!("this {what} has no name of its own: make it a struct or an enum");
        errors.push(Error::new_spanned(of, message));
        return;
    };
    match to.iter().find(|known| known.name == *name) {
        Some(known) if known.of == *of => {}
        Some(_) => {
            let message = format!("two types of {what}s are called `{name}`: give one a new name");
            errors.push(Error::new_spanned(of, message));
        }
        None => to.push(Named {
            name: name.clone(),
            of: of.clone(),
        }),
    }
}

fn find(among: &[Named], name: &Ident) -> Option<usize> {
    among.iter().position(|named| named.name == *name)
}

fn span_of(of: &Of) -> Span {
    match of {
        Of::Event(of) => of.span(),
        Of::Any(span) | Of::Default(span) | Of::Halt(span) => *span,
    }
}

/// The first type in the angle brackets of a type.
fn first_argument(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else {
        return None;
    };
    let segment = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    }
}

/// The types `S` of each `Goto<S>` and `Push<S>` in what a handler returns.
fn collect_targets(output: &ReturnType, into: &mut Vec<Type>) {
    let ReturnType::Type(_, of) = output else {
        return;
    };
    let mut rest = vec![(**of).clone()];
    while let Some(of) = rest.pop() {
        let Type::Path(path) = &of else {
            continue;
        };
        let Some(segment) = path.path.segments.last() else {
            continue;
        };
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
            continue;
        };
        let is_target = segment.ident == "Goto" || segment.ident == "Push";
        for argument in &arguments.args {
            if let GenericArgument::Type(of) = argument {
                if is_target {
                    into.push(of.clone());
                } else {
                    rest.push(of.clone());
                }
            }
        }
    }
}

/// The names in some code.
fn collect(tokens: TokenStream, into: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                into.insert(name.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
