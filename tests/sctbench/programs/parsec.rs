//! PARSEC's streamcluster, three times: each leaves out one barrier.
//!
//! Kernels on a few points of a line: the shared state and the barriers of the phase in question, without
//! the clustering around it.

use std::array;
use std::sync::Arc;

use cct_shims::std::sync::{Barrier, Condvar, Mutex};

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, start};
use crate::heap::Pointer;
use crate::program::{Program, require};
use crate::racy::RacyCell;

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy("Parsec", "streamcluster", || open::<4>(true, false)),
    Program::buggy("Parsec", "streamcluster2", || open::<6>(false, true)),
    Program::buggy("Parsec", "streamcluster3", || estimate(Buggy)),
    Program::clean("Parsec", "streamcluster_ok", || open::<4>(true, true)),
    Program::clean("Parsec", "streamcluster2_ok", || open::<6>(true, true)),
    Program::clean("Parsec", "streamcluster3_ok", || estimate(Fixed)),
];

/// Points of each thread.
const BLOCK: usize = 2;

/// Where a point lies.
fn place(point: usize) -> usize {
    point * 5 % 17
}

/// Centres are opened: the first thread, the master, decides for one point after another whether it
/// becomes a centre, and all threads then see whether it is nearer to their own points.
///
/// `after_costs`: a barrier between the first costs, by every thread for its own points, and the master's
/// decisions, which look at the costs of all. `after_centre`: the second of the two barriers at the end of
/// a round in the threads that are told; the master has both, and between them says that nothing is open
/// any more. Without it, who comes around before the master has said so computes the same centre again
/// and meets the master's second barrier, and who comes later waits for a centre that the master cannot
/// open. Racy: whether a centre is open, which one, and the costs.
fn open<const THREADS: usize>(after_costs: bool, after_centre: bool) {
    struct Clustering {
        barrier: Barrier,
        after_costs: bool,
        after_centre: bool,
        lock: Mutex<()>,
        opened: Condvar,
        is_open: RacyCell<bool>,
        centre: RacyCell<usize>,
        costs: Vec<RacyCell<usize>>,
    }
    impl Clustering {
        fn work(&self, thread: usize) {
            self.assign(thread, 0, |_, distance| distance);
            if self.after_costs {
                self.barrier.wait();
            }
            if thread == 0 {
                self.lead();
            } else {
                self.follow(thread);
            }
            self.barrier.wait();
        }

        fn lead(&self) {
            for point in 1..self.costs.len() {
                self.centre.set(point);
                if is_worth_it(self.costs[point].get()) {
                    self.announce();
                    self.assign(0, point, usize::min);
                    self.barrier.wait();
                    self.is_open.set(false);
                    self.barrier.wait();
                }
            }
            self.centre.set(self.costs.len());
            self.announce();
        }

        fn announce(&self) {
            let guard = self.lock.lock().unwrap();
            self.is_open.set(true);
            drop(guard);
            self.opened.notify_all();
        }

        fn follow(&self, thread: usize) {
            loop {
                let mut guard = self.lock.lock().unwrap();
                while !self.is_open.get() {
                    guard = self.opened.wait(guard).unwrap();
                }
                drop(guard);
                let centre = self.centre.get();
                if centre == self.costs.len() {
                    return;
                }
                self.assign(thread, centre, usize::min);
                self.barrier.wait();
                if self.after_centre {
                    self.barrier.wait();
                }
            }
        }

        /// New costs of the thread's own points.
        fn assign(&self, thread: usize, centre: usize, cost: fn(usize, usize) -> usize) {
            for point in thread * BLOCK..(thread + 1) * BLOCK {
                let distance = place(point).abs_diff(place(centre));
                self.costs[point].update(|old| cost(old, distance));
            }
        }
    }
    fn is_worth_it(cost: usize) -> bool {
        cost > 5
    }
    let clustering = Arc::new(Clustering {
        barrier: Barrier::new(THREADS),
        after_costs,
        after_centre,
        lock: Mutex::new(()),
        opened: Condvar::new(),
        is_open: RacyCell::new(false),
        centre: RacyCell::new(0),
        costs: (0..THREADS * BLOCK).map(|_| RacyCell::new(0)).collect(),
    });
    let threads: [_; THREADS] =
        array::from_fn(|thread| start(&clustering, move |clustering| clustering.work(thread)));
    join(threads);
    // The same by one thread.
    let mut costs: Vec<usize> = (0..THREADS * BLOCK).map(place).collect();
    for centre in 1..costs.len() {
        if is_worth_it(costs[centre]) {
            for (point, cost) in costs.iter_mut().enumerate() {
                *cost = (*cost).min(place(point).abs_diff(place(centre)));
            }
        }
    }
    let found: Vec<usize> = clustering.costs.iter().map(RacyCell::get).collect();
    require(found == costs);
}

/// The cost of an opening is estimated: each thread writes its share into an array and then adds up all
/// shares; the array is freed by the first thread when it has done so itself.
///
/// Racy: the array's life. Use after free, for want of a barrier after the sum.
fn estimate(flavour: Flavour) {
    const THREADS: usize = 4;
    type Shares = [RacyCell<usize>; THREADS];
    struct Estimate {
        barrier: Barrier,
        flavour: Flavour,
        shares: RacyCell<Pointer<Shares>>,
    }
    impl Estimate {
        fn work(&self, thread: usize) {
            if thread == 0 {
                let shares = array::from_fn(|_| RacyCell::ordered(0));
                self.shares.set(Pointer::allocate(shares));
            }
            self.barrier.wait();
            let points = thread * BLOCK..(thread + 1) * BLOCK;
            self.shares.get().get()[thread].set(points.map(place).sum());
            self.barrier.wait();
            let share = |thread: usize| self.shares.get().get()[thread].get();
            let total: usize = (0..THREADS).map(share).sum();
            let expected: usize = (0..THREADS * BLOCK).map(place).sum();
            require(total == expected);
            if self.flavour.is_fixed() {
                self.barrier.wait();
            }
            if thread == 0 {
                self.shares.get().free();
            }
        }
    }
    let estimate = Arc::new(Estimate {
        barrier: Barrier::new(THREADS),
        flavour,
        shares: RacyCell::ordered(Pointer::NULL),
    });
    let threads: [_; THREADS] =
        array::from_fn(|thread| start(&estimate, move |estimate| estimate.work(thread)));
    join(threads);
}
