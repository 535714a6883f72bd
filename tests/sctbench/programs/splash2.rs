//! SPLASH-2: three parallel computations whose main thread does not wait for the others.
//!
//! The suite's macro that waits for the end was left out, so main, which does its own share of the work,
//! finds in `finished` that not all have. Kernels: a small computation of each kind, by two threads, with
//! the barriers and locks of the original. Racy: `finished`.

use std::array;
use std::sync::Arc;

use cct_shims::std::sync::{Barrier, Mutex};

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, start};
use crate::program::{Program, require};
use crate::racy::RacyCell;

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy("Splash2", "barnes", || compute(Bodies::new(), Buggy)),
    Program::buggy("Splash2", "fft", || compute(Transform::new(), Buggy)),
    Program::buggy("Splash2", "lu", || compute(Matrix::new(), Buggy)),
    Program::clean("Splash2", "barnes_ok", || compute(Bodies::new(), Fixed)),
    Program::clean("Splash2", "fft_ok", || compute(Transform::new(), Fixed)),
    Program::clean("Splash2", "lu_ok", || compute(Matrix::new(), Fixed)),
];

const THREADS: usize = 2;

/// A computation that threads share.
trait Computation: Send + Sync + 'static {
    /// The share of one thread.
    fn work(&self, thread: usize, barrier: &Barrier);

    /// True if what came out of it is right.
    fn is_right(&self) -> bool;
}

/// Starts the second thread, does the first one's work, and then asks whether all have finished.
fn compute(computation: impl Computation, flavour: Flavour) {
    struct Global<C> {
        computation: C,
        barrier: Barrier,
        lock: Mutex<usize>,
        finished: RacyCell<usize>,
        finish: Mutex<()>,
        flavour: Flavour,
    }
    fn work<C: Computation>(global: &Global<C>) {
        let thread = {
            let mut next = global.lock.lock().unwrap();
            *next += 1;
            *next - 1
        };
        global.barrier.wait();
        global.computation.work(thread, &global.barrier);
        let _guard = global.flavour.lock_if_fixed(&global.finish);
        global.finished.update(|finished| finished + 1);
    }
    let global = Arc::new(Global {
        computation,
        barrier: Barrier::new(THREADS),
        lock: Mutex::new(0),
        finished: RacyCell::new(0),
        finish: Mutex::new(()),
        flavour,
    });
    let other = start(&global, work);
    work(&global);
    if flavour.is_fixed() {
        join([other]);
    }
    require(global.finished.get() == THREADS);
    require(global.computation.is_right());
}

/// Arithmetic modulo a prime, so that results are exact.
const PRIME: u64 = 17;

fn power(base: u64, exponent: u64) -> u64 {
    (0..exponent).fold(1, |product, _| product * base % PRIME)
}

/// LU: a matrix is decomposed in place, rows in turn belonging to the threads, with a barrier after each
/// pivot.
struct Matrix([[RacyCell<u64>; Matrix::SIZE]; Matrix::SIZE]);

impl Matrix {
    const SIZE: usize = 4;

    fn new() -> Matrix {
        let element = |row, column| RacyCell::ordered(Matrix::original(row, column));
        Matrix(array::from_fn(|row| {
            array::from_fn(|column| element(row, column))
        }))
    }

    /// No pivot becomes zero.
    fn original(row: usize, column: usize) -> u64 {
        (row.min(column) + 1) as u64
    }
}

impl Computation for Matrix {
    fn work(&self, thread: usize, barrier: &Barrier) {
        for pivot in 0..Matrix::SIZE {
            let inverse = power(self.0[pivot][pivot].get(), PRIME - 2);
            for row in (pivot + 1..Matrix::SIZE).filter(|row| row % THREADS == thread) {
                let factor = self.0[row][pivot].update(|element| element * inverse % PRIME);
                for column in pivot + 1..Matrix::SIZE {
                    let above = self.0[pivot][column].get();
                    self.0[row][column]
                        .update(|element| (element + (PRIME - factor) * above) % PRIME);
                }
            }
            barrier.wait();
        }
    }

    fn is_right(&self) -> bool {
        let lower = |row: usize, column: usize| {
            if row == column {
                1
            } else {
                self.0[row][column].get()
            }
        };
        let product = |row: usize, column: usize| {
            let terms = (0..=row.min(column)).map(|k| lower(row, k) * self.0[k][column].get());
            terms.sum::<u64>() % PRIME
        };
        let all =
            (0..Matrix::SIZE).flat_map(|row| (0..Matrix::SIZE).map(move |column| (row, column)));
        all.into_iter()
            .all(|(row, column)| product(row, column) == Matrix::original(row, column))
    }
}

/// FFT: a transform and its inverse over the integers modulo 17, with a barrier after each stage of
/// butterflies.
struct Transform([RacyCell<u64>; Transform::SIZE]);

impl Transform {
    const SIZE: usize = 8;
    /// A primitive eighth root of one, and its inverse.
    const ROOT: u64 = 2;
    const INVERSE_ROOT: u64 = 9;

    fn new() -> Transform {
        Transform(array::from_fn(|index| RacyCell::ordered(index as u64)))
    }

    /// Frequencies from values in natural order, to bit-reversed order: halves are split.
    fn split(&self, thread: usize, barrier: &Barrier) {
        let mut half = Transform::SIZE / 2;
        while half > 0 {
            self.stage(thread, half, |low, high, turn| {
                let difference = low + PRIME - high;
                (
                    (low + high) % PRIME,
                    difference * power(Transform::ROOT, turn) % PRIME,
                )
            });
            barrier.wait();
            half /= 2;
        }
    }

    /// Values from frequencies in bit-reversed order: halves are joined.
    fn join(&self, thread: usize, barrier: &Barrier) {
        let mut half = 1;
        while half < Transform::SIZE {
            self.stage(thread, half, |low, high, turn| {
                let turned = high * power(Transform::INVERSE_ROOT, turn) % PRIME;
                ((low + turned) % PRIME, (low + PRIME - turned) % PRIME)
            });
            barrier.wait();
            half *= 2;
        }
    }

    /// The thread's butterflies of one stage: pairs at the distance `half`, and how far the root is turned.
    fn stage(&self, thread: usize, half: usize, butterfly: impl Fn(u64, u64, u64) -> (u64, u64)) {
        let lows = (0..Transform::SIZE).filter(|index| index & half == 0);
        for low in lows.skip(thread).step_by(THREADS) {
            let turn = (low % half) * (Transform::SIZE / 2 / half);
            let pair = [&self.0[low], &self.0[low + half]];
            let (first, second) = butterfly(pair[0].get(), pair[1].get(), turn as u64);
            pair[0].set(first);
            pair[1].set(second);
        }
    }
}

impl Computation for Transform {
    fn work(&self, thread: usize, barrier: &Barrier) {
        self.split(thread, barrier);
        self.join(thread, barrier);
    }

    fn is_right(&self) -> bool {
        let is_multiple = |(index, value): (usize, &RacyCell<u64>)| {
            value.get() == (index * Transform::SIZE) as u64 % PRIME
        };
        self.0.iter().enumerate().all(is_multiple)
    }
}

/// Barnes: bodies on a line are put into a tree, cell by cell under the cells' locks; then each is moved
/// by what the tree says of the others.
struct Bodies {
    places: [RacyCell<usize>; Bodies::COUNT],
    /// How many bodies are in a cell; cell `c` has the halves `2c` and `2c + 1`.
    tree: [Mutex<usize>; 2 * Bodies::LINE],
}

impl Bodies {
    const COUNT: usize = 4;
    const LINE: usize = 8;
    const STEPS: usize = 2;

    fn new() -> Bodies {
        Bodies {
            places: array::from_fn(|body| RacyCell::ordered(body * 3 % Bodies::LINE)),
            tree: array::from_fn(|_| Mutex::new(0)),
        }
    }

    fn insert(&self, body: usize) {
        let mut cell = Bodies::LINE + self.places[body].get();
        while cell > 0 {
            *self.tree[cell].lock().unwrap() += 1;
            cell /= 2;
        }
    }

    /// One step to the side where more of the others are.
    fn moved(&self, body: usize) -> usize {
        let place = self.places[body].get();
        let (mut left, mut right) = (0, 0);
        let mut cell = Bodies::LINE + place;
        while cell > 1 {
            let sibling = *self.tree[cell ^ 1].lock().unwrap();
            if cell.is_multiple_of(2) {
                right += sibling;
            } else {
                left += sibling;
            }
            cell /= 2;
        }
        match left.cmp(&right) {
            std::cmp::Ordering::Less => place + 1,
            std::cmp::Ordering::Equal => place,
            std::cmp::Ordering::Greater => place - 1,
        }
    }

    /// The bodies of a thread.
    fn of(thread: usize) -> impl Iterator<Item = usize> {
        (0..Bodies::COUNT).skip(thread).step_by(THREADS)
    }
}

impl Computation for Bodies {
    fn work(&self, thread: usize, barrier: &Barrier) {
        for _ in 0..Bodies::STEPS {
            Bodies::of(thread).for_each(|body| self.insert(body));
            barrier.wait();
            for body in Bodies::of(thread) {
                let moved = self.moved(body);
                self.places[body].set(moved);
            }
            barrier.wait();
            for cell in self.tree.iter().skip(thread).step_by(THREADS) {
                *cell.lock().unwrap() = 0;
            }
            barrier.wait();
        }
    }

    fn is_right(&self) -> bool {
        let mut places: [usize; Bodies::COUNT] = array::from_fn(|body| body * 3 % Bodies::LINE);
        for _ in 0..Bodies::STEPS {
            let before = places;
            for place in &mut places {
                let left = before.iter().filter(|other| *other < place).count();
                let right = before.iter().filter(|other| *other > place).count();
                *place = if left < right {
                    *place + 1
                } else {
                    *place - usize::from(left > right)
                };
            }
        }
        places
            .iter()
            .zip(&self.places)
            .all(|(place, found)| *place == found.get())
    }
}
