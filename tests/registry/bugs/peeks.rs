//! The consumer looks at the queue's first element while the producer puts it there.
//!
//! The index that says that it is there is read by a relaxed load: nothing orders the write before the read.

use std::thread;

use heapless::spsc::Queue;

#[test]
fn test() {
    let mut queue = Queue::<u32, 4>::new();
    let (mut producer, consumer) = queue.split();
    thread::scope(|scope| {
        scope.spawn(move || producer.enqueue(7).unwrap());
        if let Some(first) = consumer.peek() {
            assert_eq!(*first, 7);
        }
    });
}
