//! Events that must be handled, and of which there may be few.

use cct::actor::{Halt, Runtime, SendOptions};

struct Job;
struct End;

struct Worker;

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {}

    #[on]
    fn end(&mut self, _: End) -> Halt {
        Halt
    }
}

#[test]
fn an_event_that_must_be_handled_is_handled() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker);
    worker.send_with(Job, SendOptions::new().must_handle());
    worker.send(End);
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "without handling the event `Job`, which must be handled")]
fn to_end_with_an_event_that_must_be_handled_is_a_failure() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker);
    worker.send(End);
    worker.send_with(Job, SendOptions::new().must_handle());
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "without handling the event `Job`, which must be handled")]
fn to_send_what_must_be_handled_to_an_ended_actor_is_a_failure() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker);
    worker.halt();
    runtime.wait_until_idle().unwrap();
    worker.send_with(Job, SendOptions::new().must_handle());
    runtime.wait_until_idle().unwrap();
}

#[test]
fn once_the_runtime_has_stopped_nothing_must_be_handled() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker);
    runtime.stop();
    worker.send_with(Job, SendOptions::new().must_handle());
    runtime.wait_until_idle().unwrap();
}

#[test]
fn there_may_be_as_many_of_an_event_as_was_said() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker);
    worker.send_with(Job, SendOptions::new().at_most(2));
    worker.send_with(Job, SendOptions::new().at_most(2));
    // Others do not count.
    worker.send_with(End, SendOptions::new().at_most(1));
    runtime.wait_until_idle().unwrap();
}

struct Holder;
struct Holds;
struct Gives;

#[cct::machine(start = Holds)]
#[defer(Holds: Job)]
impl Holder {
    #[on]
    fn end(&mut self, _: &mut Holds, _: End) -> Gives {
        Gives
    }

    #[on]
    fn job(&mut self, _: &mut Gives, _: Job) {}
}

#[test]
#[should_panic(expected = "more than 2 of the event `Job` are in its inbox")]
fn more_of_an_event_than_was_said_is_a_failure() {
    let runtime = Runtime::new();
    let holder = runtime.create(Holder);
    for _ in 0..3 {
        holder.send_with(Job, SendOptions::new().at_most(2));
    }
    runtime.wait_until_idle().unwrap();
}

#[test]
fn what_was_handled_does_not_count() {
    let runtime = Runtime::new();
    let holder = runtime.create(Holder);
    holder.send_with(Job, SendOptions::new().at_most(1));
    holder.send(End);
    runtime.wait_until_idle().unwrap();
    holder.send_with(Job, SendOptions::new().at_most(1));
    runtime.wait_until_idle().unwrap();
    runtime.stop();
}
