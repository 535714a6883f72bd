//! Spawning.

use cct::engine;
use real::boxed::Box;
use real::io;
use real::mem;
use real::panic::AssertUnwindSafe;

use super::Thread;
use super::handle::Worker;
use super::join::{Flow, JoinHandle};
use super::packet::Packet;
use super::scoped::{Scope, ScopeData, ScopedJoinHandle};
use crate::shared::Shared;
use crate::std::panic;

/// Spawns a thread.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

/// Sets the properties of a thread before it is spawned.
#[derive(Debug)]
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// Starts with a thread without name, with a stack of the default size.
    #[expect(clippy::new_without_default, reason = "std's has no `Default`")]
    pub fn new() -> Builder {
        Builder {
            name: None,
            stack_size: None,
        }
    }

    /// Names the thread.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Sets the least size of the thread's stack, in bytes.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// Spawns the thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: nothing is borrowed.
        unsafe { self.spawn_in(None, f) }
    }

    /// Spawns the thread without asking how long what it borrows lives.
    ///
    /// # Safety
    ///
    /// The thread must have been joined before anything ends that `f` or its result borrows.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        // SAFETY: the caller promises it.
        unsafe { self.spawn_in(None, f) }
    }

    /// Spawns the thread into a scope, which waits for it.
    #[track_caller]
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        // SAFETY: the scope does not end before the thread has dropped closure and result.
        let handle = unsafe { self.spawn_in(Some(scope.data()), f) };
        handle.map(ScopedJoinHandle::new)
    }

    /// # Safety
    ///
    /// As for `spawn_unchecked`.
    #[track_caller]
    unsafe fn spawn_in<F, T>(
        self,
        scope: Option<Shared<ScopeData>>,
        f: F,
    ) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        let packet = Shared::new(Packet::new(scope));
        let filled = packet.clone();
        let body = move || {
            let result = panic::catch_unwind(AssertUnwindSafe(f));
            if result.is_err() && !filled.is_scoped() && engine::is_controlled() {
                engine::worker_panicked();
            }
            // SAFETY: this is the thread whose packet it is.
            unsafe { filled.fill(result) };
            // Here, not after the closure: its end may be the end of the scope.
            drop(filled);
            if engine::is_controlled() {
                engine::note_over();
            }
        };
        // SAFETY: the caller promises it.
        let (flow, thread) = unsafe {
            if engine::is_controlled() {
                self.start_worker(Box::new(body))?
            } else {
                self.start_native(body)?
            }
        };
        Ok(JoinHandle::new(flow, thread, packet))
    }

    /// # Safety
    ///
    /// As for `spawn_unchecked`.
    #[track_caller]
    unsafe fn start_worker(self, body: Box<dyn FnOnce() + '_>) -> io::Result<(Flow, Thread)> {
        let name: Option<Box<str>> = self.name.as_deref().map(Box::from);
        let is_valid = name.as_deref().is_none_or(|name| !name.contains('\0'));
        assert!(is_valid, "thread name may not contain interior null bytes");
        // SAFETY: the caller sees to it that what is borrowed outlives the worker.
        let body = unsafe { mem::transmute::<Box<dyn FnOnce() + '_>, Box<dyn FnOnce()>>(body) };
        let worker = engine::spawn(self.name.as_deref(), self.stack_size, body);
        let worker = worker.ok_or_else(|| io::Error::from_raw_os_error(libc::EAGAIN))?;
        let worker = Worker::now(worker);
        Ok((Flow::Worker(worker), Thread::of_worker(worker, name)))
    }

    /// # Safety
    ///
    /// As for `spawn_unchecked`.
    unsafe fn start_native(self, body: impl FnOnce() + Send) -> io::Result<(Flow, Thread)> {
        let mut builder = real::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        // SAFETY: the caller promises it.
        let native = unsafe { builder.spawn_unchecked(body) }?;
        let thread = Thread::of_native(native.thread().clone());
        Ok((Flow::Native(native), thread))
    }
}
