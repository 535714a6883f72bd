//! Bounded channels in a circle: both send two messages before they listen, with room for one.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

fn talk_then_listen(sender: &SyncSender<u32>, receiver: &Receiver<u32>) {
    (0..2).for_each(|number| sender.send(number).unwrap());
    (0..2).for_each(|number| assert_eq!(receiver.recv(), Ok(number)));
}

#[test]
fn both_are_full() {
    let (to_other, others) = sync_channel(1);
    let (to_us, ours) = sync_channel(1);
    let other = thread::spawn(move || talk_then_listen(&to_us, &others));
    talk_then_listen(&to_other, &ours);
    other.join().unwrap();
}
