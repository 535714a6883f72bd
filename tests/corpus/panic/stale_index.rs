//! A length is read, the list shrinks, and the index is out of bounds.

use std::sync::RwLock;
use std::thread;

#[test]
fn after_a_shrink() {
    let names = RwLock::new(vec!["ann", "bob"]);
    thread::scope(|scope| {
        scope.spawn(|| names.write().unwrap().pop());
        let last = names.read().unwrap().len() - 1;
        let name = names.read().unwrap()[last];
        assert!(["ann", "bob"].contains(&name));
    });
}
