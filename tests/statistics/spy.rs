//! A strategy that notes what another one decides.

use std::cell::RefCell;
use std::rc::Rc;

use cct::strategy::{
    Beginning, Candidates, ChainId, Ending, Enumerator, Observer, Origin, Pick, Strategy, WorkerId,
};

/// The schedules that were made, in this order: the workers picked at choice points, and values chosen.
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

    fn choose_index(&mut self, n: u32) -> u32 {
        let value = self.strategy.choose_index(n);
        self.labels.push(value);
        value
    }

    fn fair_from(&self) -> u32 {
        self.strategy.fair_from()
    }

    fn learns(&self) -> bool {
        self.strategy.learns()
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.strategy.on_created(worker, origin);
    }

    fn on_continued(&mut self, worker: WorkerId, chain: ChainId) {
        self.strategy.on_continued(worker, chain);
    }

    fn heeds_chains(&self) -> bool {
        self.strategy.heeds_chains()
    }

    fn on_moved(&mut self, worker: WorkerId, chain: ChainId) -> bool {
        self.strategy.on_moved(worker, chain)
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.strategy.on_enabled(worker)
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.strategy.on_disabled(worker);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        self.strategy.observer()
    }

    fn end(&mut self, ending: &Ending) {
        self.made.borrow_mut().push(self.labels.clone());
        self.strategy.end(ending);
    }

    fn enumerator(&self) -> Option<&dyn Enumerator> {
        self.strategy.enumerator()
    }

    fn enumerator_mut(&mut self) -> Option<&mut dyn Enumerator> {
        self.strategy.enumerator_mut()
    }
}
