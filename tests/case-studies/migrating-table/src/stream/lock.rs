//! A mutex that handlers can wait for.

use cct::actor::{ActorRef, Context, Reply};

/// A mutex: one permit at a time.
#[derive(Debug)]
pub struct Lock;

/// Asks for the permit.
#[derive(Debug)]
pub struct Acquire(pub Reply<Permit>);

/// Gives the permit back.
#[derive(Debug)]
pub struct Release;

/// The state in which the permit is there.
#[derive(Debug)]
pub struct Free;

/// The state in which somebody has the permit.
#[derive(Debug)]
pub struct Taken;

/// The right to go on, given back when it is dropped.
#[derive(Debug)]
pub struct Permit(ActorRef<Lock>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.send(Release);
    }
}

#[cct::machine(start = Free)]
#[defer(Taken: Acquire)]
impl Lock {
    #[on]
    fn acquire(&mut self, _: &mut Free, acquire: Acquire, cx: &mut Context<Self>) -> Taken {
        let _ = acquire.0.send(Permit(cx.me().clone()));
        Taken
    }

    #[on]
    fn release(&mut self, _: &mut Taken, _: Release) -> Free {
        Free
    }
}
