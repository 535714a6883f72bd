//! The settings of the manager.

/// Whether the manager has the bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// It ignores sync reports of nodes that it has forgotten.
    Mended,
    /// It believes every sync report.
    BelievesEveryReport,
}

/// The settings of the manager.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether it has the bug.
    pub variant: Variant,
    /// How many replicas an extent is to have.
    pub target: usize,
    /// In how many rounds of expiration a node may be silent before it is forgotten.
    pub patience: u32,
}
