//! `cargo cct keep`: writes a failure's schedule into its package, to be committed.

use anyhow::Context as _;
use serde_json::json;

use super::{load, relative};
use crate::cli::KeepArgs;
use crate::exit::Exit;
use crate::failure::{Kept, Store};
use crate::report::{self, Json, say};
use crate::run::tests_of;

/// Does it.
pub(super) fn run(args: &KeepArgs) -> anyhow::Result<Exit> {
    let (_, workspace) = load(&args.place.cargo_args())?;
    let record = Store::new(workspace.failures()).read(&args.failure)?;
    anyhow::ensure!(
        tests_of(&record.name.test).count() == 1,
        "`{}` is of two tests at a time, and what is kept is tried before a test: `cargo cct interfere` \
         finds it again with `--seed {}`",
        record.id,
        record.provenance.run_seed
    );
    let name = &record.provenance.package;
    let mut packages = workspace.packages.values();
    let member = packages.find(|member| *member.package.name == **name);
    let member = member.with_context(|| {
        format!(
            "`{}` is of package `{name}`, which is not in the workspace at `{}`",
            record.id,
            workspace.root.display()
        )
    })?;
    let folder = member.package.manifest_path.parent();
    let folder = folder.context("a manifest is in a folder")?;
    let path = Kept::new(&record, &workspace.root)?.write(folder.as_std_path())?;
    if args.output.json {
        let value = json!({ "id": record.id, "file": path });
        Json::line("kept", value)?;
    } else {
        let file = relative(&path, &workspace.folder);
        say(report::kept(&record.id.to_string(), &file))?;
    }
    Ok(Exit::Success)
}
