//! One strategy with all programs, in a process of its own under the counter.

use std::cell::Cell;
use std::process::ExitCode;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::Spec;

use crate::counter;
use crate::programs;
use crate::table::Row;

/// Schedules before those that count: memory is mapped in them, and strategies learn how long a schedule is.
const WARM_UP: u64 = 4;

/// Explores every program and prints its steps and schedules, in a line; the counter is told from where to
/// where it counts.
pub(crate) fn serve(strategy: &str) -> ExitCode {
    let settings = |schedules: u64| Settings {
        // One more, whose beginning ends the count.
        iterations: Some(WARM_UP + schedules + 1),
        max_steps: Some(1_000_000),
        strategy: Some(Spec::parse(strategy).expect("the conductor knows strategies")),
        seed: Some(1),
        // Counting behaviours is no strategy's work.
        watch: Some(0),
        ..Settings::default()
    };
    let mut explorer = Explorer::new(&settings(0));
    for program in programs::ALL {
        // It is outside of what is restored between schedules.
        let begun = Cell::new(0);
        let body = || {
            match begun.replace(begun.get() + 1) {
                WARM_UP => counter::begin(),
                count if count == WARM_UP + program.schedules => counter::end(),
                _ => {}
            }
            // A test without any choice would be run once.
            cct::engine::choose_index(2);
            (program.body)();
        };
        let exploration = explorer.explore(&settings(program.schedules), body);
        assert_eq!(exploration.found, None, "{} has no bug", program.name);
        let counters = exploration.counters;
        assert_eq!(
            counters.cut_offs, 0,
            "a schedule of {} was cut off",
            program.name
        );
        if begun.get() > WARM_UP + program.schedules {
            println!("{} {} {}", program.name, counters.steps, counters.schedules);
        }
    }
    ExitCode::SUCCESS
}

/// Has a strategy measured by a process of its own.
pub(crate) fn measure(strategy: &str) -> Result<Vec<Row>, String> {
    let failed = |error: std::io::Error| format!("{strategy}: {error}");
    let (output, counts) = counter::run(strategy, &["count", strategy]).map_err(failed)?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{strategy}: {}\n{said}", output.status));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    if lines.len() != counts.len() {
        return Err(format!(
            "{strategy}: {} counts of {}\n{said}",
            counts.len(),
            lines.len()
        ));
    }
    let rows = lines.iter().zip(counts);
    let rows = rows.map(|(line, count)| read(strategy, line, count));
    rows.collect::<Option<_>>()
        .ok_or_else(|| format!("{strategy} printed\n{printed}"))
}

fn read(strategy: &str, line: &str, count: u64) -> Option<Row> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let mut number = || words.next()?.parse::<f64>().ok();
    let program = programs::ALL.iter().find(|program| program.name == name)?;
    Some(Row {
        workload: name.to_owned(),
        strategy: strategy.to_owned(),
        steps: number()? / number()?,
        instructions: count / program.schedules,
    })
}
