//! The attributes of cargo-cct: those of tests, of a global allocator, and of functions whose races are
//! meant, or that are not thread-safe.
//!
//! The former wrap a test function without looking into its body: the function's signature stays
//! outside, and what was written becomes a function of the same name inside, which the harness
//! calls as often as it has schedules to run. See `expand` for the shape.

mod allocator;
mod beginning;
mod benign_race;
mod expand;
mod fallback;
mod machine;
mod settings;
mod should_panic;
#[expect(
    dead_code,
    unreachable_pub,
    reason = "it is the engine's, and has columns for the command line"
)]
mod table;
mod test_fn;
#[cfg(test)]
mod tests;
mod thread_unsafe;

use proc_macro::TokenStream;

/// A line of documentation for each setting that a test may have.
macro_rules! listed {
    ($($name:ident: $type:ty {
        kind: $kind:ident $({ $($limits:tt)* })? $(($words:expr))?, reach: $reach:ident,
        decides: $decides:literal, heading: $heading:literal, value: $value:literal,
        example: $example:literal, help: $help:literal,
        $(default: $shown:literal, $default:expr,)?
    })*) => {
        concat!($(line!($reach $name $example $help)),*)
    };
}
macro_rules! line {
    (Test $name:ident $example:literal $help:literal) => {
        concat!(
            "- `",
            stringify!($name),
            " = ",
            stringify!($example),
            "`: ",
            $help,
            ".\n"
        )
    };
    ($reach:ident $name:ident $example:literal $help:literal) => {
        ""
    };
}

/// Takes the place of std's `#[test]` in crates that cargo-cct builds.
///
/// An item that is not a plain test function is handed to std's attribute as it is, so that the compiler
/// says what it always says.
#[proc_macro_attribute]
pub fn std_test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::std_test(&args.into(), &item.into()).into()
}

/// Takes the place of std's `#[global_allocator]` in crates that cargo-cct builds.
///
/// An item that is not a plain static is handed to std's attribute as it is.
#[proc_macro_attribute]
pub fn std_global_allocator(args: TokenStream, item: TokenStream) -> TokenStream {
    allocator::std_global_allocator(&args.into(), &item.into()).into()
}

/// A test with settings of its own: `#[cct::test(max_steps = 5000, strategy = "pct:3")]`.
///
/// Without cargo-cct it is a plain `#[test]`, and the settings are only checked. They are:
///
#[doc = table::with_settings!(listed)]
/// - `crate = path`: where the library `cct` is, if it is not `::cct`.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::cct_test(args.into(), &item.into()).into()
}

/// A function whose data races are meant: `#[cct::benign_race("a lost update of the statistics does no
/// harm")]`.
///
/// Plain accesses that are made while it runs, in functions that it calls as well, are no part of a race,
/// whatever the other access is. By the rules of Rust they are races all the same. Without cargo-cct the
/// attribute does nothing.
///
/// The reason is for readers, and has to be there. After it may stand `crate = path`: where the library `cct`
/// is, if it is not `::cct`. The function is neither `async` nor `const`.
#[proc_macro_attribute]
pub fn benign_race(args: TokenStream, item: TokenStream) -> TokenStream {
    benign_race::benign_race(args.into(), &item.into()).into()
}

/// A function that is not thread-safe: `#[cct::thread_unsafe("sqlite", writes)]`.
///
/// Two threads may not call two functions of its group at a time if one of them `writes`; the others only
/// `reads`. Any order of the calls is fine: by a lock around them, for example. With `key = self`, or any
/// other reference, that holds for calls about the same thing only, if it has a size; so it does for eight
/// groups of a program.
///
/// `cargo cct test` and `cargo cct tsvd` look for such calls. Without them the attribute does nothing.
/// After it may stand `crate = path`: where the library `cct` is, if it is not `::cct`. The function is
/// neither `async` nor `const`.
#[proc_macro_attribute]
pub fn thread_unsafe(args: TokenStream, item: TokenStream) -> TokenStream {
    thread_unsafe::thread_unsafe(args.into(), &item.into()).into()
}

/// A state machine: an `impl` block whose methods handle events, in states that are types.
///
/// ```text
/// #[cct::machine(start = Idle)]
/// #[defer(Busy: Job)]
/// impl Worker {
///     #[on]
///     fn begin(&mut self, _: &mut Idle, job: Job) -> Busy { … }
///     #[entry]
///     fn work(&mut self, busy: &mut Busy, cx: &mut Context<Self>) { … }
///     #[on]
///     fn finish(&mut self, busy: &mut Busy, done: Done, cx: &mut Context<Self>) -> Then<Self> { … }
/// }
/// ```
///
/// # Arguments
///
/// - `start = Idle`: the value of the state to begin with. It names its type: `Idle`, `Idle { … }`,
///   `Idle::new(…)`.
/// - `states(A, B)`: states that no handler belongs to.
/// - `events(E, F)`: events that no handler takes, which `receive` does.
/// - `groups(Online = Idle | Busy)`: states, or groups, that have handlers in common.
/// - `crate = path`: where the library `cct` is, if it is not `::cct`.
///
/// # Attributes of the block
///
/// `#[defer(Busy: Job, Stop)]`, `#[ignore(Idle: Done)]`: leave events in the inbox, or drop
/// them, in a state or a group.
/// `_` is any state, or any event for which there is no other rule.
///
/// # Attributes of methods
///
/// - `#[on]`: handles an event, its parameter that is taken by value. With a parameter `&mut State` in that
///   state, with `#[on(A, B)]` in these states or groups, and else wherever no state has a rule. An event of
///   the type `WorkerEvent` is any for which the state has no other rule; `DefaultEvent` is to have none, and
///   `HaltEvent` is the end that somebody asks for.
/// - `#[entry]`, `#[exit]`: runs when the state is entered or left.
/// - `#[hook]`: replaces the method of `Machine` of this name.
///
/// Each may have a parameter `&mut Context<Self>`, and handlers may be `async`. Their results are those of
/// `IntoThen`. A handler whose type is a state, `Goto` or `Push` is a transition of its state alone; others
/// are in force in states that are pushed on top.
///
/// # Types that it makes
///
/// The types `WorkerEvent` and `WorkerState` have a variant for each event, and for each state.
#[proc_macro_attribute]
pub fn machine(args: TokenStream, item: TokenStream) -> TokenStream {
    machine::expand(args.into(), &item.into(), true).into()
}

/// An actor without states: an `impl` block whose methods handle events. See `machine`; of its arguments
/// there are `events(…)` and `crate = …`, and lists of events name no state: `#[ignore(Tick)]`.
#[proc_macro_attribute]
pub fn actor(args: TokenStream, item: TokenStream) -> TokenStream {
    machine::expand(args.into(), &item.into(), false).into()
}
