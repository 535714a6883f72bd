//! Times of operations in production.

use crate::peers;
use crate::statistics::{Spread, nanos_each};
use crate::workload::{ROWS, Row};

/// The rows that are wanted, and how many rounds.
pub(crate) struct Request {
    rounds: usize,
    pub(crate) rows: Vec<&'static Row>,
}

impl Request {
    pub(crate) fn parse(words: &[&str]) -> Result<Request, String> {
        let mut request = Request {
            rounds: 7,
            rows: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "--rounds" {
                let number = words.next().and_then(|word| word.parse().ok());
                request.rounds = number.filter(|&it| it > 0).ok_or("--rounds N")?;
            } else {
                let row = ROWS.iter().find(|row| row.name == word);
                request.rows.push(row.ok_or(format!("no row `{word}`"))?);
            }
        }
        if request.rows.is_empty() {
            request.rows = ROWS.iter().collect();
        }
        Ok(request)
    }
}

/// Prints the table.
pub(crate) fn print(request: &Request) {
    println!("| ns | threads | cct | actix | ractor | × the faster |");
    println!("|---|---|---|---|---|---|");
    for row in &request.rows {
        for threads in [1, 2] {
            let [ours, actix, ractor] = measure(row, threads, request.rounds);
            let times = ours.median / actix.median.min(ractor.median);
            println!(
                "| {} | {threads} | {ours} | {actix} | {ractor} | {times:.2} |",
                row.name
            );
        }
    }
}

/// The figures of the libraries, in their order.
fn measure(row: &Row, threads: usize, rounds: usize) -> [Spread; 3] {
    let mut samples = peers::ALL.map(|_| Vec::new());
    for _ in 0..rounds {
        for (peer, samples) in peers::ALL.iter().zip(&mut samples) {
            let time = (peer.run)(row.workload, threads, row.operations);
            samples.push(nanos_each(time, row.operations));
        }
    }
    samples.map(Spread::of)
}
