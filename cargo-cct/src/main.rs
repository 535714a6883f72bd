//! The subcommand. (draft)
fn main() {}
