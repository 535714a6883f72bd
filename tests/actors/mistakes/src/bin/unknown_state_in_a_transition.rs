//! A transition to no state of the machine.

use cct::actor::Then;

struct Idle;
struct Nowhere;
struct Job;
struct Worker;

#[cct::machine(start = Idle)]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) -> Then<Self> {
        Then::goto(Nowhere) //~ error: `Worker` has no state `Nowhere`
    }
}

fn main() {}
