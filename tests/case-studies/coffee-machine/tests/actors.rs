//! The firmware as a state machine, with its bugs, and mended.

use cct::actor::Runtime;
use coffee_machine::Variant;
use coffee_machine::actors::run;

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_hopper_below_zero_is_taken_for_beans(runtime: &Runtime) {
    run(runtime, Variant::ComparesWithZero);
}

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn two_at_a_time_confuse_the_sensors(runtime: &Runtime) {
    run(runtime, Variant::EndsInNoOrder);
}

#[cct::test(max_steps = 5000, iterations = 2000)]
fn mended_firmware_makes_coffee_or_asks_for_help(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
