//! Whether a thread or a process sleeps, as its line in `/proc` says.

use std::path::Path;

/// True if the thread or the process of this folder in `/proc` waits, or is gone. One that is ready to run
/// does not, and may be left alone for long where the machine has much else to do.
pub(crate) fn sleeps(folder: impl AsRef<Path>) -> bool {
    let line = std::fs::read_to_string(folder.as_ref().join("stat"));
    is_asleep(&line.unwrap_or_default())
}

/// The line begins with the number, the name in parentheses, which may have any characters, and the state.
fn is_asleep(line: &str) -> bool {
    let state = line.rsplit_once(") ").map_or("", |(_, state)| state);
    !state.starts_with(['R', 'D'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_parenthesis() {
        assert!(is_asleep("7 (S) R) S 1 7"));
        assert!(!is_asleep("7 (S) S) R 1 7"));
        assert!(!is_asleep("7 (main) D 1 7"));
    }

    #[test]
    fn this_thread_runs_and_nobody_else_is_there() {
        assert!(!sleeps("/proc/thread-self"));
        assert!(sleeps("/proc/no-such-process"));
    }
}
