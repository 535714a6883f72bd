//! A receiver is closed while the sender sends, and then takes what may have been sent.
//!
//! The sender takes its value back while the receiver takes it.

use std::thread;

use tokio::sync::oneshot;

#[test]
fn test() {
    let (sender, mut receiver) = oneshot::channel::<Box<u32>>();
    let sends = thread::spawn(move || drop(sender.send(Box::new(7))));
    receiver.close();
    if let Ok(value) = receiver.try_recv() {
        assert_eq!(*value, 7);
    }
    sends.join().unwrap();
}
