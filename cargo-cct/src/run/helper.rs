//! Runs cargo, rustc and others that do a part of the work: they end with the tool, and when it is stopped.
//!
//! Each has a warden, as test processes have: a compiler would outlive the cargo that has started it. They
//! stay in the tool's process group, so that a terminal's ctrl-C reaches them, too. Programs that have left
//! the group, such as the server of a compiler cache, are the user's and go on.

use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::Duration;

use cargo_metadata::{Metadata, MetadataCommand};

use super::{process, stop, threads};

/// How often a program is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// Runs a program to its end, and keeps all that it prints.
pub(crate) fn output(command: &mut Command) -> io::Result<Output> {
    output_but_errors(command.stderr(Stdio::piped()))
}

/// The same, and what it says on standard error goes where the command says.
pub(crate) fn output_but_errors(command: &mut Command) -> io::Result<Output> {
    let (status, stdout, stderr) = hear(command.stdout(Stdio::piped()), all)?;
    let stdout = stdout?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Runs a program to its end; its standard output is heard, to its end, while it runs.
pub(crate) fn heard<T: Send>(
    command: &mut Command,
    by: impl FnOnce(Option<ChildStdout>) -> T + Send,
) -> io::Result<(ExitStatus, T)> {
    let (status, heard, _) = hear(command.stdout(Stdio::piped()), by)?;
    Ok((status, heard))
}

/// Runs a program to its end.
pub(crate) fn status(command: &mut Command) -> io::Result<ExitStatus> {
    hear(command, drop).map(|(status, ..)| status)
}

/// Asks cargo about packages.
pub(crate) fn metadata(asked: &MetadataCommand) -> Result<Metadata, cargo_metadata::Error> {
    let output = output(&mut asked.cargo_command())?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    if !output.status.success() {
        return Err(cargo_metadata::Error::CargoMetadata {
            stderr: text(&output.stderr),
        });
    }
    let printed = text(&output.stdout);
    let line = printed.lines().find(|line| line.starts_with('{'));
    MetadataCommand::parse(line.ok_or(cargo_metadata::Error::NoJson)?)
}

fn hear<T: Send>(
    command: &mut Command,
    by: impl FnOnce(Option<ChildStdout>) -> T + Send,
) -> io::Result<(ExitStatus, T, Vec<u8>)> {
    stop::check()?;
    let mut child = process::spawn_helper(command)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let listeners = threads::start_in(scope, || by(stdout))
            .and_then(|heard| Ok((heard, threads::start_in(scope, || all(stderr))?)));
        let (heard, said) = match listeners {
            Ok(both) => both,
            Err(error) => {
                process::end(&mut child)?;
                return Err(error);
            }
        };
        let status = wait(&mut child)?;
        let (Ok(heard), Ok(said)) = (heard.join(), said.join()) else {
            return Err(io::Error::other("its output cannot be read"));
        };
        Ok((status, heard, said?))
    })
}

fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    loop {
        let ended = child.try_wait()?;
        if stop::is_interrupted() {
            if ended.is_none() {
                process::end(child)?;
            }
            stop::check()?;
        }
        if let Some(status) = ended {
            return Ok(status);
        }
        thread::sleep(LOOK);
    }
}

fn all(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes))?;
    Ok(bytes)
}
