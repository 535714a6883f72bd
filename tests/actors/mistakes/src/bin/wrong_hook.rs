//! A hook with other parameters than it is called with.

struct Job;
struct Worker;

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {}

    #[hook]
    fn halted(&mut self) {} //~ error: this function takes 1 argument but 2 arguments were supplied
}

fn main() {}
