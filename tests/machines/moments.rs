//! A node that takes three hundred events, and crashes at one of them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cct::actor::Runtime;
use cct::actor::faults::{Node, crash};

/// How many events the node took in its first life, in the schedule that has ended.
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// How many the node takes.
pub(crate) const EVENTS: u32 = 300;

/// The number of the event at which it crashed, if it has.
pub(crate) fn crashed_at() -> Option<u32> {
    let taken = TAKEN.load(Relaxed);
    (taken < EVENTS).then_some(taken)
}

struct Next;

/// Counts, and sends itself the next one.
struct Counts {
    is_first: bool,
}

#[cct::actor]
impl Counts {
    #[on]
    fn next(&mut self, _: Next, cx: &mut cct::actor::Context<Self>) {
        if self.is_first && TAKEN.fetch_add(1, Relaxed) + 1 < EVENTS {
            cx.send(cx.me(), Next);
        }
    }
}

pub(crate) fn body() {
    let runtime = Runtime::new();
    let lives = AtomicU32::new(0);
    let node = Node::start(&runtime, move || Counts {
        is_first: lives.fetch_add(1, Relaxed) == 0,
    });
    crash(&runtime, vec![Box::new(node.clone())], 1);
    node.send(Next);
    runtime.wait_until_idle().expect("nothing fails");
    assert!(node.is_up(), "who has crashed comes back");
    runtime.stop();
}
