//! A machine that begins nowhere.

struct Idle;
struct Job;
struct Worker;

#[cct::machine]
impl Worker { //~ error: a machine begins in a state: `#[cct::machine(start = Idle)]`
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) {}
}

fn main() {}
