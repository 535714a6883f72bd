//! Files that nobody has used for long are removed.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// So long is long.
pub(crate) const FORGOTTEN: Duration = Duration::from_hours(60 * 24);

/// True if nobody has changed it since; a time to come is none.
pub(crate) fn is_forgotten(path: &Path) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|about| about.modified());
    changed.is_ok_and(is_long_ago)
}

/// True of a time.
pub(crate) fn is_long_ago(time: SystemTime) -> bool {
    time.elapsed().is_ok_and(|age| age > FORGOTTEN)
}
