//! How many schedules have a bug: exploration goes on after the first, as ThreadFuzzer's did.

use std::cell::RefCell;
use std::rc::Rc;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::{
    Beginning, Beyond, Candidates, ChainId, Ending, Enumerator, Executed, Observer, Origin, Pick,
    Strategy, WorkerId, derive,
};
use cct::verdict::BugKind;

use crate::cli::Job;
use crate::row::Share;

/// As many as in ThreadFuzzer's tables, for each seed.
const SCHEDULES: u64 = 150;

/// Counts the schedules with a bug among the first of each seed.
pub(crate) fn measure(explorer: &mut Explorer, job: &Job, settings: &Settings) -> Share {
    let mut share = Share {
        schedules: job.seeds * SCHEDULES,
        violated: 0,
        deadlocked: 0,
    };
    for trial in 0..job.seeds {
        let mut members: Vec<_> = job.strategy.build().into_iter().map(lasting).collect();
        let mut done = 0;
        while done < SCHEDULES {
            let settings = Settings {
                iterations: Some(SCHEDULES - done),
                seed: Some(derive(job.seed_base + trial, done)),
                ..settings.clone()
            };
            let turns = members.iter().map(|(name, member)| {
                let member: Box<dyn Strategy> = Box::new(member.clone());
                (name.clone(), member)
            });
            let turns = turns.collect();
            let exploration = explorer.explore_with(settings.resolve(), turns, job.program.body);
            // An enumeration that has made its last schedule makes no other.
            let Some(found) = exploration.found else {
                break;
            };
            match found.bug.kind {
                BugKind::Deadlock | BugKind::LockCycle | BugKind::Livelock => {
                    share.deadlocked += 1;
                }
                _ => share.violated += 1,
            }
            done += found.iteration;
            let count = members.len() as u64;
            members.rotate_left((found.iteration % count) as usize);
        }
    }
    share
}

/// A strategy that several explorations share: to it they are one.
#[derive(Clone)]
struct Lasting(Rc<RefCell<Inner>>);

struct Inner {
    strategy: Box<dyn Strategy>,
    /// The iterations so far.
    turns: u64,
    /// The most steps of one of them.
    longest: u32,
}

fn lasting((name, strategy): (String, Box<dyn Strategy>)) -> (String, Lasting) {
    let inner = Inner {
        strategy,
        turns: 0,
        longest: 0,
    };
    (name, Lasting(Rc::new(RefCell::new(inner))))
}

impl Strategy for Lasting {
    fn begin(&mut self, beginning: &Beginning) {
        let inner = &mut *self.0.borrow_mut();
        inner.strategy.begin(&Beginning {
            index: inner.turns,
            longest: beginning.longest.max(inner.longest),
            ..*beginning
        });
        inner.turns += 1;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        self.0.borrow_mut().strategy.pick(candidates)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.0.borrow_mut().strategy.choose_index(n)
    }

    fn fair_from(&self) -> u32 {
        self.0.borrow().strategy.fair_from()
    }

    fn learns(&self) -> bool {
        self.0.borrow().strategy.learns()
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.0.borrow_mut().strategy.on_created(worker, origin);
    }

    fn on_continued(&mut self, worker: WorkerId, chain: ChainId) {
        self.0.borrow_mut().strategy.on_continued(worker, chain);
    }

    fn heeds_chains(&self) -> bool {
        self.0.borrow().strategy.heeds_chains()
    }

    fn on_moved(&mut self, worker: WorkerId, chain: ChainId) -> bool {
        self.0.borrow_mut().strategy.on_moved(worker, chain)
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.0.borrow_mut().strategy.on_enabled(worker)
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.0.borrow_mut().strategy.on_disabled(worker);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        let observes = self.0.borrow_mut().strategy.observes();
        if observes { Some(self) } else { None }
    }

    fn end(&mut self, ending: &Ending) {
        let inner = &mut *self.0.borrow_mut();
        inner.longest = inner.longest.max(ending.steps);
        inner.strategy.end(ending);
    }

    fn enumerator(&self) -> Option<&dyn Enumerator> {
        let enumerates = self.0.borrow().strategy.enumerates();
        enumerates.then_some(self)
    }
}

impl Lasting {
    /// Tells the strategy, which observes.
    fn tell(&self, tell: impl FnOnce(&mut dyn Observer)) {
        if let Some(observer) = self.0.borrow_mut().strategy.observer() {
            tell(observer);
        }
    }
}

impl Observer for Lasting {
    fn on_step(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.tell(|observer| observer.on_step(executed, beyond));
    }

    fn on_unpicked(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.tell(|observer| observer.on_unpicked(executed, beyond));
    }

    fn on_read(&mut self) {
        self.tell(|observer| observer.on_read());
    }

    fn on_early(&mut self, worker: WorkerId) -> bool {
        self.0.borrow_mut().strategy.on_early(worker)
    }

    fn on_late(&mut self, worker: WorkerId) {
        self.0.borrow_mut().strategy.on_late(worker);
    }

    fn choose_end(&mut self, over: WorkerId, by: WorkerId) -> u32 {
        self.0.borrow_mut().strategy.choose_end(over, by)
    }
}

impl Enumerator for Lasting {
    fn is_exhausted(&self) -> bool {
        self.0.borrow().strategy.is_exhausted()
    }
}
