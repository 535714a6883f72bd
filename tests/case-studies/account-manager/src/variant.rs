//! The bugs.

/// The behaviour of the manager: mended, or with a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// It has no bug.
    Mended,
    /// It asks whether there is a row before it creates or deletes one, and relies on the answer.
    ChecksThenActs,
    /// It writes whatever has been written since it read.
    IgnoresETags,
}
