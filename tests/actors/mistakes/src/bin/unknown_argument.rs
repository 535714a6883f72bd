//! Arguments that there are none of.

struct Job;
struct Worker;
struct Machine;

#[cct::actor(start = Idle)] //~ error: unknown argument: there are `events(…)` and `crate = …`; states are for `#[cct::machine]`
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {}
}

#[cct::machine(begin = Idle)] //~ error: unknown argument: there are `start = …`, `states(…)`, `events(…)`, `groups(…)` and `crate = …`
impl Machine {
    #[on]
    fn job(&mut self, _: Job) {}
}

fn main() {}
