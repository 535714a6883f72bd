//! The settings that files give, as `cargo cct config` tells them.

use super::style::{FAINT, STRONG, paint};
use super::words::{count, put};
use crate::build::workspace::Source;
use crate::config::Profile;

/// The table, what counts most first.
pub(crate) fn settings(profile: &Profile, sources: &[Source]) -> String {
    let mut out = format!("profile {}\n", paint(STRONG, &profile.name));
    let width = |of: fn(&Source) -> usize| sources.iter().map(of).max().unwrap_or(0);
    let (names, values) = (
        width(|it| it.setting.len()),
        width(|it| it.value.chars().count()),
    );
    for Source {
        setting,
        value,
        place,
    } in sources
    {
        put!(
            out,
            "  {setting:<names$}  {value:<values$}  {}\n",
            paint(FAINT, place)
        );
    }
    if sources.is_empty() {
        out.push_str("  no file says anything: all settings are the defaults\n");
    }
    if !profile.overrides.is_empty() {
        let overrides = count(profile.overrides.len() as u64, "override");
        put!(out, "  {overrides} for some tests\n");
    }
    out.push_str(
        "Variables, the command line and a test's attribute count more; docs/settings.md.\n",
    );
    out
}
