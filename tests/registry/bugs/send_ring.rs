//! A counted pointer goes through a queue to another thread, and its copy stays here.
//!
//! The queue's ends may be sent whatever goes through it: both threads change the count, which is not atomic.

use std::rc::Rc;
use std::thread;

use magnetic::buffer::dynamic::DynamicBuffer;
use magnetic::spsc::spsc_queue;
use magnetic::{Consumer, Producer};

#[test]
fn test() {
    let (producer, consumer) = spsc_queue(DynamicBuffer::new(4).unwrap());
    let stays = Rc::new(7);
    producer.push(stays.clone()).unwrap();
    let thread = thread::spawn(move || drop(consumer.pop()));
    drop(stays);
    thread.join().unwrap();
}
