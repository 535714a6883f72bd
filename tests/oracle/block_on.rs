//! Futures of programs on the engine: hand-written wakers, and a `block_on` that parks.
//!
//! Rewritten source is written by hand here: nothing rebuilds this crate.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use cct_shims::future::{AwaitPoint as _, Driven};
use cct_shims::std::sync::Mutex;
use cct_shims::std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use cct_shims::std::thread::{self, Thread};

use crate::execute::{Shared, see};
use crate::outcome::seen;
use crate::program::{Await, Register, SignalWay};

/// The event that a future waits for.
#[derive(Debug, Default)]
pub(crate) struct Event {
    is_set: AtomicBool,
    slot: Mutex<Option<Waker>>,
}

/// Sets an event, and wakes whoever has left a waker.
#[track_caller]
pub(crate) fn signal(event: &Event, way: SignalWay) {
    if way == SignalWay::SetThenTake {
        event.is_set.store(true, SeqCst);
    }
    let waker = event.slot.lock().expect("nobody panics here").take();
    if way == SignalWay::TakeThenSet {
        event.is_set.store(true, SeqCst);
    }
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Blocks on a future that awaits these one after the other.
pub(crate) fn block_on(shared: &'static Shared, thread: usize, awaits: &[Await]) {
    let mut future = pin!(Driven::root(await_all(shared, thread, awaits)));
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    while future
        .as_mut()
        .poll(&mut Context::from_waker(&waker))
        .is_pending()
    {
        thread::park();
    }
}

struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Unparks>) {
        self.0.unpark();
    }
}

/// Awaits these one after the other.
pub(crate) async fn await_all(shared: &'static Shared, thread: usize, awaits: &[Await]) {
    for &awaited in awaits {
        match awaited {
            Await::One(number, register) => {
                let one = poll_fn(|context| {
                    let is_set = poll(&shared.events[number], thread, register, context);
                    if is_set {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                });
                one.__cct_await(|| ()).await;
            }
            Await::Join(register) => {
                let mut is_over = [false; 2];
                let both = poll_fn(|context| {
                    for (number, is_over) in is_over.iter_mut().enumerate() {
                        if !*is_over {
                            *is_over = poll(&shared.events[number], thread, register, context);
                        }
                    }
                    if is_over == [true; 2] {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                });
                both.__cct_await(|| ()).await;
            }
            Await::Select(register) => {
                let first = poll_fn(|context| {
                    for number in 0..2 {
                        if poll(&shared.events[number], thread, register, context) {
                            return Poll::Ready(number);
                        }
                    }
                    Poll::Pending
                });
                let first = first.__cct_await(|| ()).await;
                see(thread, first as u32);
            }
        }
        see(thread, seen::YES);
    }
}

/// True if the event is set; else whoever sets it will wake this future, if that is done right.
fn poll(event: &Event, thread: usize, register: Register, context: &Context<'_>) -> bool {
    if register == Register::LookThenStore && event.is_set.load(SeqCst) {
        return true;
    }
    {
        let mut slot = event.slot.lock().expect("nobody panics here");
        match register {
            Register::Replace => {
                let is_same = slot
                    .as_ref()
                    .is_some_and(|known| known.will_wake(context.waker()));
                see(thread, if is_same { seen::NO } else { seen::YES });
                if !is_same {
                    *slot = Some(context.waker().clone());
                }
            }
            _ => *slot = Some(context.waker().clone()),
        }
    }
    register != Register::LookThenStore && event.is_set.load(SeqCst)
}
