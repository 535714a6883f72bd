//! An event that nobody takes.

use cct::actor::Runtime;

struct Job;
struct Unknown;
struct Worker;

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {}
}

fn main() {
    let worker = Runtime::new().create(Worker);
    worker.send(Job);
    worker.send(Unknown); //~ error: `Worker` knows no event `Unknown`
}
