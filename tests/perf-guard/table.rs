//! The committed table: what a schedule cost when it was made.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::programs;

/// The cost of a schedule of a workload under a strategy.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) strategy: String,
    /// Steps of a schedule, the mean of all that were made.
    pub(crate) steps: f64,
    /// Instructions of a schedule, with its beginning and its end: the mean of those that count.
    pub(crate) instructions: u64,
}

impl Row {
    /// How much more instructions this row has than another.
    pub(crate) fn change_from(&self, before: &Row) -> f64 {
        self.instructions as f64 / before.instructions as f64 - 1.0
    }

    pub(crate) fn is_like(&self, other: &Row) -> bool {
        (&self.workload, &self.strategy) == (&other.workload, &other.strategy)
    }

    fn read(line: &str) -> Option<Row> {
        let mut words = line.split_whitespace();
        Some(Row {
            workload: words.next()?.to_owned(),
            strategy: words.next()?.to_owned(),
            steps: words.next()?.parse().ok()?,
            instructions: words.next()?.parse().ok()?,
        })
    }
}

/// The conditions of a table: others have other figures.
pub(crate) fn origin() -> String {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    version.unwrap_or_else(|error| format!("an unknown compiler ({error})"))
}

/// The table of the profile that this program is built in.
#[derive(Debug)]
pub(crate) struct Table {
    /// See [`origin`]; empty without a table.
    pub(crate) origin: String,
    pub(crate) rows: Vec<Row>,
}

const HEAD: &str =
    "# Instructions of one schedule, start and end included, as valgrind counts them.";

impl Table {
    /// The name of this profile's table.
    pub(crate) const NAME: &str = if cfg!(debug_assertions) {
        "dev"
    } else {
        "optimised"
    };

    fn path() -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        folder.join(format!("{}.txt", Table::NAME))
    }

    /// Reads the committed one.
    pub(crate) fn read() -> io::Result<Table> {
        let text = match fs::read_to_string(Table::path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let origin = text
            .lines()
            .find_map(|line| line.strip_prefix("# Compiler: "));
        Ok(Table {
            origin: origin.unwrap_or_default().to_owned(),
            rows: text.lines().filter_map(Row::read).collect(),
        })
    }

    /// Puts rows in, in place of those that they are like.
    pub(crate) fn renew(&mut self, rows: &[Row]) {
        self.rows
            .retain(|row| !rows.iter().any(|new| new.is_like(row)));
        self.rows.extend_from_slice(rows);
        let place = |row: &Row| {
            let workload = programs::ALL
                .iter()
                .position(|known| known.name == row.workload);
            let mut kinds = cct::strategy::Kind::ALL.iter();
            (workload, kinds.position(|kind| kind.name() == row.strategy))
        };
        self.rows
            .retain(|row| place(row).0.is_some() && place(row).1.is_some());
        self.rows.sort_by_key(place);
    }

    /// Writes it for the next commit.
    pub(crate) fn write(&self) -> io::Result<PathBuf> {
        let mut text = format!("{HEAD}\n# Compiler: {}\n", self.origin);
        let mut workload = "";
        for row in &self.rows {
            // As it is printed, so that rows that are read and written again stay as they are.
            let steps = (row.steps * 10.0).round() / 10.0;
            if row.workload != workload {
                workload = &row.workload;
                let _ = writeln!(
                    text,
                    "\n# {:12} {:16} {:>8} {:>12} {:>10}",
                    "workload", "strategy", "steps", "a schedule", "a step"
                );
            }
            let _ = writeln!(
                text,
                "{:14} {:16} {:>8.1} {:>12} {:>10.1}",
                row.workload,
                row.strategy,
                steps,
                row.instructions,
                row.instructions as f64 / steps
            );
        }
        fs::write(Table::path(), text)?;
        Ok(Table::path())
    }
}
