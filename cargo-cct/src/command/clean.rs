//! `cargo cct clean`: removes what was built and found, and nothing that others have made.

use std::cell::Cell;
use std::path::Path;

use super::load;
use crate::build::cache::Cache;
use crate::build::owned;
use crate::cli::CleanArgs;
use crate::exit::Exit;
use crate::report;

/// Does it.
pub(super) fn run(args: &CleanArgs) -> anyhow::Result<Exit> {
    let (_, workspace) = load(&args.place.cargo_args())?;
    let say = |text: String| {
        if !args.output.quiet {
            crate::report::remark_line!("{text}");
        }
    };
    let target = &workspace.target;
    let waits = || say(report::waiting(0, target));
    if !target.exists() {
        say(report::nothing_there(target));
    } else if args.failures {
        owned::check(target)?;
        let _alone = owned::lock(target, &waits)?;
        let failures = workspace.failures();
        let is_link = failures.is_symlink();
        owned::remove_part(&failures)?;
        let removed = report::removed(&failures);
        if is_link {
            say(format!(
                "{removed}, which is a link: where it leads to all stays"
            ));
        } else {
            say(removed);
        }
    } else {
        owned::check(target)?;
        let alone = owned::lock(target, &waits)?;
        owned::remove(target)?;
        drop(alone);
        say(report::removed(target));
    }
    if args.cache {
        clean_cache(&say)?;
    }
    Ok(Exit::Success)
}

fn clean_cache(say: &dyn Fn(String)) -> anyhow::Result<()> {
    let cache = Cache::find()?;
    let last = Cell::new(None);
    let waits = |home: &Path| {
        if last.replace(Some(home.to_owned())).as_deref() != Some(home) {
            say(report::waiting(0, home));
        }
    };
    let number = cache.clean(&waits)?;
    say(report::removed_entries(number, cache.folder()));
    Ok(())
}
