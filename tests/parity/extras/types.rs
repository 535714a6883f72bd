//! Variance, unsizing, drop check and defaults: what makes a type fit where std's fits.
#![deny(warnings)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::sync::atomic::{AtomicPtr, AtomicU32};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::*;
use std::thread::{self, JoinHandle, LocalKey, ScopedJoinHandle};
use std::time::Instant;

/// A longer borrow does where a shorter one is wanted.
pub mod covariance {
    use super::*;

    macro_rules! covariant {
        ($($name:ident: $type:ty, $shorter:ty;)*) => {$(
            pub fn $name<'short, 'long: 'short>(x: $type) -> $shorter {
                x
            }
        )*};
    }
    covariant! {
        poison_error: PoisonError<&'long u8>, PoisonError<&'short u8>;
        try_lock_error: TryLockError<&'long u8>, TryLockError<&'short u8>;
        send_error: mpsc::SendError<&'long u8>, mpsc::SendError<&'short u8>;
        try_send_error: mpsc::TrySendError<&'long u8>, mpsc::TrySendError<&'short u8>;
        read_guard: RwLockReadGuard<'long, &'long u8>, RwLockReadGuard<'short, &'short u8>;
    }

    pub fn mutex_guard<'short, 'long: 'short, T>(
        x: MutexGuard<'long, T>,
    ) -> MutexGuard<'short, T> {
        x
    }

    pub fn write_guard<'short, 'long: 'short, T>(
        x: RwLockWriteGuard<'long, T>,
    ) -> RwLockWriteGuard<'short, T> {
        x
    }

    pub fn receiver_iter<'short, 'long: 'short, T>(
        x: mpsc::Iter<'long, T>,
        y: mpsc::TryIter<'long, T>,
    ) -> (mpsc::Iter<'short, T>, mpsc::TryIter<'short, T>) {
        (x, y)
    }

    pub fn scoped_handle<'short, 'long: 'short, T>(
        x: ScopedJoinHandle<'long, T>,
    ) -> ScopedJoinHandle<'short, T> {
        x
    }
}

/// Locks of sized values lend themselves as locks of unsized ones.
pub mod unsizing {
    use super::*;

    pub fn slices(lock: &Mutex<[i32; 3]>, rw: &RwLock<[i32; 3]>) -> usize {
        let lock: &Mutex<[i32]> = lock;
        let rw: &RwLock<[i32]> = rw;
        let sum = lock.lock().unwrap().len() + rw.read().unwrap().len();
        sum + rw.write().unwrap().len()
    }

    pub fn objects() -> (Arc<Mutex<dyn Debug + Send>>, Box<RwLock<dyn Any + Send + Sync>>) {
        let lock: Arc<Mutex<dyn Debug + Send>> = Arc::new(Mutex::new(3));
        println!("{lock:?} {:?}", lock.lock());
        let weak: Weak<Mutex<dyn Debug + Send>> = Arc::downgrade(&lock);
        drop(weak);
        (lock, Box::new(RwLock::new("text")))
    }

    pub fn closures(lock: &Mutex<dyn FnMut() -> i32>) -> i32 {
        (*lock.lock().unwrap())() + (lock.try_lock().unwrap())()
    }

    pub fn through_get_mut(lock: &mut Mutex<[u8]>, rw: &mut RwLock<str>) -> usize {
        lock.get_mut().unwrap().len() + rw.get_mut().unwrap().len()
    }

    pub fn waiting<'a>(
        condvar: &Condvar,
        guard: MutexGuard<'a, i32>,
    ) -> LockResult<MutexGuard<'a, i32>> {
        condvar.wait_while(guard, |x| *x == 0)
    }
}

/// Containers may hold references to what is dropped together with them.
pub mod drop_check {
    use super::*;

    macro_rules! dropped_together {
        ($($name:ident: $make:expr, $put:expr;)*) => {$(
            pub fn $name() {
                let (container, value);
                value = String::from("value");
                container = $make;
                $put(&container, &value);
            }
        )*};
    }
    fn cell_put<'a>(cell: &Mutex<Option<&'a String>>, value: &'a String) {
        *cell.lock().unwrap() = Some(value);
    }
    fn rw_put<'a>(cell: &RwLock<Option<&'a String>>, value: &'a String) {
        *cell.write().unwrap() = Some(value);
    }
    fn once_put<'a>(cell: &OnceLock<&'a String>, value: &'a String) {
        cell.set(value).unwrap();
    }
    dropped_together! {
        mutex: Mutex::new(None), cell_put;
        rw_lock: RwLock::new(None), rw_put;
        once_lock: OnceLock::new(), once_put;
    }

    struct Node<'a>(OnceLock<&'a Node<'a>>, Mutex<Option<&'a Node<'a>>>);

    pub fn cycle() {
        let node = Node(OnceLock::new(), Mutex::new(None));
        let _ = node.0.set(&node);
        *node.1.lock().unwrap() = Some(&node);
    }

    pub fn two_nodes() {
        let (a, b);
        a = Node(OnceLock::new(), Mutex::new(None));
        b = Node(OnceLock::new(), Mutex::new(None));
        let _ = a.0.set(&b);
        *b.1.lock().unwrap() = Some(&a);
    }
}

/// Parameters that std gives a default, inference and method resolution.
pub mod resolution {
    use super::*;

    pub static LAZY: LazyLock<Vec<u8>> = LazyLock::new(Vec::new);
    pub static TABLE: LazyLock<Mutex<Vec<u8>>> = LazyLock::new(|| Mutex::new(vec![1]));

    pub fn lazy_with_closure(base: u8) -> u8 {
        let lazy = LazyLock::new(move || base + 1);
        *lazy + *LazyLock::force(&lazy) + LAZY.len() as u8
    }

    pub fn poison_is_recovered_by_path(lock: &Mutex<u8>) -> u8 {
        *lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn question_marks(lock: &Mutex<u8>) -> Result<u8, Box<dyn std::error::Error + '_>> {
        let first = *lock.lock()?;
        let second = *lock.try_lock()?;
        Ok(first + second)
    }

    pub fn matched(lock: &Mutex<u8>) -> u8 {
        match lock.try_lock() {
            Ok(guard) => *guard,
            Err(TryLockError::Poisoned(error)) => **error.get_ref(),
            Err(TryLockError::WouldBlock) => 0,
        }
    }

    pub fn default_values() -> (Mutex<u8>, RwLock<String>, OnceLock<u8>, Condvar, AtomicU32) {
        Default::default()
    }

    pub fn converted() -> (Mutex<u8>, RwLock<&'static str>, OnceLock<u8>, AtomicU32) {
        (1.into(), "text".into(), 2.into(), 3.into())
    }

    pub fn null() -> AtomicPtr<u8> {
        AtomicPtr::default()
    }

    pub fn channels() -> Vec<u8> {
        let (sender, receiver): (Sender<u8>, Receiver<u8>) = mpsc::channel();
        let (bounded, _rest): (SyncSender<u8>, _) = mpsc::sync_channel(1);
        let _ = bounded.try_send(1);
        thread::scope(|scope| {
            scope.spawn(|| sender.send(1));
        });
        drop(sender);
        let mut all: Vec<u8> = receiver.try_iter().collect();
        for value in &receiver {
            all.push(value);
        }
        all.extend(receiver);
        all
    }

    pub fn handles() -> Option<JoinHandle<&'static str>> {
        let handle = thread::spawn(|| "done");
        let builder = thread::Builder::new().name("named".into()).stack_size(1 << 16);
        builder.spawn(|| ()).ok()?.join().ok()?;
        Some(handle)
    }

    type Key<T> = &'static LocalKey<T>;

    pub fn local_keys(key: Key<Cell<u8>>, log: Key<RefCell<u8>>) -> u8 {
        key.set(key.get() + 1);
        log.with_borrow_mut(|x| *x += 1);
        log.with_borrow(|x| *x) + key.take() + log.take()
    }

    pub fn time(start: Instant) -> bool {
        let later = start + std::time::Duration::from_millis(1);
        later - start > start - later && later > start
    }

    pub trait Extension {
        fn twice(&self) -> u8;
    }
    impl Extension for Mutex<u8> {
        fn twice(&self) -> u8 {
            *self.lock().unwrap() * 2
        }
    }
    impl<T> Extension for mpsc::Sender<T> {
        fn twice(&self) -> u8 {
            0
        }
    }
    impl Extension for AtomicU32 {
        fn twice(&self) -> u8 {
            1
        }
    }
}
