//! Every way in which a crate gets at std's names.
#![deny(warnings)]
#![allow(dead_code, ambiguous_glob_reexports)]

#[macro_use]
extern crate std as standard;
extern crate core as kernel;

pub mod by_renamed_crate {
    pub use kernel::sync::atomic::AtomicU8;
    pub use standard::sync::Mutex;
    use standard::thread;

    pub fn same(lock: Mutex<u8>) -> std::sync::Mutex<u8> {
        thread::yield_now();
        lock
    }
}

pub mod by_module {
    use std::sync::{self, atomic, mpsc};
    use std::{hint, panic, process, thread, time};

    pub static COUNT: atomic::AtomicUsize = atomic::AtomicUsize::new(0);
    pub static LOCK: sync::Mutex<u8> = sync::Mutex::new(0);

    pub fn all() -> time::Instant {
        let (sender, receiver) = mpsc::channel::<thread::JoinHandle<()>>();
        drop((sender, receiver));
        hint::spin_loop();
        if panic::catch_unwind(|| COUNT.load(atomic::Ordering::SeqCst)).is_err() {
            process::exit(1);
        }
        time::Instant::now()
    }
}

pub mod by_glob {
    use std::sync::atomic::Ordering::*;
    use std::sync::atomic::*;
    use std::sync::mpsc::*;
    use std::sync::*;
    use std::thread::*;
    use std::time::*;

    pub fn all(flag: &AtomicBool, lock: &Mutex<Instant>, once: &OnceLock<ThreadId>) -> bool {
        let (sender, receiver): (Sender<u8>, Receiver<u8>) = channel();
        let handle: JoinHandle<bool> = spawn(move || sender.send(1).is_ok());
        let _ = once.set(current().id());
        let waited = lock.lock().unwrap().elapsed() > Duration::from_secs(1);
        handle.join().unwrap() && receiver.recv().is_ok() && flag.load(SeqCst) && waited
    }
}

pub mod by_prelude {
    mod named {
        #[allow(unused_imports)]
        use std::prelude::v1::*;

        pub fn text() -> String {
            String::new()
        }
    }
    mod of_core {
        #[allow(unused_imports)]
        use core::prelude::v1::*;

        pub fn some() -> Option<u8> {
            Some(1)
        }

        #[test]
        fn attribute_from_two_globs() {}
    }
    mod of_2021 {
        #[allow(unused_imports)]
        use std::prelude::rust_2021::*;

        #[test]
        fn attribute_from_two_globs() {}
    }

    pub fn both() -> (String, Option<u8>) {
        (named::text(), of_core::some())
    }
}

pub mod reexported {
    pub use std::sync::atomic::{AtomicBool, Ordering, fence};
    pub use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
    pub mod sync {
        pub use std::sync::*;
    }
    pub mod shadowing {
        pub use std::sync::*;
        /// An own type in the place of one that the glob brings.
        pub struct Mutex;
    }

    pub fn mixed(_own: shadowing::Mutex, real: sync::Mutex<u8>) -> Mutex<u8> {
        real
    }
}

#[no_implicit_prelude]
pub mod without_prelude {
    use ::std::sync::Mutex;
    use ::std::{assert, assert_eq, thread_local};

    thread_local! {
        static KEY: Mutex<u8> = Mutex::new(1);
        static CONSTANT: ::std::cell::Cell<u8> = const { ::std::cell::Cell::new(1) };
    }

    #[::std::prelude::v1::test]
    fn by_path() {
        assert_eq!(KEY.with(|lock| *lock.lock().unwrap()), 1);
        assert!(CONSTANT.get() == 1);
    }
}

macro_rules! through_a_macro {
    ($name:ident, $path:path) => {
        pub use $path as $name;
    };
}
through_a_macro!(RenamedLock, std::sync::RwLock);

pub fn renamed() -> RenamedLock<u8> {
    vec![RenamedLock::new(1)].remove(0)
}
