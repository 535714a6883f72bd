//! Draws one panel for each parameter of `cargo cct tsvd`: bugs, and seconds added, over its values.
//!
//! ```text
//! cargo run -- FIGURE.svg RESULTS.json...
//! ```
//!
//! Each file is of `tests/tsvd/run --sweep all --json FILE`; of several files the mean is drawn.

mod figure;
mod sweep;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs, process};

use sweep::Sweep;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = env::args_os().skip(1).map(PathBuf::from);
    let Some(figure) = paths.next() else {
        eprintln!("usage: tsvd-plot FIGURE.svg RESULTS.json...");
        process::exit(2);
    };
    let files = paths
        .map(fs::read_to_string)
        .collect::<Result<Vec<_>, _>>()?;
    figure::draw(&figure, &Sweep::all(&files)?)
}
