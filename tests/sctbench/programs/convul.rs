//! `ConVul`: the racing code of ten vulnerabilities, two threads each.
//!
//! Pointers are to the heap that notices, so a bug is the wrong access itself. That makes those easier
//! whose published counts wait for a crash: CVE-2017-15265 and CVE-2016-1972 in particular.

use cct_shims::std::sync::Mutex;
use cct_shims::std::sync::atomic::{AtomicI64, Ordering};

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::run;
use crate::heap::Pointer;
use crate::program::Program;
use crate::racy::RacyCell;

const SUITE: &str = "ConVul-CVE-Benchmarks";

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy(SUITE, "CVE-2009-3547", || pipe_open(Buggy)),
    Program::buggy(SUITE, "CVE-2011-2183", || merge_scan(Buggy)),
    Program::buggy(SUITE, "CVE-2013-1792", || user_keyrings(Buggy)),
    Program::buggy(SUITE, "CVE-2015-7550", || key_read(Buggy)),
    Program::buggy(SUITE, "CVE-2016-1972", || once(Buggy)),
    Program::buggy(SUITE, "CVE-2016-1973", || static_instance(Buggy)),
    Program::buggy(SUITE, "CVE-2016-7911", || io_priority(Buggy)),
    Program::buggy(SUITE, "CVE-2016-9806", || netlink_dump(Buggy)),
    Program::buggy(SUITE, "CVE-2017-15265", || create_port(Buggy)),
    Program::buggy(SUITE, "CVE-2017-6346", || fanout_add(Buggy)),
    Program::clean(SUITE, "CVE-2009-3547_ok", || pipe_open(Fixed)),
    Program::clean(SUITE, "CVE-2011-2183_ok", || merge_scan(Fixed)),
    Program::clean(SUITE, "CVE-2013-1792_ok", || user_keyrings(Fixed)),
    Program::clean(SUITE, "CVE-2015-7550_ok", || key_read(Fixed)),
    Program::clean(SUITE, "CVE-2016-1972_ok", || once(Fixed)),
    Program::clean(SUITE, "CVE-2016-1973_ok", || static_instance(Fixed)),
    Program::clean(SUITE, "CVE-2016-7911_ok", || io_priority(Fixed)),
    Program::clean(SUITE, "CVE-2016-9806_ok", || netlink_dump(Fixed)),
    Program::clean(SUITE, "CVE-2017-15265_ok", || create_port(Fixed)),
    Program::clean(SUITE, "CVE-2017-6346_ok", || fanout_add(Fixed)),
];

/// CVE-2009-3547, Linux's pipes: an open by name uses the pipe that the last close has taken away.
///
/// Each takes the inode's lock; the order is the bug: null dereference.
fn pipe_open(flavour: Flavour) {
    struct Inode {
        flavour: Flavour,
        lock: Mutex<()>,
        pipe: RacyCell<Pointer<RacyCell<u32>>>,
    }
    fn open(inode: &Inode) {
        let _guard = inode.lock.lock().unwrap();
        let pipe = inode.pipe.get();
        if inode.flavour.is_fixed() && pipe.is_null() {
            return;
        }
        pipe.get().update(|readers| readers + 1);
    }
    fn release(inode: &Inode) {
        let _guard = inode.lock.lock().unwrap();
        inode.pipe.set(Pointer::NULL);
    }
    let inode = Inode {
        flavour,
        lock: Mutex::new(()),
        pipe: RacyCell::ordered(Pointer::allocate(RacyCell::ordered(0))),
    };
    run(inode, [open, release]);
}

/// CVE-2011-2183, Linux's merging of equal pages: the scanner sees a list with one entry, and takes the
/// list's head for that entry when an exiting process has removed it meanwhile.
///
/// Racy: the list's `next` field, looked at without the lock. Null dereference of the head's owner.
fn merge_scan(flavour: Flavour) {
    struct Slot {
        owner: Pointer<RacyCell<u32>>,
        next: RacyCell<Pointer<Slot>>,
    }
    struct List {
        flavour: Flavour,
        lock: Mutex<()>,
        /// A ring of the head and at most one entry.
        head: Pointer<Slot>,
        cursor: RacyCell<Pointer<Slot>>,
    }
    fn remove_entry(list: &List) {
        list.head.get().next.set(list.head);
    }
    fn scan(list: &List) {
        if list.head.get().next.get() == list.head {
            return;
        }
        let slot = {
            let _guard = list.lock.lock().unwrap();
            let slot = list.head.get().next.get();
            list.cursor.set(slot);
            slot
        };
        if list.flavour.is_fixed() && slot == list.head {
            return;
        }
        slot.get().owner.get().update(|pages| pages + 1);
        let _guard = list.lock.lock().unwrap();
        list.cursor.set(slot.get().next.get());
        remove_entry(list);
    }
    fn exit(list: &List) {
        let _guard = list.lock.lock().unwrap();
        let entry = list.head.get().next.get();
        if entry != list.head && list.cursor.get() != entry {
            remove_entry(list);
        }
    }
    let head = Pointer::allocate(Slot {
        owner: Pointer::NULL,
        next: RacyCell::new(Pointer::NULL),
    });
    let entry = Pointer::allocate(Slot {
        owner: Pointer::allocate(RacyCell::ordered(0)),
        next: RacyCell::new(head),
    });
    head.get().next.set(entry);
    let list = List {
        flavour,
        lock: Mutex::new(()),
        head,
        cursor: RacyCell::ordered(head),
    };
    run(list, [scan, exit]);
}

/// CVE-2013-1792, Linux's keyrings: two are installed one after the other; who sees the first takes the
/// second for granted.
///
/// Racy: both pointers. Null dereference of the session's keyring between the two stores.
fn user_keyrings(flavour: Flavour) {
    struct User {
        flavour: Flavour,
        lock: Mutex<()>,
        own: RacyCell<Pointer<RacyCell<u32>>>,
        session: RacyCell<Pointer<RacyCell<u32>>>,
    }
    fn install(user: &User) {
        let is_there = !user.own.get().is_null();
        if is_there && !(user.flavour.is_fixed() && user.session.get().is_null()) {
            return;
        }
        let _guard = user.lock.lock().unwrap();
        if user.own.get().is_null() {
            user.own.set(Pointer::allocate(RacyCell::ordered(0)));
            user.session.set(Pointer::allocate(RacyCell::ordered(0)));
        }
    }
    fn look_up(user: &User) {
        if user.session.get().is_null() {
            install(user);
        }
        user.session.get().get().update(|usage| usage + 1);
    }
    let user = User {
        flavour,
        lock: Mutex::new(()),
        own: RacyCell::new(Pointer::NULL),
        session: RacyCell::new(Pointer::NULL),
    };
    run(user, [look_up, install]);
}

/// CVE-2015-7550, Linux's keys: a key is validated before its lock is taken, and revoked in between.
///
/// Racy: the key's flags. Null dereference of its payload.
fn key_read(flavour: Flavour) {
    const REVOKED: u32 = 2;
    struct Key {
        flavour: Flavour,
        lock: Mutex<()>,
        flags: RacyCell<u32>,
        payload: RacyCell<Pointer<RacyCell<u32>>>,
    }
    fn read(key: &Key) {
        let _early = key.flavour.lock_if_fixed(&key.lock);
        if key.flags.get() & REVOKED != 0 {
            return;
        }
        let _late = (!key.flavour.is_fixed()).then(|| key.lock.lock().unwrap());
        key.payload.get().get().get();
    }
    fn revoke(key: &Key) {
        let _guard = key.lock.lock().unwrap();
        key.flags.set(REVOKED);
        key.payload.set(Pointer::NULL);
    }
    let key = Key {
        flavour,
        lock: Mutex::new(()),
        flags: RacyCell::new(0),
        payload: RacyCell::ordered(Pointer::allocate(RacyCell::ordered(1))),
    };
    run(key, [revoke, read]);
}

/// CVE-2016-1972, libvpx's one-time initialisation: the last of those that wait frees the lock, while
/// another has seen that nothing is initialised yet and is about to take it.
///
/// Racy: everything but what is under the lock: `done`, the counter, which is plain, and the pointer.
/// Null dereference, use after free or double free.
fn once(flavour: Flavour) {
    struct Once {
        flavour: Flavour,
        done: RacyCell<bool>,
        waiters: RacyCell<i32>,
        lock: RacyCell<Pointer<Mutex<()>>>,
    }
    fn initialise(once: &Once) {
        if once.done.get() {
            return;
        }
        once.waiters.update(|waiters| waiters + 1);
        {
            let _guard = once.lock.get().get().lock().unwrap();
            if !once.done.get() {
                once.done.set(true);
            }
        }
        // Mended: the lock lives as long as the program.
        if once.waiters.update(|waiters| waiters - 1) == 0 && !once.flavour.is_fixed() {
            once.lock.get().free();
            once.lock.set(Pointer::NULL);
        }
    }
    let state = Once {
        flavour,
        done: RacyCell::new(false),
        waiters: RacyCell::new(0),
        lock: RacyCell::new(Pointer::allocate(Mutex::new(()))),
    };
    run(state, [initialise, initialise]);
}

/// CVE-2016-1973, `WebRTC`'s shared instances: made by the first who asks, destroyed by the last who
/// returns it, with a counter that is atomic and a pointer that is stored after the counter.
///
/// Racy: the pointer. Null dereference, or use after free.
fn static_instance(flavour: Flavour) {
    struct Shared {
        flavour: Flavour,
        /// Taken around each operation in the mended program.
        lock: Mutex<()>,
        count: AtomicI64,
        instance: RacyCell<Pointer<RacyCell<u32>>>,
    }
    impl Shared {
        fn acquire(&self) -> Pointer<RacyCell<u32>> {
            let _guard = self.flavour.lock_if_fixed(&self.lock);
            let is_missing = if self.count.load(Ordering::SeqCst) == 0 {
                true
            } else if self.count.fetch_add(1, Ordering::SeqCst) == 0 {
                self.count.fetch_sub(1, Ordering::SeqCst);
                true
            } else {
                false
            };
            if is_missing {
                let made = Pointer::allocate(RacyCell::ordered(0));
                if self.count.fetch_add(1, Ordering::SeqCst) == 0 {
                    self.instance.set(made);
                } else {
                    self.count.fetch_sub(1, Ordering::SeqCst);
                    made.free();
                }
            }
            self.instance.get()
        }
        fn release(&self) {
            let _guard = self.flavour.lock_if_fixed(&self.lock);
            if self.count.fetch_sub(1, Ordering::SeqCst) == 1 {
                let old = self.instance.get();
                self.instance.set(Pointer::NULL);
                old.free();
            }
        }
    }
    fn use_and_release(shared: &Shared) {
        shared.acquire().get().get();
        shared.release();
    }
    fn only_use(shared: &Shared) {
        shared.acquire().get().get();
    }
    let shared = Shared {
        flavour,
        lock: Mutex::new(()),
        count: AtomicI64::new(0),
        instance: RacyCell::new(Pointer::NULL),
    };
    run(shared, [only_use, use_and_release]);
}

/// CVE-2016-7911, Linux's input-output priorities: a task's context is tested and then loaded again.
///
/// Racy: the task's pointer to its context. Null dereference.
fn io_priority(flavour: Flavour) {
    struct Context {
        tasks: RacyCell<i32>,
        priority: RacyCell<u16>,
    }
    struct Task {
        flavour: Flavour,
        lock: Mutex<()>,
        context: RacyCell<Pointer<Context>>,
    }
    fn read(task: &Task) {
        let _guard = task.flavour.lock_if_fixed(&task.lock);
        if !task.context.get().is_null() {
            task.context.get().get().priority.get();
        }
    }
    fn exit(task: &Task) {
        let context = {
            let _guard = task.lock.lock().unwrap();
            let context = task.context.get();
            task.context.set(Pointer::NULL);
            context
        };
        context.get().tasks.update(|tasks| tasks - 1);
    }
    let task = Task {
        flavour,
        lock: Mutex::new(()),
        context: RacyCell::new(Pointer::allocate(Context {
            tasks: RacyCell::ordered(1),
            priority: RacyCell::ordered(1),
        })),
    };
    run(task, [read, exit]);
}

/// CVE-2016-9806, Linux's netlink dumps: two dumps share a callback, and each frees the buffer that it
/// finds there.
///
/// Racy: the callback's buffer. Double free.
fn netlink_dump(flavour: Flavour) {
    struct Socket {
        flavour: Flavour,
        lock: Mutex<()>,
        buffer: RacyCell<Pointer<u32>>,
    }
    fn dump(socket: &Socket) {
        let guard = socket.lock.lock().unwrap();
        socket.buffer.set(Pointer::allocate(0));
        if !socket.flavour.is_fixed() {
            drop(guard);
        }
        socket.buffer.get().free();
    }
    let socket = Socket {
        flavour,
        lock: Mutex::new(()),
        buffer: RacyCell::new(Pointer::NULL),
    };
    run(socket, [dump, dump]);
}

/// CVE-2017-15265, Linux's sound sequencer: a port is used by its creator after it was published, when
/// another may delete it.
///
/// Racy: nothing but the port's life; the list is under its lock. Use after free.
fn create_port(flavour: Flavour) {
    struct Port {
        number: i32,
        kind: RacyCell<u32>,
    }
    struct Client {
        flavour: Flavour,
        ports: Mutex<Vec<Pointer<Port>>>,
        lists: Mutex<()>,
    }
    fn create(client: &Client) {
        let port = Pointer::allocate(Port {
            number: 1,
            kind: RacyCell::ordered(0),
        });
        let mut ports = client.ports.lock().unwrap();
        {
            let _guard = client.lists.lock().unwrap();
            ports.push(port);
        }
        if !client.flavour.is_fixed() {
            drop(ports);
        }
        port.get().kind.set(7);
    }
    fn delete(client: &Client) {
        let found = {
            let mut ports = client.ports.lock().unwrap();
            let _guard = client.lists.lock().unwrap();
            let index = ports.iter().position(|port| port.get().number == 1);
            index.map(|index| ports.remove(index))
        };
        if let Some(port) = found {
            port.free();
        }
    }
    let client = Client {
        flavour,
        ports: Mutex::new(vec![Pointer::allocate(Port {
            number: 0,
            kind: RacyCell::ordered(0),
        })]),
        lists: Mutex::new(()),
    };
    run(client, [create, delete]);
}

/// CVE-2017-6346, Linux's packet sockets: two threads join a fan-out, which fails for both, and each frees
/// the rollover state that it finds in the socket.
///
/// Racy: the socket's pointer. Null dereference, use after free or double free.
fn fanout_add(flavour: Flavour) {
    struct Socket {
        flavour: Flavour,
        /// Taken around everything in the mended program.
        whole: Mutex<()>,
        fanout: Mutex<()>,
        rollover: RacyCell<Pointer<AtomicI64>>,
    }
    fn add(socket: &Socket) {
        let _whole = socket.flavour.lock_if_fixed(&socket.whole);
        socket.rollover.set(Pointer::allocate(AtomicI64::new(-1)));
        socket.rollover.get().get().store(0, Ordering::SeqCst);
        drop(socket.fanout.lock().unwrap());
        socket.rollover.get().free();
        socket.rollover.set(Pointer::NULL);
    }
    let socket = Socket {
        flavour,
        whole: Mutex::new(()),
        fanout: Mutex::new(()),
        rollover: RacyCell::new(Pointer::NULL),
    };
    run(socket, [add, add]);
}
