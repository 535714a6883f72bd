//! Order of drop: a guard lives on in `match`, across the join of a worker that needs the lock.

use std::sync::{Arc, Mutex};
use std::thread;

#[test]
fn in_a_match() {
    let jobs = Arc::new(Mutex::new(vec![1]));
    let others = Arc::clone(&jobs);
    let worker = thread::spawn(move || others.lock().unwrap().pop());
    match jobs.lock().unwrap().pop() {
        Some(_) => drop(worker.join().unwrap()),
        None => (),
    };
}
