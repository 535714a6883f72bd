//! Instructions of operations in production, as valgrind counts them.

use std::process::Command;

use crate::peers;
use crate::production::Request;
use crate::workload::Row;

/// Prints the table.
pub(crate) fn print(request: &Request) -> Result<(), String> {
    println!("| instructions | cct | actix | ractor | × the fewer |");
    println!("|---|---|---|---|---|");
    for row in &request.rows {
        let mut counts = [0.0; 3];
        for (peer, count) in peers::ALL.iter().zip(&mut counts) {
            *count = of_each(peer.name, row)?;
        }
        let [ours, actix, ractor] = counts;
        let times = ours / actix.min(ractor);
        println!(
            "| {} | {ours:.0} | {actix:.0} | {ractor:.0} | {times:.2} |",
            row.name
        );
    }
    Ok(())
}

/// The instructions of one operation: those of many without those of fewer.
fn of_each(peer: &str, row: &Row) -> Result<f64, String> {
    let (few, many) = (row.operations / 20, row.operations / 5);
    let difference = count(peer, row, many)?.saturating_sub(count(peer, row, few)?);
    Ok(difference as f64 / (many - few) as f64)
}

fn count(peer: &str, row: &Row, operations: u64) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program);
    valgrind.args(["slice", peer, row.name, "1", &operations.to_string()]);
    let output = valgrind
        .output()
        .map_err(|error| format!("valgrind cannot be started: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| line.split_once("Collected :"));
    let number = collected.and_then(|(_, number)| number.trim().parse().ok());
    number.ok_or_else(|| format!("valgrind says no number of {peer} {}:\n{told}", row.name))
}
