/work/main/tests/conformance/target/debug/deps/std-32e7e50dedfe25d3.d: tests/std/main.rs tests/std/atomic.rs tests/std/barrier.rs tests/std/builder.rs tests/std/condvar.rs tests/std/lazy.rs tests/std/local.rs tests/std/mpsc.rs tests/std/mutex.rs tests/std/once.rs tests/std/panic.rs tests/std/park.rs tests/std/rw_lock.rs tests/std/scope.rs tests/std/sync_channel.rs tests/std/thread.rs tests/std/time.rs Cargo.toml

/work/main/tests/conformance/target/debug/deps/libstd-32e7e50dedfe25d3.rmeta: tests/std/main.rs tests/std/atomic.rs tests/std/barrier.rs tests/std/builder.rs tests/std/condvar.rs tests/std/lazy.rs tests/std/local.rs tests/std/mpsc.rs tests/std/mutex.rs tests/std/once.rs tests/std/panic.rs tests/std/park.rs tests/std/rw_lock.rs tests/std/scope.rs tests/std/sync_channel.rs tests/std/thread.rs tests/std/time.rs Cargo.toml

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
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
