/work/main/tests/conformance/target/debug/deps/conformance-05bce3654e0b58d8.d: src/lib.rs Cargo.toml

/work/main/tests/conformance/target/debug/deps/libconformance-05bce3654e0b58d8.rmeta: src/lib.rs Cargo.toml

src/lib.rs:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
