//! A handler that returns no state of its machine.

struct Idle;
struct Nowhere;
struct Job;
struct Worker;

#[cct::machine(start = Idle)]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) -> Nowhere { //~ error: a handler of `Worker` cannot return `Nowhere`
        Nowhere
    }
}

fn main() {}
