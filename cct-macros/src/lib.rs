//! The attributes of cargo-cct: those of tests, and of a global allocator.
//!
//! The former wrap a test function without looking into its body: the function's signature stays
//! outside, and what was written becomes a function of the same name inside, which the harness
//! calls as often as it has schedules to run. See `expand` for the shape.

mod allocator;
mod expand;
mod fallback;
mod settings;
mod should_panic;
mod test_fn;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Takes the place of std's `#[test]` in crates that cargo-cct builds.
///
/// What is not a plain test function is handed to std's attribute as it is, so that the compiler
/// says what it always says.
#[proc_macro_attribute]
pub fn std_test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::std_test(&args.into(), &item.into()).into()
}

/// Takes the place of std's `#[global_allocator]` in crates that cargo-cct builds.
///
/// What is not a plain static is handed to std's attribute as it is.
#[proc_macro_attribute]
pub fn std_global_allocator(args: TokenStream, item: TokenStream) -> TokenStream {
    allocator::std_global_allocator(&args.into(), &item.into()).into()
}

/// A test with settings of its own: `#[cct::test(max_steps = 5000, strategy = "pct:3")]`.
///
/// Without cargo-cct it is a plain `#[test]`, and the settings are only checked. They are:
///
/// - `iterations = 500`: the most schedules to explore.
/// - `time = "2s"` (or `ms`, `m`): no new schedule is begun after this long.
/// - `max_steps = 5000`: where a schedule is cut off, counted from its first spawn.
/// - `strategy = "pct:3"`: who picks the next worker.
/// - `seed = 7`: what all choices follow from.
/// - `detached_steps = 0`: how long detached workers may run on after the body has returned.
/// - `temperature = 5000`: for how many fair steps something may be overdue.
/// - `fail_on_unobserved_panic = true`: whether a panic that nobody joined is a bug.
/// - `atomic = "a,b"`: crates whose operations are no scheduling points.
/// - `watch = 1`: one schedule in so many is watched to count behaviours.
/// - `uncontrolled_attempts = 10`: how often, before a decision, the outside is looked at.
/// - `uncontrolled_delay = 1000`: for how many rounds the engine spins between two of these looks.
/// - `uncontrolled_timeout = "10s"`: how long it waits for other processes when nobody can run.
/// - `crate = path`: where the library `cct` is, if it is not `::cct`.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::cct_test(args.into(), &item.into()).into()
}
