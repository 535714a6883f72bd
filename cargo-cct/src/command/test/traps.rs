//! A trap file of `cargo cct tsvd` under control.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::ensure;
use cct::config::Settings;

use crate::build::cargo::Executable;
use crate::report::warning_word;
use crate::tsvd::TrapFile;

/// The strategy, unless another one is typed.
const STRATEGY: &str = "trap";

/// Makes accesses at the file's places scheduling points, and holds workers there.
pub(super) fn aim(settings: &mut Settings, path: &Path) -> anyhow::Result<()> {
    ensure!(path.exists(), "there is no trap file `{}`", path.display());
    let points = points(path)?;
    ensure!(
        !points.is_empty(),
        "the trap file `{}` has no places: `cargo cct tsvd` adds those where accesses were near to each \
         other",
        path.display()
    );
    settings.points.get_or_insert_default().extend(points);
    if settings.strategy.is_none() {
        let set = settings.set("strategy", STRATEGY);
        set.map_err(anyhow::Error::msg)?;
    }
    Ok(())
}

/// The points that the file's places are.
pub(super) fn points(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    Ok(TrapFile::read(path)?.points())
}

/// Tells when the file is of none of these executables, or of another build of them.
pub(super) fn check(path: &Path, executables: &[Executable]) -> anyhow::Result<()> {
    let traps = TrapFile::read(path)?;
    let known = executables.iter().filter_map(|executable| {
        let of = traps.executable(&executable.label)?;
        Some(executable.hash().is_ok_and(|hash| hash == of))
    });
    let known: Vec<bool> = known.collect();
    let why = match known[..] {
        [] => "is of none of these tests",
        ref known if known.contains(&false) => {
            "is of another build, in which lines may have been others"
        }
        _ => return Ok(()),
    };
    let path = path.display();
    crate::report::remark_line!("{}: the trap file `{path}` {why}", warning_word());
    Ok(())
}
