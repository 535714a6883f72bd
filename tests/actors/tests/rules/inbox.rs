//! Events that are deferred, ignored or missing.

use actors::Log;
use cct::actor::{Context, DefaultEvent, Goto, Halt, Pop, Push, Raise, Runtime};

struct Job(u32);
struct Done;
struct Noise;
struct Again;

struct Idle;
struct Busy;

struct Worker(Log);

#[cct::machine(start = Idle)]
#[defer(Busy: Job)]
#[ignore(Idle: Noise)]
impl Worker {
    #[on]
    fn begin(&mut self, _: &mut Idle, Job(number): Job) -> Busy {
        self.0.add(format!("job{number}"));
        Busy
    }

    #[on]
    fn done(&mut self, _: &mut Busy, _: Done) -> Idle {
        self.0.add("done");
        Idle
    }

    #[on]
    fn noise(&mut self, _: &mut Busy, _: Noise) {
        self.0.add("noise");
    }

    #[on]
    fn again(&mut self, _: &mut Busy, _: Again) -> Raise<Job> {
        self.0.add("again");
        Raise(Job(9))
    }
}

#[test]
fn deferred_events_wait_in_order_for_another_state() {
    let log = Log::new();
    let runtime = Runtime::new();
    let worker = runtime.create(Worker(log.clone()));
    worker.send(Job(1));
    worker.send(Job(2));
    worker.send(Job(3));
    worker.send(Noise);
    worker.send(Done);
    worker.send(Done);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job1 noise done job2 done job3");
    runtime.stop();
}

#[test]
fn ignored_events_are_dropped() {
    let log = Log::new();
    let runtime = Runtime::new();
    let worker = runtime.create(Worker(log.clone()));
    worker.send(Noise);
    worker.send(Noise);
    worker.send(Job(1));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job1");
    runtime.stop();
}

#[test]
fn a_raised_event_that_is_deferred_goes_to_the_front() {
    let log = Log::new();
    let runtime = Runtime::new();
    let worker = runtime.create(Worker(log.clone()));
    worker.send(Job(1));
    worker.send(Job(2));
    worker.send(Again);
    worker.send(Done);
    worker.send(Done);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job1 again done job9 done job2");
    runtime.stop();
}

/// Works while nothing comes, for a while.
struct Poller {
    log: Log,
    left: u32,
}
struct Polls;

#[cct::machine(start = Polls)]
impl Poller {
    #[on]
    fn nothing(&mut self, _: &mut Polls, _: DefaultEvent) -> Option<Halt> {
        self.log.add("default");
        self.left -= 1;
        (self.left == 0).then_some(Halt)
    }

    #[on]
    fn job(&mut self, _: &mut Polls, Job(number): Job) {
        self.log.add(format!("job{number}"));
    }
}

#[test]
fn the_default_event_comes_when_there_is_no_other() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Poller {
        log: log.clone(),
        left: 2,
    });
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "default default");
}

struct Filled {
    log: Log,
}
struct Fills;
struct Waits;

#[cct::machine(start = Fills)]
#[defer(Waits: Done)]
impl Filled {
    #[entry]
    fn fill(&mut self, _: &mut Fills, cx: &mut Context<Self>) -> Waits {
        let me = cx.me().clone();
        cx.send(&me, Done);
        cx.send(&me, Job(1));
        cx.send(&me, Job(2));
        Waits
    }

    #[on]
    fn job(&mut self, _: &mut Waits, Job(number): Job) {
        self.log.add(format!("job{number}"));
    }

    #[on]
    fn nothing(&mut self, _: &mut Waits, _: DefaultEvent) -> Halt {
        self.log.add("default");
        Halt
    }
}

#[test]
fn the_default_event_comes_after_all_that_is_not_deferred() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Filled { log: log.clone() });
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job1 job2 default");
}

/// The default handler of a lower state is in force in pushed ones.
struct Layered(Log);
struct Low;
struct High;

#[cct::machine(start = Low)]
impl Layered {
    #[on]
    fn up(&mut self, _: &mut Low, _: Job) -> Push<High> {
        Push(High)
    }

    #[on]
    fn down(&mut self, _: &mut High, _: Done) -> Pop {
        Pop
    }

    #[on]
    fn nothing(&mut self, _: &mut Low, _: DefaultEvent, cx: &mut Context<Self>) -> Option<Halt> {
        self.0.add(cx.state_name().unwrap());
        (cx.state_name() == Some("High")).then_some(Halt)
    }
}

#[test]
fn pushed_states_inherit_the_handler_of_the_default_event() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Layered(log.clone())).send(Job(0));
    runtime.wait_until_idle().unwrap();
    assert!(log.text().ends_with("High"), "{}", log.text());
}

/// Any event for which there is no other rule may be deferred or ignored.
struct Shy(Log);
struct Closed;
struct Opened;

#[cct::machine(start = Closed, events(Noise))]
#[defer(Closed: _)]
#[ignore(Opened: _)]
impl Shy {
    #[on]
    fn open(&mut self, _: &mut Closed, _: Done) -> Goto<Opened> {
        self.0.add("open");
        Goto(Opened)
    }

    #[on]
    fn job(&mut self, _: &mut Opened, Job(number): Job) {
        self.0.add(format!("job{number}"));
    }
}

#[test]
fn all_other_events_may_be_deferred_or_ignored() {
    let log = Log::new();
    let runtime = Runtime::new();
    let shy = runtime.create(Shy(log.clone()));
    shy.send(Noise);
    shy.send(Job(1));
    shy.send(Job(2));
    shy.send(Done);
    shy.send(Noise);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "open job1 job2");
    runtime.stop();
}
