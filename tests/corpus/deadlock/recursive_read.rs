//! Recursive read: a second read lock queues behind a writer, who waits for the first.

use std::sync::RwLock;
use std::thread;

fn total(prices: &RwLock<Vec<u32>>) -> u32 {
    let guard = prices.read().unwrap();
    (0..guard.len()).map(|index| price(prices, index)).sum()
}

fn price(prices: &RwLock<Vec<u32>>, index: usize) -> u32 {
    prices.read().unwrap()[index]
}

#[test]
fn behind_a_writer() {
    let prices = RwLock::new(vec![1, 2]);
    thread::scope(|scope| {
        scope.spawn(|| prices.write().unwrap().push(3));
        assert!(total(&prices) >= 3);
    });
}
