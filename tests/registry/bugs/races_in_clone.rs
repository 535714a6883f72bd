//! Two receivers clone one value, of a type whose clones must not be made at the same time.
//!
//! The lock that they hold meanwhile is shared.

use std::cell::Cell;
use std::thread;

use tokio::sync::broadcast;

struct Counted(Cell<u32>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.set(self.0.get() + 1);
        Counted(self.0.clone())
    }
}

#[test]
fn test() {
    let (sender, first) = broadcast::channel(1);
    let second = sender.subscribe();
    assert!(sender.send(Counted(Cell::new(0))).is_ok());
    let threads =
        [first, second].map(|mut receiver| thread::spawn(move || drop(receiver.try_recv())));
    for thread in threads {
        thread.join().unwrap();
    }
}
