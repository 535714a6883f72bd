//! Wakers, under executors written by hand: which are equal, what keeps one alive, and what waking does.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker};
use std::thread::{self, Thread};

/// Unparks its thread, and counts.
struct Unpark {
    thread: Thread,
    wakes: AtomicUsize,
}

impl Unpark {
    fn here() -> Arc<Unpark> {
        Arc::new(Unpark {
            thread: thread::current(),
            wakes: AtomicUsize::new(0),
        })
    }
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, SeqCst);
        self.thread.unpark();
    }
}

/// Polls a future until it is ready, with one waker.
fn drive<F: Future>(future: F) -> F::Output {
    drive_with(&Waker::from(Unpark::here()), future)
}

/// Polls a future until it is ready, with the caller's waker, which unparks this thread.
fn drive_with<F: Future>(waker: &Waker, future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Polls a future until it is ready, each time with another waker.
fn drive_with_fresh<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        let waker = Waker::from(Unpark::here());
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// The waker of the task that awaits it.
fn waker() -> impl Future<Output = Waker> {
    poll_fn(|context| Poll::Ready(context.waker().clone()))
}

/// Is not ready once.
fn give_way() -> impl Future<Output = ()> {
    let mut is_over = false;
    poll_fn(move |context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

/// Whether the waker of this poll is equal.
fn is_polled_with(kept: &Waker) -> impl Future<Output = bool> {
    poll_fn(|context| Poll::Ready(context.waker().will_wake(kept)))
}

/// Both, polled one after the other.
async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut first, mut second) = (None, None);
    poll_fn(move |context| {
        if first.is_none()
            && let Poll::Ready(output) = a.as_mut().poll(context)
        {
            first = Some(output);
        }
        if second.is_none()
            && let Poll::Ready(output) = b.as_mut().poll(context)
        {
            second = Some(output);
        }
        if first.is_some() && second.is_some() {
            return Poll::Ready((first.take().unwrap(), second.take().unwrap()));
        }
        Poll::Pending
    })
    .await
}

#[test]
fn is_the_same_in_each_poll() {
    drive(async {
        let kept = waker().await;
        assert!(is_polled_with(&kept).await);
        for _ in 0..3 {
            give_way().await;
            assert!(is_polled_with(&kept).await);
        }
    });
}

#[test]
fn equals_its_clones_and_theirs() {
    drive(async {
        let kept = waker().await;
        let again = waker().await;
        let clone = again.clone().clone();
        assert!(kept.will_wake(&again) && kept.will_wake(&clone) && clone.will_wake(&kept));
        assert_eq!(kept.data(), clone.data());
        assert!(std::ptr::eq(kept.vtable(), clone.vtable()));
        let mut place = kept.clone();
        drop((kept, again));
        place.clone_from(&clone);
        give_way().await;
        assert!(is_polled_with(&place).await);
    });
}

#[test]
fn is_not_replaced_in_a_slot_that_replaces_what_differs() {
    let mut stored = 0;
    let mut slot: Option<Waker> = None;
    let mut polls = 0;
    drive(poll_fn(|context| {
        match &slot {
            Some(waker) if waker.will_wake(context.waker()) => {}
            _ => {
                slot = Some(context.waker().clone());
                stored += 1;
            }
        }
        polls += 1;
        if polls == 4 {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }));
    assert_eq!(stored, 1);
}

#[test]
fn is_one_in_all_branches() {
    drive(async {
        let of_all = waker().await;
        let branch = || async {
            let first = waker().await;
            give_way().await;
            (first, waker().await)
        };
        let ((a, b), (c, d)) = join(branch(), Box::pin(branch())).await;
        for other in [&a, &b, &c, &d] {
            assert!(of_all.will_wake(other));
        }
    });
}

#[test]
fn is_another_one_for_another_root() {
    let kept = drive(waker());
    drive(async {
        assert!(!is_polled_with(&kept).await);
    });
}

#[test]
fn is_the_same_for_two_roots_that_one_waker_is_for() {
    let of_thread = Waker::from(Unpark::here());
    let kept = drive_with(&of_thread, waker());
    drive_with(&of_thread, async {
        assert!(is_polled_with(&kept).await);
        give_way().await;
        assert!(is_polled_with(&kept).await);
    });
}

#[test]
fn is_another_one_in_each_poll_if_the_executor_makes_it_so() {
    drive_with_fresh(async {
        let kept = waker().await;
        let again = waker().await;
        // Between two awaits of one poll it is the same natively; an executor may poll in between.
        let _ = kept.will_wake(&again);
        give_way().await;
        assert!(!is_polled_with(&kept).await);
        let second = waker().await;
        assert!(!second.will_wake(&kept));
        give_way().await;
        assert!(!is_polled_with(&kept).await && !is_polled_with(&second).await);
    });
}

#[test]
fn is_equal_exactly_where_the_executors_are() {
    let wakers = [(); 3].map(|()| Waker::from(Unpark::here()));
    let turn = Arc::new(AtomicUsize::new(0));
    let (of_poll, kept) = (turn.clone(), Arc::new(Mutex::new(Vec::new())));
    let mut tasks = Tasks::default();
    let all = kept.clone();
    tasks.spawn(async move {
        for _ in 0..5 {
            let own = poll_fn(|context| {
                let place = of_poll.load(SeqCst) % 3;
                Poll::Ready((place, context.waker().clone()))
            });
            let own = own.await;
            all.lock().unwrap().push(own);
            give_way().await;
        }
    });
    loop {
        let place = turn.fetch_add(1, SeqCst) + 1;
        let mut context = Context::from_waker(&wakers[place % 3]);
        if tasks.0[0].as_mut().poll(&mut context).is_ready() {
            break;
        }
    }
    let kept = kept.lock().unwrap();
    for (a, first) in kept.iter() {
        for (b, second) in kept.iter() {
            assert_eq!(first.will_wake(second), a == b);
        }
    }
}

#[test]
fn the_one_that_does_nothing_is_itself() {
    // How many of them a program has is the compiler's choice.
    let noop = Waker::noop();
    let is_itself = spin(noop, async {
        give_way().await;
        let kept = waker().await;
        kept.wake_by_ref();
        is_polled_with(noop).await && noop.clone().will_wake(&kept)
    });
    assert!(is_itself);
}

/// Polls a future until it is ready, without a break.
fn spin<F: Future>(waker: &Waker, future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        thread::yield_now();
    }
}

#[test]
fn a_clone_is_one_of_the_executors() {
    let unpark = Unpark::here();
    let weak = Arc::downgrade(&unpark);
    let count = || Weak::strong_count(&weak);
    let before = {
        let waker = Waker::from(unpark);
        drive_with(&waker, async {
            let before = count();
            let first = waker_kept().await;
            assert_eq!(count(), before + 1);
            let second = first.clone();
            assert_eq!(count(), before + 2);
            drop(first);
            assert_eq!(count(), before + 1);
            second.wake();
            assert_eq!(count(), before);
            waker_kept().await.wake_by_ref();
            before
        })
    };
    assert_eq!((before, count()), (1, 0));
}

/// The waker, without an await in between.
async fn waker_kept() -> Waker {
    waker().await
}

#[test]
fn the_last_clone_frees_it_after_the_task_is_over() {
    let unpark = Unpark::here();
    let weak = Arc::downgrade(&unpark);
    let kept = {
        let waker = Waker::from(unpark);
        drive_with(&waker, async {
            give_way().await;
            waker_kept().await
        })
    };
    let other = kept.clone();
    drop(kept);
    assert_eq!(weak.strong_count(), 1);
    other.wake();
    assert_eq!(weak.strong_count(), 0);
}

#[test]
fn each_wake_is_told_at_once() {
    let unpark = Unpark::here();
    let waker = Waker::from(unpark.clone());
    drive_with(&waker, async {
        let mut is_over = false;
        poll_fn(|context| {
            if std::mem::replace(&mut is_over, true) {
                return Poll::Ready(());
            }
            let before = unpark.wakes.load(SeqCst);
            context.waker().wake_by_ref();
            context.waker().clone().wake();
            assert_eq!(unpark.wakes.load(SeqCst), before + 2);
            Poll::Pending
        })
        .await;
    });
}

/// Wakers of which each clone is another one.
mod apart {
    use super::*;

    pub static LIVE: AtomicUsize = AtomicUsize::new(0);
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, free);

    pub fn waker(thread: Thread) -> Waker {
        LIVE.fetch_add(1, SeqCst);
        let data = Box::into_raw(Box::new(thread));
        // SAFETY: the table's functions take a box of a thread, and free it once.
        unsafe { Waker::new(data.cast_const().cast(), &TABLE) }
    }

    unsafe fn clone(data: *const ()) -> RawWaker {
        // SAFETY: the data is that of a waker that is there.
        let thread = unsafe { &*data.cast::<Thread>() };
        let clone = std::mem::ManuallyDrop::new(waker(thread.clone()));
        RawWaker::new(clone.data(), clone.vtable())
    }

    unsafe fn wake(data: *const ()) {
        // SAFETY: as above, and it goes.
        unsafe {
            wake_by_ref(data);
            free(data);
        }
    }

    unsafe fn wake_by_ref(data: *const ()) {
        // SAFETY: as above.
        unsafe { &*data.cast::<Thread>() }.unpark();
    }

    unsafe fn free(data: *const ()) {
        LIVE.fetch_sub(1, SeqCst);
        // SAFETY: as above, and it goes.
        drop(unsafe { Box::from_raw(data.cast_mut().cast::<Thread>()) });
    }
}

#[test]
fn clones_of_which_each_is_another_one_differ() {
    let of_thread = apart::waker(thread::current());
    drive_with(&of_thread, async {
        let kept = waker().await;
        assert!(!is_polled_with(&kept).await);
        let clone = kept.clone();
        assert!(!clone.will_wake(&kept) && kept.will_wake(&kept));
        clone.wake();
        give_way().await;
        kept.wake_by_ref();
    });
    drop(of_thread);
    assert_eq!(apart::LIVE.load(SeqCst), 0);
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An executor whose threads share all tasks.
#[derive(Default)]
struct Pool {
    queue: Mutex<VecDeque<Arc<Job>>>,
    comes: Condvar,
    left: AtomicUsize,
}

struct Job {
    work: Mutex<Option<Work>>,
    pool: Arc<Pool>,
}

impl Wake for Job {
    fn wake(self: Arc<Self>) {
        let pool = self.pool.clone();
        pool.queue.lock().unwrap().push_back(self);
        pool.comes.notify_all();
    }
}

impl Pool {
    fn spawn(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        self.left.fetch_add(1, SeqCst);
        let work = Mutex::new(Some(Box::pin(work) as Work));
        let pool = self.clone();
        Arc::new(Job { work, pool }).wake();
    }

    /// Polls tasks until all are over.
    fn go(&self) {
        let mut queue = self.queue.lock().unwrap();
        while self.left.load(SeqCst) > 0 {
            let Some(job) = queue.pop_front() else {
                queue = self.comes.wait(queue).unwrap();
                continue;
            };
            drop(queue);
            let waker = Waker::from(job.clone());
            let mut place = job.work.lock().unwrap();
            let polled = place
                .as_mut()
                .map(|work| work.as_mut().poll(&mut Context::from_waker(&waker)));
            let is_over = polled.is_some_and(|polled| polled.is_ready());
            if is_over {
                *place = None;
            }
            drop(place);
            queue = self.queue.lock().unwrap();
            if is_over {
                self.left.fetch_sub(1, SeqCst);
                self.comes.notify_all();
            }
        }
    }
}

#[test]
fn stays_the_same_when_a_task_goes_on_on_another_thread() {
    let pool = Arc::new(Pool::default());
    let kept = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let kept = kept.clone();
        pool.spawn(async move {
            let own = waker().await;
            give_way().await;
            assert!(is_polled_with(&own).await);
            kept.lock().unwrap().push(own);
        });
    }
    thread::scope(|scope| {
        scope.spawn(|| pool.go());
        pool.go();
    });
    let kept = kept.lock().unwrap();
    assert!(!kept[0].will_wake(&kept[1]));
}

/// Polls all tasks in turn, with one waker for all, until each is over.
fn poll_all(tasks: &mut Vec<Work>) {
    let waker = Waker::from(Unpark::here());
    let mut context = Context::from_waker(&waker);
    while !tasks.is_empty() {
        tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
        thread::yield_now();
    }
}

#[derive(Default)]
struct Tasks(Vec<Work>);

impl Tasks {
    fn spawn(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.push(Box::pin(work));
    }
}

#[test]
fn is_the_same_for_tasks_that_one_waker_is_for() {
    let mut tasks = Tasks::default();
    let kept = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let kept = kept.clone();
        tasks.spawn(async move {
            let own = waker().await;
            kept.lock().unwrap().push(own.clone());
            give_way().await;
            assert!(is_polled_with(&own).await);
        });
    }
    poll_all(&mut tasks.0);
    let kept = kept.lock().unwrap();
    assert!(kept[0].will_wake(&kept[1]));
}
