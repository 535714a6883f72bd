//! A mark on all processes that a command starts: a variable, by which those that outlive it are found.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// The variable.
const NAME: &str = "MARKED_BY_TEST";

/// How long a machine that is busy may take to end processes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A mark that no other command has.
#[derive(Debug)]
pub struct Mark(String);

impl Default for Mark {
    fn default() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Relaxed);
        Self(format!("{}-{count}", std::process::id()))
    }
}

impl Mark {
    /// Marks all that the command starts.
    pub fn put_on<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env(NAME, &self.0)
    }

    /// The marked processes that are alive: their numbers and command lines.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let mark = format!("{NAME}={}", self.0);
        let is_marked = |number: &u32| {
            let variables = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            variables
                .split(|&byte| byte == 0)
                .any(|it| it == mark.as_bytes())
        };
        let entries = fs::read_dir("/proc").expect("it is there").flatten();
        let numbers = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
        let marked = numbers.filter(is_marked).map(|number| {
            let line = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            (number, line)
        });
        marked.collect()
    }

    /// The processes that are still alive after a long time.
    pub fn left(&self) -> Vec<(u32, String)> {
        let began = Instant::now();
        loop {
            let left = self.processes();
            if left.is_empty() || began.elapsed() > PATIENCE {
                return left;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
