//! `cargo cct archive`: builds tests and packs them for other machines.

use crate::archive::{Contents, pack};
use crate::cli::ArchiveArgs;
use crate::exit::Exit;
use crate::report::{self, Json, say, warning_word};
use crate::run::RunSeed;

use super::load;
use super::tested::Tested;

/// Does it.
pub(super) fn run(args: &ArchiveArgs) -> anyhow::Result<Exit> {
    anyhow::ensure!(
        !args.explore.person && !args.explore.compare_strategies,
        "an archive takes settings, and neither `--strategy interactive` nor `--compare-strategies`"
    );
    anyhow::ensure!(
        !args.cargo.doc,
        "tests of the documentation cannot be put into an archive"
    );
    let mut settings = args.explore.settings.clone();
    let tested = Tested::build(load(&args.cargo)?, &args.cargo, &settings, args.output)?;
    let seed = RunSeed::choose(settings.seed.take(), tested.workspace.config.seed).number();
    let contents = Contents {
        workspace: &tested.workspace,
        toolchain: &tested.toolchain,
        executables: &tested.built.executables,
        selection: tested.selection.clone(),
        chosen: &tested.chosen,
        settings: &settings,
        seed,
    };
    let size = pack(&contents, &args.file)?;
    for path in &size.left_out {
        let word = warning_word();
        crate::report::remark_line!(
            "{word}: `{}` is left out: it points out of the archive",
            path.display()
        );
    }
    if args.output.json {
        Json::line(
            "archived",
            serde_json::json!({
                "path": args.file,
                "executables": tested.built.executables.len(),
                "files": size.files,
                "bytes": size.bytes,
                "seed": seed,
            }),
        )?;
    } else {
        let executables = tested.built.executables.len();
        let line = report::archived(&args.file, (executables, size.files, size.bytes), seed);
        say(format_args!("{line}\n"))?;
    }
    Ok(Exit::Success)
}
