//! The bugs.

/// The behaviour of robot and navigator: mended, or with a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// They have no bug.
    Mended,
    /// The robot takes its order for pending until it moves, and not until it has the route.
    ForgetsLate,
    /// The navigator deletes the stored request before it sends the route, and not after.
    DeletesFirst,
}
