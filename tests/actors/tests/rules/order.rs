//! The order in which events arrive.

use actors::Log;
use cct::actor::{ActorRef, Context, Reply, Runtime};
use std::thread;

struct Say(u32, u32);
struct Told(Reply<Vec<(u32, u32)>>);

#[derive(Default)]
struct Listener {
    heard: Vec<(u32, u32)>,
}

#[cct::actor]
impl Listener {
    #[on]
    fn say(&mut self, Say(who, what): Say) {
        self.heard.push((who, what));
    }

    #[on]
    fn told(&mut self, Told(reply): Told) {
        let _ = reply.send(self.heard.clone());
    }
}

#[test]
fn events_of_one_sender_arrive_in_order() {
    let runtime = Runtime::new();
    let listener = runtime.create(Listener::default());
    let senders = [1, 2].map(|who| {
        let listener = listener.clone();
        thread::spawn(move || {
            for what in 0..3 {
                listener.send(Say(who, what));
            }
        })
    });
    for sender in senders {
        sender.join().unwrap();
    }
    let heard = listener.ask(Told).wait().unwrap();
    assert_eq!(heard.len(), 6);
    for who in [1, 2] {
        let of_one: Vec<u32> = heard
            .iter()
            .filter(|it| it.0 == who)
            .map(|it| it.1)
            .collect();
        assert_eq!(of_one, [0, 1, 2]);
    }
    runtime.stop();
}

#[test]
fn events_of_two_senders_arrive_in_either_order() {
    let runtime = Runtime::new();
    let listener = runtime.create(Listener::default());
    let other = listener.clone();
    let sender = thread::spawn(move || other.send(Say(1, 0)));
    listener.send(Say(2, 0));
    sender.join().unwrap();
    let heard = listener.ask(Told).wait().unwrap();
    assert!(heard == [(1, 0), (2, 0)] || heard == [(2, 0), (1, 0)]);
    runtime.stop();
}

struct Forward(ActorRef<Listener>);
struct Begin;
struct Pass;

/// Sends to the listener, and then has another one send there, too.
struct First {
    listener: ActorRef<Listener>,
    second: ActorRef<Second>,
}

#[cct::actor]
impl First {
    #[on]
    fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        cx.send(&self.listener, Say(1, 1));
        cx.send(&self.second, Pass);
    }
}

struct Second {
    listener: Option<ActorRef<Listener>>,
}

#[cct::actor]
impl Second {
    #[on]
    fn forward(&mut self, Forward(to): Forward) {
        self.listener = Some(to);
    }

    #[on]
    fn pass(&mut self, _: Pass, cx: &mut Context<Self>) {
        cx.send(self.listener.as_ref().unwrap(), Say(2, 2));
    }
}

#[test]
fn delivery_is_causal() {
    let runtime = Runtime::new();
    let listener = runtime.create(Listener::default());
    let second = runtime.create(Second { listener: None });
    second.send(Forward(listener.clone()));
    let first = runtime.create(First {
        listener: listener.clone(),
        second,
    });
    first.send(Begin);
    runtime.wait_until_idle().unwrap();
    // An event that was sent before another one's cause arrives before its effect.
    assert_eq!(listener.ask(Told).wait().unwrap(), [(1, 1), (2, 2)]);
    runtime.stop();
}

struct Step(u32);
struct Selfish(Log);

#[cct::actor]
impl Selfish {
    #[on]
    fn step(&mut self, Step(number): Step, cx: &mut Context<Self>) {
        self.0.add(format!("+{number}"));
        if number < 3 {
            cx.send(&cx.me().clone(), Step(number * 2 + 1));
            cx.send(&cx.me().clone(), Step(number * 2 + 2));
        }
        self.0.add(format!("-{number}"));
    }
}

#[test]
fn one_event_is_handled_at_a_time_and_own_ones_come_later() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Selfish(log.clone())).send(Step(0));
    runtime.wait_until_idle().unwrap();
    let expected = "+0 -0 +1 -1 +2 -2 +3 -3 +4 -4 +5 -5 +6 -6";
    assert_eq!(log.text(), expected);
    runtime.stop();
}
