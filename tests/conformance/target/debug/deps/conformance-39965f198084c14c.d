/work/main/tests/conformance/target/debug/deps/conformance-39965f198084c14c.d: src/lib.rs Cargo.toml

/work/main/tests/conformance/target/debug/deps/libconformance-39965f198084c14c.rmeta: src/lib.rs Cargo.toml

src/lib.rs:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
