//! Two requests that pass through actors of their own: the second one overtakes the first in a third of the
//! schedules, if priorities are those of requests.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use cct::actor::{ActorRef, Context, Runtime};

/// The first request has begun; the second one came to its end before that.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
static OVERTOOK: AtomicBool = AtomicBool::new(false);
/// The request that was passed on last, by number from 1, and how often that was another one than before.
static LAST: AtomicU32 = AtomicU32::new(0);
static TURNS: AtomicU32 = AtomicU32::new(0);

/// True if the second request overtook the first one as a whole in the schedule that has ended.
pub(crate) fn overtook() -> bool {
    OVERTOOK.load(Relaxed)
}

/// How often it was another request's turn in the schedule that has ended.
pub(crate) fn turns() -> u32 {
    TURNS.load(Relaxed)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Request {
    First,
    Second,
}

/// Passes requests on.
struct Stage {
    next: Option<ActorRef<Stage>>,
}

#[cct::actor]
impl Stage {
    #[on]
    fn request(&mut self, request: Request, cx: &mut Context<Self>) {
        if request == Request::First {
            HAS_BEGUN.store(true, Relaxed);
        }
        let number = 1 + request as u32;
        if LAST.swap(number, Relaxed) != number {
            TURNS.fetch_add(1, Relaxed);
        }
        match &self.next {
            Some(next) => cx.send(next, request),
            None if !HAS_BEGUN.load(Relaxed) => OVERTOOK.store(true, Relaxed),
            None => {}
        }
    }
}

/// How many actors each request passes.
const STAGES: usize = 12;

pub(crate) fn body() {
    let runtime = Runtime::new();
    let pipes = [Request::First, Request::Second].map(|request| {
        let mut first = runtime.create(Stage { next: None });
        for _ in 1..STAGES {
            let next = Some(first);
            first = runtime.create(Stage { next });
        }
        (first, request)
    });
    for (first, request) in pipes {
        first.send(request);
    }
    runtime.wait_until_idle().expect("nothing fails");
    runtime.stop();
}
