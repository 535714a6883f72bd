//! Two producers and two consumers share a buffer with room for one.

use std::thread;

use bounded_buffer::{BoundedBuffer, Wakes};

fn produce_and_consume(wakes: Wakes) {
    let buffer = BoundedBuffer::new(1, wakes);
    let taken = thread::scope(|scope| {
        scope.spawn(|| buffer.put(1));
        let consumers = [scope.spawn(|| buffer.take()), scope.spawn(|| buffer.take())];
        buffer.put(2);
        consumers.map(|consumer| consumer.join().expect("a consumer finishes"))
    });
    assert_eq!(taken.iter().sum::<i32>(), 3);
}

/// Deadlocks under some schedules: both consumers wait, a producer fills the buffer, the other
/// waits for room, and the consumer that makes room wakes the other consumer.
#[test]
fn all_is_consumed_when_one_waiter_is_woken() {
    produce_and_consume(Wakes::One);
}

#[test]
fn all_is_consumed_when_all_waiters_are_woken() {
    produce_and_consume(Wakes::All);
}
