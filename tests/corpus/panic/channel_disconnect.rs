//! Channel disconnect race: the receiver goes with the first answer, the slower sender unwraps.

use std::sync::mpsc::channel;
use std::thread;

#[test]
fn the_slower_answer() {
    let (sender, receiver) = channel();
    let askers: Vec<_> = (0..2)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(number).unwrap())
        })
        .collect();
    assert!(receiver.recv().unwrap() < 2);
    drop(receiver);
    for asker in askers {
        asker.join().unwrap();
    }
}
