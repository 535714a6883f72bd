//! Two groups of a state that handle the same event.

struct Idle;
struct Busy;
struct Job;
struct Worker;

#[cct::machine(
    states(Busy),
    start = Idle, //~ error: two groups of the state `Idle` handle the same event
    groups(One = Idle | Busy, Two = Idle)
)]
impl Worker {
    #[on(One)]
    fn job(&mut self, _: Job) -> Busy {
        Busy
    }

    #[on(Two)]
    fn job_too(&mut self, _: Job) {}
}

fn main() {}
