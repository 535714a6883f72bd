//! A machine that begins in two states.

struct Idle;
struct Busy;
struct Job;
struct Worker;

#[cct::machine(
    states(Busy),
    start = Idle,
    start = Busy, //~ error: a machine has one start state
)]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) -> Busy {
        Busy
    }
}

fn main() {}
