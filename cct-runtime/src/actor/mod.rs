//! Actors and state machines: components that exchange events, tested as they run.
//!
//! An actor has data that nobody else reaches, an inbox, and handlers of events. It handles one event at a
//! time, in the order in which they arrive. A *machine* is in a state besides, and what it does with an event
//! depends on that. The same code runs in production, on threads or on somebody's executor, and under
//! `cargo cct test`, where each actor is a worker of the engine.
//!
//! ```
//! use cct::actor::{ActorRef, Context, Reply, Runtime};
//!
//! struct Add(u32);
//! struct Get(Reply<u32>);
//!
//! #[derive(Default)]
//! struct Counter {
//!     total: u32,
//! }
//!
//! #[cct::actor]
//! impl Counter {
//!     #[on]
//!     fn add(&mut self, Add(number): Add) {
//!         self.total += number;
//!     }
//!
//!     #[on]
//!     fn get(&mut self, Get(reply): Get) {
//!         let _ = reply.send(self.total);
//!     }
//! }
//!
//! let runtime = Runtime::new();
//! let counter: ActorRef<Counter> = runtime.create(Counter::default());
//! counter.send(Add(2));
//! counter.send(Add(3));
//! assert_eq!(counter.ask(Get).wait(), Some(5));
//! ```
//!
//! # Machines
//!
//! States are types, with the data that belongs to them. A handler that has a parameter of such a type
//! belongs to that state; what it returns says what comes next.
//!
//! ```
//! use cct::actor::{Context, Push, Runtime, Then};
//!
//! struct Coin;
//! struct Turn;
//!
//! struct Locked;
//! struct Unlocked {
//!     coins: u32,
//! }
//!
//! struct Turnstile;
//!
//! #[cct::machine(start = Locked)]
//! #[ignore(Locked: Turn)]
//! impl Turnstile {
//!     #[on]
//!     fn unlock(&mut self, _: &mut Locked, _: Coin) -> Unlocked {
//!         Unlocked { coins: 1 }
//!     }
//!
//!     #[on]
//!     fn pay_more(&mut self, unlocked: &mut Unlocked, _: Coin) {
//!         unlocked.coins += 1;
//!     }
//!
//!     #[on]
//!     fn pass(&mut self, unlocked: &mut Unlocked, _: Turn) -> Option<Locked> {
//!         unlocked.coins -= 1;
//!         (unlocked.coins == 0).then_some(Locked)
//!     }
//! }
//!
//! let runtime = Runtime::new();
//! let turnstile = runtime.create(Turnstile);
//! turnstile.send(Coin);
//! turnstile.send(Turn);
//! runtime.wait_until_idle().unwrap();
//! ```

mod actor_ref;
mod context;
mod covered;
mod crashed;
#[doc(hidden)]
pub mod describe;
mod due;
mod event;
mod failure;
pub mod faults;
mod group;
mod inbox;
mod looks;
mod machine;
mod pace;
mod pool;
mod reply;
mod run;
mod runtime;
mod shared;
mod task;
mod test_kit;
mod then;
mod timer;
mod told;
mod unwinding;
mod workload;

pub use actor_ref::{ActorId, ActorRef, Recipient, Target};
pub use context::Context;
pub use event::{DefaultEvent, HaltEvent, SendOptions};
pub use failure::Failure;
pub use group::{AwaitableGroup, EventGroup};
pub use machine::{Accepts, HasState, Machine, Outcome};
#[doc(hidden)]
pub use machine::{Handler, Lead, Plan, Rule};
pub use reply::{Answer, Reply, reply};
#[doc(hidden)]
pub use runtime::tested;
pub use runtime::{BoxFuture, NameTaken, Runtime, RuntimeFailure, Status};
pub use shared::{SharedCounter, SharedMap, SharedRegister};
pub use test_kit::{Mock, TestKit};
pub use then::{Goto, Halt, IntoExit, IntoThen, Pop, Push, Raise, Then};
pub use timer::Timer;
