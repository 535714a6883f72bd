//! Two handlers of the same event in the same state, and two entries.

struct Idle;
struct Job;
struct Worker;

#[cct::machine(start = Idle)]
#[ignore(Idle: Job)] //~ error: there is a rule for this event in this state
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) {}

    #[on(Idle)]
    fn again(&mut self, _: Job) {} //~ error: there is a rule for this event in this state

    #[entry]
    fn enter(&mut self, _: &mut Idle) {}

    #[entry(Idle)]
    fn enter_again(&mut self) {} //~ error: there is an entry of this state
}

fn main() {}
