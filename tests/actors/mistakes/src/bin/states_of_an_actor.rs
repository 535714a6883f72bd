//! An actor has no states.

struct Idle;
struct Job;
struct Worker;

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) {} //~ error: an actor has no states; `#[cct::machine]` has
}

fn main() {}
