//! draft
use crate::cli::ShowArgs;
use crate::exit::Exit;
/// Does it.
pub(super) fn run(_args: &ShowArgs) -> anyhow::Result<Exit> { Ok(Exit::Success) }
