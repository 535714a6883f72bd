//! CB, bugs of applications: a download accelerator, a parallel compressor, and the JDK's string buffer.
//!
//! Kernels: the threads, their protocol and the bug, without networks and compression.

use std::array;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use cct_shims::std::sync::{Condvar, Mutex};
use cct_shims::std::thread;

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, run, start};
use crate::heap::Pointer;
use crate::program::{Program, require};
use crate::racy::RacyCell;

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy("CB", "aget-bug2", || download(Buggy)),
    Program::buggy("CB", "pbzip2-0.9.4", || compress(Buggy)),
    Program::buggy("CB", "stringbuffer-jdk1.4", || append(Buggy)),
    Program::clean("CB", "aget_ok", || download(Fixed)),
    Program::clean("CB", "pbzip2_ok", || compress(Fixed)),
    Program::clean("CB", "stringbuffer_ok", || append(Fixed)),
];

/// aget: on an interrupt, progress is saved while the downloads go on.
///
/// Two threads load halves of a file; a third saves. Each download adds to its own offset and then, under
/// a lock, to the total; who saves takes no lock, and finds offsets and total that do not agree. Racy: the
/// offsets and the total.
fn download(flavour: Flavour) {
    const CHUNK: u32 = 512;
    const CHUNKS: u32 = 3;
    struct Job {
        flavour: Flavour,
        lock: Mutex<()>,
        total: RacyCell<u32>,
        offsets: [RacyCell<u32>; 2],
    }
    fn load(job: &Job, part: usize) {
        for _ in 0..CHUNKS {
            let _early = job.flavour.lock_if_fixed(&job.lock);
            job.offsets[part].update(|offset| offset + CHUNK);
            let _late = job.flavour.is_buggy().then(|| job.lock.lock().unwrap());
            job.total.update(|total| total + CHUNK);
        }
    }
    fn save(job: &Job) {
        let _guard = job.flavour.lock_if_fixed(&job.lock);
        if job.total.get() == 2 * CHUNK * CHUNKS {
            return;
        }
        let loaded: u32 = job.offsets.iter().map(RacyCell::get).sum();
        require(loaded == job.total.get());
    }
    let job = Job {
        flavour,
        lock: Mutex::new(()),
        total: RacyCell::new(0),
        offsets: array::from_fn(|_| RacyCell::new(0)),
    };
    run(job, [save, |job| load(job, 0), |job| load(job, 1)]);
}

/// pbzip2: the queue is freed when the last block is written, not when those who read it are gone.
///
/// The main thread produces, two consumers compress, and a writer waits for the blocks in their order.
/// Main waits for the writer alone, then frees the queue, and a consumer that comes back for more uses it.
/// Racy: the flag that says that everything is produced, and which blocks are there to be written.
fn compress(flavour: Flavour) {
    const BLOCKS: usize = 2;
    const CAPACITY: usize = 2;
    struct Fifo {
        blocks: Mutex<VecDeque<usize>>,
        not_empty: Condvar,
        not_full: Condvar,
    }
    struct Archive {
        fifo: Pointer<Fifo>,
        all_done: RacyCell<bool>,
        compressed: [RacyCell<bool>; BLOCKS],
        output: Mutex<()>,
    }
    fn produce(archive: &Archive) {
        let fifo = archive.fifo.get();
        for block in 0..BLOCKS {
            let mut blocks = fifo.blocks.lock().unwrap();
            while blocks.len() == CAPACITY {
                blocks = fifo.not_full.wait(blocks).unwrap();
            }
            blocks.push_back(block);
            drop(blocks);
            fifo.not_empty.notify_one();
        }
        archive.all_done.set(true);
    }
    fn consume(archive: &Archive) {
        loop {
            let fifo = archive.fifo.get();
            let mut blocks = fifo.blocks.lock().unwrap();
            let block = loop {
                if let Some(block) = blocks.pop_front() {
                    break block;
                }
                if archive.all_done.get() {
                    return;
                }
                let woken = fifo.not_empty.wait_timeout(blocks, Duration::from_secs(1));
                blocks = woken.unwrap().0;
                archive.fifo.get();
            };
            drop(blocks);
            archive.fifo.get().not_full.notify_one();
            let _guard = archive.output.lock().unwrap();
            archive.compressed[block].set(true);
        }
    }
    fn write(archive: &Archive) {
        let mut written = 0;
        while written < BLOCKS || !archive.all_done.get() {
            let next = archive.compressed.get(written);
            if next.is_some_and(RacyCell::get) {
                written += 1;
            } else {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
    let archive = Arc::new(Archive {
        fifo: Pointer::allocate(Fifo {
            blocks: Mutex::new(VecDeque::new()),
            not_empty: Condvar::new(),
            not_full: Condvar::new(),
        }),
        all_done: RacyCell::new(false),
        compressed: array::from_fn(|_| RacyCell::new(false)),
        output: Mutex::new(()),
    });
    let consumers = [(); 2].map(|()| start(&archive, consume));
    let writer = start(&archive, write);
    produce(&archive);
    join([writer]);
    if flavour.is_fixed() {
        join(consumers);
    }
    archive.fifo.free();
}

/// JDK 1.4's string buffer: a buffer is appended to another in two calls, each of which is synchronised.
///
/// One thread erases the buffer and fills it again; main, which appends it elsewhere, asks for its length
/// before and for its characters after the erasure. Racy: nothing.
fn append(flavour: Flavour) {
    fn refill(buffer: &Mutex<String>) {
        buffer.lock().unwrap().clear();
        buffer.lock().unwrap().push_str("abc");
    }
    let buffer = Arc::new(Mutex::new("abc".to_owned()));
    let other = start(&buffer, refill);
    let target = Mutex::new(String::new());
    let mut copy = target.lock().unwrap();
    let locked = buffer.lock().unwrap();
    let length = locked.len();
    let source = if flavour.is_fixed() {
        locked
    } else {
        drop(locked);
        buffer.lock().unwrap()
    };
    require(length <= source.len());
    copy.push_str(&source[..length]);
    drop((source, copy));
    join([other]);
}
