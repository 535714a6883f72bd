//! Runs a plan's jobs for hours: slice by slice, each for the test that still yields most.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use cct::part::Part;

use super::allot::{Account, Allotment};
use super::explore::Explorer;
use super::outcome::TestRun;
use super::plan::{Plan, Task};
use super::pool::{Notice, run_job};
use super::stop::Stop;
use super::threads;
use crate::build::cargo::Executable;
use crate::room;

/// How often it is looked whether the user wants it to end.
const LOOK: Duration = Duration::from_millis(100);
/// How much longer than planned a slice may take when everything is to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The listener of a campaign, which keeps what it hears.
pub(crate) trait Keep {
    /// Something has happened within a slice.
    fn hear(&mut self, notice: Notice) -> io::Result<()>;
    /// The next iteration of a job.
    fn next(&self, job: usize) -> u64;
    /// A slice has ended. Returns how many behaviours were new, and whether there is no more to do.
    fn slice(&mut self, job: usize, run: TestRun) -> io::Result<(usize, bool)>;
    /// A test's account has changed.
    fn note(&mut self, job: usize, account: &Account);
}

/// A campaign.
#[derive(Debug)]
pub(crate) struct Campaign<'a> {
    /// The tests.
    pub plan: &'a Plan,
    /// The executables.
    pub executables: &'a [Executable],
    /// Explores; `part` has the shard, and `stop` ends the campaign.
    pub explorer: &'a Explorer<'a>,
    /// The arguments for what is not under control.
    pub words: &'a [String],
    /// How many tests run at a time.
    pub width: usize,
    /// How much time is left.
    pub time: Duration,
}

impl Campaign<'_> {
    /// Runs slices until the time is over, there is no more to do, or the user wants it to end.
    pub(crate) fn run(&self, mut allotment: Allotment, keep: &mut impl Keep) -> io::Result<()> {
        let began = Instant::now();
        let (sender, notices) = channel();
        // Slices end by themselves soon, and nothing of them is lost.
        let at_once = Stop::default();
        let mut stopped: Option<Instant> = None;
        let mut running = 0;
        thread::scope(|scope| {
            let result = 'run: loop {
                let left = self.time.saturating_sub(began.elapsed());
                while running < self.width.max(1)
                    && stopped.is_none()
                    && !left.is_zero()
                    && let Some(job) = allotment.next()
                {
                    running += 1;
                    let slice = allotment.account(job).slice().min(left);
                    let (sender, stop) = (sender.clone(), at_once.clone());
                    let from = keep.next(job);
                    let started = threads::start_in(scope, move || {
                        let ended = self.slice(job, from, slice, stop, |notice| {
                            // Nobody listens any more: the run is being given up.
                            let _ = sender.send((job, Ok(notice)));
                        });
                        let _ = sender.send((job, ended));
                    });
                    if let Err(error) = started {
                        break 'run Err(error);
                    }
                }
                if running == 0 {
                    break Ok(());
                }
                match notices.recv_timeout(LOOK) {
                    Ok((job, Ok(Notice::Ended { run, .. }))) => {
                        running -= 1;
                        let seconds = run.elapsed.as_secs_f64();
                        let progress = run.counters.progress;
                        if progress.is_some() && !self.is_resumed(job) {
                            allotment.starts_anew(job);
                        }
                        match keep.slice(job, *run) {
                            Ok((fresh, is_closed)) => {
                                allotment.credit(job, fresh as f64, seconds, is_closed);
                                keep.note(job, allotment.account(job));
                            }
                            Err(error) => break Err(error),
                        }
                    }
                    Ok((_, Ok(notice))) => {
                        if let Err(error) = keep.hear(notice) {
                            break Err(error);
                        }
                    }
                    Ok((_, Err(error))) => break Err(error),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break Ok(()),
                }
                if self.explorer.stop.is_set() {
                    let since = *stopped.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        at_once.set();
                    }
                }
            };
            at_once.set();
            result
        })
    }

    fn slice(
        &self,
        job: usize,
        from: u64,
        time: Duration,
        stop: Stop,
        notify: impl Fn(Notice),
    ) -> io::Result<Notice> {
        let job_of = &self.plan.jobs[job];
        let executable = &self.executables[job_of.executable];
        let mut overrides = self.explorer.overrides.clone();
        overrides.time = Some(time.max(Duration::from_millis(1)));
        let whole = self.explorer.part.unwrap_or(Part::WHOLE);
        let mut part = Part {
            from: Some(from),
            ..whole
        };
        if let (Some(folder), Task::Explore(test)) = (self.folder_of_search(job), &job_of.task) {
            std::fs::create_dir_all(&folder).map_err(|error| room::at(&folder, error))?;
            let file = folder.join(file_name(&executable.label, test));
            overrides.resume = Some(file.to_string_lossy().into_owned());
            part.from = Some(1);
        }
        let explorer = Explorer {
            overrides,
            part: Some(part),
            stop,
            ..*self.explorer
        };
        run_job((job, 1), job_of, executable, &explorer, self.words, notify)
    }

    /// True if the test's only strategy goes on where the slice before has left it.
    fn is_resumed(&self, job: usize) -> bool {
        self.folder_of_search(job).is_some()
    }

    /// Where a test's search is kept, if its only strategy enumerates.
    fn folder_of_search(&self, job: usize) -> Option<std::path::PathBuf> {
        let config = &self.executables[self.plan.jobs[job].executable].config;
        let typed = self.explorer.overrides.strategy.as_ref();
        let mut strategies = typed.or(config.strategy.as_ref())?.build();
        let (_, strategy) = strategies.pop().filter(|_| strategies.is_empty())?;
        strategy
            .save()
            .map(|_| self.explorer.scratch.beside("search"))
    }
}

/// A name that no other test has, of letters that any file system takes.
fn file_name(binary: &str, test: &str) -> String {
    let digest = crate::build::digest::of_parts(&[binary.as_bytes(), test.as_bytes()]);
    let readable = test
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let readable: String = readable.take(60).collect();
    format!("{readable}-{}", &digest[..8])
}
