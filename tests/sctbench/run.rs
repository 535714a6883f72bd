//! Runs a process for each row, a few at a time, and keeps what they print.

use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::cli::Job;
use crate::programs;
use crate::row::Row;
use crate::table;

/// Rows to be measured.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) jobs: Vec<Job>,
    /// How many processes at a time.
    pub(crate) processes: usize,
    /// Where the rows are written to, in the order of the jobs, after each.
    pub(crate) json: Option<PathBuf>,
    /// Whether the rows are for the page in the docs.
    pub(crate) writes_page: bool,
}

/// The rows that are known so far.
struct Results<'a> {
    rows: Vec<Option<Row>>,
    problems: Vec<String>,
    json: Option<&'a Path>,
}

/// Prints the programs.
pub(crate) fn list() {
    for program in programs::all() {
        let is_control = if program.is_control() { "control" } else { "" };
        println!("{:<36} {is_control}", program.id());
    }
}

impl Run {
    /// Measures all rows; what went wrong, if anything did.
    pub(crate) fn carry_out(&self) -> Result<(), String> {
        fix_addresses();
        println!("{}", head());
        let results = Mutex::new(Results {
            rows: vec![None; self.jobs.len()],
            problems: Vec::new(),
            json: self.json.as_deref(),
        });
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..self.processes {
                scope.spawn(|| {
                    while let index = next.fetch_add(1, Ordering::Relaxed)
                        && let Some(job) = self.jobs.get(index)
                    {
                        let measured = measure_apart(job);
                        let mut results = results.lock().expect("no thread panics with results");
                        results.take(index, job, measured);
                    }
                });
            }
        });
        let mut results = results.into_inner().expect("as above");
        if self.writes_page {
            let rows = results.rows.into_iter().flatten();
            let written = keep(rows).and_then(|()| render());
            results.problems.extend(written.err());
        }
        match results.problems.as_slice() {
            [] => Ok(()),
            problems => Err(problems.join("\n")),
        }
    }
}

impl Results<'_> {
    fn take(&mut self, index: usize, job: &Job, measured: Result<Row, String>) {
        match measured {
            Ok(row) => {
                println!("{}", line(&row));
                let errors = row.errors.iter();
                self.problems
                    .extend(errors.map(|error| problem(job, error)));
                self.rows[index] = Some(row);
                self.save();
            }
            Err(error) => self.problems.push(problem(job, &error)),
        }
    }

    fn save(&mut self) {
        let Some(path) = self.json else { return };
        let rows: Vec<&Row> = self.rows.iter().flatten().collect();
        if let Err(error) = write_rows(path, &rows) {
            self.problems.push(error);
            self.json = None;
        }
    }
}

/// Writes rows as JSON, a line each; the file is always whole.
fn write_rows(path: &Path, rows: &[&Row]) -> Result<(), String> {
    let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|error| cannot("write", path, &error))?;
    let beside = path.with_extension("new");
    fs::write(&beside, format!("[\n{}\n]\n", lines.join(",\n")))
        .and_then(|()| fs::rename(&beside, path))
        .map_err(|error| cannot("write", path, &error))
}

/// Makes the page from the rows in the docs.
pub(crate) fn render() -> Result<(), String> {
    let path = docs("sctbench.md");
    let rows = kept()?;
    for row in table::unexplained(&rows) {
        eprintln!("warning: no remark says why {row} takes more than published");
    }
    fs::write(&path, table::render(&rows)).map_err(|error| cannot("write", &path, &error))
}

/// Puts rows among those in the docs, in the order of programs.
fn keep(new: impl Iterator<Item = Row>) -> Result<(), String> {
    let mut rows = kept()?;
    for row in new {
        match rows.iter_mut().find(|old| old.is_about_same(&row)) {
            Some(old) => *old = row,
            None => rows.push(row),
        }
    }
    let place = |row: &Row| programs::all().position(|program| program.id() == row.program);
    rows.retain(|row| place(row).is_some());
    rows.sort_by_key(|row| (place(row), row.granularity));
    write_rows(&docs("sctbench.json"), &rows.iter().collect::<Vec<_>>())
}

/// The rows in the docs; none if there is no such file yet.
fn kept() -> Result<Vec<Row>, String> {
    let path = docs("sctbench.json");
    match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| cannot("read", &path, &error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(cannot("read", &path, &error)),
    }
}

fn docs(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.with_file_name("docs").join(name)
}

fn cannot(verb: &str, path: &Path, error: &dyn Error) -> String {
    format!("error: cannot {verb} `{}`: {error}", path.display())
}

/// Measures a row in a process of its own.
fn measure_apart(job: &Job) -> Result<Row, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .arg("--one")
        .args(["--only", &job.program.id()])
        .args(["--strategy", &job.strategy.to_string()])
        .args(["--granularity", job.granularity.name()])
        .args(["--seed-base", &job.seed_base.to_string()])
        .args(["--seeds", &job.seeds.to_string()])
        .args(["--schedules", &job.schedules.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = said.lines().rev().take(5).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(format!("{}: {}", output.status, last.join("\n")));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn problem(job: &Job, error: &str) -> String {
    let program = job.program.id();
    format!(
        "error: {program} under {} at {}: {error}",
        job.strategy, job.granularity
    )
}

fn head() -> String {
    format!(
        "{:<36} {:<12} {:<6} {:>7} {:>10} {:>10} {:>8} {:>8}",
        "program", "strategy", "points", "found", "mean", "sd", "min", "max"
    )
}

fn line(row: &Row) -> String {
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |n| format!("{n:.1}"));
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |n| n.to_string());
    format!(
        "{:<36} {:<12} {:<6} {:>7} {:>10} {:>10} {:>8} {:>8}{}",
        row.program,
        row.strategy,
        row.granularity,
        format!("{}/{}", row.found, row.trials),
        number(row.mean),
        number(row.sd),
        count(row.min),
        count(row.max),
        if row.control { "  control" } else { "" },
    )
}

/// Gives the processes that are started from here the same addresses in every run.
fn fix_addresses() {
    // SAFETY: `personality` takes a number and changes how the images of later processes are laid out.
    // Where it is forbidden, addresses differ from run to run, and nothing else does.
    unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_made_of_the_rows() {
        let page = fs::read_to_string(docs("sctbench.md")).expect("a readable file");
        let same = page == table::render(&kept().expect("rows"));
        assert!(same, "run sctbench with `--render`");
    }

    #[test]
    fn what_takes_more_than_published_is_explained() {
        assert_eq!(table::unexplained(&kept().expect("rows")), [""; 0]);
    }
}
