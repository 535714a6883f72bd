//! Drills: the tool is killed, its files are damaged, disks are full, tests are hostile, and runs meet.
//! Nothing may be lost, nobody else's file touched, no process left; the tool may not panic, and no verdict
//! may be wrong.
//!
//! This is the short form. `tests/drills/run` has the long one, and makes the table of docs/drills.md.

mod caches;
mod codes;
mod disks;
mod folders;
mod garden;
mod hostile;
mod kills;
mod tally;
mod together;
