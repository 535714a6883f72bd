//! A strategy that notes what another one decides.

use std::cell::RefCell;
use std::rc::Rc;

use cct::operation::Access;
use cct::strategy::{
    Beginning, Candidates, Ending, Executed, Origin, Pick, Progress, Strategy, WorkerId,
};

/// The schedules that were made, in this order: the workers picked at contested points, and values chosen.
pub(crate) type Made = Rc<RefCell<Vec<Vec<u32>>>>;

/// Notes what the strategy decides.
pub(crate) struct Spy {
    strategy: Box<dyn Strategy>,
    made: Made,
    labels: Vec<u32>,
}

impl Spy {
    pub(crate) fn on(strategy: Box<dyn Strategy>, made: &Made) -> Spy {
        Spy {
            strategy,
            made: Rc::clone(made),
            labels: Vec::new(),
        }
    }
}

impl Strategy for Spy {
    fn begin(&mut self, beginning: &Beginning) {
        self.labels.clear();
        self.strategy.begin(beginning);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let pick = self.strategy.pick(candidates);
        if candidates.len() > 1 {
            self.labels.push(pick.worker.0);
        }
        pick
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.strategy.on_enabled(worker)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        let value = self.strategy.choose_index(n);
        self.labels.push(value);
        value
    }

    fn fair_from(&self) -> u32 {
        self.strategy.fair_from()
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.strategy.on_created(worker, origin);
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.strategy.on_disabled(worker);
    }

    fn observes(&self) -> bool {
        self.strategy.observes()
    }

    fn on_touched(&mut self, object: usize, access: Access) {
        self.strategy.on_touched(object, access);
    }

    fn on_step(&mut self, executed: &Executed) {
        self.strategy.on_step(executed);
    }

    fn end(&mut self, ending: &Ending) {
        self.made.borrow_mut().push(self.labels.clone());
        self.strategy.end(ending);
    }

    fn enumerates(&self) -> bool {
        self.strategy.enumerates()
    }

    fn is_exhausted(&self) -> bool {
        self.strategy.is_exhausted()
    }

    fn progress(&self) -> Option<Progress> {
        self.strategy.progress()
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.strategy.save()
    }

    fn resume(&mut self, saved: &[u8]) -> bool {
        self.strategy.resume(saved)
    }
}
