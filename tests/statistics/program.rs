//! Small programs as data, which can be run under the engine as well as enumerated by the model.

use std::sync::Arc;

use cct_shims::std::sync::atomic::{AtomicU32, Ordering};
use cct_shims::std::sync::{Condvar, Mutex, MutexGuard, mpsc};
use cct_shims::std::thread::{self, JoinHandle};

/// The operations of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// Adds to an atomic.
    Touch,
    /// Creates the worker with this number; workers are created in the order of their numbers.
    Spawn(usize),
    /// Waits for the end of a worker that it created.
    Join(usize),
    /// Takes a mutex.
    Lock(usize),
    /// Releases it.
    Unlock(usize),
    /// Sets a flag; no scheduling point.
    Set(usize),
    /// Waits for a notification of the condition variable until the flag of that number is set; holds the
    /// mutex of that number.
    Await(usize),
    /// Wakes one of those that wait for the condition variable.
    NotifyOne(usize),
    /// Wakes all of them.
    NotifyAll(usize),
    /// Sends to a channel.
    Send(usize),
    /// Receives from it; only one worker does.
    Recv(usize),
    /// Chooses a value below this number.
    Choose(usize),
}

/// The operations of each worker; worker 0 is the test's body.
pub(crate) type Program = Vec<Vec<Op>>;

/// How many objects of each kind there are.
pub(crate) const OBJECTS: usize = 2;

struct Shared {
    program: Program,
    atomic: AtomicU32,
    mutexes: [Mutex<()>; OBJECTS],
    condvars: [Condvar; OBJECTS],
    flags: [std::sync::atomic::AtomicBool; OBJECTS],
    senders: [mpsc::Sender<()>; OBJECTS],
    /// Native locks, since the engine must not see them; each is locked by one worker only.
    receivers: [std::sync::Mutex<mpsc::Receiver<()>>; OBJECTS],
}

/// Runs the program on controlled workers.
pub(crate) fn run(program: &Program) {
    let [(sender0, receiver0), (sender1, receiver1)] = [mpsc::channel(), mpsc::channel()];
    run_worker(
        &Arc::new(Shared {
            program: program.clone(),
            atomic: AtomicU32::default(),
            mutexes: Default::default(),
            condvars: Default::default(),
            flags: Default::default(),
            senders: [sender0, sender1],
            receivers: [receiver0, receiver1].map(std::sync::Mutex::new),
        }),
        0,
    );
}

fn run_worker(shared: &Arc<Shared>, worker: usize) {
    let mut guards: [Option<MutexGuard<'_, ()>>; OBJECTS] = Default::default();
    let mut handles: Vec<(usize, JoinHandle<()>)> = Vec::new();
    for &op in &shared.program[worker] {
        match op {
            Op::Touch => {
                shared.atomic.fetch_add(1, Ordering::SeqCst);
            }
            Op::Spawn(child) => {
                let shared = Arc::clone(shared);
                handles.push((child, thread::spawn(move || run_worker(&shared, child))));
            }
            Op::Join(child) => {
                let place = handles.iter().position(|(worker, _)| *worker == child);
                let (_, handle) = handles.swap_remove(place.expect("its own child"));
                handle.join().expect("nobody panics");
            }
            Op::Lock(index) => {
                guards[index] = Some(shared.mutexes[index].lock().expect("nobody panics"));
            }
            Op::Unlock(index) => guards[index] = None,
            Op::Set(index) => shared.flags[index].store(true, Ordering::SeqCst),
            Op::Await(index) => {
                while !shared.flags[index].load(Ordering::SeqCst) {
                    let guard = guards[index].take().expect("held");
                    let guard = shared.condvars[index].wait(guard);
                    guards[index] = Some(guard.expect("nobody panics"));
                }
            }
            Op::NotifyOne(index) => shared.condvars[index].notify_one(),
            Op::NotifyAll(index) => shared.condvars[index].notify_all(),
            Op::Send(index) => shared.senders[index].send(()).expect("a receiver"),
            Op::Recv(index) => {
                let receiver = shared.receivers[index].lock().expect("nobody panics");
                receiver.recv().expect("a sender");
            }
            Op::Choose(count) => {
                cct::engine::choose_index(count);
            }
        }
    }
    // The end of a channel would be a scheduling point.
    std::mem::forget(Arc::clone(shared));
}
