//! The parts of a report that are told where there is no room for all of it.

use cct::operation::Operation;
use cct::trace::Site;

use super::{Origin, Report, Story, names};
use crate::report::commands::command;
use crate::report::plain;
use crate::run::Repeats;

impl Report {
    /// The line or lines that say what was wrong, and where.
    pub(crate) fn headline(&self) -> String {
        plain(&self.message()).trim_end().to_owned()
    }

    /// The paragraph about what happened, in one line; empty where there is none.
    pub(crate) fn paragraph(&self) -> String {
        match self.scene() {
            Some(scene) if !matches!(self.record.repeats, Repeats::No(_)) => {
                Story::of(&scene).text(&scene)
            }
            _ => String::new(),
        }
    }

    /// The command that repeats the failure.
    pub(crate) fn replay_command(&self) -> String {
        command("replay", &self.record.id.to_string())
    }

    /// The file and line in the user's code that the failure is at, or that led to it.
    pub(crate) fn place(&self) -> Option<(String, u32)> {
        let bug = self.record.bug.as_ref()?;
        let scene = self.scene();
        // The engine notes a panic where it is; the step before it may be far from there.
        let failing = scene.iter().filter_map(|scene| {
            let step = scene.trace.steps.get(scene.failing)?;
            let is_panic = names::operation(step) == Some(Operation::Panic);
            (is_panic || bug.site.is_none()).then_some(())?;
            names::caller(scene.trace, step)
        });
        let waits = bug.waits.iter();
        let waits = waits.flat_map(|wait| wait.caller.iter().chain([&wait.site]));
        let mut all = failing.chain(&bug.site).chain(waits);
        let is_users = |site: &&Site| Origin::of(site) == Origin::User && !site.file.is_empty();
        let site = all.find(is_users)?;
        Some((site.file.clone(), site.line))
    }
}
