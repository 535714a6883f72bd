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
    /// Takes a value chosen by the strategy.
    Choose "choose" Writes,
    /// An operation of a custom runtime.
    Custom "custom" Writes,
}

impl Operation {
    /// The operation with this code, if there is one.
    pub fn from_code(code: u8) -> Option<Operation> {
        Operation::ALL.get(usize::from(code)).copied()
    }

    /// True for the operations that take a lock, or wait until they can.
    #[inline]
    pub const fn takes_lock(self) -> bool {
        matches!(self, Operation::Lock | Operation::Read | Operation::Write)
    }

    /// True for the operations on atomics that a hand-written spin lock repeats until they succeed.
    #[inline]
    pub const fn can_spin(self) -> bool {
        matches!(
            self,
            Operation::Load
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
                | Operation::OnceGet
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn codes_are_read_back() {
        for &operation in Operation::ALL {
            assert_eq!(Operation::from_code(operation as u8), Some(operation));
        }
        assert_eq!(Operation::from_code(u8::MAX), None);
    }
}
