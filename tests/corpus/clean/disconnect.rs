//! A channel whose senders take a disconnected receiver for an answer.

use std::sync::mpsc::channel;
use std::thread;

#[test]
fn the_first_answer_is_enough() {
    let (sender, receiver) = channel();
    let askers: Vec<_> = (0..2)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(number).is_ok())
        })
        .collect();
    let first = receiver.recv().unwrap();
    drop(receiver);
    assert!(first < 2);
    let sent = askers
        .into_iter()
        .filter_map(|asker| asker.join().ok())
        .filter(|sent| *sent);
    assert!(sent.count() >= 1);
}
