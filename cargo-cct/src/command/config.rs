//! `cargo cct config`: the settings that files give, and where each is from; or the schema of their file.

use serde_json::json;

use super::load;
use super::profiled::refuse_typos;
use crate::cli::ConfigArgs;
use crate::config::schema;
use crate::exit::Exit;
use crate::report::{Json, say};

/// Does it.
pub(super) fn run(args: &ConfigArgs) -> anyhow::Result<Exit> {
    if args.schema {
        say(format_args!("{:#}\n", schema()))?;
        return Ok(Exit::Success);
    }
    refuse_typos()?;
    let (_, mut workspace) = load(&args.place.cargo_args())?;
    if let Some(name) = &args.cct_profile {
        workspace.choose(name)?;
    }
    let sources = workspace.sources();
    if args.output.json {
        let settings = sources
            .iter()
            .map(|it| json!({ "setting": it.setting, "value": it.value, "source": it.place }));
        let settings: Vec<_> = settings.collect();
        let profile = &workspace.profile;
        Json::line(
            "config",
            json!({
                "profile": profile.name,
                "settings": settings,
                "overrides": profile.overrides.len(),
            }),
        )?;
        return Ok(Exit::Success);
    }
    say(crate::report::settings(&workspace.profile, &sources))?;
    Ok(Exit::Success)
}
