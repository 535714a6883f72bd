//! The temperature of a state.

/// Whether something good is overdue in a state, with the state's name for the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temperature {
    /// Something is overdue: staying here for ever is a bug.
    Hot(&'static str),
    /// On the way: neither does the time here count, nor is what has been counted forgotten.
    Warm(&'static str),
    /// All is done: the count begins anew.
    Cold(&'static str),
}

impl Temperature {
    /// The state's name.
    #[must_use]
    pub fn state(self) -> &'static str {
        match self {
            Temperature::Hot(state) | Temperature::Warm(state) | Temperature::Cold(state) => state,
        }
    }

    /// True if something is overdue.
    #[must_use]
    pub fn is_hot(self) -> bool {
        matches!(self, Temperature::Hot(_))
    }
}
