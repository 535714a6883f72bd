//! draft
use crate::cli::CleanArgs;
use crate::exit::Exit;
/// Does it.
pub(super) fn run(_args: &CleanArgs) -> anyhow::Result<Exit> { Ok(Exit::Success) }
