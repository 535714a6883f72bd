//! A value is given up by one thread while another collects what was given up.
//!
//! The link to its node is stored relaxed: nothing orders what is written to the node before its collection.

use std::thread;

use basedrop::{Collector, Owned};

#[test]
fn test() {
    let mut collector = Collector::new();
    let value = Owned::new(&collector.handle(), Box::new(7));
    let thread = thread::spawn(move || drop(value));
    collector.collect();
    thread.join().unwrap();
    collector.collect();
    assert_eq!(collector.alloc_count(), 0);
}
