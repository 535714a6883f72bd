//! The table and `strategies.json`.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::WORKERS;
use crate::slice::Slice;

/// A strategy's figures.
#[derive(Debug)]
pub(crate) struct Row {
    strategy: String,
    /// By number of workers: nanoseconds a step.
    samples: [Vec<f64>; WORKERS.len()],
}

impl Row {
    /// A row without figures yet.
    pub(crate) fn new(strategy: String) -> Row {
        Row {
            strategy,
            samples: Default::default(),
        }
    }

    /// Adds a sample for each number of workers.
    pub(crate) fn measure(&mut self) {
        for (samples, workers) in self.samples.iter_mut().zip(WORKERS) {
            let strategy = self.strategy.clone();
            samples.extend(Slice { strategy, workers }.measure());
        }
    }

    /// The medians; none where the strategy could not do it.
    fn medians(&self) -> [Option<f64>; WORKERS.len()] {
        self.samples.each_ref().map(|samples| {
            let mut sorted = samples.clone();
            sorted.sort_by(f64::total_cmp);
            sorted.get(sorted.len() / 2).copied()
        })
    }

    fn json(&self) -> Value {
        let medians = self.medians().into_iter().zip(WORKERS);
        let medians = medians.map(|(nanos, workers)| (workers.to_string(), json!(nanos)));
        json!({
            "strategy": self.strategy,
            "ns_per_step": Value::Object(medians.collect()),
        })
    }
}

/// Prints the table: nanoseconds a step, how many times those of PCT, and what more workers cost.
pub(crate) fn print(rows: &[Row]) {
    let of = |row: &Row, column: usize| row.medians()[column];
    let pct = rows.iter().find(|row| row.strategy == "pct");
    print!("{:18}", "ns a step");
    for workers in WORKERS {
        print!("{workers:>8}");
    }
    println!("{:>10}{:>10}", "× PCT", "100 : 4");
    for row in rows {
        print!("{:18}", row.strategy);
        for nanos in row.medians() {
            print!(
                "{:>8}",
                nanos.map_or("-".to_owned(), |nanos| format!("{nanos:.1}"))
            );
        }
        let ratio = |one: Option<f64>, other: Option<f64>| {
            one.zip(other)
                .map_or(String::new(), |(one, other)| format!("{:.1}", one / other))
        };
        let to_pct = ratio(of(row, 1), pct.and_then(|pct| of(pct, 1)));
        println!("{to_pct:>10}{:>10}", ratio(of(row, 2), of(row, 0)));
    }
}

/// Writes `strategies.json` into the target folder and returns its path.
pub(crate) fn write(rows: &[Row]) -> io::Result<PathBuf> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = scratch.parent().unwrap_or(scratch).join("strategies.json");
    let rows: Vec<Value> = rows.iter().map(Row::json).collect();
    std::fs::write(&path, serde_json::to_string_pretty(&json!(rows))? + "\n")?;
    Ok(path)
}
