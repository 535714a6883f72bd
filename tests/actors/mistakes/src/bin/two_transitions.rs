//! A transition that is not returned.

use cct::actor::{Halt, Push, Then};

struct Idle;
struct Busy;
struct Job;
struct End;
struct Worker;

#[cct::machine(start = Idle, states(Busy))]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) -> Then<Self> {
        Then::<Self>::goto(Busy); //~ error: unused `cct::actor::Then` that must be used
        Then::halt()
    }

    #[on]
    fn end(&mut self, _: &mut Idle, _: End) -> Halt {
        Push(Busy); //~ error: unused `cct::actor::Push` that must be used
        Halt
    }
}

fn main() {}
