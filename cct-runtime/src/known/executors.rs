//! Functions that are given futures, attributes that drive them, and types of futures in boxes.
//!
//! A call is known by its last name, whatever crate the function is of: most executors use the same ones.
//! Whether it is given a future, the compiler finds out by its type, so that a name which means something
//! else costs nothing.

/// Functions and methods that spawn what they get, on executors of all kinds.
pub const SPAWN: [&str; 9] = [
    "spawn",
    "spawn_local",
    "spawn_local_obj",
    "spawn_local_on",
    "spawn_local_with_handle",
    "spawn_obj",
    "spawn_ok",
    "spawn_on",
    "spawn_with_handle",
];

/// Functions that drive their argument until it is ready.
pub const DRIVE: [&str; 1] = ["block_on"];

/// Methods that may drive their only argument, now or as the future that they return.
pub const MAY_DRIVE: [&str; 2] = ["run", "run_until"];

/// Functions that spawn a box of a type of its own, as those of `futures` do.
pub const SPAWN_OBJECTS: [&str; 2] = ["spawn_local_obj", "spawn_obj"];

/// The types of these boxes.
pub const OBJECTS: [&str; 2] = ["FutureObj", "LocalFutureObj"];

/// Methods that box a future and say what type it then is: what they box is handed over.
pub const BOXING: [&str; 2] = ["boxed", "boxed_local"];

/// Crates whose `spawn` spawns nothing, as paths name them, and what `use … ::*` of them or their modules
/// may bring: a test polls by hand what it returns, and counts polls and wakes.
pub const BY_HAND: [(&str, [&str; 2]); 1] = [("tokio_test", ["task", "spawn"])];

/// How the paths of attributes end that drive a function: `tokio::test`, `async_std::main`.
pub const DRIVING: [&str; 2] = ["test", "main"];

/// The end of the path of an attribute that calls such a macro: `macro_rules_attribute::apply(test!)`.
pub const APPLYING: &str = "apply";
