//! The engines that are compared, each with its strategies.

mod cct;
mod loom;
mod shuttle;

use std::time::Duration;

use crate::slice::Sample;
use crate::workloads::Workload;

/// An engine with a strategy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contender {
    /// The engine's name and version.
    pub(crate) engine: &'static str,
    /// The strategy as this project spells it.
    pub(crate) strategy: &'static str,
    run: fn(&str, &Workload, Duration) -> Sample,
}

/// The engine that the others are compared with.
pub(crate) const OURS: &str = "cct";

impl Contender {
    /// Returns all contenders.
    pub(crate) fn all() -> impl Iterator<Item = Contender> {
        let ours = ["random", "pct:3", "sticky:20"].map(|strategy| Contender {
            engine: OURS,
            strategy,
            run: cct::run,
        });
        let shuttles = ["random", "pct:3"].map(|strategy| Contender {
            engine: "shuttle 0.9.9",
            strategy,
            run: shuttle::run,
        });
        let looms = [loom::STRATEGY].map(|strategy| Contender {
            engine: "loom 0.7.2",
            strategy,
            run: loom::run,
        });
        ours.into_iter().chain(shuttles).chain(looms)
    }

    /// Returns the contender with these names.
    pub(crate) fn find(engine: &str, strategy: &str) -> Option<Contender> {
        Contender::all().find(|known| known.engine == engine && known.strategy == strategy)
    }

    /// Runs schedule after schedule for about so long.
    pub(crate) fn run(self, workload: &Workload, length: Duration) -> Sample {
        (self.run)(self.strategy, workload, length)
    }
}
