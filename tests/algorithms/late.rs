//! The bugs that need late stores are bugs: their kernels, by the axioms of C++20.

use super::programs::{Found, PROGRAMS};
use axioms::outcomes;

#[path = "../litmus/axioms.rs"]
mod axioms;

/// A program's kernel, in the notation of the litmus tests.
struct Kernel {
    name: &'static str,
    too_weak: &'static str,
    strong_enough: &'static str,
    /// The values that are read, and those that are left, where it goes wrong.
    wrong: &'static [u64],
}

const KERNELS: [Kernel; 5] = [
    // The pred's node is reset after the successor has linked its own to it.
    Kernel {
        name: "mcs::exchange_only_acquires",
        too_weak: "s0r2 f1a1;f1a1 s0l1",
        strong_enough: "s0r2 f1b1;f1b1 s0l1",
        wrong: &[0, 1, 2, 2],
    },
    // The successor begins to wait after the lock was handed on to it.
    Kernel {
        name: "mcs::node_is_linked_relaxed",
        too_weak: "f1b1 l2a s0l2;s0r1 f1b1 s2r1",
        strong_enough: "f1b1 l2a s0l2;s0r1 f1b1 s2l1",
        wrong: &[0, 1, 1, 1, 2, 1],
    },
    // Thread 0 is inside, and its turn is given after that of thread 1, which sees it.
    Kernel {
        name: "peterson::turn_is_given_by_release",
        too_weak: "s0s1 s2l1 l1s;s1s1 s2l2 l0s l2s",
        strong_enough: "s0s1 s2s1 l1s;s1s1 s2s2 l0s l2s",
        wrong: &[0, 1, 1, 1, 1, 1],
    },
    // The second writer's data comes half before the first one's.
    Kernel {
        name: "rwlock_relaxed::writer_begins_relaxed_and_only_stores",
        too_weak: "f2r1 s0r1 s1r1 f2l1;f2r1 s0r2 s1r2 f2l1",
        strong_enough: "f2a1 s0r1 s1r1 f2l1;f2a1 s0r2 s1r2 f2l1",
        wrong: &[0, 1, 2, 3, 1, 2, 4],
    },
    Kernel {
        name: "seqlock_writers::writer_begins_relaxed",
        too_weak: "f2r1 s0l1 s1l1 f2l1;f2r1 s0l2 s1l2 f2l1",
        strong_enough: "f2a1 s0l1 s1l1 f2l1;f2a1 s0l2 s1l2 f2l1",
        wrong: &[0, 1, 2, 3, 1, 2, 4],
    },
];

#[test]
fn bugs_that_need_late_stores_are_allowed_and_others_are_not() {
    let late = PROGRAMS.iter().filter(|(_, found)| *found == Found::Late);
    assert!(
        late.map(|(name, _)| *name)
            .eq(KERNELS.iter().map(|kernel| kernel.name))
    );
    for kernel in KERNELS {
        let Kernel { name, wrong, .. } = kernel;
        let weak = outcomes(kernel.too_weak);
        assert!(weak.allowed.contains(wrong), "{name}: {:?}", weak.allowed);
        assert!(!weak.in_order.contains(wrong), "{name}");
        assert!(
            !outcomes(kernel.strong_enough).allowed.contains(wrong),
            "{name}"
        );
    }
}
