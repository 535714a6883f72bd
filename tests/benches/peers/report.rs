//! The table and `peers.json`.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::engines::{Contender, OURS};
use crate::slice::Sample;
use crate::workloads::Workload;

/// A contender's figures for a workload.
#[derive(Debug)]
pub(crate) struct Row {
    contender: Contender,
    workload: &'static str,
    sample: Sample,
}

impl Row {
    /// The row of the median of the samples; none without samples.
    pub(crate) fn of_median(
        contender: Contender,
        workload: &Workload,
        mut samples: Vec<Sample>,
    ) -> Option<Row> {
        let by_speed = |one: &Sample, other: &Sample| {
            one.schedules_per_second()
                .total_cmp(&other.schedules_per_second())
        };
        samples.sort_by(by_speed);
        let sample = *samples.get(samples.len() / 2)?;
        Some(Row {
            contender,
            workload: workload.name,
            sample,
        })
    }

    fn json(&self) -> Value {
        json!({
            "engine": self.contender.engine,
            "strategy": self.contender.strategy,
            "workload": self.workload,
            "steps_per_schedule": self.sample.steps_per_schedule(),
            "schedules_per_s": self.sample.schedules_per_second(),
            "ns_per_step": self.sample.nanos_per_step(),
        })
    }

    /// How many schedules this engine does while the peer does one, under the same strategy; where the
    /// peer has one of its own, under uniform random.
    fn ratio(&self, rows: &[Row]) -> Option<f64> {
        if self.contender.engine == OURS {
            return None;
        }
        let ours = |strategy: &str| {
            rows.iter().find(|row| {
                row.workload == self.workload
                    && row.contender.engine == OURS
                    && row.contender.strategy == strategy
            })
        };
        let ours = ours(self.contender.strategy).or_else(|| ours("random"))?;
        Some(ours.sample.schedules_per_second() / self.sample.schedules_per_second())
    }
}

/// Prints the table.
pub(crate) fn print(rows: &[Row]) {
    println!(
        "{:14} {:14} {:10} {:>12} {:>13} {:>9}  ours is",
        "workload", "engine", "strategy", "steps", "schedules/s", "ns/step"
    );
    let mut last = "";
    for row in rows {
        let workload = if row.workload == last {
            ""
        } else {
            row.workload
        };
        last = row.workload;
        let ratio = row
            .ratio(rows)
            .map_or(String::new(), |ratio| format!("×{ratio:.1}"));
        let line = format!(
            "{workload:14} {:14} {:10} {:>12.1} {:>13.0} {:>9.1}  {ratio}",
            row.contender.engine,
            row.contender.strategy,
            row.sample.steps_per_schedule(),
            row.sample.schedules_per_second(),
            row.sample.nanos_per_step(),
        );
        println!("{}", line.trim_end());
    }
}

/// Writes `peers.json` into the target folder and returns its path.
pub(crate) fn write(rows: &[Row]) -> io::Result<PathBuf> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = scratch.parent().unwrap_or(scratch).join("peers.json");
    let rows: Vec<Value> = rows.iter().map(Row::json).collect();
    std::fs::write(&path, serde_json::to_string_pretty(&json!(rows))? + "\n")?;
    Ok(path)
}
