//! Threads that may borrow, and the scope that waits for them.

use cct::engine::{self, PanicId};
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use cct::tsvd;
use real::fmt;
use real::marker::PhantomData;
use real::panic::{AssertUnwindSafe, Location};
use real::sync::OnceLock;
use real::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::packet::Packet;
use super::{Builder, JoinHandle, Result, Thread, current};
use crate::shared::Shared;
use crate::std::panic;

/// Runs `f`, which may spawn threads that borrow from its environment, and waits for all of them.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let data = Shared::new(ScopeData {
        running: AtomicUsize::new(0),
        panicked: AtomicBool::new(false),
        panic: OnceLock::new(),
        main: current(),
        ended: tsvd::is_on().then(tsvd::Ended::default),
    });
    let scope = Scope {
        data,
        env: PhantomData,
        own: PhantomData,
    };
    let result = panic::catch_unwind(AssertUnwindSafe(|| f(&scope)));
    scope.data.wait();
    match result {
        Err(payload) => panic::resume_unwind(payload),
        Ok(_) if scope.data.panicked.load(Ordering::Relaxed) => {
            engine::told_of(scope.data.panic.get().copied(), None);
            panic!("a scoped thread panicked")
        }
        Ok(result) => result,
    }
}

/// A scope to spawn threads in.
pub struct Scope<'scope, 'env: 'scope> {
    data: Shared<ScopeData>,
    // Both invariant: a thread must not outlive the scope, nor borrow for less than the whole of
    // it.
    own: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope> Scope<'scope, '_> {
    /// Spawns a thread that ends before the scope does.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new()
            .spawn_scoped(self, f)
            .expect("failed to spawn thread")
    }

    pub(super) fn data(&self) -> Shared<ScopeData> {
        self.data.clone()
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if engine::is_controlled() {
            engine::check_ended(self.data.object(), Location::caller()).done();
        }
        f.debug_struct("Scope")
            .field(
                "num_running_threads",
                &self.data.running.load(Ordering::Relaxed),
            )
            .field(
                "a_thread_panicked",
                &self.data.panicked.load(Ordering::Relaxed),
            )
            .field("main_thread", &self.data.main)
            .finish_non_exhaustive()
    }
}

/// The state that a scope shares with its threads.
pub(super) struct ScopeData {
    /// The packets that are still alive.
    running: AtomicUsize,
    /// Whether a panic was dropped that nobody had joined.
    panicked: AtomicBool,
    /// The first such panic, if it was a worker's.
    panic: OnceLock<PanicId>,
    main: Thread,
    /// All that its threads have done, where nobody controls them and somebody wants to know.
    ended: Option<tsvd::Ended>,
}

impl ScopeData {
    pub(super) fn enter(&self) {
        engine::touch(self.object(), Access::Adds);
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn leave(&self, unhandled_panic: bool, panic: Option<PanicId>) {
        if unhandled_panic {
            if let Some(panic) = panic {
                // Of several the first one counts.
                let _ = self.panic.set(panic);
            }
            self.panicked.store(true, Ordering::Relaxed);
        }
        engine::touch(self.object(), Access::Adds);
        engine::release(self.object());
        if let Some(ended) = &self.ended {
            ended.set();
        }
        if self.running.fetch_sub(1, Ordering::Release) == 1 {
            self.wake();
        }
    }

    /// Returns when every thread has left.
    #[track_caller]
    fn wait(&self) {
        if !engine::is_controlled() {
            while self.is_running() {
                real::thread::park();
            }
            if let Some(ended) = &self.ended {
                ended.join();
            }
            return;
        }
        if !self.is_running() {
            engine::point(Operation::ScopeEnd, self.object()).done();
        }
        while self.is_running() {
            engine::wait(Operation::ScopeEnd, self.object(), engine::NEVER, None);
            engine::keep_token();
        }
        engine::acquire(self.object());
    }

    fn wake(&self) {
        match self.main.as_native() {
            Some(main) => main.unpark(),
            None => engine::wake_all(self.object()),
        }
    }

    fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

/// An owned permission to join a scoped thread.
pub struct ScopedJoinHandle<'scope, T> {
    handle: JoinHandle<T>,
    // Shared between threads only if the result may move between them, unlike a `JoinHandle`.
    result: PhantomData<(&'scope (), Shared<Packet<T>>)>,
}

impl<T> ScopedJoinHandle<'_, T> {
    pub(super) fn new(handle: JoinHandle<T>) -> Self {
        ScopedJoinHandle {
            handle,
            result: PhantomData,
        }
    }

    /// Returns the thread's handle.
    pub fn thread(&self) -> &Thread {
        self.handle.thread()
    }

    /// Waits for the thread to end and returns its result, or what it panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        self.handle.join()
    }

    /// True once the thread's closure has come to its end.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.handle.is_finished()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
