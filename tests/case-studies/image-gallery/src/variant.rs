//! The bugs.

/// The behaviour of the service: mended, or with a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// It has no bug.
    Mended,
    /// It takes for granted that an account stays that was there before.
    ChecksThenActs,
    /// It does not ask again for the account once the image is stored.
    ChecksOnce,
    /// An instance that starts does not look for what crashed ones have left.
    NeverRecovers,
}
