//! Looks at what nobody changes that are counted, anywhere but on the looker's stack, and so come to an end.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::{Relaxed, SeqCst}};
use std::thread;

const MOST: u32 = 3000;

/// True as long as the count has not come to its end.
#[inline(never)]
fn count(count: &Cell<u32>) -> bool {
    count.set(count.get() + 1);
    count.get() < MOST
}

fn look(flag: &AtomicBool, may_go_on: impl Fn() -> bool) {
    while !flag.load(SeqCst) && may_go_on() {
        std::hint::spin_loop();
    }
}

#[test]
fn in_the_heap() {
    let (flag, looks) = (AtomicBool::new(false), Box::new(Cell::new(0)));
    look(&flag, || count(&looks));
    assert_eq!(looks.get(), MOST);
}

#[test]
fn in_a_static() {
    struct Shared(Cell<u32>);
    // SAFETY: one thread uses it.
    unsafe impl Sync for Shared {}
    static LOOKS: Shared = Shared(Cell::new(0));
    let flag = AtomicBool::new(false);
    let looks: &'static Shared = &LOOKS;
    look(&flag, || count(&looks.0));
    assert_eq!(looks.0.get(), MOST);
}

#[test]
fn in_a_thread_local() {
    thread_local! {
        static LOOKS: Cell<u32> = const { Cell::new(0) };
    }
    let flag = AtomicBool::new(false);
    look(&flag, || LOOKS.with(count));
    assert_eq!(LOOKS.get(), MOST);
}

#[test]
fn on_the_stack_of_a_thread_that_waits() {
    let (flag, mut looks) = (AtomicBool::new(false), Cell::new(0));
    thread::scope(|scope| {
        let (flag, looks) = (&flag, &mut looks);
        scope.spawn(move || look(flag, || count(looks)));
    });
    assert_eq!(looks.get(), MOST);
}

/// Each by itself, and both at once.
#[test]
fn by_two() {
    let flag = AtomicBool::new(false);
    let both = || {
        let looks = Box::new(Cell::new(0));
        look(&flag, || count(&looks));
        looks.get()
    };
    thread::scope(|scope| {
        let other = scope.spawn(both);
        assert_eq!(both() + other.join().unwrap(), 2 * MOST);
    });
}

/// Somebody asks again and again whether to give up work that is all its own.
#[test]
fn work_that_could_be_given_up() {
    struct Work {
        left: Vec<u64>,
        sum: u64,
    }
    impl Work {
        #[inline(never)]
        fn step(&mut self) -> bool {
            let next = self.left.pop();
            self.sum += next.unwrap_or_default();
            next.is_some()
        }
    }
    let gives_up = AtomicBool::new(false);
    let mut work = Box::new(Work {
        left: vec![1; MOST as usize],
        sum: 0,
    });
    while work.step() && !gives_up.load(Relaxed) {}
    assert_eq!(work.sum, u64::from(MOST));
}

/// First it counts there, and then where all see it.
#[test]
fn there_and_then_by_an_atomic() {
    let (flag, looks, more) = (AtomicBool::new(false), Box::new(Cell::new(0)), AtomicU32::new(0));
    look(&flag, || count(&looks));
    look(&flag, || more.fetch_add(1, SeqCst) < MOST);
    assert_eq!(looks.get(), MOST);
}

/// A file is read to its end, all of whose parts look the same.
#[test]
fn in_a_file() {
    let path = std::env::temp_dir().join("zeros");
    fs::write(&path, vec![0; 16 * MOST as usize]).unwrap();
    let (gives_up, mut file) = (AtomicBool::new(false), File::open(&path).unwrap());
    let mut part = [0; 16];
    while !gives_up.load(SeqCst) && file.read(&mut part).unwrap() > 0 {}
    assert_eq!(part, [0; 16]);
}

/// A file grows until it is long enough.
#[test]
fn in_the_length_of_a_file() {
    let path = std::env::temp_dir().join("grows");
    let (gives_up, mut file) = (AtomicBool::new(false), File::create(&path).unwrap());
    let gives_up = || (0..8).any(|_| gives_up.load(SeqCst));
    while !gives_up() && file.metadata().unwrap().len() < u64::from(MOST) / 4 {
        file.write_all(b"0").unwrap();
    }
}

/// A folder fills until it is full enough.
#[test]
fn in_a_folder() {
    let folder = std::env::temp_dir().join("fills");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let gives_up = AtomicBool::new(false);
    let gives_up = || (0..16).any(|_| gives_up.load(SeqCst));
    while !gives_up() && fs::read_dir(&folder).unwrap().count() < 200 {
        let name = fs::read_dir(&folder).unwrap().count().to_string();
        fs::write(folder.join(name), "").unwrap();
    }
}

/// One that waits itself has lent the place where another one counts, now and then: each count takes so many
/// looks.
fn lend<const LOOKS: u32>() {
    #[inline(never)]
    fn count(attempts: &mut u32, most: u32) -> bool {
        *attempts += 1;
        *attempts < most
    }
    let most = 2000 / LOOKS;
    let (gives_up, is_done, mut attempts) = (AtomicBool::new(false), AtomicBool::new(false), 0);
    thread::scope(|scope| {
        let (gives_up, is_done, attempts) = (&gives_up, &is_done, &mut attempts);
        scope.spawn(move || {
            while count(attempts, most) {
                if (0..LOOKS).any(|_| gives_up.load(SeqCst)) {
                    return;
                }
            }
            is_done.store(true, SeqCst);
        });
        look(is_done, || true);
    });
    assert_eq!(attempts, most);
}

#[test]
fn on_the_stack_of_one_that_looks() {
    lend::<20>();
}

#[test]
fn seldom_on_the_stack_of_one_that_looks() {
    lend::<48>();
}
