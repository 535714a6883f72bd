//! An argument of a method that may drive it is handed over, and the end of the call is told.
//!
//! ```text
//! pool.run_until(job())        pool.run_until(__cct_handed!(job())).__cct_returned()
//! ```
//!
//! Some of these methods drive a future, some return one that does, and most have nothing to do with futures.
//! Where the call is over is said so that the engine can tell the first from the second.

use cct::known::MAY_DRIVE;

use crate::rewrite::handing::{Role, hand_over};
use crate::rewrite::{Edit, Source};

/// Hands the arguments over.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let calls = MAY_DRIVE.map(|name| format!(".{name}("));
    if !source.may_have(&calls.each_ref().map(String::as_str)) {
        return Vec::new();
    }
    hand_over(source, &[Role::Hand])
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    #[test]
    fn what_may_be_driven_is_handed_to_a_call_with_an_end() {
        for (text, expected) in [
            (
                "pool.run_until(work(a))",
                "pool.run_until(__cct_handed!(work(a))).__cct_returned()",
            ),
            (
                "a.run(async {}).await",
                "a.run(__cct_handed!(async {})).__cct_returned().await",
            ),
            (
                "a.run(b.run(c))",
                "a.run(__cct_handed!(b.run(__cct_handed!(c)).__cct_returned())).__cct_returned()",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
        for text in [
            "a.run(); a.run(b, c); a.run(|b| c); a.run(1)",
            "run(a); b::run(a)",
            "fn run(a: A) { self.run(a) }",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
