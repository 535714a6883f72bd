//! The end cannot be put off.

use cct::actor::{DefaultEvent, HaltEvent};

struct Job;
struct Worker;

#[cct::actor]
#[defer(HaltEvent)] //~ error: this event can be handled, and neither deferred nor ignored
#[ignore(DefaultEvent)] //~ error: this event can be handled, and neither deferred nor ignored
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {}
}

fn main() {
    let _ = (DefaultEvent, HaltEvent);
}
