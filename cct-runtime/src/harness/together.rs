//! Tests of one executable that run in one process: two at a time, or one after the other for their profiles.
//!
//! libtest runs those that its command line names, one after the other, and each call of a test is a call of
//! ours. All but the last leave their bodies behind and unwind; libtest counts that as a failure, of which
//! nobody hears.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

use super::case::{ShouldPanic, TestCase};
use crate::engine;
use crate::verdict::Bug;
use crate::wire::{ENV_MUTED, ENV_TOGETHER};

/// A test with its body.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) body: Body,
}

/// Runs a test, and judges it.
pub(super) type Body = Box<dyn Fn() -> Option<Bug>>;

/// How many tests run together in this process, if not each by itself.
pub(super) fn expected() -> Option<usize> {
    let count = std::env::var(ENV_TOGETHER).ok()?;
    count.parse().ok()
}

/// The test is one of so many: returns all of them if it is the last to come, and unwinds otherwise.
pub(super) fn gather(member: Member, count: usize) -> &'static [Member] {
    /// Bodies are functions, and only one thread of libtest's runs tests.
    struct Members(Vec<Member>);
    // SAFETY: see there.
    unsafe impl Send for Members {}
    static MEMBERS: Mutex<Members> = Mutex::new(Members(Vec::new()));

    let mut members = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
    members.0.push(member);
    if members.0.len() < count {
        drop(members);
        resume_unwind(Box::new("it waits for others"));
    }
    std::mem::take(&mut members.0).leak()
}

/// Tests at a time, as one test.
pub(super) fn as_one(members: &'static [Member]) -> (TestCase, impl Fn() -> Option<Bug>) {
    let names: Vec<&str> = members.iter().map(|member| member.name).collect();
    let case = TestCase {
        name: format!("::{}", names.join(" + ")).leak(),
        should_panic: ShouldPanic::No,
        settings: "",
    };
    let muted = std::env::var(ENV_MUTED).ok();
    (case, move || {
        let begin = |member: &'static Member| {
            let is_muted = muted.as_deref() == Some(member.name);
            let body = Box::new(move || {
                if !is_muted && let Some(bug) = (member.body)() {
                    engine::fail(bug);
                }
            });
            engine::spawn(Some(member.name), None, body)
        };
        let workers: Vec<_> = members.iter().filter_map(begin).collect();
        for worker in workers {
            engine::join(worker);
        }
        None
    })
}
