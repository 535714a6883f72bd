//! A state that nothing leads to; one to which a helper leads; and one that a handler names.

use cct::actor::Then;

struct Idle;
struct Busy;
struct Lost;
struct Done;
struct Job;
struct Worker;

#[cct::machine(start = Idle, states(Done))]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) -> Then<Self> {
        self.next()
    }

    fn next(&mut self) -> Then<Self> {
        Then::goto(Busy)
    }

    #[on]
    fn done(&mut self, _: &mut Busy, _: Job) -> Option<Done> {
        None
    }

    #[on]
    fn again(&mut self, _: &mut Lost, _: Job) -> Lost { //~ warning: no handler of `Worker` leads to the state `Lost`
        Lost
    }
}

fn main() {}
