//! The body waits for a message that nobody sends; a ticker that ticks on does not make that better.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[test]
fn nobody_sends() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_millis(1));
        }
    });
    let (_sender, receiver) = mpsc::channel::<()>();
    receiver.recv().unwrap();
}
