/work/main/tests/conformance/target/debug/deps/std-0d6470b164cdeffb.d: tests/std/main.rs tests/std/atomic.rs tests/std/barrier.rs tests/std/builder.rs tests/std/condvar.rs tests/std/lazy.rs tests/std/local.rs tests/std/mpsc.rs tests/std/mutex.rs tests/std/once.rs tests/std/panic.rs tests/std/park.rs tests/std/rw_lock.rs tests/std/scope.rs tests/std/sync_channel.rs tests/std/thread.rs tests/std/time.rs

/work/main/tests/conformance/target/debug/deps/std-0d6470b164cdeffb: tests/std/main.rs tests/std/atomic.rs tests/std/barrier.rs tests/std/builder.rs tests/std/condvar.rs tests/std/lazy.rs tests/std/local.rs tests/std/mpsc.rs tests/std/mutex.rs tests/std/once.rs tests/std/panic.rs tests/std/park.rs tests/std/rw_lock.rs tests/std/scope.rs tests/std/sync_channel.rs tests/std/thread.rs tests/std/time.rs

tests/std/main.rs:
tests/std/atomic.rs:
tests/std/barrier.rs:
tests/std/builder.rs:
tests/std/condvar.rs:
tests/std/lazy.rs:
tests/std/local.rs:
tests/std/mpsc.rs:
tests/std/mutex.rs:
tests/std/once.rs:
tests/std/panic.rs:
tests/std/park.rs:
tests/std/rw_lock.rs:
tests/std/scope.rs:
tests/std/sync_channel.rs:
tests/std/thread.rs:
tests/std/time.rs:
