//! A program for each listed function that is a step, and for most others: it calls it between two marks.

#![expect(
    clippy::semicolon_if_nothing_returned,
    reason = "each program ends with the call that it is about"
)]

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use cct::instrument::schedule_next_worker;
use cct_shims::std::sync::atomic::{self, *};
use cct_shims::std::sync::mpsc::{channel, sync_channel};
use cct_shims::std::sync::{
    Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, RwLockWriteGuard,
};
use cct_shims::std::{env, hint, io, panic, process, thread};

/// A function's name, and the program that calls it.
type Program = (String, fn());

/// Calls what is asked about, between two marks.
fn at_mark<R>(call: impl FnOnce() -> R) -> R {
    schedule_next_worker("mark");
    let result = call();
    schedule_next_worker("mark");
    result
}

macro_rules! programs {
    ($($name:literal: $body:block)*) => {
        vec![$((String::from($name), (|| { let _ = $body; }) as fn())),*]
    };
}

macro_rules! on_atomics {
    ($all:ident: $(
        $atomic:ident $value:expr, $other:expr => $($method:ident($($argument:expr),*))*;
    )*) => { $( $(
        $all.push((
            format!("sync::atomic::{}::{}", stringify!($atomic), stringify!($method)),
            (|| {
                let atomic = $atomic::new($value);
                let _ = at_mark(|| atomic.$method($($argument),*));
            }) as fn(),
        ));
    )* )* };
}

macro_rules! atomics {
    ($all:ident: $($atomic:ident $value:expr, $other:expr;)*) => { $(
        on_atomics! { $all: $atomic $value, $other =>
            load(SeqCst) store($other, SeqCst) swap($other, SeqCst) as_ptr()
            compare_exchange($value, $other, SeqCst, SeqCst)
            compare_exchange_weak($value, $other, SeqCst, SeqCst)
            compare_and_swap($value, $other, SeqCst)
            update(SeqCst, SeqCst, |value| value)
            try_update(SeqCst, SeqCst, Some)
            fetch_update(SeqCst, SeqCst, Some);
        }
        let name = |what| format!("sync::atomic::{}{what}", stringify!($atomic));
        $all.push((name("::new"), || { let _ = at_mark(|| $atomic::new($value)); }));
        $all.push((name(": From::from"), || { let _ = at_mark(|| $atomic::from($value)); }));
        $all.push((name("::into_inner"), || {
            let atomic = $atomic::new($value);
            let _ = at_mark(|| atomic.into_inner());
        }));
        $all.push((name("::get_mut"), || {
            let mut atomic = $atomic::new($value);
            at_mark(|| *atomic.get_mut() = $other);
        }));
        $all.push((name(": Debug::fmt"), || {
            let atomic = $atomic::new($value);
            at_mark(|| drop(format!("{atomic:?}")));
        }));
    )* };
}

macro_rules! integers {
    ($all:ident: $($atomic:ident)*) => { $(
        atomics! { $all: $atomic 1, 2; }
        on_atomics! { $all: $atomic 1, 2 =>
            fetch_add(1, SeqCst) fetch_sub(1, SeqCst) fetch_and(1, SeqCst) fetch_nand(1, SeqCst)
            fetch_or(2, SeqCst) fetch_xor(1, SeqCst) fetch_max(2, SeqCst) fetch_min(0, SeqCst);
        }
    )* };
}

/// Every program.
pub(crate) fn all() -> Vec<Program> {
    [
        atomics(),
        locks(),
        onces(),
        channels(),
        threads(),
        process_wide(),
    ]
    .concat()
}

#[expect(deprecated, reason = "std still has it")]
fn atomics() -> Vec<Program> {
    let mut all = programs! {
        "sync::atomic::fence": { at_mark(|| atomic::fence(SeqCst)) }
        "sync::atomic::spin_loop_hint": { at_mark(atomic::spin_loop_hint) }
        "hint::spin_loop": { at_mark(hint::spin_loop) }
        "sync::atomic::AtomicPtr: Pointer::fmt": {
            let pointer = AtomicPtr::new(std::ptr::null_mut::<u8>());
            at_mark(|| format!("{pointer:p}"))
        }
    };
    integers! {
        all: AtomicI8 AtomicU8 AtomicI16 AtomicU16 AtomicI32 AtomicU32 AtomicI64 AtomicU64
            AtomicIsize AtomicUsize
    }
    atomics! {
        all: AtomicBool true, false;
        AtomicPtr std::ptr::null_mut::<u8>(), std::ptr::dangling_mut::<u8>();
    }
    on_atomics! { all:
        AtomicBool true, false => fetch_and(true, SeqCst) fetch_nand(true, SeqCst) fetch_or(true, SeqCst)
            fetch_xor(true, SeqCst) fetch_not(SeqCst);
        AtomicPtr std::ptr::null_mut::<u8>(), std::ptr::null_mut::<u8>() =>
            fetch_ptr_add(1, SeqCst) fetch_ptr_sub(1, SeqCst) fetch_byte_add(1, SeqCst)
            fetch_byte_sub(1, SeqCst) fetch_and(1, SeqCst) fetch_or(1, SeqCst) fetch_xor(1, SeqCst);
    }
    all
}

fn locks() -> Vec<Program> {
    let mut all = mutexes();
    all.extend(rwlocks());
    all.extend(condition_variables());
    all
}

fn mutexes() -> Vec<Program> {
    programs! {
        "sync::Mutex::new": { at_mark(|| Mutex::new(1)) }
        "sync::Mutex::lock": { let m = Mutex::new(1); let _guard = at_mark(|| m.lock()); }
        "sync::Mutex::try_lock": { let m = Mutex::new(1); let _guard = at_mark(|| m.try_lock()); }
        "sync::MutexGuard: Drop::drop": {
            let m = Mutex::new(1);
            let guard = m.lock();
            at_mark(|| drop(guard))
        }
        "sync::Mutex::is_poisoned": { let m = Mutex::new(1); at_mark(|| m.is_poisoned()) }
        "sync::Mutex::clear_poison": { let m = Mutex::new(1); at_mark(|| m.clear_poison()) }
        "sync::Mutex::get_mut": {
            let mut m = Mutex::new(1);
            let _ = at_mark(|| m.get_mut().is_ok());
        }
        "sync::Mutex::into_inner": { let m = Mutex::new(1); let _ = at_mark(|| m.into_inner()); }
        "sync::Mutex: Debug::fmt": { let m = Mutex::new(1); at_mark(|| format!("{m:?}")) }
        "sync::MutexGuard: Debug::fmt": {
            let m = Mutex::new(1);
            let g = m.lock().unwrap();
            at_mark(|| drop(format!("{g:?}")))
        }
        "sync::MutexGuard: Display::fmt": {
            let m = Mutex::new(1);
            let g = m.lock().unwrap();
            at_mark(|| drop(format!("{g}")))
        }
        "sync::MutexGuard: Deref::deref": {
            let m = Mutex::new(1);
            let g = m.lock().unwrap();
            let _ = at_mark(|| *g);
        }
        "sync::MutexGuard: DerefMut::deref_mut": {
            let m = Mutex::new(1);
            let mut g = m.lock().unwrap();
            at_mark(|| *g = 2)
        }
        "sync::Barrier::new": { at_mark(|| Barrier::new(1)) }
        "sync::Barrier::wait": { let b = Barrier::new(1); let _ = at_mark(|| b.wait()); }
        "sync::Barrier: Debug::fmt": { let b = Barrier::new(1); at_mark(|| format!("{b:?}")) }
        "sync::BarrierWaitResult::is_leader": {
            let r = Barrier::new(1).wait();
            at_mark(|| r.is_leader())
        }
    }
}

fn rwlocks() -> Vec<Program> {
    programs! {
        "sync::RwLock::new": { at_mark(|| RwLock::new(1)) }
        "sync::RwLock::read": { let l = RwLock::new(1); let _guard = at_mark(|| l.read()); }
        "sync::RwLock::write": { let l = RwLock::new(1); let _guard = at_mark(|| l.write()); }
        "sync::RwLock::try_read": { let l = RwLock::new(1); let _guard = at_mark(|| l.try_read()); }
        "sync::RwLock::try_write": {
            let l = RwLock::new(1);
            let _guard = at_mark(|| l.try_write());
        }
        "sync::RwLockReadGuard: Drop::drop": {
            let l = RwLock::new(1);
            let g = l.read();
            at_mark(|| drop(g))
        }
        "sync::RwLockWriteGuard: Drop::drop": {
            let l = RwLock::new(1);
            let g = l.write();
            at_mark(|| drop(g))
        }
        "sync::RwLockWriteGuard::downgrade": {
            let l = RwLock::new(1);
            let g = l.write().unwrap();
            let _guard = at_mark(|| RwLockWriteGuard::downgrade(g));
        }
        "sync::RwLock::is_poisoned": { let l = RwLock::new(1); at_mark(|| l.is_poisoned()) }
        "sync::RwLock::clear_poison": { let l = RwLock::new(1); at_mark(|| l.clear_poison()) }
        "sync::RwLock::get_mut": { let mut l = RwLock::new(1); at_mark(|| l.get_mut().is_ok()) }
        "sync::RwLock::into_inner": { let l = RwLock::new(1); let _ = at_mark(|| l.into_inner()); }
        "sync::RwLock: Debug::fmt": { let l = RwLock::new(1); at_mark(|| format!("{l:?}")) }
        "sync::RwLockReadGuard: Deref::deref": {
            let l = RwLock::new(1);
            let g = l.read().unwrap();
            let _ = at_mark(|| *g);
        }
        "sync::RwLockWriteGuard: DerefMut::deref_mut": {
            let l = RwLock::new(1);
            let mut g = l.write().unwrap();
            at_mark(|| *g = 2)
        }
    }
}

/// Waits without a notification, until the time-out, since everybody else waits too.
#[expect(deprecated, reason = "std still has it")]
fn condition_variables() -> Vec<Program> {
    const SOON: Duration = Duration::from_millis(1);
    programs! {
        "sync::Condvar::new": { at_mark(Condvar::new) }
        "sync::Condvar::notify_one": { let c = Condvar::new(); at_mark(|| c.notify_one()) }
        "sync::Condvar::notify_all": { let c = Condvar::new(); at_mark(|| c.notify_all()) }
        "sync::Condvar: Debug::fmt": { let c = Condvar::new(); at_mark(|| format!("{c:?}")) }
        "sync::Condvar::wait_timeout": {
            let (m, c) = (Mutex::new(()), Condvar::new());
            let g = m.lock().unwrap();
            let _guard = at_mark(|| c.wait_timeout(g, SOON));
        }
        "sync::Condvar::wait_timeout_ms": {
            let (m, c) = (Mutex::new(()), Condvar::new());
            let g = m.lock().unwrap();
            let _guard = at_mark(|| c.wait_timeout_ms(g, 1));
        }
        "sync::Condvar::wait_timeout_while": {
            let (m, c) = (Mutex::new(()), Condvar::new());
            let g = m.lock().unwrap();
            let _guard = at_mark(|| c.wait_timeout_while(g, SOON, |()| true));
        }
    }
}

fn onces() -> Vec<Program> {
    fn completed() -> Once {
        let once = Once::new();
        once.call_once(|| {});
        once
    }
    programs! {
        "sync::Once::new": { at_mark(Once::new) }
        "sync::Once::call_once": { let o = Once::new(); at_mark(|| o.call_once(|| {})) }
        "sync::Once::call_once_force": {
            let o = Once::new();
            at_mark(|| o.call_once_force(|_| {}))
        }
        "sync::Once::is_completed": { let o = Once::new(); at_mark(|| o.is_completed()) }
        "sync::Once::wait": { let o = completed(); at_mark(|| o.wait()) }
        "sync::Once::wait_force": { let o = completed(); at_mark(|| o.wait_force()) }
        "sync::Once: Debug::fmt": { let o = Once::new(); at_mark(|| format!("{o:?}")) }
        "sync::OnceState::is_poisoned": {
            Once::new().call_once_force(|state| { at_mark(|| state.is_poisoned()); })
        }
        "sync::OnceLock::new": { at_mark(OnceLock::<u8>::new) }
        "sync::OnceLock: From::from": { at_mark(|| OnceLock::from(1)) }
        "sync::OnceLock::get": { let o = OnceLock::<u8>::new(); let _ = at_mark(|| o.get()); }
        "sync::OnceLock::set": { let o = OnceLock::new(); at_mark(|| o.set(1)) }
        "sync::OnceLock::get_or_init": { let o = OnceLock::new(); at_mark(|| *o.get_or_init(|| 1)) }
        "sync::OnceLock::wait": { let o = OnceLock::from(1); at_mark(|| *o.wait()) }
        "sync::OnceLock::get_mut": {
            let mut o = OnceLock::from(1);
            at_mark(|| o.get_mut().is_some())
        }
        "sync::OnceLock::take": { let mut o = OnceLock::from(1); at_mark(|| o.take()) }
        "sync::OnceLock::into_inner": { let o = OnceLock::from(1); at_mark(|| o.into_inner()) }
        "sync::OnceLock: Clone::clone": { let o = OnceLock::<u8>::new(); at_mark(|| o.clone()) }
        "sync::OnceLock: PartialEq::eq": {
            let (a, b) = (OnceLock::<u8>::new(), OnceLock::<u8>::new());
            at_mark(|| a == b)
        }
        "sync::OnceLock: Debug::fmt": {
            let o = OnceLock::<u8>::new();
            at_mark(|| format!("{o:?}"))
        }
        "sync::LazyLock::new": { at_mark(|| LazyLock::new(|| 1)); }
        "sync::LazyLock::force": { let l = LazyLock::new(|| 1); at_mark(|| *LazyLock::force(&l)) }
        "sync::LazyLock: Deref::deref": { let l = LazyLock::new(|| 1); at_mark(|| *l) }
        "sync::LazyLock::get": {
            let l = LazyLock::new(|| 1);
            at_mark(|| LazyLock::get(&l).is_some())
        }
        "sync::LazyLock::get_mut": {
            let mut l = LazyLock::new(|| 1);
            at_mark(|| LazyLock::get_mut(&mut l).is_some())
        }
        "sync::LazyLock::force_mut": {
            let mut l = LazyLock::new(|| 1);
            at_mark(|| *LazyLock::force_mut(&mut l))
        }
        "sync::LazyLock: DerefMut::deref_mut": {
            let mut l = LazyLock::new(|| 1);
            at_mark(|| *l = 2)
        }
        "sync::LazyLock: Debug::fmt": { let l = LazyLock::new(|| 1); at_mark(|| format!("{l:?}")) }
    }
}

fn channels() -> Vec<Program> {
    const SOON: Duration = Duration::from_millis(1);
    programs! {
        "sync::mpsc::channel": { let _both = at_mark(channel::<u8>); }
        "sync::mpsc::sync_channel": { let _both = at_mark(|| sync_channel::<u8>(1)); }
        "sync::mpsc::Sender::send": { let (s, _r) = channel(); at_mark(|| s.send(1)) }
        "sync::mpsc::SyncSender::send": { let (s, _r) = sync_channel(1); at_mark(|| s.send(1)) }
        "sync::mpsc::SyncSender::try_send": {
            let (s, _r) = sync_channel(1);
            at_mark(|| s.try_send(1))
        }
        "sync::mpsc::Receiver::recv": {
            let (s, r) = channel();
            s.send(1).unwrap();
            at_mark(|| r.recv())
        }
        "sync::mpsc::Receiver::recv_timeout": {
            let (s, r) = channel();
            s.send(1).unwrap();
            at_mark(|| r.recv_timeout(SOON))
        }
        "sync::mpsc::Receiver::try_recv": {
            let (s, r) = channel();
            s.send(1).unwrap();
            at_mark(|| r.try_recv())
        }
        "sync::mpsc::Receiver::iter": {
            let (_s, r) = channel::<u8>();
            let _ = at_mark(|| r.iter());
        }
        "sync::mpsc::Receiver::try_iter": {
            let (_s, r) = channel::<u8>();
            let _ = at_mark(|| r.try_iter());
        }
        "sync::mpsc::&Receiver: IntoIterator::into_iter": {
            let (_s, r) = channel::<u8>();
            let _ = at_mark(|| (&r).into_iter());
        }
        "sync::mpsc::Receiver: IntoIterator::into_iter": {
            let (_s, r) = channel::<u8>();
            let _all = at_mark(|| r.into_iter());
        }
        "sync::mpsc::Iter: Iterator::next": {
            let (s, r) = channel();
            s.send(1).unwrap();
            at_mark(|| r.iter().next())
        }
        "sync::mpsc::TryIter: Iterator::next": {
            let (s, r) = channel();
            s.send(1).unwrap();
            at_mark(|| r.try_iter().next())
        }
        "sync::mpsc::IntoIter: Iterator::next": {
            let (s, r) = channel();
            s.send(1).unwrap();
            let mut all = r.into_iter();
            at_mark(|| all.next())
        }
        "sync::mpsc::EngineReceiver: Drop::drop": {
            let (_s, r) = channel::<u8>();
            at_mark(|| drop(r))
        }
        "sync::mpsc::EngineSender: Drop::drop": {
            let (s, _r) = channel::<u8>();
            at_mark(|| drop(s))
        }
        "sync::mpsc::Sender: Debug::fmt": {
            let (s, _r) = channel::<u8>();
            at_mark(|| format!("{s:?}"))
        }
        "sync::mpsc::Receiver: Debug::fmt": {
            let (_s, r) = channel::<u8>();
            at_mark(|| format!("{r:?}"))
        }
    }
}

#[expect(deprecated, reason = "std still has it")]
fn threads() -> Vec<Program> {
    const SOON: Duration = Duration::from_millis(1);
    cct_shims::thread_local! {
        static CELL: Cell<u8> = const { Cell::new(0) };
        static REF_CELL: RefCell<u8> = const { RefCell::new(0) };
    }
    programs! {
        "thread::spawn": { let _handle = at_mark(|| thread::spawn(|| {})); }
        "thread::Builder::spawn": { let _handle = at_mark(|| thread::Builder::new().spawn(|| {})); }
        "thread::Builder::spawn_scoped": {
            thread::scope(|s| { let _handle = at_mark(|| thread::Builder::new().spawn_scoped(s, || {})); })
        }
        "thread::Builder::spawn_unchecked": {
            // SAFETY: nothing is borrowed.
            let _handle = at_mark(|| unsafe { thread::Builder::new().spawn_unchecked(|| {}) });
        }
        "thread::Builder::new": { at_mark(thread::Builder::new) }
        "thread::Builder::name": { at_mark(|| thread::Builder::new().name(String::new())) }
        "thread::Builder::stack_size": { at_mark(|| thread::Builder::new().stack_size(1 << 20)) }
        "thread::Scope::spawn": { thread::scope(|s| { let _handle = at_mark(|| s.spawn(|| {})); }) }
        "thread::Scope: Debug::fmt": { thread::scope(|s| { at_mark(|| format!("{s:?}")); }) }
        "thread::scope": { at_mark(|| thread::scope(|_| {})) }
        "thread::JoinHandle::join": { let handle = thread::spawn(|| {}); at_mark(|| handle.join()) }
        "thread::JoinHandle::is_finished": {
            let handle = thread::spawn(|| {});
            at_mark(|| handle.is_finished())
        }
        "thread::JoinHandle::thread": {
            let handle = thread::spawn(|| {});
            let _ = at_mark(|| handle.thread());
        }
        "thread::JoinHandle: Debug::fmt": {
            let handle = thread::spawn(|| {});
            at_mark(|| format!("{handle:?}"))
        }
        "thread::ScopedJoinHandle::join": {
            thread::scope(|s| {
                let handle = s.spawn(|| {});
                let _ = at_mark(|| handle.join());
            })
        }
        "thread::ScopedJoinHandle::is_finished": {
            thread::scope(|s| {
                let handle = s.spawn(|| {});
                at_mark(|| handle.is_finished());
            })
        }
        "thread::Thread::unpark": { let me = thread::current(); at_mark(|| me.unpark()) }
        "thread::Thread::id": { let me = thread::current(); at_mark(|| me.id()) }
        "thread::Thread::name": { let me = thread::current(); let _ = at_mark(|| me.name()); }
        "thread::Thread: Clone::clone": { let me = thread::current(); at_mark(|| me.clone()) }
        "thread::Thread: Debug::fmt": { let me = thread::current(); at_mark(|| format!("{me:?}")) }
        "thread::current": { at_mark(thread::current) }
        "thread::panicking": { at_mark(thread::panicking) }
        "thread::available_parallelism": { at_mark(thread::available_parallelism) }
        "thread::park": { thread::current().unpark(); at_mark(thread::park) }
        "thread::park_timeout": { at_mark(|| thread::park_timeout(SOON)) }
        "thread::park_timeout_ms": { at_mark(|| thread::park_timeout_ms(1)) }
        "thread::sleep": { at_mark(|| thread::sleep(SOON)) }
        "thread::sleep_ms": { at_mark(|| thread::sleep_ms(1)) }
        "thread::yield_now": { at_mark(thread::yield_now) }
        "thread::LocalKey::with": { at_mark(|| CELL.with(Cell::get)) }
        "thread::LocalKey::try_with": { at_mark(|| CELL.try_with(Cell::get)) }
        "thread::LocalKey<Cell>::get": { at_mark(|| CELL.get()) }
        "thread::LocalKey<Cell>::set": { at_mark(|| CELL.set(1)) }
        "thread::LocalKey<Cell>::take": { at_mark(|| CELL.take()) }
        "thread::LocalKey<Cell>::replace": { at_mark(|| CELL.replace(1)) }
        "thread::LocalKey<RefCell>::with_borrow": {
            at_mark(|| REF_CELL.with_borrow(|value| *value))
        }
        "thread::LocalKey<RefCell>::with_borrow_mut": {
            at_mark(|| REF_CELL.with_borrow_mut(|value| *value = 1))
        }
        "thread::LocalKey<RefCell>::set": { at_mark(|| REF_CELL.set(1)) }
        "thread::LocalKey<RefCell>::take": { at_mark(|| REF_CELL.take()) }
        "thread::LocalKey<RefCell>::replace": { at_mark(|| REF_CELL.replace(1)) }
    }
}

#[expect(clippy::diverging_sub_expression, reason = "some end the process")]
fn process_wide() -> Vec<Program> {
    programs! {
        "panic::catch_unwind": { at_mark(|| panic::catch_unwind(|| 1)) }
        "panic::resume_unwind": {
            let _ = at_mark(|| panic::catch_unwind(AssertUnwindSafe(|| panic::resume_unwind(Box::new(1)))));
        }
        "panic::set_hook": { at_mark(|| panic::set_hook(Box::new(|_| {}))) }
        "panic::take_hook": { let _hook = at_mark(panic::take_hook); }
        "process::exit": { at_mark(|| process::exit(1)) }
        "process::abort": { at_mark(|| process::abort()) }
        "env::current_dir": { at_mark(env::current_dir) }
        "env::set_current_dir": { at_mark(|| env::set_current_dir(".")) }
        "env::set_var": { at_mark(|| env::set_var("STEPS", "1")) }
        "env::remove_var": { at_mark(|| env::remove_var("STEPS")) }
        "env::var": { at_mark(|| env::var("STEPS")) }
        "env::var_os": { at_mark(|| env::var_os("STEPS")) }
        "env::home_dir": { at_mark(env::home_dir) }
        "env::temp_dir": { at_mark(env::temp_dir) }
        "env::vars": { let _vars = at_mark(env::vars); }
        "env::vars_os": { let _vars = at_mark(env::vars_os); }
        "io::stdout": { at_mark(io::stdout) }
        "io::stderr": { at_mark(io::stderr) }
        "io::Stdout::lock": { let _lock = at_mark(|| io::stdout().lock()); }
        "io::Stderr::lock": { let _lock = at_mark(|| io::stderr().lock()); }
        "io::StdoutLock: Write::flush": {
            let mut lock = io::stdout().lock();
            at_mark(|| lock.flush())
        }
        "io::StderrLock: Write::flush": {
            let mut lock = io::stderr().lock();
            at_mark(|| lock.flush())
        }
        "io::Stdout: Write::flush": { at_mark(|| io::stdout().flush()) }
        "io::Stderr: Write::flush": { at_mark(|| io::stderr().flush()) }
    }
}
