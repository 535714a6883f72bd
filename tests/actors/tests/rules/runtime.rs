//! Runtimes: who lives in them, when they rest, and their end.

use actors::{Log, on_threads};
use cct::actor::{Context, EventGroup, Reply, Runtime, Status};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

struct Job;
struct Get(Reply<u32>);
struct Block(mpsc::Receiver<()>, mpsc::Sender<()>);
struct Fail;

#[derive(Default)]
struct Worker {
    done: u32,
}

#[cct::actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job) {
        self.done += 1;
    }

    #[on]
    fn get(&mut self, Get(reply): Get) {
        let _ = reply.send(self.done);
    }

    #[on]
    fn block(&mut self, Block(until, begun): Block) {
        begun.send(()).unwrap();
        until.recv().unwrap();
    }

    #[on]
    fn fail(&mut self, _: Fail) -> Result<(), &'static str> {
        Err("told to")
    }
}

struct Other;

#[cct::actor]
impl Other {
    #[on]
    fn job(&mut self, _: Job) {}
}

#[test]
fn status_says_what_an_actor_does() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker::default());
    runtime.wait_until_idle().unwrap();
    assert_eq!(worker.status(), Status::Idle);
    let (go, until) = mpsc::channel();
    let (begin, begun) = mpsc::channel();
    worker.send(Block(until, begin));
    assert_eq!(worker.status(), Status::Active);
    begun.recv().unwrap();
    assert_eq!(worker.status(), Status::Active);
    go.send(()).unwrap();
    runtime.wait_until_idle().unwrap();
    assert_eq!(worker.status(), Status::Idle);
    worker.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(worker.status(), Status::Halted);
}

#[test]
fn actors_are_counted_and_listed() {
    let runtime = Runtime::new();
    assert_eq!(runtime.count(), 0);
    let worker = runtime.create(Worker::default());
    let other = runtime.create(Other);
    assert_eq!(runtime.count(), 2);
    assert_eq!(
        runtime.actors(),
        [(worker.id(), "Worker"), (other.id(), "Other")]
    );
    worker.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.actors(), [(other.id(), "Other")]);
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
}

#[test]
fn rest_comes_after_all_work() {
    let runtime = Runtime::new();
    let workers = [(); 3].map(|()| runtime.create(Worker::default()));
    for worker in &workers {
        worker.send(Job);
    }
    runtime.wait_until_idle().unwrap();
    for worker in &workers {
        assert_eq!(worker.status(), Status::Idle);
        assert_eq!(worker.ask(Get).wait(), Some(1));
    }
    runtime.stop();
}

/// Hands an event on to the next one, so that one at a time is at work.
struct Relay {
    next: Option<cct::actor::ActorRef<Relay>>,
    log: Log,
}
struct Token(u32);

#[cct::actor]
impl Relay {
    #[on]
    fn token(&mut self, Token(number): Token, cx: &mut Context<Self>) {
        self.log.add(number.to_string());
        if let Some(next) = &self.next {
            cx.send(next, Token(number + 1));
        }
    }
}

#[test]
fn rest_is_not_seen_while_work_moves_on() {
    for _ in 0..50 {
        let log = Log::new();
        let runtime = Runtime::new();
        let mut first = None;
        for _ in 0..3 {
            let next = first.take();
            first = Some(runtime.create(Relay {
                next,
                log: log.clone(),
            }));
        }
        first.unwrap().send(Token(0));
        runtime.wait_until_idle().unwrap();
        assert_eq!(log.text(), "0 1 2");
        runtime.stop();
    }
}

#[test]
fn stop_at_any_moment_hangs_nothing() {
    let runtime = Runtime::new();
    let worker = runtime.create(Worker::default());
    let inner = runtime.clone();
    let stops = thread::spawn(move || inner.stop());
    worker.send(Job);
    worker.send(Job);
    let answer = worker.ask(Get);
    let answer = answer.wait();
    assert!(matches!(answer, None | Some(2)));
    stops.join().unwrap();
    runtime.wait_until_idle().unwrap();
    assert!(runtime.is_stopped());
    assert_eq!(worker.status(), Status::Halted);
    assert_eq!(worker.ask(Get).wait(), None);
}

#[test]
fn stop_ends_a_handler_that_awaits_somebody_outside() {
    struct Waiter;
    struct Await(cct::actor::Answer<()>, mpsc::Sender<()>);

    #[cct::actor]
    impl Waiter {
        #[on]
        async fn waits(&mut self, Await(answer, begun): Await) {
            begun.send(()).unwrap();
            answer.await;
        }
    }

    let runtime = Runtime::new();
    let waiter = runtime.create(Waiter);
    let (reply, answer) = cct::actor::reply();
    let (begin, begun) = mpsc::channel();
    waiter.send(Await(answer, begin));
    begun.recv().unwrap();
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
    drop(reply);
}

#[test]
fn an_actor_may_stop_its_runtime() {
    struct Stopper(Log);

    #[cct::actor]
    impl Stopper {
        #[on]
        fn job(&mut self, _: Job, cx: &mut Context<Self>) {
            cx.runtime().stop();
            self.0.add("stopped");
        }
    }

    let log = Log::new();
    let runtime = Runtime::new();
    let stopper = runtime.create(Stopper(log.clone()));
    stopper.send(Job);
    stopper.send(Job);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "stopped");
    assert_eq!(runtime.count(), 0);
}

#[test]
fn a_stopped_runtime_takes_no_actors() {
    let runtime = Runtime::new();
    runtime.stop();
    let late = runtime.create(Worker::default());
    assert_eq!(late.status(), Status::Halted);
    late.send(Job);
    for _ in 0..2 {
        let named = runtime.create_named("late", Worker::default()).unwrap();
        assert_eq!(named.status(), Status::Halted);
    }
    assert_eq!(runtime.count(), 0);
    runtime.wait_until_idle().unwrap();
}

#[test]
fn on_an_executor_of_ones_own_all_is_the_same() {
    let runtime = Runtime::on_executor(on_threads);
    let worker = runtime.create(Worker::default());
    worker.send(Job);
    worker.send(Job);
    assert_eq!(worker.ask(Get).wait(), Some(2));
    runtime.wait_until_idle().unwrap();
    let other = runtime.create_in(EventGroup::new(), Worker::default());
    other.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(other.status(), Status::Halted);
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
}

#[test]
fn an_executor_that_drops_its_future_ends_the_actor() {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let futures = kept.clone();
    let runtime = Runtime::on_executor(move |future| futures.lock().unwrap().push(future));
    let worker = runtime.create(Worker::default());
    worker.send(Job);
    assert_eq!(worker.status(), Status::Active);
    let futures = std::mem::take(&mut *kept.lock().unwrap());
    drop(futures);
    assert_eq!(worker.status(), Status::Halted);
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
}

#[test]
fn one_thread_is_enough() {
    let runtime = Runtime::with_threads(1);
    let workers = [(); 3].map(|()| runtime.create(Worker::default()));
    for worker in &workers {
        worker.send(Job);
        assert_eq!(worker.ask(Get).wait(), Some(1));
    }
    runtime.stop();
}

#[test]
#[should_panic(expected = "told to")]
fn the_first_failure_is_told_and_kept() {
    let runtime = Runtime::new();
    let (tell, told) = std::sync::mpsc::channel();
    runtime.on_failure(move |failure| tell.send(failure.to_string()).unwrap());
    runtime
        .create_named("clerk", Worker::default())
        .unwrap()
        .send(Fail);
    let failure = runtime.wait_until_idle().unwrap_err();
    assert_eq!(failure.actor, "clerk");
    assert_eq!(
        told.recv().unwrap(),
        "clerk failed: a handler returned an error: told to"
    );
    assert_eq!(runtime.failure(), Some(failure.clone()));
    panic!("{failure}");
}

#[test]
fn no_token_is_lost_on_its_way() {
    // The engine runs a test's first schedule twice, and complains if it does not repeat: here much might be
    // out of order.
    let log = Log::new();
    let runtime = Runtime::new();
    let mut relays = Vec::new();
    for _ in 0..4 {
        relays.push(runtime.create(Relay {
            next: relays.last().cloned(),
            log: log.clone(),
        }));
    }
    for relay in &relays {
        relay.send(Token(0));
    }
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text().split(' ').count(), 10);
    runtime.stop();
}
