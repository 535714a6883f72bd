//! The firmware as tasks, with its bugs, and mended.

use coffee_machine::Variant;
use coffee_machine::tasks;

fn run(variant: Variant) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(tasks::run(variant));
}

#[cct::test(max_steps = 40_000, iterations = 10_000)]
fn a_hopper_below_zero_is_taken_for_beans_by_tasks() {
    run(Variant::ComparesWithZero);
}

/// Other than a machine, a task that is aborted does nothing more on a runtime of one thread.
#[cct::test(max_steps = 40_000)]
fn tasks_that_are_aborted_need_not_be_waited_for() {
    run(Variant::EndsInNoOrder);
}

#[cct::test(max_steps = 40_000, iterations = 2000)]
fn mended_tasks_make_coffee_or_ask_for_help() {
    run(Variant::Mended);
}
