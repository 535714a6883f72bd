//! A hook of no name that there is.

use cct::actor::Context;

struct Job;
struct Worker;

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {}

    #[hook]
    fn on_halt(&mut self, _: &mut Context<Self>) {} //~ error: no such hook; there are event_dequeued, event_handled, event_ignored, event_deferred, event_unhandled, failed, halted
}

fn main() {}
