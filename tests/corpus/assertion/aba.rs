//! ABA on a Treiber stack with indices: the head is the same again, but what is below it is not.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

const END: usize = usize::MAX;

struct Stack {
    head: AtomicUsize,
    below: [AtomicUsize; 3],
}

impl Stack {
    /// Node 0 on top of node 1 on top of node 2.
    fn full() -> Self {
        let below = [1, 2, END].map(AtomicUsize::new);
        Stack {
            head: AtomicUsize::new(0),
            below,
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            if head == END {
                return None;
            }
            let next = self.below[head].load(SeqCst);
            if self
                .head
                .compare_exchange(head, next, SeqCst, SeqCst)
                .is_ok()
            {
                return Some(head);
            }
        }
    }

    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.below[node].store(head, SeqCst);
            if self
                .head
                .compare_exchange(head, node, SeqCst, SeqCst)
                .is_ok()
            {
                return;
            }
        }
    }
}

#[test]
fn a_node_with_two_owners() {
    let stack = Stack::full();
    let (mine, theirs) = thread::scope(|scope| {
        let other = scope.spawn(|| {
            let first = stack.pop();
            let second = stack.pop();
            first.into_iter().for_each(|node| stack.push(node));
            second
        });
        let mine = stack.pop();
        (mine, other.join().unwrap())
    });
    let rest = std::iter::from_fn(|| stack.pop()).take(4);
    let mut owned: Vec<_> = rest.chain(mine).chain(theirs).collect();
    owned.sort_unstable();
    assert_eq!(owned, [0, 1, 2]);
}
