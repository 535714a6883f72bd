//! An account.

/// An account, as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// The owner's data.
    pub payload: String,
    /// It grows with each update.
    pub version: u32,
}

impl Account {
    /// An account of this version.
    #[must_use]
    pub fn new(payload: &str, version: u32) -> Account {
        Account {
            payload: payload.to_owned(),
            version,
        }
    }
}
