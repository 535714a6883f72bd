//! draft
use crate::cli::ListArgs;
use crate::exit::Exit;
/// Does it.
pub(super) fn run(_args: &ListArgs) -> anyhow::Result<Exit> { Ok(Exit::Success) }
