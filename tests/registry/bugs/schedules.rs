//! A task is run to its end by another thread as soon as it is in its queue, while it is still being put
//! there.
//!
//! With the task goes the function that schedules it, which still runs.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread;

use async_task::Task;

#[test]
fn test() {
    let (sender, receiver) = mpsc::channel::<Task<()>>();
    let scheduled = Arc::new(AtomicUsize::new(0));
    let count = scheduled.clone();
    let schedule = move |task| {
        sender.send(task).unwrap();
        count.fetch_add(1, Relaxed);
    };
    let (task, handle) = async_task::spawn(async {}, schedule, ());
    drop(handle);
    let runs = thread::spawn(move || receiver.recv().unwrap().run());
    task.schedule();
    runs.join().unwrap();
    assert_eq!(scheduled.load(Relaxed), 1);
}
