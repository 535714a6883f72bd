//! A Treiber stack with indices whose head has a tag, so that no head ever comes back.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread;

const END: u32 = u32::MAX;

struct Stack {
    /// The tag in the upper half, the node in the lower.
    head: AtomicU64,
    below: [AtomicU32; 3],
}

fn node(head: u64) -> u32 {
    head as u32
}

fn successor(head: u64, node: u32) -> u64 {
    ((head >> 32) + 1) << 32 | u64::from(node)
}

impl Stack {
    fn pop(&self) -> Option<u32> {
        loop {
            let head = self.head.load(SeqCst);
            if node(head) == END {
                return None;
            }
            let next = successor(head, self.below[node(head) as usize].load(SeqCst));
            if self
                .head
                .compare_exchange(head, next, SeqCst, SeqCst)
                .is_ok()
            {
                return Some(node(head));
            }
        }
    }

    fn push(&self, new: u32) {
        loop {
            let head = self.head.load(SeqCst);
            self.below[new as usize].store(node(head), SeqCst);
            let next = successor(head, new);
            if self
                .head
                .compare_exchange(head, next, SeqCst, SeqCst)
                .is_ok()
            {
                return;
            }
        }
    }
}

#[test]
fn each_node_has_one_owner() {
    let stack = Stack {
        head: AtomicU64::new(0),
        below: [1, 2, END].map(AtomicU32::new),
    };
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
