//! A group of what is no state, and groups in a circle.

struct Idle;
struct Job;
struct Worker;
struct Round;

#[cct::machine(start = Idle, groups(Online = Idle | Nobody))] //~ error: no state and no group is called `Nobody`
impl Worker {
    #[on(Online)]
    fn job(&mut self, _: Job) {}
}

#[cct::machine(
    start = Idle, //~ error: groups are in each other in a circle
    groups(One = Idle | Two, Two = One)
)]
impl Round {
    #[on(One)]
    fn job(&mut self, _: Job) {}
}

fn main() {}
