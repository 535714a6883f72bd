//! Several reporters that hear of the same run.

use std::io;

use cct::wire::Counters;

use super::{Reported, Reporter, Summary};
use crate::results::Joined;
use crate::run::{RunSeed, TestName, TestRun};

/// Tells each in turn. An error of one does not keep the others from hearing of it.
#[derive(Default)]
pub(crate) struct Many(pub Vec<Box<dyn Reporter>>);

impl Many {
    fn each(
        &mut self,
        mut tell: impl FnMut(&mut dyn Reporter) -> io::Result<()>,
    ) -> io::Result<()> {
        let told = self.0.iter_mut().map(|reporter| tell(reporter.as_mut()));
        told.fold(Ok(()), Result::and)
    }
}

impl Reporter for Many {
    fn begin(&mut self, tests: usize, seed: RunSeed) -> io::Result<()> {
        self.each(|reporter| reporter.begin(tests, seed))
    }

    fn earlier(&mut self, name: &TestName, test: &Joined, failure: Reported<'_>) -> io::Result<()> {
        self.each(|reporter| reporter.earlier(name, test, failure))
    }

    fn begun(&mut self, name: &TestName) -> io::Result<()> {
        self.each(|reporter| reporter.begun(name))
    }

    fn progress(&mut self, name: &TestName, counters: &Counters) -> io::Result<()> {
        self.each(|reporter| reporter.progress(name, counters))
    }

    fn ended(
        &mut self,
        run: &TestRun,
        native: Option<&str>,
        failure: Reported<'_>,
    ) -> io::Result<()> {
        self.each(|reporter| reporter.ended(run, native, failure))
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.each(|reporter| reporter.end(summary))
    }
}
