//! A program that pauses a runtime's clock says so.
//!
//! ```text
//! tokio::time::pause();                          tokio::time::pause().__cct_own_clock();
//! Builder::new_current_thread().start_paused(true)
//!                 Builder::new_current_thread().start_paused(true).__cct_own_clock()
//! ```
//!
//! Such a clock stands still, and jumps to the next timer when the runtime finds nothing to do: it must not
//! find that because of tasks that are held back. The call that hands its result on may stand
//! wherever such a call does. A function of another kind that has the name costs some schedules, and nothing
//! else.

use cct::known::{PAUSE, START_PAUSED};
use proc_macro2::Delimiter;

use crate::rewrite::syntax::{Tree, sequences};
use crate::rewrite::{Edit, Source};

/// The text that follows the value of a call.
pub(super) const OWN_CLOCK: &str = ".__cct_own_clock()";

/// Says it at each call.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    if !source.may_have(&[PAUSE, START_PAUSED]) {
        return Vec::new();
    }
    let mut edits = Vec::new();
    sequences(&source.trees, &mut |sequence| {
        for at in 1..sequence.len() {
            if let Some((arguments, inside)) = sequence[at].inside(Delimiter::Parenthesis)
                && pauses(&sequence[..at], inside)
            {
                let end = Source::range(arguments.span_close()).end;
                edits.push(Edit::insert(end, OWN_CLOCK));
            }
        }
    });
    edits
}

/// Tells whether a call with these arguments pauses a clock; `before` ends with its name.
fn pauses(before: &[Tree], arguments: &[Tree]) -> bool {
    match before {
        [.., fun, _] if fun.is_word("fn") => false,
        [.., dot, name] if dot.is_sign('.') => name.is_word(START_PAUSED),
        [.., name] => name.is_word(PAUSE) && arguments.is_empty(),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    #[test]
    fn a_call_that_pauses_a_clock_says_so() {
        for (text, expected) in [
            ("time::pause(); a", "time::pause().__cct_own_clock(); a"),
            (
                "rt.block_on(async { pause() })",
                "rt.block_on(async { pause().__cct_own_clock() })",
            ),
            ("m!(pause ( ),)", "m!(pause ( ).__cct_own_clock(),)"),
            (
                "Builder::new()\n .start_paused(true)\n .build()",
                "Builder::new()\n .start_paused(true).__cct_own_clock()\n .build()",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn other_uses_of_the_names_stay() {
        for text in [
            "fn pause() {} fn start_paused(self) {} player.pause(); pause(song);",
            "use time::pause; f(pause); start_paused(1); #[t(start_paused = true)] fn f() {}",
            "stringify!(pause()); macro_rules! m { (pause()) => {} }",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
