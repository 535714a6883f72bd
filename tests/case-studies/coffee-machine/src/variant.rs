//! The bugs.

/// The behaviour of firmware and driver: mended, or with a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// They have no bug.
    Mended,
    /// The firmware takes a hopper for empty whose level is zero, and not one that is below.
    ComparesWithZero,
    /// The driver starts the next firmware before the one before has ended.
    EndsInNoOrder,
}

impl Variant {
    /// True if firmware of this variant takes a hopper of this level for empty.
    #[must_use]
    pub fn is_empty(self, hopper: i32) -> bool {
        match self {
            Variant::ComparesWithZero => hopper == 0,
            Variant::Mended | Variant::EndsInNoOrder => hopper <= 0,
        }
    }
}
