//! Measures actors beside other libraries: in production, and under test.

mod help;
mod instructions;
mod peers;
mod production;
mod schedules;
mod statistics;
mod workload;

use std::process::ExitCode;

use production::Request;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match *words {
        ["production", ref options @ ..] => {
            Request::parse(options).map(|request| production::print(&request))
        }
        ["instructions", ref options @ ..] => {
            Request::parse(options).and_then(|request| instructions::print(&request))
        }
        ["schedules"] => schedules::print(5),
        ["slice", peer, row, threads, operations] => slice(peer, row, threads, operations),
        ["--help" | "-h"] => {
            print!("{}", help::TEXT);
            Ok(())
        }
        _ => Err(format!("`{}`: see --help", words.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one workload once.
fn slice(peer: &str, row: &str, threads: &str, operations: &str) -> Result<(), String> {
    let is_wrong = || "slice PEER ROW THREADS OPERATIONS: see --help".to_owned();
    let peer = peers::ALL.iter().find(|it| it.name == peer);
    let row = workload::ROWS.iter().find(|it| it.name == row);
    let (peer, row) = (peer.ok_or_else(is_wrong)?, row.ok_or_else(is_wrong)?);
    let threads: usize = threads.parse().map_err(|_| is_wrong())?;
    let operations: u64 = operations.parse().map_err(|_| is_wrong())?;
    let time = (peer.run)(row.workload, threads.max(1), operations);
    let each = statistics::nanos_each(time, operations);
    println!("{} {}: {each:.0} ns", peer.name, row.name);
    Ok(())
}
