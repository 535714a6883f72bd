//! Timers.

use actors::Log;
use cct::actor::{Context, Halt, Runtime, Timer};
use std::time::{Duration, Instant};

struct Begin;
struct Once;
#[derive(Clone)]
struct Often;
struct Stop;

#[derive(Default)]
struct Clock {
    log: Log,
    timer: Option<Timer>,
    left: u32,
}

const SHORT: Duration = Duration::from_millis(3);

#[cct::actor]
impl Clock {
    #[on]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        self.timer = Some(cx.start_timer(SHORT, Once));
    }

    #[on]
    fn once(&mut self, _: Once) {
        self.log.add("once");
    }

    #[on]
    fn often(&mut self, _: Often, _: &mut Context<Self>) -> Option<Halt> {
        self.log.add("often");
        self.left -= 1;
        (self.left == 0).then_some(Halt)
    }

    #[on]
    fn stop(&mut self, _: Stop, cx: &mut Context<Self>) {
        let timer = cx.start_timer(Duration::from_secs(3600), Once);
        timer.stop();
        assert!(!timer.is_running());
        timer.stop();
        self.log.add("stopped");
    }
}

#[test]
fn a_timer_runs_out_once_and_counts_as_work() {
    let log = Log::new();
    let runtime = Runtime::new();
    let clock = runtime.create(Clock {
        log: log.clone(),
        ..Clock::default()
    });
    let begun = Instant::now();
    clock.send(Begin);
    runtime.wait_until_idle().unwrap();
    assert!(begun.elapsed() >= SHORT);
    assert!(runtime.count() == 1);
    assert_eq!(log.text(), "once");
    runtime.stop();
}

struct Repeat;

struct Metronome {
    log: Log,
    left: u32,
}

#[cct::actor]
impl Metronome {
    #[on]
    fn repeat(&mut self, _: Repeat, cx: &mut Context<Self>) {
        cx.start_periodic_timer(SHORT, SHORT, Often);
    }

    #[on]
    fn often(&mut self, _: Often) -> Option<Halt> {
        self.log.add("tick");
        self.left -= 1;
        (self.left == 0).then_some(Halt)
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.log.add("halted");
    }
}

#[test]
fn a_periodic_timer_runs_until_its_actor_ends() {
    let log = Log::new();
    let runtime = Runtime::new();
    let (ended, end) = std::sync::mpsc::channel();
    runtime.on_actor_halted(move |_| ended.send(()).unwrap());
    runtime
        .create(Metronome {
            log: log.clone(),
            left: 3,
        })
        .send(Repeat);
    end.recv().unwrap();
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "tick tick tick halted");
}

#[test]
fn a_stopped_timer_does_not_run_out() {
    let begun = Instant::now();
    let log = Log::new();
    let runtime = Runtime::new();
    runtime
        .create(Clock {
            log: log.clone(),
            ..Clock::default()
        })
        .send(Stop);
    runtime.wait_until_idle().unwrap();
    // Under control the hour may be over before the next line.
    let expected = ["stopped", "stopped once"];
    let allowed = if Instant::now() < begun + Duration::from_secs(3600) {
        1
    } else {
        2
    };
    assert!(expected[..allowed].contains(&log.text().as_str()));
    runtime.stop();
}

#[test]
fn a_timer_that_has_run_out_is_over() {
    struct Watcher(Option<Timer>);

    #[cct::actor]
    impl Watcher {
        #[on]
        fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
            self.0 = Some(cx.start_timer(SHORT, Once));
        }

        #[on]
        fn once(&mut self, _: Once) -> Halt {
            Halt
        }

        #[hook]
        fn halted(&mut self, _: &mut Context<Self>) {
            assert!(!self.0.as_ref().unwrap().is_running());
        }
    }

    let runtime = Runtime::new();
    runtime.create(Watcher(None)).send(Begin);
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
}

/// Its clone panics.
struct Fragile(u32);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        panic!("it cannot be cloned")
    }
}

#[test]
#[should_panic(expected = "it cannot be cloned")]
fn an_event_that_cannot_be_cloned_fails_its_timer() {
    struct Owner;

    #[cct::actor]
    impl Owner {
        #[on]
        fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
            cx.start_periodic_timer(SHORT, SHORT, Fragile(0));
        }

        #[on]
        fn fragile(&mut self, Fragile(number): Fragile) {
            assert_eq!(number, 0);
        }
    }

    let runtime = Runtime::new();
    let (failed, failure) = std::sync::mpsc::channel();
    runtime.on_failure(move |failure| failed.send(failure.to_string()).unwrap());
    runtime.create(Owner).send(Begin);
    panic!("{}", failure.recv().unwrap());
}

#[test]
fn stop_ends_timers() {
    let runtime = Runtime::new();
    let clock = runtime.create(Clock::default());
    clock.send(Begin);
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
}

/// Has two timers of different times.
struct Two(Log);

#[cct::actor]
impl Two {
    #[on]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        // In this order: between the two lines any time may pass.
        cx.start_timer(SHORT, Once);
        cx.start_timer(SHORT * 4, Often);
    }

    #[on]
    fn once(&mut self, _: Once) {
        self.0.add("short");
    }

    #[on]
    fn often(&mut self, _: Often) {
        self.0.add("long");
    }
}

#[test]
fn ticks_keep_the_order_of_their_times() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Two(log.clone())).send(Begin);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "short long");
    runtime.stop();
}

/// A timer and another event come in either order.
struct Racer(Log);
struct Work;

#[cct::actor]
impl Racer {
    #[on]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        cx.start_timer(SHORT, Once);
    }

    #[on]
    fn work(&mut self, _: Work) {
        self.0.add("work");
    }

    #[on]
    fn once(&mut self, _: Once) {
        self.0.add("once");
    }
}

#[test]
fn a_timer_comes_before_or_after_other_events() {
    let log = Log::new();
    let runtime = Runtime::new();
    let racer = runtime.create(Racer(log.clone()));
    racer.send(Begin);
    racer.send(Work);
    runtime.wait_until_idle().unwrap();
    assert!(["work once", "once work"].contains(&log.text().as_str()));
    runtime.stop();
}
