//! The fixture `races`' program without cargo-cct, for rustc's `-Zsanitizer=thread`: PROGRAM, ROUNDS times.
//!
//! Threads and locks are those of POSIX, which the sanitizer knows: std's compiled code is not built with it.

#[path = "../letters.rs"]
mod letters;

use std::cell::UnsafeCell;
use std::env;
use std::ffi::{c_int, c_void};
use std::hint;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use letters::order;

unsafe extern "C" {
    fn pthread_create(
        thread: *mut usize,
        attributes: *const c_void,
        run: extern "C" fn(*mut c_void) -> *mut c_void,
        argument: *mut c_void,
    ) -> c_int;
    fn pthread_join(thread: usize, result: *mut *mut c_void) -> c_int;
    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int;
}

struct Cell<T>(UnsafeCell<T>);

// SAFETY: none, and the question is what comes of that.
unsafe impl<T> Sync for Cell<T> {}

static NUMBERS: [Cell<u64>; 2] = [const { Cell(UnsafeCell::new(0)) }; 2];
static ATOMICS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// A `pthread_mutex_t`: all zeros is `PTHREAD_MUTEX_INITIALIZER`.
static LOCK: Cell<[u64; 8]> = Cell(UnsafeCell::new([0; 8]));

struct Thread {
    word: Vec<Vec<u8>>,
    /// How long to idle before each operation, as bits.
    pauses: u64,
}

extern "C" fn run(argument: *mut c_void) -> *mut c_void {
    // SAFETY: `main` keeps it until it has joined this thread.
    let thread = unsafe { &*argument.cast::<Thread>() };
    let mut is_held = false;
    for (at, operation) in thread.word.iter().enumerate() {
        let pause = (thread.pauses >> (at % 16 * 4)) & 15;
        (0..1_u64 << pause).for_each(|_| hint::spin_loop());
        let which = |at: usize| usize::from(operation[at] - b'0');
        // SAFETY: none, for the numbers and for an atomic's memory; the lock is one, and is taken when it is
        // released.
        unsafe {
            match operation[0] {
                b'R' => drop(hint::black_box(*NUMBERS[which(1)].0.get())),
                b'W' => *NUMBERS[which(1)].0.get() = 1,
                b'P' => *ATOMICS[which(1)].as_ptr() = 1,
                b'l' => drop(ATOMICS[which(1)].load(order(operation[2]))),
                b's' => ATOMICS[which(1)].store(1, order(operation[2])),
                b'f' => drop(ATOMICS[which(1)].fetch_add(1, order(operation[2]))),
                b'?' if ATOMICS[which(1)].load(order(operation[2])) == 0 => break,
                b'?' => {}
                b'F' => fence(order(operation[1])),
                b'm' => is_held = pthread_mutex_lock(LOCK.0.get().cast()) == 0,
                b'u' => is_held = pthread_mutex_unlock(LOCK.0.get().cast()) != 0,
                other => panic!("`{}` is no operation", char::from(other)),
            }
        }
    }
    if is_held {
        // SAFETY: this thread has it.
        unsafe { pthread_mutex_unlock(LOCK.0.get().cast()) };
    }
    ptr::null_mut()
}

fn main() {
    let program = env::var("PROGRAM").unwrap();
    let rounds: u64 = env::var("ROUNDS").unwrap().parse().unwrap();
    for round in 0..rounds {
        let mut threads: Vec<(usize, Box<Thread>)> = Vec::new();
        for (number, word) in program.split(';').enumerate() {
            let word = word.split(' ').map(|it| it.as_bytes().to_vec()).collect();
            let mixed = (round * 8 + number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            // In the first round nobody idles.
            let pauses = if round == 0 { 0 } else { mixed ^ (mixed >> 29) };
            let mut thread = Box::new(Thread { word, pauses });
            let mut id = 0;
            // SAFETY: `run` takes a `Thread`, and it lives until it is joined.
            let error = unsafe {
                pthread_create(&mut id, ptr::null(), run, (&raw mut *thread).cast())
            };
            assert_eq!(error, 0, "no thread");
            threads.push((id, thread));
        }
        for (id, _) in &threads {
            // SAFETY: each is joined once.
            assert_eq!(unsafe { pthread_join(*id, ptr::null_mut()) }, 0);
        }
        for at in 0..2 {
            // SAFETY: no other thread is left.
            unsafe { *NUMBERS[at].0.get() = 0 };
            ATOMICS[at].store(0, Ordering::Relaxed);
        }
    }
}
