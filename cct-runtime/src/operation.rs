//! The kinds of visible operation, and what each can do to the program's shared state.
//!
//! Names are those of std's methods, since they are shown to people. What an operation does when it
//! runs is kept in the shims and in `primitive`.

/// What an operation can do to state that other workers see; decides what counts as progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It changes state, or is rare enough to count as progress.
    Writes,
    /// It changes state only when it succeeds: `Step::wrote` says so afterwards.
    MayWrite,
    /// It only looks.
    Reads,
    /// The worker says itself that it waits for others.
    Yields,
}

/// How an operation goes about its object; says which operations' order makes no difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// It looks, and changes nothing.
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
    ($($(#[$doc:meta])* $variant:ident $name:literal $effect:ident,)*) => {
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

            /// What the operation can do to shared state.
            #[inline]
            pub const fn effect(self) -> Effect {
                match self { $(Operation::$variant => Effect::$effect,)* }
            }
        }
    };
}

operations! {
    /// A worker's first step.
    Start "start" Writes,
    /// A worker's last step; wakes those that join it.
    End "end" Writes,
    /// Creates a worker.
    Spawn "spawn" Writes,
    /// Waits for a worker's end.
    Join "join" Writes,
    /// Asks whether a worker has ended.
    IsFinished "is_finished" Reads,
    /// Waits for the workers of a scope.
    ScopeEnd "scope end" Writes,
    /// Reads an atomic.
    Load "load" Reads,
    /// Writes an atomic.
    Store "store" Writes,
    /// Swaps an atomic's value.
    Swap "swap" MayWrite,
    /// Compares and exchanges.
    CompareExchange "compare_exchange" MayWrite,
    /// Compares and exchanges; may fail without a reason.
    CompareExchangeWeak "compare_exchange_weak" MayWrite,
    /// Adds.
    FetchAdd "fetch_add" MayWrite,
    /// Subtracts.
    FetchSub "fetch_sub" MayWrite,
    /// Bitwise and.
    FetchAnd "fetch_and" MayWrite,
    /// Bitwise nand.
    FetchNand "fetch_nand" MayWrite,
    /// Bitwise or.
    FetchOr "fetch_or" MayWrite,
    /// Bitwise exclusive or.
    FetchXor "fetch_xor" MayWrite,
    /// Maximum.
    FetchMax "fetch_max" MayWrite,
    /// Minimum.
    FetchMin "fetch_min" MayWrite,
    /// Logical not.
    FetchNot "fetch_not" MayWrite,
    /// Reads a plain variable.
    PlainLoad "plain load" Reads,
    /// Writes a plain variable.
    PlainStore "plain store" Writes,
    /// A memory fence.
    Fence "fence" Reads,
    /// Acquires a mutex.
    Lock "lock" Writes,
    /// Tries to acquire a mutex.
    TryLock "try_lock" MayWrite,
    /// Releases a mutex.
    Unlock "unlock" Writes,
    /// Acquires a read lock.
    Read "read" Writes,
    /// Tries to acquire a read lock.
    TryRead "try_read" MayWrite,
    /// Releases a read lock.
    ReadUnlock "read unlock" Writes,
    /// Acquires a write lock.
    Write "write" Writes,
    /// Tries to acquire a write lock.
    TryWrite "try_write" MayWrite,
    /// Releases a write lock.
    WriteUnlock "write unlock" Writes,
    /// Waits on a condition variable.
    Wait "wait" Writes,
    /// Waits on a condition variable up to a deadline.
    WaitTimeout "wait_timeout" Writes,
    /// Wakes one waiter of a condition variable.
    NotifyOne "notify_one" Writes,
    /// Wakes all waiters of a condition variable.
    NotifyAll "notify_all" Writes,
    /// Runs an initialiser once.
    CallOnce "call_once" Writes,
    /// An initialiser has finished.
    OnceDone "once done" Writes,
    /// Waits for an initialiser.
    OnceWait "once wait" Writes,
    /// Asks whether an initialiser has run.
    OnceGet "once get" Reads,
    /// Waits at a barrier.
    BarrierWait "barrier wait" Writes,
    /// Sends into a channel.
    Send "send" Writes,
    /// Waits until a message is taken that was sent into a channel without room.
    Offer "send" Writes,
    /// Tries to send into a channel.
    TrySend "try_send" MayWrite,
    /// Receives from a channel.
    Recv "recv" Writes,
    /// Tries to receive from a channel.
    TryRecv "try_recv" MayWrite,
    /// Receives from a channel up to a deadline.
    RecvTimeout "recv_timeout" Writes,
    /// A channel loses a sender or its receiver.
    Disconnect "disconnect" Writes,
    /// Parks the worker.
    Park "park" Writes,
    /// Gives a worker its park token.
    Unpark "unpark" Writes,
    /// Gives way.
    YieldNow "yield_now" Yields,
    /// Says that it spins.
    SpinLoop "spin_loop" Yields,
    /// Sleeps in virtual time.
    Sleep "sleep" Writes,
    /// Reads the virtual clock.
    ClockRead "clock" Reads,
    /// Waits on a futex word.
    FutexWait "futex wait" Writes,
    /// Wakes waiters of a futex word.
    FutexWake "futex wake" Writes,
    /// Awaits a future: the task may be held back before it does, or before it goes on.
    Await "await" Writes,
    /// A thread goes on with what else its executor has to do.
    Poll "poll others" Writes,
    /// Takes one of several values, chosen by the strategy.
    Choose "choose" Writes,
    /// An operation of a custom runtime.
    Custom "custom" Writes,
    /// Takes a truth value chosen by the strategy.
    NondetBool "nondet_bool" Writes,
    /// Takes a number chosen by the strategy.
    NondetIndex "nondet_index" Writes,
    /// Fails if the strategy chooses so.
    MaybeFail "maybe_fail" Writes,
    /// Pauses until a predicate of a custom runtime is true.
    PauseUntil "pause_until" Writes,
    /// Waits for a resource of a custom runtime.
    WaitUntil "wait_until" Writes,
    /// Changes a resource of a custom runtime.
    Signal "signal" Writes,
    /// Tells a monitor what has happened; never a step of its own.
    Notify "notify" Reads,
    /// Reads an eventfd's count.
    EventfdRead "eventfd read" MayWrite,
    /// Adds to an eventfd's count.
    EventfdWrite "eventfd write" MayWrite,
    /// Reads from a pipe.
    PipeRead "pipe read" MayWrite,
    /// Writes into a pipe.
    PipeWrite "pipe write" MayWrite,
    /// Receives from a socket.
    SocketRead "socket read" MayWrite,
    /// Sends into a socket.
    SocketWrite "socket write" MayWrite,
    /// Takes a connection.
    Accept "accept" MayWrite,
    /// Connects a socket.
    Connect "connect" Writes,
    /// Shuts a socket down.
    Shutdown "shutdown" Writes,
    /// Closes a descriptor.
    Close "close" Writes,
    /// Changes what an epoll instance looks at.
    EpollCtl "epoll_ctl" Writes,
    /// Waits for a descriptor of an epoll instance.
    EpollWait "epoll_wait" MayWrite,
    /// Waits for one of several descriptors.
    PollDescriptors "poll" MayWrite,
    /// Sets a timer.
    TimerSet "timerfd_settime" Writes,
    /// Reads how often a timer has expired.
    TimerRead "timerfd read" MayWrite,
    /// Reads from a descriptor of another kind.
    DescriptorRead "descriptor read" MayWrite,
    /// Writes to a descriptor of another kind.
    DescriptorWrite "descriptor write" MayWrite,
    /// Waits for a process.
    WaitProcess "waitpid" MayWrite,
    /// Takes a token of a semaphore, or waits for one.
    SemWait "sem_wait" Writes,
    /// Tries to take a token of a semaphore.
    SemTryWait "sem_trywait" MayWrite,
    /// Gives a semaphore a token.
    SemPost "sem_post" Writes,
    /// Panics; never a step of its own.
    Panic "panic" Reads,
    /// Asks whether a holder of a lock panicked.
    IsPoisoned "is_poisoned" Reads,
    /// A panic reaches a lock that its worker holds.
    Poison "poison" Writes,
    /// Forgets that a holder of a lock panicked.
    ClearPoison "clear_poison" Writes,
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

    /// How the operation goes about its object, as far as that is known before it is carried out.
    #[inline]
    pub const fn access(self) -> Access {
        match self {
            Operation::Load
            | Operation::PlainLoad
            | Operation::OnceGet
            | Operation::OnceWait
            | Operation::IsFinished
            | Operation::IsPoisoned
            | Operation::Join
            | Operation::ScopeEnd => Access::Reads,
            Operation::Read | Operation::ReadUnlock | Operation::Unpark => Access::Adds,
            _ => Access::Writes,
        }
    }

    /// True for operations of the C library, which have no site of their own but that of the worker's last
    /// operation.
    pub const fn borrows_site(self) -> bool {
        matches!(
            self,
            Operation::FutexWait
                | Operation::FutexWake
                | Operation::EventfdRead
                | Operation::EventfdWrite
                | Operation::PipeRead
                | Operation::PipeWrite
                | Operation::SocketRead
                | Operation::SocketWrite
                | Operation::Accept
                | Operation::Connect
                | Operation::Shutdown
                | Operation::Close
                | Operation::EpollCtl
                | Operation::EpollWait
                | Operation::PollDescriptors
                | Operation::TimerSet
                | Operation::TimerRead
                | Operation::DescriptorRead
                | Operation::DescriptorWrite
                | Operation::WaitProcess
        )
    }

    /// True for the operations that take a lock, or wait until they can.
    #[inline]
    pub const fn takes_lock(self) -> bool {
        matches!(self, Operation::Lock | Operation::Read | Operation::Write)
    }

    /// True for the operations of which one may go ahead, of several that are about to, so that the
    /// others have to wait.
    #[inline]
    pub const fn contends(self) -> bool {
        self.takes_lock()
            || matches!(
                self,
                Operation::CallOnce | Operation::OnceWait | Operation::Send
            )
    }

    /// True for the operations that read an atomic and write it in one go, if they succeed.
    #[inline]
    pub const fn updates_atomic(self) -> bool {
        matches!(
            self,
            Operation::Swap
                | Operation::CompareExchange
                | Operation::CompareExchangeWeak
                | Operation::FetchAdd
                | Operation::FetchSub
                | Operation::FetchAnd
                | Operation::FetchNand
                | Operation::FetchOr
                | Operation::FetchXor
                | Operation::FetchMax
                | Operation::FetchMin
                | Operation::FetchNot
        )
    }

    /// True for the operations on atomics that a hand-written spin lock repeats until they succeed.
    #[inline]
    pub const fn can_spin(self) -> bool {
        matches!(
            self,
            Operation::Load
                | Operation::PlainLoad
                | Operation::ClockRead
                | Operation::Swap
                | Operation::CompareExchange
                | Operation::CompareExchangeWeak
                | Operation::FetchOr
                | Operation::FetchAnd
                | Operation::TryLock
                | Operation::TryRead
                | Operation::TryWrite
                | Operation::TryRecv
                | Operation::TrySend
                | Operation::IsFinished
                | Operation::IsPoisoned
                | Operation::OnceGet
                | Operation::EventfdRead
                | Operation::PipeRead
                | Operation::PipeWrite
                | Operation::SocketRead
                | Operation::SocketWrite
                | Operation::Accept
                | Operation::EpollWait
                | Operation::PollDescriptors
                | Operation::TimerRead
                | Operation::DescriptorRead
                | Operation::DescriptorWrite
                | Operation::WaitProcess
        )
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
