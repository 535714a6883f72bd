//! Compiles a crate with as much of the source layer as it bears.
//!
//! All passes that are for it are tried first. When the result does not compile, the crate is compiled as
//! written, which tells whose mistake it was: if that fails too it is the user's, and its diagnostics are the
//! only ones that are shown. If it compiles, a pass is at fault, and fewer of them are tried. The passes
//! that were given up are noted beside the output, so that the same text does not fail again.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fs};

use super::code;
use super::diagnostics;
use super::digest;
use super::marker::Treatment;
use super::rustc_args::{self, Facts};
use super::shadow::{Shadow, Subject};
use super::sysroot::prefixed;
use crate::plain_file;
use crate::rewrite::{Edition, Named, Passes};
use crate::room;

/// The folder of all shadow trees.
pub(crate) const ENV_SHADOW: &str = "CCT_SHADOW";

/// Set by cargo for packages that it was asked to build.
const ENV_PRIMARY: &str = "CARGO_PRIMARY_PACKAGE";

/// A call of rustc for a crate that is not the build's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    /// The compiler, and wrappers in front of it.
    pub program: &'a [OsString],
    /// Its arguments.
    pub args: &'a [OsString],
    /// Their meaning.
    pub facts: &'a Facts,
}

/// How a call ended.
#[derive(Debug)]
pub(super) struct Compiled {
    /// The compiler's own end.
    pub status: ExitStatus,
    /// The treatment of the source.
    pub treatment: Treatment,
    /// Prefixes of paths in what rustc left, and what stands for them in the user's eyes.
    pub remaps: Vec<Remap>,
}

/// A prefix of paths, and what takes its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Remap {
    /// In the shadow tree.
    pub from: PathBuf,
    /// As rustc would have spelled it.
    pub to: PathBuf,
}

impl Call<'_> {
    /// Runs the compiler, on the crate as it was written.
    pub(super) fn run(&self) -> io::Result<Compiled> {
        if !self.facts.is_foreign {
            let attempt = self.watched(self.args, Vec::new())?;
            return attempt.end(Treatment::AsWritten);
        }
        // Cargo hears at once of what others can go on with.
        Ok(Compiled {
            status: self.command(self.args).status()?,
            treatment: Treatment::AsWritten,
            remaps: Vec::new(),
        })
    }

    /// Runs the compiler, on the crate rewritten by these passes if it can be; `before` is how it went the
    /// last time.
    pub(super) fn run_rewritten(
        &self,
        passes: Passes,
        named: Named,
        before: Option<&Treatment>,
    ) -> io::Result<Compiled> {
        let place = env::var_os(ENV_SHADOW).zip(Place::of(self.facts)?);
        let Some((home, place)) = place else {
            return self.run();
        };
        let ladder = Ladder {
            call: self,
            home: PathBuf::from(home),
            place,
            passes,
            named,
        };
        ladder.climb(before)
    }

    /// Runs the compiler, and keeps to itself what it says.
    fn watched(&self, args: &[OsString], remaps: Vec<Remap>) -> io::Result<Attempt> {
        let mut command = self.command(args);
        let output = command.stderr(Stdio::piped()).spawn()?.wait_with_output()?;
        Ok(Attempt {
            status: output.status,
            said: output.stderr,
            remaps,
        })
    }

    fn command(&self, args: &[OsString]) -> Command {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).args(args);
        command.envs(code::environment(args));
        command
    }
}

/// Where a crate's source is.
#[derive(Debug)]
struct Place {
    package: PathBuf,
    base: PathBuf,
    root: PathBuf,
    /// The folder that the root is given from, if it is not absolute.
    from: Option<PathBuf>,
    /// The package lies outside of the workspace, and is built because others depend on it.
    is_dependency: bool,
    edition: Edition,
}

impl Place {
    /// None when rustc is not called as cargo does.
    fn of(facts: &Facts) -> io::Result<Option<Place>> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR");
        let Some((given, manifest)) = facts.root.as_ref().zip(manifest) else {
            return Ok(None);
        };
        let from = if given.is_relative() {
            Some(env::current_dir()?)
        } else {
            None
        };
        let root = from.as_ref().map_or(given.clone(), |from| from.join(given));
        // Cargo's folder may be spelled through a link.
        let package = fs::canonicalize(manifest)?;
        let spelled = root
            .ancestors()
            .find(|folder| fs::canonicalize(folder).is_ok_and(|folder| folder == package));
        let package = spelled.map_or(package.clone(), Path::to_owned);
        let base = from.as_ref().filter(|from| package.starts_with(from));
        Ok(Some(Place {
            base: base.unwrap_or(&package).clone(),
            package,
            root,
            is_dependency: from.is_none() && env::var_os(ENV_PRIMARY).is_none(),
            from,
            edition: Edition::parse(facts.edition.as_deref()),
        }))
    }

    /// The prefixes that stand for paths of a tree, the most special last, as rustc reads them.
    fn remaps(&self, shadow: &Shadow) -> Vec<Remap> {
        let all = Remap {
            from: shadow.path(Path::new("/")),
            to: PathBuf::from("/"),
        };
        let near = self.from.as_ref().map(|from| Remap {
            from: shadow.path(from),
            to: PathBuf::new(),
        });
        [all].into_iter().chain(near).collect()
    }
}

/// The attempts at one crate.
#[derive(Debug)]
struct Ladder<'a> {
    call: &'a Call<'a>,
    home: PathBuf,
    place: Place,
    /// The passes that are tried first.
    passes: Passes,
    named: Named,
}

/// One of them.
#[derive(Debug)]
struct Attempt {
    status: ExitStatus,
    /// The compiler's messages, for cargo.
    said: Vec<u8>,
    remaps: Vec<Remap>,
}

impl Ladder<'_> {
    fn climb(&self, before: Option<&Treatment>) -> io::Result<Compiled> {
        let all = self.shadow(self.passes)?;
        if !all.differs {
            let compiled = self.call.run()?;
            return Ok(Compiled {
                treatment: Treatment::Rewritten(self.passes),
                ..compiled
            });
        }
        let key = self.key(&all);
        if let Some(Treatment::Reduced { passes, key: known }) = before
            && *known == key
        {
            return self.again(*passes, key);
        }
        let first = self.attempt(&all)?;
        if first.status.success() {
            return self.end(first, Treatment::Rewritten(self.passes));
        }
        let written = self.as_written()?;
        if !written.status.success() {
            return written.end(Treatment::AsWritten);
        }
        let mut last = written;
        let mut rung = self.passes;
        while let Some(passes) = rung.fewer().filter(|passes| !passes.is_empty()) {
            rung = passes;
            let shadow = self.shadow(passes)?;
            if !shadow.differs || shadow.digest == all.digest {
                continue;
            }
            last = self.attempt(&shadow)?;
            if last.status.success() {
                return self.end(last, Treatment::Reduced { passes, key });
            }
        }
        if !last.status.success() {
            // It may have left something in the place of what was there.
            last = self.as_written()?;
        }
        let passes = Passes::NONE;
        last.end(Treatment::Reduced { passes, key })
    }

    /// Does what worked the last time, when all else is as it was then.
    fn again(&self, passes: Passes, key: String) -> io::Result<Compiled> {
        if !passes.is_empty() {
            let attempt = self.attempt(&self.shadow(passes)?)?;
            if attempt.status.success() {
                return self.end(attempt, Treatment::Reduced { passes, key });
            }
        }
        let passes = Passes::NONE;
        self.as_written()?.end(Treatment::Reduced { passes, key })
    }

    fn shadow(&self, passes: Passes) -> io::Result<Shadow> {
        let place = &self.place;
        let subject = Subject {
            package: place.package.clone(),
            base: place.base.clone(),
            root: place.root.clone(),
            is_library: place.is_dependency,
            edition: place.edition,
            passes,
            named: self.named.clone(),
        };
        Shadow::make(&self.home, &subject)
    }

    /// Compiles a shadow. That there is no room is an error of the build, and no reason for fewer passes.
    fn attempt(&self, shadow: &Shadow) -> io::Result<Attempt> {
        let given = self.call.facts.root.as_deref().unwrap_or(Path::new(""));
        let root = shadow.path(&self.place.root);
        let mut args = rustc_args::with_root(self.call.args, given, &root);
        let remaps = self.place.remaps(shadow);
        for remap in &remaps {
            let mut option = prefixed("--remap-path-prefix=", &remap.from);
            option.push("=");
            option.push(&remap.to);
            args.push(option);
        }
        let attempt = self.call.watched(&args, remaps)?;
        if !attempt.status.success() && room::is_told_in(&attempt.said) {
            io::stderr().write_all(&attempt.said)?;
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(attempt)
    }

    /// Ends with an attempt that worked. The user sees what the compiler says of the crate as written, which
    /// is asked if it has said something of a line that the user does not have.
    fn end(&self, attempt: Attempt, treatment: Treatment) -> io::Result<Compiled> {
        if !diagnostics::quotes_other_text(&attempt.said) {
            return attempt.end(treatment);
        }
        let folder = plain_file::beside(&self.home.join("checks"));
        fs::create_dir_all(&folder)?;
        let checked = self
            .call
            .watched(&rustc_args::checked(self.call.args, &folder), Vec::new());
        // The next build makes it again.
        let _ = fs::remove_dir_all(&folder);
        let checked = checked?;
        let said = if checked.status.success() {
            diagnostics::joined(&attempt.said, &checked.said)
        } else {
            attempt.said
        };
        Attempt { said, ..attempt }.end(treatment)
    }

    fn as_written(&self) -> io::Result<Attempt> {
        self.call.watched(self.call.args, Vec::new())
    }

    /// Names all that an attempt depends on, but for other crates.
    fn key(&self, shadow: &Shadow) -> String {
        let args = self.call.args.iter().map(|arg| arg.as_encoded_bytes());
        let parts: Vec<_> = [shadow.digest.as_bytes()].into_iter().chain(args).collect();
        digest::of_parts(&parts)[..16].to_owned()
    }
}

impl Attempt {
    /// Makes this one the last.
    fn end(self, treatment: Treatment) -> io::Result<Compiled> {
        io::stderr().write_all(&diagnostics::without_ours(&self.said))?;
        Ok(Compiled {
            status: self.status,
            treatment,
            remaps: self.remaps,
        })
    }
}
