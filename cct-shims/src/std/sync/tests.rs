//! The common properties of the faces and std's types: texts, auto traits, variance, unsizing, drop order.

use real::fmt::{Debug, Display};
use real::panic::{RefUnwindSafe, UnwindSafe};
use real::sync as genuine;

use super::atomic::{AtomicBool, AtomicI16, AtomicPtr, AtomicU64, Ordering};
use super::{
    Barrier, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock, RwLock, RwLockReadGuard,
    RwLockWriteGuard, WaitTimeoutResult,
};

fn texts<T: Debug>(value: &T) -> (String, String) {
    (format!("{value:?}"), format!("{value:#?}"))
}

#[test]
fn debug_output_is_that_of_std() {
    assert_eq!(texts(&Mutex::new(1)), texts(&genuine::Mutex::new(1)));
    assert_eq!(texts(&RwLock::new("a")), texts(&genuine::RwLock::new("a")));
    assert_eq!(texts(&Condvar::new()), texts(&genuine::Condvar::new()));
    assert_eq!(texts(&Once::new()), texts(&genuine::Once::new()));
    assert_eq!(texts(&Barrier::new(2)), texts(&genuine::Barrier::new(2)));
    let (ours, theirs) = (Barrier::new(1), genuine::Barrier::new(1));
    assert_eq!(texts(&ours.wait()), texts(&theirs.wait()));
    assert_eq!(
        texts(&OnceLock::<u8>::new()),
        texts(&genuine::OnceLock::<u8>::new())
    );
    assert_eq!(
        texts(&OnceLock::from(3)),
        texts(&genuine::OnceLock::from(3))
    );
    let (ours, theirs) = (LazyLock::new(|| 4), genuine::LazyLock::new(|| 4));
    assert_eq!(texts(&ours), texts(&theirs));
    assert_eq!((*ours, texts(&ours)), (*theirs, texts(&theirs)));
    assert_eq!(
        texts(&AtomicI16::new(-5)),
        texts(&genuine::atomic::AtomicI16::new(-5))
    );
    assert_eq!(
        texts(&AtomicBool::new(true)),
        texts(&genuine::atomic::AtomicBool::new(true))
    );
}

#[test]
fn debug_output_of_held_locks_is_that_of_std() {
    let (ours, theirs) = (Mutex::new(1), genuine::Mutex::new(1));
    let guards = (ours.lock().expect("free"), theirs.lock().expect("free"));
    assert_eq!(texts(&ours), texts(&theirs));
    assert_eq!(
        (texts(&guards.0), guards.0.to_string()),
        (texts(&guards.1), guards.1.to_string())
    );
    let (ours, theirs) = (RwLock::new(1), genuine::RwLock::new(1));
    let guards = (ours.write().expect("free"), theirs.write().expect("free"));
    assert_eq!(texts(&ours), texts(&theirs));
    assert_eq!(texts(&guards.0), texts(&guards.1));
}

#[test]
fn traits_are_those_of_std() {
    fn shared<T: Send + Sync + UnwindSafe + RefUnwindSafe + Unpin>() {}
    fn guard<T: Sync + UnwindSafe + RefUnwindSafe + Unpin + Debug + Display>() {}
    shared::<Mutex<u8>>();
    shared::<RwLock<u8>>();
    shared::<Condvar>();
    shared::<Once>();
    shared::<OnceLock<u8>>();
    shared::<LazyLock<u8>>();
    shared::<Barrier>();
    shared::<AtomicPtr<u8>>();
    shared::<AtomicU64>();
    shared::<WaitTimeoutResult>();
    guard::<MutexGuard<'_, u8>>();
    guard::<RwLockReadGuard<'_, u8>>();
    guard::<RwLockWriteGuard<'_, u8>>();
}

#[test]
fn guards_stay_on_their_thread() {
    /// Two candidates for `_` make the call ambiguous if the guard is `Send`.
    trait NotSend<A> {
        fn check() {}
    }
    impl<T: ?Sized> NotSend<()> for T {}
    impl<T: ?Sized + Send> NotSend<u8> for T {}
    <MutexGuard<'_, u8> as NotSend<_>>::check();
    <RwLockReadGuard<'_, u8> as NotSend<_>>::check();
    <RwLockWriteGuard<'_, u8> as NotSend<_>>::check();
}

#[test]
fn read_guards_are_covariant() {
    fn shorten<'a, 'b>(guard: RwLockReadGuard<'a, &'static str>) -> RwLockReadGuard<'a, &'b str> {
        guard
    }
    let lock = RwLock::new("static");
    assert_eq!(*shorten(lock.read().expect("free")), "static");
}

#[test]
fn locks_unsize() {
    let mutex: Box<Mutex<dyn Debug>> = Box::new(Mutex::new(5));
    assert_eq!(format!("{:?}", mutex.lock().expect("free")), "5");
    let lock: &RwLock<[u8]> = &RwLock::new([1, 2, 3]);
    assert_eq!(lock.read().expect("free").len(), 3);
}

#[test]
fn a_once_lock_may_hold_what_dies_with_it() {
    struct Node<'a>(OnceLock<&'a Node<'a>>);
    let (a, b) = (Node(OnceLock::new()), Node(OnceLock::new()));
    assert!(a.0.set(&b).is_ok() && b.0.set(&a).is_ok());
}

#[test]
fn everything_can_be_a_static() {
    static MUTEX: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    static LOCK: RwLock<u8> = RwLock::new(1);
    static CONDVAR: Condvar = Condvar::new();
    static ONCE: Once = Once::new();
    static CELL: OnceLock<u8> = OnceLock::new();
    static LAZY: LazyLock<u8> = LazyLock::new(|| 7);
    static BARRIER: Barrier = Barrier::new(0);
    static NUMBER: AtomicU64 = AtomicU64::new(AtomicU64::new(8).into_inner());
    MUTEX
        .lock()
        .expect("free")
        .push(*LOCK.read().expect("free"));
    CONDVAR.notify_all();
    ONCE.call_once(|| assert!(CELL.set(*LAZY).is_ok()));
    assert!(BARRIER.wait().is_leader());
    assert_eq!((CELL.get(), NUMBER.load(Ordering::Relaxed)), (Some(&7), 8));
}
