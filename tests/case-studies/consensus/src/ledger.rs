//! The replicated state: all numbers that were proposed, in order.

/// Numbers in the order in which they were applied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ledger(pub Vec<u8>);

impl Ledger {
    /// The ledger as a snapshot has it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        self.0.clone()
    }

    /// The other way round.
    #[must_use]
    pub fn decode(data: &[u8]) -> Ledger {
        Ledger(data.to_vec())
    }

    /// Applies an entry's data: a number, or none if a leader has only taken its office.
    pub fn apply(&mut self, data: &[u8]) {
        self.0.extend_from_slice(data);
    }
}
