//! Programs that tell how they came out, schedule by schedule.

#![cfg(test)]

mod of_async_std;
mod of_futures;
mod of_smol;
mod of_threads;
mod of_tokio;

use std::fmt::Debug;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

/// Adds a line to the file of the test that calls.
fn tell(outcome: impl Debug) {
    let Ok(folder) = std::env::var("LAW_OUTCOMES") else {
        return;
    };
    let here = thread::current();
    let test = here.name().unwrap_or("?").replace("::", " ");
    let path = Path::new(&folder).join(test);
    let file = File::options().create(true).append(true).open(path);
    writeln!(file.unwrap(), "{outcome:?}").unwrap();
}

/// The events, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Log {
    fn add(&self, what: char) {
        self.0.lock().unwrap().push(what);
    }

    fn tell(&self) {
        tell(&*self.0.lock().unwrap());
    }
}
