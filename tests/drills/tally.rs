//! The count of a drill: what was done, and all that went wrong. Each column of the table is to be 0.

use std::env;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cct_tests::support::{Draws, Mark};
use serde_json::Value;

/// A command of the drills takes seconds, or some minutes if it makes a sysroot; longer, it hangs.
const PATIENCE: Duration = Duration::from_mins(10);

/// The columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Harm {
    /// A failure that was told, and is not on disk or cannot be read.
    Loss,
    /// A file of somebody else's is not as it was.
    Touched,
    /// A process outlives the command that has started it.
    Left,
    /// The tool has panicked.
    Panic,
    /// A verdict or an exit code that is not true, or none at all.
    Wrong,
}

const HARMS: [Harm; 5] = [
    Harm::Loss,
    Harm::Touched,
    Harm::Left,
    Harm::Panic,
    Harm::Wrong,
];

/// The results of a drill.
#[derive(Debug)]
pub(crate) struct Tally {
    name: &'static str,
    seed: u64,
    done: usize,
    harms: Vec<(Harm, String)>,
}

/// The end of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// The code as a shell tells it.
    pub(crate) fn code(&self) -> i32 {
        let by_signal = self.status.signal().map(|signal| 128 + signal);
        self.status.code().or(by_signal).expect("it has ended")
    }

    /// The events that were told whole.
    pub(crate) fn events(&self) -> impl Iterator<Item = Value> {
        self.stdout.lines().filter_map(|line| line.parse().ok())
    }

    /// The ids of the failures that were told.
    pub(crate) fn ids(&self) -> Vec<String> {
        let ended = self.events().filter(|event| event["event"] == "test_ended");
        let ids = ended.filter_map(|event| Some(event["failure"]["id"].as_str()?.to_owned()));
        ids.collect()
    }

    /// The status of a test whose name ends like this, if it was told.
    pub(crate) fn status_of(&self, test: &str) -> Option<String> {
        let mut ended = self.events().filter(|event| event["event"] == "test_ended");
        let event = ended.find(|event| event["test"].as_str().is_some_and(|it| it.ends_with(test)));
        Some(event?["status"].as_str()?.to_owned())
    }
}

impl Tally {
    /// An empty one; how much is to be done: as much as `short`, unless the variable says otherwise.
    pub(crate) fn new(name: &'static str, short: usize) -> (Tally, usize, Draws) {
        let number = |name: &str| env::var(name).ok().and_then(|text| text.parse().ok());
        let seed = number("DRILLS_SEED").unwrap_or(1);
        let variable = format!("DRILLS_{}", name.to_ascii_uppercase());
        let count = number(&variable).map_or(short, |count| usize::try_from(count).expect("few"));
        let tally = Tally {
            name,
            seed,
            done: 0,
            harms: Vec::new(),
        };
        let salt: u64 = name.bytes().map(u64::from).sum();
        (
            tally,
            count,
            Draws::new(seed.wrapping_mul(1_000_003).wrapping_add(salt)),
        )
    }

    /// One more was done.
    pub(crate) fn did(&mut self) {
        self.done += 1;
    }

    /// Takes over the harms of another one.
    pub(crate) fn add(&mut self, other: Tally) {
        self.harms.extend(other.harms);
    }

    /// Notes a harm, if it is one.
    pub(crate) fn check(&mut self, harm: Harm, is_well: bool, what: impl FnOnce() -> String) {
        if !is_well {
            let what = what();
            eprintln!("{}: {harm:?}: {what}", self.name);
            self.harms.push((harm, what));
        }
    }

    /// Runs a command to its end, with all that each of them is checked for.
    pub(crate) fn run(&mut self, command: &mut Command, what: &str) -> Ended {
        self.run_while(command, what, |_, _| ())
    }

    /// The same; `meanwhile` is called once it runs, with its number and mark.
    pub(crate) fn run_while(
        &mut self,
        command: &mut Command,
        what: &str,
        meanwhile: impl FnOnce(u32, &Mark),
    ) -> Ended {
        let mark = Mark::default();
        mark.put_on(command).process_group(0).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("it runs");
        let process = child.id();
        let waits = thread::spawn(move || end_of(child));
        meanwhile(process, &mark);
        let began = Instant::now();
        while !waits.is_finished() && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(2));
        }
        let hangs = !waits.is_finished();
        if hangs {
            kill("-KILL", &format!("-{process}"));
        }
        let ended = waits.join().expect("it waits");
        self.check(Harm::Wrong, !hangs, || format!("{what}: no end"));
        let is_panic =
            |text: &str| text.contains("panicked at cargo-cct") || text.contains("internal error");
        let panics = is_panic(&ended.stderr) || is_panic(&ended.stdout);
        self.check(Harm::Panic, !panics, || format!("{what}: {ended:#?}"));
        let left = mark.left();
        self.check(Harm::Left, left.is_empty(), || format!("{what}: {left:?}"));
        for (process, _) in left {
            kill("-KILL", &process.to_string());
        }
        ended
    }

    /// Tells the row, and ends with an error if there was any harm.
    #[track_caller]
    pub(crate) fn end(self) {
        let counts = HARMS.map(|harm| self.harms.iter().filter(|(it, _)| *it == harm).count());
        let cells: Vec<String> = counts.iter().map(usize::to_string).collect();
        let row = format!("| {} | {} | {} |", self.name, self.done, cells.join(" | "));
        println!("{row}");
        if let Some(table) = env::var_os("DRILLS_TABLE") {
            let file = File::options().create(true).append(true).open(table);
            let written = file.and_then(|mut file| writeln!(file, "{row}"));
            written.expect("the table can be written");
        }
        let (seed, harms) = (self.seed, &self.harms);
        assert!(harms.is_empty(), "seed {seed}: {harms:#?}");
    }
}

/// Sends a signal, which may come too late.
pub(crate) fn kill(signal: &str, process: &str) {
    let mut kill = Command::new("kill");
    kill.args([signal, "--", process]).stderr(Stdio::null());
    let _ = kill.status();
}

fn end_of(child: Child) -> Ended {
    let output = child.wait_with_output().expect("ours");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended {
        status: output.status,
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}
