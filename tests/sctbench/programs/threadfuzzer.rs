//! The programs of ThreadFuzzer's tables, with its parameters: ports of the suite CS, of which some are
//! not quite the originals. Its reorder has the originals' numbers of threads and of steps as its numbers
//! of setters and checkers.

use super::cs;
use crate::program::Program;

const fn buggy(name: &'static str, body: fn()) -> Program {
    Program::buggy("ThreadFuzzer", name, body).with_share()
}

pub(super) const PROGRAMS: &[Program] = &[
    buggy("Account", || cs::account(cs::WRONG_SUM)),
    buggy("BluetoothDriver", cs::bluetooth_driver),
    buggy("Carter01", cs::carter01),
    buggy("CircularBuffer", cs::circular_buffer),
    buggy("Deadlock01", cs::deadlock01),
    buggy("Lazy01", || cs::lazy01(cs::always_three)),
    buggy("Queue", cs::queue_ports),
    buggy("Reorder3", || cs::reorder(4, 12)),
    buggy("Reorder10", || cs::reorder(11, 40)),
    buggy("Stack", cs::stack),
    buggy("TokenRing", cs::token_ring),
    buggy("TwoStage100", || cs::two_stage(99, 1)),
    buggy("TwoStageSmall", || cs::two_stage(1, 1)),
    buggy("WrongLock", || cs::wrong_lock(1, 7)),
];
