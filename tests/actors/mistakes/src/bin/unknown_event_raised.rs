//! A raised event that nobody takes.

use cct::actor::Raise;

struct Job;
struct Unknown;
struct Worker;

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job) -> Raise<Unknown> { //~ error: `Worker` knows no event `Unknown`
        Raise(Unknown)
    }
}

fn main() {}
