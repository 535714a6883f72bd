//! A trap file of `cargo cct tsvd` under control.

use std::path::Path;

use anyhow::ensure;
use cct::config::Settings;

use crate::tsvd::TrapFile;

/// The strategy, unless another one is typed.
const STRATEGY: &str = "trap";

/// Makes accesses at the file's places scheduling points, and holds workers there.
pub(super) fn aim(settings: &mut Settings, path: &Path) -> anyhow::Result<()> {
    ensure!(path.exists(), "there is no trap file `{}`", path.display());
    let lines = TrapFile::read(path)?.lines();
    ensure!(
        !lines.is_empty(),
        "the trap file `{}` has no places: `cargo cct tsvd` adds those where accesses were near to each \
         other",
        path.display()
    );
    settings.points.get_or_insert_default().extend(lines);
    if settings.strategy.is_none() {
        let set = settings.set("strategy", STRATEGY);
        set.map_err(anyhow::Error::msg)?;
    }
    Ok(())
}
