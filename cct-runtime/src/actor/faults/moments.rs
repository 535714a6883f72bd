//! Moments at which faults come and go, chosen by the strategy.

use std::panic::Location;
use std::time::Duration;

use crate::actor::Runtime;
use crate::engine;
use crate::nondet::index_at;
use crate::object::ObjectId;
use crate::operation::Operation;

/// A fault comes within so many events, as a power of two, and goes within so many.
const COMES: usize = 9;
const GOES: usize = 6;
/// Virtual time after which a fault goes that nothing else happens in.
const STANDSTILL: Duration = Duration::from_secs(1);

/// The moments of one kind of faults: by the number of events that actors take, since a worker that is free
/// to act would mostly do so among the first steps.
pub(super) struct Moments {
    runtime: Runtime,
    site: &'static Location<'static>,
    /// How many events were taken at the last one, or at the beginning.
    last: u64,
    /// How often there had been a rest at the beginning.
    rest: u64,
}

impl Moments {
    /// Waits for the moment at which a fault comes, if ever: until then it is no work that is left to do, and
    /// none comes after the next rest.
    pub(super) fn strike(&mut self, name: &str) {
        let (runtime, number) = (&self.runtime, self.last + self.draw(COMES));
        let (pace, rests) = (runtime.pace(), || runtime.end_work());
        pace.wait_before_rest((number, self.rest), rests, self.site);
        self.pass(name);
    }

    /// Waits for the moment at which it goes.
    pub(super) fn end(&mut self, name: &str) {
        self.wait_for_end();
        self.pass(name);
    }

    /// The same, where the next step is the end.
    pub(super) fn wait_for_end(&mut self) {
        let (runtime, number) = (&self.runtime, self.last + self.draw(GOES));
        let standstill = engine::now().saturating_add(STANDSTILL.as_nanos() as u64);
        runtime.pace().wait_until(number, standstill, self.site);
    }

    /// A number of events: each power of two is as likely as the others.
    fn draw(&self, powers: usize) -> u64 {
        let below = 1 << index_at(powers + 1, self.site);
        index_at(below, self.site) as u64
    }

    /// A step of its own, so that the strategy chooses when it is made.
    fn pass(&mut self, name: &str) {
        engine::point_at(Operation::Custom, ObjectId::NONE, self.site).named(name);
        self.last = self.runtime.pace().taken();
    }
}

/// Has faults come by a worker of its own. Outside of the engine it does nothing.
pub(super) fn attack_aside(
    runtime: &Runtime,
    name: &str,
    site: &'static Location<'static>,
    attack: impl FnOnce(&mut Moments) + 'static,
) {
    let mut moments = Moments {
        runtime: runtime.clone(),
        site,
        last: runtime.pace().taken(),
        rest: runtime.pace().rests(),
    };
    run_aside(runtime, name, site, move || attack(&mut moments));
}

/// Runs this on a worker of its own, which counts as work that is left to do.
pub(super) fn run_aside(
    runtime: &Runtime,
    name: &str,
    site: &'static Location<'static>,
    body: impl FnOnce() + 'static,
) {
    if !engine::is_controlled() {
        return;
    }
    runtime.begin_work();
    let runtime = runtime.clone();
    let body = move || {
        body();
        runtime.end_work();
    };
    let worker = engine::spawn_at(Some(name), None, None, site, Box::new(body));
    assert!(
        worker.is_some(),
        "there is no memory for the stack of `{name}`"
    );
}
