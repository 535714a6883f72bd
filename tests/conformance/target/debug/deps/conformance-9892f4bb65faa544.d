/work/main/tests/conformance/target/debug/deps/conformance-9892f4bb65faa544.d: src/lib.rs

/work/main/tests/conformance/target/debug/deps/libconformance-9892f4bb65faa544.rlib: src/lib.rs

/work/main/tests/conformance/target/debug/deps/libconformance-9892f4bb65faa544.rmeta: src/lib.rs

src/lib.rs:
