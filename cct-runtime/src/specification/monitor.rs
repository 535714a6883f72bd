//! Monitors: specifications that are told what happens.

use std::panic::Location;

use super::Temperature;
use crate::engine;

/// A specification with a state of its own, fed by the program's events.
///
/// Safety is asserted in [`on_event`](Monitor::on_event). Liveness is told by the temperature that it
/// returns: a monitor that stays hot too long, or is hot when the test is
/// over, has found a bug.
///
/// ```
/// use cct::{Monitor, Temperature};
///
/// /// Each request is answered.
/// #[derive(Default)]
/// struct Answers {
///     open: u32,
/// }
///
/// enum Event {
///     Asked,
///     Answered,
/// }
///
/// impl Monitor for Answers {
///     type Event = Event;
///
///     fn on_event(&mut self, event: Event) -> Temperature {
///         match event {
///             Event::Asked => self.open += 1,
///             Event::Answered => {
///                 assert!(self.open > 0, "an answer without a question");
///                 self.open -= 1;
///             }
///         }
///         match self.open {
///             0 => Temperature::Cold("idle"),
///             _ => Temperature::Hot("asked"),
///         }
///     }
/// }
///
/// cct::register(Answers::default());
/// cct::notify::<Answers>(Event::Asked);
/// std::thread::spawn(|| cct::notify::<Answers>(Event::Answered)).join().unwrap();
/// ```
///
/// Handlers are atomic. One that has to wait, for a lock that a worker holds say, is reported as a
/// bug of its own: let the event carry what the monitor needs.
pub trait Monitor: 'static {
    /// The type of its events.
    type Event;

    /// Handles an event; a panic is a bug. Returns the state that it is in now.
    fn on_event(&mut self, event: Self::Event) -> Temperature;

    /// The state that it begins in.
    fn start(&self) -> Temperature {
        Temperature::Cold("start")
    }

    /// The monitor of tests that register none of this type, made at the first event of an
    /// iteration.
    ///
    /// None by default: then events do nothing there. A monitor that watches every test of a crate
    /// returns `Some(Self::default())`.
    fn global() -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// Registers a monitor for the rest of this iteration; it takes the place of the one of its type.
#[track_caller]
pub fn register<M: Monitor>(monitor: M) {
    if engine::is_controlled() {
        engine::monitors::register(monitor, Location::caller());
    }
}

/// Tells the monitor of this type what has happened.
///
/// The event belongs to the step under way: nobody runs in between. That of an actor whose node has crashed
/// is lost.
#[track_caller]
pub fn notify<M: Monitor>(event: M::Event) {
    if engine::is_controlled() && !engine::is_severed() {
        engine::monitors::notify::<M>(event, Location::caller());
    }
}
