//! `IsTerminal`, which std lets nobody else implement.

/// `std::io::IsTerminal`.
pub trait IsTerminal {
    /// See `std::io::IsTerminal::is_terminal`.
    fn is_terminal(&self) -> bool;
}

impl<T: real::io::IsTerminal> IsTerminal for T {
    fn is_terminal(&self) -> bool {
        real::io::IsTerminal::is_terminal(self)
    }
}
