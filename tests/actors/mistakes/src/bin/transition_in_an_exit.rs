//! An exit that leads to another state.

struct Idle;
struct Busy;
struct Job;
struct Worker;

#[cct::machine(start = Idle, states(Busy))]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) -> Busy {
        Busy
    }

    #[exit]
    fn leave(&mut self, _: &mut Idle) -> Busy { //~ error: an exit cannot return `Busy`
        Busy
    }
}

fn main() {}
