//! Ends, panics and blocking at bad moments.

use actors::Log;
use cct::actor::faults::{Durable, Node, crash};
use cct::actor::{
    ActorRef, Answer, Context, DefaultEvent, Failure, Halt, HaltEvent, Outcome, Push, Reply,
    Runtime, Status, TestKit,
};
use std::fmt;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

struct Job;
struct End;

/// A value that says when it is dropped, or panics then.
struct Dropped {
    log: Log,
    panics: bool,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        self.log.add("dropped");
        assert!(!self.panics, "in a drop");
    }
}

struct Owner(Dropped);
struct Parcel(#[expect(dead_code, reason = "it is dropped")] Dropped);

#[cct::actor(events(Parcel))]
impl Owner {
    #[on]
    fn job(&mut self, _: Job) {
        self.0.log.add("job");
    }

    #[on]
    fn end(&mut self, _: End) -> Halt {
        Halt
    }

    #[hook]
    fn failed(&mut self, _: &Failure, _: &mut Context<Self>) -> Outcome {
        Outcome::Halt
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.0.log.add("halted");
    }
}

fn owner(runtime: &Runtime, log: &Log, panics: bool) -> ActorRef<Owner> {
    runtime.create(Owner(Dropped {
        log: log.clone(),
        panics,
    }))
}

#[test]
fn a_machine_is_dropped_before_its_runtime_rests() {
    let log = Log::new();
    let runtime = Runtime::new();
    owner(&runtime, &log, false).send(End);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "halted dropped");
}

#[test]
fn a_stop_drops_machines_too() {
    let log = Log::new();
    let runtime = Runtime::new();
    let owner = owner(&runtime, &log, false);
    owner.send(Parcel(Dropped {
        log: log.clone(),
        panics: false,
    }));
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text().matches("dropped").count(), 2, "{}", log.text());
}

#[test]
#[should_panic(expected = "in a drop")]
fn a_machine_that_panics_when_it_is_dropped_fails() {
    let runtime = Runtime::new();
    owner(&runtime, &Log::new(), true).send(End);
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "in a drop")]
fn an_event_that_panics_when_it_is_dropped_fails() {
    let log = Log::new();
    let runtime = Runtime::new();
    let owner = owner(&runtime, &log, false);
    owner.send(Parcel(Dropped { log, panics: true }));
    runtime.wait_until_idle().unwrap();
}

#[test]
fn others_send_while_an_actor_ends() {
    let log = Log::new();
    let runtime = Runtime::new();
    let owner = owner(&runtime, &log, false);
    let other = owner.clone();
    let sends = thread::spawn(move || {
        other.send(Job);
        other.send(Job);
    });
    owner.send(End);
    sends.join().unwrap();
    runtime.wait_until_idle().unwrap();
    assert!(log.text().ends_with("halted dropped"), "{}", log.text());
    assert_eq!(owner.status(), Status::Halted);
}

struct Hooked(&'static str);
struct Bad;

#[cct::actor(events(Bad))]
impl Hooked {
    #[on]
    fn job(&mut self, _: Job) {
        assert_ne!(self.0, "handler", "in the handler");
    }

    #[hook]
    fn event_dequeued(&mut self, _: &HookedEvent, _: &mut Context<Self>) {
        assert_ne!(self.0, "dequeued", "in a hook");
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        assert_ne!(self.0, "halted", "in a hook");
    }
}

#[test]
#[should_panic(expected = "in a hook")]
fn a_panic_in_a_hook_is_a_failure() {
    let runtime = Runtime::new();
    runtime.create(Hooked("dequeued")).send(Job);
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "in a hook")]
fn a_panic_in_the_last_hook_is_a_failure() {
    let runtime = Runtime::new();
    runtime.create(Hooked("halted")).halt();
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "in a hook of the runtime")]
fn a_panic_in_a_hook_of_the_runtime_is_a_failure() {
    let runtime = Runtime::new();
    runtime.on_actor_halted(|_| panic!("in a hook of the runtime"));
    runtime.create(Hooked("")).halt();
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "in the handler")]
fn a_panic_in_a_panic_is_no_end_of_the_process() {
    let runtime = Runtime::new();
    runtime.on_event_dropped(|_, _| panic!("in a hook of the runtime"));
    runtime.on_actor_halted(|_| panic!("in a hook of the runtime"));
    let hooked = runtime.create(Hooked("handler"));
    hooked.send(Job);
    if hooked.try_send(Job).is_ok() {
        let _ = hooked.try_send(Job);
    }
    runtime.wait_until_idle().unwrap();
}

struct Picky;

#[cct::actor(events(Bad))]
impl Picky {
    #[on]
    async fn job(&mut self, _: Job, cx: &mut Context<Self>) {
        let _: Bad = cx.receive_if(|_: &Bad| panic!("in a predicate")).await;
    }
}

#[test]
#[should_panic(expected = "in a predicate")]
fn a_panic_in_a_predicate_is_a_failure() {
    let runtime = Runtime::new();
    let picky = runtime.create(Picky);
    picky.send(Job);
    picky.send(Bad);
    runtime.wait_until_idle().unwrap();
}

/// An event whose `Debug` locks a mutex, and one whose `Debug` panics.
struct Locks(Arc<Mutex<u32>>);
struct Unprintable;

impl fmt::Debug for Locks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Locks({})", *self.0.lock().unwrap())
    }
}

impl fmt::Debug for Unprintable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("it cannot be shown")
    }
}

struct Shower(Log);

#[cct::actor]
impl Shower {
    #[on]
    fn locks(&mut self, Locks(value): Locks) {
        self.0.add(format!("{}", *value.lock().unwrap()));
    }

    #[on]
    fn unprintable(&mut self, _: Unprintable) {
        self.0.add("unprintable");
    }
}

#[test]
fn events_may_lock_or_panic_when_they_are_shown() {
    let log = Log::new();
    let runtime = Runtime::new();
    let shower = runtime.create(Shower(log.clone()));
    let value = Arc::new(Mutex::new(7));
    {
        // A thread that shows it now has to wait for this.
        let _guard = value.lock().unwrap();
        shower.send(Locks(value.clone()));
        shower.send(Unprintable);
    }
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "7 unprintable");
    runtime.stop();
}

#[test]
fn a_handler_may_block_on_a_channel() {
    struct Blocker(mpsc::Receiver<u32>, Log);

    #[cct::actor]
    impl Blocker {
        #[on]
        fn job(&mut self, _: Job) {
            self.1.add(self.0.recv().unwrap().to_string());
        }
    }

    let log = Log::new();
    let runtime = Runtime::with_threads(2);
    let (sender, receiver) = mpsc::channel();
    let blocker = runtime.create(Blocker(receiver, log.clone()));
    blocker.send(Job);
    blocker.send(Job);
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "1 2");
    runtime.stop();
}

/// Creates others like itself.
struct Parent {
    depth: u32,
    log: Log,
}

#[cct::actor]
impl Parent {
    #[on]
    fn job(&mut self, _: Job, cx: &mut Context<Self>) -> Halt {
        self.log.add(self.depth.to_string());
        if self.depth > 0 {
            for _ in 0..2 {
                let child = cx.create(Parent {
                    depth: self.depth - 1,
                    log: self.log.clone(),
                });
                cx.send(&child, Job);
            }
        }
        Halt
    }
}

#[test]
fn actors_create_actors() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime
        .create(Parent {
            depth: 2,
            log: log.clone(),
        })
        .send(Job);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text().split(' ').count(), 7);
    assert_eq!(runtime.count(), 0);
}

#[test]
fn there_may_be_many_actors() {
    let runtime = Runtime::new();
    let number = 400;
    let actors: Vec<_> = (0..number).map(|_| runtime.create(Picky)).collect();
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), number);
    actors.iter().for_each(ActorRef::halt);
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
}

#[test]
fn a_reference_outlives_its_runtime() {
    struct Get(Reply<u32>);
    struct Server;

    #[cct::actor]
    impl Server {
        #[on]
        fn get(&mut self, Get(reply): Get) {
            let _ = reply.send(1);
        }
    }

    let server = {
        let runtime = Runtime::new();
        runtime.create(Server)
    };
    // Its actors live, since nobody has stopped it.
    assert_eq!(server.ask(Get).wait(), Some(1));
}

#[test]
fn the_rest_goes_on_after_a_failure_that_is_handled() {
    struct Tough(Log);

    #[cct::actor]
    impl Tough {
        #[on]
        fn job(&mut self, _: Job) -> Result<(), &'static str> {
            self.0.add("job");
            Err("again and again")
        }

        #[hook]
        fn failed(&mut self, _: &Failure, _: &mut Context<Self>) -> Outcome {
            Outcome::Handled
        }
    }

    let log = Log::new();
    let runtime = Runtime::new();
    let tough = runtime.create(Tough(log.clone()));
    for _ in 0..3 {
        tough.send(Job);
    }
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job job job");
    runtime.stop();
}

struct Base;
struct Top;
struct Closing;
struct Up;

struct Stacked {
    log: Log,
}

#[cct::machine(start = Base)]
#[ignore(Top: Up)]
impl Stacked {
    #[on]
    fn up(&mut self, _: &mut Base, _: Up) -> Push<Top> {
        Push(Top)
    }

    #[exit]
    fn leave(&mut self, _: &mut Top) {
        self.log.add("leave");
    }

    #[on]
    fn end(&mut self, _: &mut Base, _: HaltEvent) -> Closing {
        self.log.add("end");
        Closing
    }

    #[entry]
    fn close(&mut self, _: &mut Closing) -> Halt {
        self.log.add("close");
        Halt
    }
}

#[test]
fn a_halt_is_handled_by_the_state_below() {
    let log = Log::new();
    let runtime = Runtime::new();
    let stacked = runtime.create(Stacked { log: log.clone() });
    stacked.send(Up);
    stacked.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "leave end close");
}

#[cct::test]
fn a_node_has_one_life_at_a_time(rt: &Runtime) {
    let node = Node::start(rt, || Idler);
    for _ in 0..2 {
        crash(rt, vec![Box::new(node.clone())], 1);
    }
    node.send(Job);
    rt.wait_until_idle().unwrap();
    assert_eq!(rt.count(), 1);
}

struct Put(u32, Reply<()>);

/// Writes before it answers.
struct Careful {
    disk: Durable<u32>,
}

#[cct::actor]
impl Careful {
    #[on]
    fn put(&mut self, Put(number, reply): Put, cx: &mut Context<Self>) {
        self.disk.write(cx, |disk| *disk = number);
        let _ = reply.send(());
    }
}

#[cct::test]
fn an_answer_of_a_node_that_crashes_is_true_of_its_disk(rt: &Runtime) {
    let disk = Durable::new(0);
    let booted = disk.clone();
    let boot = move || Careful {
        disk: booted.clone(),
    };
    let node = Node::start(rt, boot);
    crash(rt, vec![Box::new(node.clone())], 1);
    let asked = node.actor().map(|actor| actor.ask(|reply| Put(7, reply)));
    let is_answered = asked.and_then(Answer::wait).is_some();
    rt.wait_until_idle().unwrap();
    assert!(!is_answered || disk.read() == 7);
}

struct Idler;

#[cct::actor]
impl Idler {
    #[on]
    fn job(&mut self, _: Job) {}
}

/// Every one of these orders memory.
#[cct::test]
fn what_is_found_by_name_is_ordered(rt: &Runtime) {
    let other = rt.clone();
    let finder = thread::spawn(move || {
        if let Some(idler) = other.find::<Idler>("idler") {
            idler.send(Job);
        }
    });
    let _ = rt.create_named("idler", Idler).unwrap();
    finder.join().unwrap();
}

#[cct::test]
fn a_hook_may_come_late(rt: &Runtime) {
    let log = Log::new();
    let idler = rt.create(Idler);
    idler.halt();
    let told = log.clone();
    rt.on_actor_halted(move |_| told.add("halted"));
    rt.wait_until_idle().unwrap();
    assert!(["", "halted"].contains(&&*log.text()));
}

#[derive(Clone)]
struct Alarm;
struct Rung;

/// Polls until the alarm.
struct Polls {
    times: u32,
}

#[cct::machine(start = Waits, states(Rung))]
impl Polls {
    #[entry]
    fn begin(&mut self, _: &mut Waits, cx: &mut Context<Self>) {
        cx.start_timer(Duration::from_millis(10), Alarm);
    }

    #[on]
    fn poll(&mut self, _: &mut Waits, _: DefaultEvent) {
        self.times = self.times.wrapping_add(1);
    }

    #[on]
    fn ring(&mut self, _: &mut Waits, _: Alarm) -> Rung {
        cct::notify::<IsRung>(true);
        Rung
    }
}

struct Waits;
struct IsRung;

impl cct::Monitor for IsRung {
    type Event = bool;

    fn on_event(&mut self, is_rung: bool) -> cct::Temperature {
        if is_rung {
            cct::Temperature::Cold("rung")
        } else {
            cct::Temperature::Hot("waiting")
        }
    }
}

#[cct::test]
fn who_polls_until_an_alarm_comes_to_its_end(rt: &Runtime) {
    cct::register(IsRung);
    cct::notify::<IsRung>(false);
    rt.create(Polls { times: 0 });
}

/// Has timers that are never due for the second time.
struct Patient {
    alarms: u32,
}

#[cct::actor]
impl Patient {
    #[on]
    fn job(&mut self, _: Job, cx: &mut Context<Self>) {
        cx.start_periodic_timer(Duration::ZERO, Duration::MAX, Alarm);
        cx.start_timer(Duration::MAX, End);
    }

    #[on]
    fn alarm(&mut self, _: Alarm) -> Option<Halt> {
        self.alarms += 1;
        (self.alarms == 1).then_some(Halt)
    }

    #[on]
    fn end(&mut self, _: End) {}
}

#[test]
fn timers_may_be_for_ever() {
    let runtime = Runtime::new();
    for _ in 0..2 {
        runtime.create(Patient { alarms: 0 }).send(Job);
        runtime.wait_until_idle().unwrap();
    }
    assert_eq!(runtime.count(), 0);
}

#[test]
fn a_timer_in_a_kit() {
    let mut kit = TestKit::start(Patient { alarms: 0 });
    kit.send(Job);
    assert!(!kit.has_halted() || kit.failure().is_none());
}

#[cct::test]
fn nodes_may_crash_while_others_do(rt: &Runtime) {
    let nodes = [0, 1, 2].map(|start| {
        let disk = Durable::new(start);
        let node = Node::start(rt, move || Careful { disk: disk.clone() });
        crash(rt, vec![Box::new(node.clone())], 2);
        node
    });
    let answers = nodes.each_ref().map(|node| {
        let actor = node.actor()?;
        Some(actor.ask(|reply| Put(7, reply)))
    });
    for answer in answers.into_iter().flatten() {
        let _ = answer.wait();
    }
    rt.wait_until_idle().unwrap();
    assert!(nodes.iter().all(Node::is_up));
}

/// Panics, and takes its time for it.
struct Fragile {
    log: Log,
}

impl Drop for Fragile {
    fn drop(&mut self) {
        self.log.add("broken");
    }
}

#[cct::actor]
impl Fragile {
    #[on]
    fn job(&mut self, _: Job) {
        panic!("at once");
    }

    #[on]
    fn end(&mut self, _: End) -> Halt {
        Halt
    }
}

#[test]
fn one_may_end_while_another_panics() {
    let log = Log::new();
    let runtime = Runtime::new();
    let both = [(); 2].map(|()| runtime.create(Fragile { log: log.clone() }));
    both[0].send(Job);
    both[1].send(End);
    drop(both);
    while log.text() != "broken broken" {
        thread::yield_now();
    }
    assert!(runtime.wait_until_idle().is_err());
}
