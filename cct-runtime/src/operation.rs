//! The kinds of visible operation, and what each can do to the program's shared state.
//!
//! Names are those of std's methods, since they are shown to people. The effects of operations
//! are in the shims and in `primitive`.

/// The effect of an operation on state that other workers see; decides what counts as progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It changes state, or is rare enough to count as progress.
    Writes,
    /// It changes state only when it succeeds: `Step::wrote` says so afterwards.
    MayWrite,
    /// It only reads.
    Reads,
    /// The worker says itself that it waits for others.
    Yields,
}

/// How an operation goes about its object; says which operations' order makes no difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// It reads, and changes nothing.
    Reads,
    /// It changes the object in a way that others of the sort cannot tell from their own: readers that
    /// take and give up their locks, tokens that are given, members of a scope that leave.
    Adds,
    /// It may change anything.
    Writes,
}

impl Access {
    /// True if two such operations on one object come to the same in either order.
    #[inline]
    pub const fn commutes_with(self, other: Access) -> bool {
        matches!(
            (self, other),
            (Access::Reads, Access::Reads) | (Access::Adds, Access::Adds)
        )
    }
}

macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $variant:ident $name:literal $(/ $method:literal)? $effect:ident $access:ident $about:literal
            [$($property:ident)*],
    )*) => {
        /// The kind of a visible operation, declared at the scheduling point before it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Operation { $($(#[$doc])* $variant,)* }

        impl Operation {
            /// Every kind, in the order of their codes.
            pub const ALL: &[Operation] = &[$(Operation::$variant,)*];

            /// The name shown to people: std's method name where there is one.
            pub const fn name(self) -> &'static str {
                match self { $(Operation::$variant => $name,)* }
            }

            /// Returns its name in records. It stays, whatever is shown to people, and in whichever place it
            /// stands in this list.
            pub const fn key(self) -> &'static str {
                match self { $(Operation::$variant => stringify!($variant),)* }
            }

            /// The effect of the operation on shared state.
            #[inline]
            pub const fn effect(self) -> Effect {
                match self { $(Operation::$variant => Effect::$effect,)* }
            }

            /// How the operation goes about its object, as far as that is known before it is carried out.
            #[inline]
            pub const fn access(self) -> Access {
                match self { $(Operation::$variant => Access::$access,)* }
            }

            /// Returns its name behind that of its object, as in `count.load`.
            pub const fn method(self) -> &'static str {
                match self { $(Operation::$variant => [$($method,)? $name][0],)* }
            }

            /// Returns what an object is that this is done to, for people.
            pub const fn about(self) -> &'static str {
                match self { $(Operation::$variant => $about,)* }
            }
        }

        /// The properties of each operation, in the order of codes.
        const PROPERTIES: [&[Property]; Operation::ALL.len()] = [$(&[$(Property::$property),*],)*];
    };
}

/// The operations that have this property: a bit for each, by code. Computed when this is compiled.
const fn set_of(property: Property) -> u128 {
    let (mut set, mut code) = (0, 0);
    while code < PROPERTIES.len() {
        let mut at = 0;
        while at < PROPERTIES[code].len() {
            if PROPERTIES[code][at] as u32 == property as u32 {
                set |= 1 << code;
            }
            at += 1;
        }
        code += 1;
    }
    set
}

/// True if the set has this code; fast where all that it has are among the first 64, or all others.
#[inline]
const fn is_in(set: u128, code: u32) -> bool {
    let (first, others) = (set as u64, (set >> 64) as u64);
    match (first, others) {
        (_, 0) => code < 64 && first >> code & 1 != 0,
        (0, _) => code >= 64 && others >> (code - 64) & 1 != 0,
        _ => set >> code & 1 != 0,
    }
}

macro_rules! properties {
    ($($(#[$doc:meta])* $property:ident,)*) => {
        /// The properties of some operations: the words in the last column.
        #[derive(Clone, Copy)]
        #[expect(non_camel_case_types, reason = "each is also the name of a function")]
        enum Property { $($property,)* }

        impl Operation {
            $(
                $(#[$doc])*
                #[inline]
                pub const fn $property(self) -> bool {
                    const SET: u128 = set_of(Property::$property);
                    is_in(SET, self as u32)
                }
            )*
        }
    };
}

properties! {
    /// True for the operations that take a lock, or wait until they can.
    takes_lock,
    /// True for the operations that take a lock if it is free.
    tries_lock,
    /// True for the operations that give a lock back.
    releases,
    /// True for the operations of which one may go ahead, of several that are about to, so that the
    /// others have to wait.
    contends,
    /// True for the operations that may wait, be woken, and find that another worker came first.
    competes,
    /// True for the operations that read an atomic and write it in one go, if they succeed.
    updates_atomic,
    /// True for the operations that a hand-written spin lock repeats until they succeed.
    can_spin,
    /// True for the operations that are a step as soon as their worker comes to them, whatever others do.
    never_waits,
    /// True for waits that end because somebody ends them, whatever the state of an object.
    is_let_go,
    /// True for the operations that have done their work when they wait; what is left is to go on.
    acts_first,
    /// True for waits that may end for no reason, as their documentation says.
    may_wake_early,
    /// True for what a task, or who polls it, does at the beginning of a turn: it can, once it has been
    /// polled, or the poll is over, or somebody needs it for a wake-up.
    takes_turns,
    /// True for the operations by which a worker lets others go first, or lets time pass.
    gives_way,
    /// True for the operations by which workers begin, end, and wait for each other's end.
    is_of_workers,
    /// True for the operations by which a worker learns what others did to the object.
    learns,
    /// True for the operations by which a worker tells others something through the object.
    tells,
    /// True for operations of the C library, and for reads of the clock, which have no site of their own but
    /// that of the worker's last operation.
    borrows_site,
    /// True for the operations on counts of references.
    counts_references,
    /// True for accesses to plain memory.
    is_plain,
    /// True if the strategy chooses the operation's value.
    is_choice,
    /// True for the operations that are shown without an object.
    stands_alone,
}

// A row has the variant, its name, behind a stroke its name after that of its object if that is another one,
// its effect, its access as far as that is known before it is carried out, what an object is that this is
// done to, and its properties.
operations! {
    /// A worker's first step.
    Start "start" Writes Writes "thread" [takes_turns is_of_workers stands_alone],
    /// A worker's last step; wakes those that join it.
    End "end" Writes Writes "thread" [is_of_workers tells stands_alone],
    /// Creates a worker.
    Spawn "spawn" Writes Writes "thread" [never_waits is_of_workers],
    /// Waits for a worker's end.
    Join "join" Writes Reads "thread" [is_of_workers],
    /// Asks whether a worker has ended.
    IsFinished "is_finished" Reads Reads "thread" [can_spin never_waits learns],
    /// Waits for the workers of a scope.
    ScopeEnd "scope end" Writes Reads "scope" [is_of_workers stands_alone],
    /// Reads an atomic.
    Load "load" Reads Reads "atomic" [can_spin never_waits learns],
    /// Writes an atomic.
    Store "store" Writes Writes "atomic" [never_waits tells],
    /// Swaps an atomic's value.
    Swap "swap" MayWrite Writes "atomic" [updates_atomic can_spin never_waits learns tells],
    /// Compares and exchanges.
    CompareExchange "compare_exchange" MayWrite Writes "atomic"
        [updates_atomic can_spin never_waits learns tells],
    /// Compares and exchanges; may fail without a reason.
    CompareExchangeWeak "compare_exchange_weak" MayWrite Writes "atomic"
        [updates_atomic can_spin never_waits learns tells],
    /// Adds.
    FetchAdd "fetch_add" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Subtracts.
    FetchSub "fetch_sub" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Bitwise and.
    FetchAnd "fetch_and" MayWrite Writes "atomic"
        [updates_atomic can_spin never_waits learns tells],
    /// Bitwise nand.
    FetchNand "fetch_nand" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Bitwise or.
    FetchOr "fetch_or" MayWrite Writes "atomic" [updates_atomic can_spin never_waits learns tells],
    /// Bitwise exclusive or.
    FetchXor "fetch_xor" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Maximum.
    FetchMax "fetch_max" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Minimum.
    FetchMin "fetch_min" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Logical not.
    FetchNot "fetch_not" MayWrite Writes "atomic" [updates_atomic never_waits learns tells],
    /// Adds a reference to a count: a clone of an `Arc` or `Weak`.
    CountUp "clone" Reads Adds "Arc" [never_waits borrows_site counts_references],
    /// Takes a reference off a count: an `Arc` or `Weak` is dropped.
    CountDown "drop" MayWrite Writes "Arc" [never_waits learns tells borrows_site counts_references],
    /// Reads a count.
    CountRead "count" Reads Reads "Arc" [can_spin never_waits learns borrows_site counts_references],
    /// Compares a count and exchanges it, as `upgrade`, `downgrade` and `try_unwrap` do.
    CountExchange "exchange count" MayWrite Writes "Arc"
        [updates_atomic can_spin never_waits learns tells borrows_site counts_references],
    /// Writes a count, as `get_mut` does.
    CountWrite "write count" MayWrite Writes "Arc" [never_waits tells borrows_site counts_references],
    /// The same as [`Operation::CountUp`] on the count of `Weak`s.
    WeakUp "clone" Reads Adds "Weak" [never_waits borrows_site counts_references],
    /// The same as [`Operation::CountDown`] on the count of `Weak`s.
    WeakDown "drop" MayWrite Writes "Weak" [never_waits learns tells borrows_site counts_references],
    /// Reads the count of `Weak`s.
    WeakRead "count" Reads Reads "Weak" [can_spin never_waits learns borrows_site counts_references],
    /// The same as [`Operation::CountExchange`] on the count of `Weak`s.
    WeakExchange "exchange count" MayWrite Writes "Weak"
        [updates_atomic can_spin never_waits learns tells borrows_site counts_references],
    /// Writes the count of `Weak`s.
    WeakWrite "write count" MayWrite Writes "Weak" [never_waits tells borrows_site counts_references],
    /// Reads a plain variable.
    PlainLoad "plain load" Reads Reads "atomic" [can_spin never_waits learns],
    /// Writes a plain variable.
    PlainStore "plain store" Writes Writes "atomic" [never_waits tells],
    /// A memory fence.
    Fence "fence" Reads Writes "atomic" [never_waits stands_alone],
    /// Acquires a mutex.
    Lock "lock" Writes Writes "mutex" [takes_lock contends competes learns tells],
    /// Tries to acquire a mutex.
    TryLock "try_lock" MayWrite Writes "mutex" [tries_lock can_spin never_waits learns tells],
    /// Releases a mutex.
    Unlock "unlock" Writes Writes "mutex" [releases never_waits],
    /// Acquires a read lock.
    Read "read" Writes Adds "rwlock" [takes_lock contends competes learns],
    /// Tries to acquire a read lock.
    TryRead "try_read" MayWrite Writes "rwlock" [tries_lock can_spin never_waits learns],
    /// Releases a read lock.
    ReadUnlock "read unlock" / "unlock" Writes Adds "rwlock" [releases never_waits],
    /// Acquires a write lock.
    Write "write" Writes Writes "rwlock" [takes_lock contends competes learns tells],
    /// Tries to acquire a write lock.
    TryWrite "try_write" MayWrite Writes "rwlock" [tries_lock can_spin never_waits learns tells],
    /// Releases a write lock.
    WriteUnlock "write unlock" / "unlock" Writes Writes "rwlock" [releases never_waits],
    /// Waits on a condition variable.
    Wait "wait" Writes Writes "condvar" [never_waits is_let_go may_wake_early learns],
    /// Waits on a condition variable up to a deadline.
    WaitTimeout "wait_timeout" Writes Writes "condvar"
        [never_waits is_let_go may_wake_early learns],
    /// Wakes one waiter of a condition variable.
    NotifyOne "notify_one" Writes Writes "condvar" [never_waits tells],
    /// Wakes all waiters of a condition variable.
    NotifyAll "notify_all" Writes Writes "condvar" [never_waits tells],
    /// Runs an initialiser once.
    CallOnce "call_once" Writes Writes "once" [contends learns tells],
    /// An initialiser has finished.
    OnceDone "once done" / "done" Writes Writes "once" [never_waits tells],
    /// Waits for an initialiser.
    OnceWait "once wait" / "wait" Writes Reads "once" [contends],
    /// Asks whether an initialiser has run.
    OnceGet "once get" / "get" Reads Reads "once" [can_spin never_waits learns],
    /// Waits at a barrier.
    BarrierWait "barrier wait" / "wait" Writes Writes "barrier"
        [is_let_go acts_first learns tells],
    /// Sends into a channel.
    Send "send" Writes Writes "channel" [contends competes learns tells],
    /// Waits until a message is taken that was sent into a channel without room.
    Offer "send" Writes Writes "channel" [is_let_go acts_first],
    /// Tries to send into a channel.
    TrySend "try_send" MayWrite Writes "channel" [can_spin never_waits learns tells],
    /// Receives from a channel.
    Recv "recv" Writes Writes "channel" [competes learns],
    /// Tries to receive from a channel.
    TryRecv "try_recv" MayWrite Writes "channel" [can_spin never_waits learns],
    /// Receives from a channel up to a deadline.
    RecvTimeout "recv_timeout" Writes Writes "channel" [competes learns],
    /// A channel loses a sender or its receiver.
    Disconnect "disconnect" Writes Writes "channel" [never_waits tells],
    /// Parks the worker.
    Park "park" Writes Writes "thread" [may_wake_early learns stands_alone],
    /// Gives a worker its park token.
    Unpark "unpark" Writes Adds "thread" [never_waits tells],
    /// Gives way.
    YieldNow "yield_now" Yields Writes "thread" [gives_way stands_alone],
    /// Says that it spins.
    SpinLoop "spin_loop" Yields Writes "thread" [gives_way stands_alone],
    /// Sleeps in virtual time.
    Sleep "sleep" Writes Writes "clock" [acts_first gives_way stands_alone],
    /// Reads the virtual clock.
    ClockRead "clock" Reads Writes "clock" [can_spin never_waits gives_way stands_alone borrows_site],
    /// Waits on a futex word.
    FutexWait "futex wait" / "futex_wait" Writes Writes "futex"
        [never_waits is_let_go acts_first may_wake_early learns borrows_site],
    /// Wakes waiters of a futex word.
    FutexWake "futex wake" / "futex_wake" Writes Writes "futex" [never_waits tells borrows_site],
    /// Awaits a future: the task may be held back before it does, or before it goes on.
    Await "await" Writes Writes "task" [takes_turns],
    /// A thread goes on with what else its executor has to do.
    Poll "poll others" Writes Writes "task" [takes_turns],
    /// Takes one of several values, chosen by the strategy.
    Choose "choose" Writes Writes "choice" [is_choice],
    /// An operation of a custom runtime.
    Custom "custom" Writes Writes "resource" [learns tells],
    /// Takes a truth value chosen by the strategy.
    NondetBool "nondet_bool" Writes Writes "choice" [is_choice],
    /// Takes a number chosen by the strategy.
    NondetIndex "nondet_index" Writes Writes "choice" [is_choice],
    /// Fails if the strategy chooses so.
    MaybeFail "maybe_fail" Writes Writes "choice" [is_choice],
    /// Pauses until a predicate of a custom runtime is true.
    PauseUntil "pause_until" Writes Writes "resource" [],
    /// Waits for a resource of a custom runtime.
    WaitUntil "wait_until" Writes Writes "resource" [],
    /// Waits until no actor of a runtime has anything to do.
    WaitUntilIdle "wait_until_idle" Writes Writes "runtime" [],
    /// Changes a resource of a custom runtime.
    Signal "signal" Writes Writes "resource" [],
    /// Tells a monitor what has happened; never a step of its own.
    Notify "notify" Reads Writes "monitor" [],
    /// A machine comes to another state, raises an event or halts; never a step of its own.
    Transition "transition" Reads Writes "machine" [],
    /// Reads an eventfd's count.
    EventfdRead "eventfd read" MayWrite Writes "eventfd" [can_spin borrows_site],
    /// Adds to an eventfd's count.
    EventfdWrite "eventfd write" MayWrite Writes "eventfd" [borrows_site],
    /// Reads from a pipe.
    PipeRead "pipe read" MayWrite Writes "pipe" [can_spin borrows_site],
    /// Writes into a pipe.
    PipeWrite "pipe write" MayWrite Writes "pipe" [can_spin borrows_site],
    /// Receives from a socket.
    SocketRead "socket read" MayWrite Writes "socket" [can_spin borrows_site],
    /// Sends into a socket.
    SocketWrite "socket write" MayWrite Writes "socket" [can_spin borrows_site],
    /// Takes a connection.
    Accept "accept" MayWrite Writes "socket" [can_spin borrows_site],
    /// Connects a socket.
    Connect "connect" Writes Writes "socket" [borrows_site],
    /// Shuts a socket down.
    Shutdown "shutdown" Writes Writes "socket" [borrows_site],
    /// Closes a descriptor.
    Close "close" Writes Writes "descriptor" [borrows_site],
    /// Changes the members of an epoll instance.
    EpollCtl "epoll_ctl" Writes Writes "epoll" [borrows_site],
    /// Waits for a descriptor of an epoll instance.
    EpollWait "epoll_wait" MayWrite Writes "epoll" [can_spin borrows_site],
    /// Waits for one of several descriptors.
    PollDescriptors "poll" MayWrite Writes "descriptor" [can_spin borrows_site],
    /// Sets a timer.
    TimerSet "timerfd_settime" Writes Writes "timer" [borrows_site],
    /// Reads how often a timer has expired.
    TimerRead "timerfd read" MayWrite Writes "timer" [can_spin borrows_site],
    /// Reads from a descriptor of another kind.
    DescriptorRead "descriptor read" MayWrite Writes "descriptor" [can_spin borrows_site],
    /// Writes to a descriptor of another kind.
    DescriptorWrite "descriptor write" MayWrite Writes "descriptor" [can_spin borrows_site],
    /// Waits for a process.
    WaitProcess "waitpid" MayWrite Writes "process" [can_spin borrows_site],
    /// Waits for a signal.
    WaitSignal "sigwait" MayWrite Writes "signal" [can_spin borrows_site],
    /// Sends a signal that waits until a thread takes it.
    SendSignal "kill" Writes Writes "signal" [borrows_site],
    /// Runs the handler of a signal; only noted.
    HandleSignal "handler" Writes Writes "signal" [borrows_site],
    /// Takes a token of a semaphore, or waits for one.
    SemWait "sem_wait" Writes Writes "semaphore" [],
    /// Tries to take a token of a semaphore.
    SemTryWait "sem_trywait" MayWrite Writes "semaphore" [],
    /// Gives a semaphore a token.
    SemPost "sem_post" Writes Writes "semaphore" [],
    /// Panics; never a step of its own.
    Panic "panic" Reads Writes "panic" [],
    /// Asks whether a holder of a lock panicked.
    IsPoisoned "is_poisoned" Reads Reads "lock" [can_spin],
    /// A panic reaches a lock that its worker holds.
    Poison "poison" Writes Writes "lock" [],
    /// Forgets that a holder of a lock panicked.
    ClearPoison "clear_poison" Writes Writes "lock" [],
    /// Uses something that the tests of a process share; a step where two of them run together.
    Use "uses" Reads Reads "process" [never_waits learns],
    /// Changes it.
    Change "changes" Writes Writes "process" [never_waits tells],
    /// Puts an event into the inbox of an actor.
    Enqueue "send" Writes Writes "inbox" [never_waits tells],
    /// Takes an event out of the inbox of an actor, or waits for one.
    Dequeue "take" MayWrite Writes "inbox" [learns],
    /// A timer of an actor runs out.
    Tick "tick" Writes Writes "timer" [tells],
    /// Plain code reads memory: a step where the code is named, and noted where it is part of a data race.
    MemoryRead "reads" Reads Reads "memory" [can_spin never_waits borrows_site is_plain],
    /// Plain code writes memory; likewise. Its effect shows in memory alone.
    MemoryWrite "writes" MayWrite Writes "memory" [never_waits borrows_site is_plain],
    /// Memory is given back; noted where it is part of a data race.
    MemoryFree "frees" Writes Writes "memory" [never_waits],
}

impl Operation {
    /// The operation with this code, if there is one.
    pub fn from_code(code: u8) -> Option<Operation> {
        Operation::ALL.get(usize::from(code)).copied()
    }

    /// The operation that records call so, if there is one.
    pub fn from_key(key: &str) -> Option<Operation> {
        let mut all = Operation::ALL.iter().copied();
        all.find(|operation| operation.key() == key)
    }
}

/// Codes in records on disk: written as keys, since codes are numbered anew when a kind is added.
#[cfg(feature = "serde")]
pub(crate) mod by_key {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Operation;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
    pub(crate) fn serialize<S: Serializer>(code: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        let operation = Operation::from_code(*code);
        let unknown = || serde::ser::Error::custom(format!("no operation has the code {code}"));
        serializer.serialize_str(operation.ok_or_else(unknown)?.key())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let key = String::deserialize(deserializer)?;
        let unknown = || serde::de::Error::custom(format!("no operation is called `{key}`"));
        Ok(Operation::from_key(&key).ok_or_else(unknown)? as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn keys_are_read_back() {
        for &operation in Operation::ALL {
            assert_eq!(Operation::from_key(operation.key()), Some(operation));
        }
        assert_eq!(Operation::from_key("load"), None);
    }

    #[test]
    fn codes_are_read_back() {
        for &operation in Operation::ALL {
            assert_eq!(Operation::from_code(operation as u8), Some(operation));
        }
        assert_eq!(Operation::from_code(u8::MAX), None);
    }
}
