//! The suite CS (concurrent-software-benchmarks), with SCTBench's parameters, those that PERIOD and Fray
//! added, and the suite's own controls: the `_ok` programs and the philosophers that do not count.
//!
//! Most are about one pattern: that of the file they are in.

mod atomicity;
mod controls;
mod deadlock;
mod hand_over;
mod philosophers;
mod race;

pub(super) use atomicity::{WRONG_SUM, account, always_three, lazy01, token_ring, two_stage};
pub(super) use deadlock::{carter01, deadlock01};
pub(super) use hand_over::{circular_buffer, queue_ports, stack};
pub(super) use race::{bluetooth_driver, reorder, wrong_lock};

use crate::program::Program;

const fn buggy(name: &'static str, body: fn()) -> Program {
    Program::buggy("CS", name, body)
}

const fn clean(name: &'static str, body: fn()) -> Program {
    Program::clean("CS", name, body)
}

pub(super) const PROGRAMS: &[Program] = &[
    buggy("account", || account(WRONG_SUM)),
    buggy("arithmetic_prog", || hand_over::arithmetic_prog(3)),
    buggy("bluetooth_driver", bluetooth_driver),
    buggy("carter01", carter01),
    buggy("circular_buffer", circular_buffer),
    buggy("deadlock01", deadlock01),
    buggy("din_phil2_sat", || philosophers::count_racily(2)),
    buggy("din_phil3_sat", || philosophers::count_racily(3)),
    buggy("din_phil4_sat", || philosophers::count_racily(4)),
    buggy("din_phil5_sat", || philosophers::count_locked(5)),
    buggy("din_phil6_sat", || philosophers::count_locked(6)),
    buggy("din_phil7_sat", || philosophers::count_locked(7)),
    buggy("fsbench", || race::fsbench(27)),
    buggy("lazy01", || lazy01(atomicity::never_three)),
    buggy("phase01", deadlock::phase01),
    buggy("queue", hand_over::queue),
    buggy("reorder_3", || reorder(2, 1)),
    buggy("reorder_4", || reorder(3, 1)),
    buggy("reorder_5", || reorder(4, 1)),
    buggy("reorder_10", || reorder(9, 1)),
    buggy("reorder_20", || reorder(10, 10)),
    buggy("reorder_50", || reorder(40, 10)),
    buggy("reorder_100", || reorder(99, 1)),
    buggy("stack", stack),
    buggy("sync01", deadlock::sync01),
    buggy("sync02", deadlock::sync02),
    buggy("token_ring", token_ring),
    buggy("twostage", || two_stage(1, 1)),
    buggy("twostage_20", || two_stage(10, 10)),
    buggy("twostage_50", || two_stage(40, 10)),
    buggy("twostage_100", || two_stage(99, 1)),
    buggy("wronglock", || wrong_lock(1, 7)),
    buggy("wronglock_1", || wrong_lock(1, 1)).published_as("CS/wronglock_1(Fray)"),
    buggy("wronglock_3", || wrong_lock(1, 3)),
    clean("account_ok", || account(atomicity::RIGHT_SUM)),
    clean("arithmetic_prog_ok", || hand_over::arithmetic_prog_ok(4)),
    clean("circular_buffer_ok", hand_over::circular_buffer_ok),
    clean("din_phil2_unsat", || philosophers::dine(2)),
    clean("din_phil3_unsat", || philosophers::dine(3)),
    clean("din_phil4_unsat", || philosophers::dine(4)),
    clean("din_phil5_unsat", || philosophers::dine(5)),
    clean("din_phil6_unsat", || philosophers::dine(6)),
    clean("din_phil7_unsat", || philosophers::dine(7)),
    clean("fanger01_ok", controls::fanger01),
    clean("fsbench_ok", || race::fsbench(26)),
    clean("indexer_ok", controls::indexer),
    clean("lazy01_ok", atomicity::lazy01_ok),
    clean("micro_2_ok", || controls::micro(2)),
    clean("micro_3_ok", || controls::micro(3)),
    clean("micro_10_ok", || controls::micro(10)),
    clean("phase01_ok", deadlock::phase01_ok),
    clean("queue_ok", hand_over::queue_ok),
    clean("stack_ok", hand_over::stack_ok),
    clean("stateful01_ok", controls::stateful01),
    clean("stateful06_ok", controls::stateful06),
    clean("stateful20_ok", controls::stateful20),
    clean("sync01_ok", deadlock::sync01_ok),
    clean("sync02_ok", deadlock::sync02_ok),
];
