//! The chains that actors' events belong to.
//!
//! An actor works for the chain of the event that it has taken. The first event that it sends goes on with
//! that chain, further ones begin others, and so do all that are sent by others than actors: a simple form of
//! the chains of Ozkan et al., *Randomized Testing of Distributed Systems with Probabilistic Guarantees*
//! (OOPSLA 2018).

use super::facts::is_controlled;
use super::{Engine, engine, outside};
use crate::engine::state::worker::{State, Worker};
use crate::strategy::{ChainId, WorkerId};

/// True if somebody wants to know of chains.
#[inline]
pub fn heeds_chains() -> bool {
    is_controlled() && strategy_heeds_chains()
}

fn strategy_heeds_chains() -> bool {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).decision.heeds_chains }
}

/// The chain of an event that the current worker sends; the one for whom it is goes on with it, if he has
/// nothing else to do. None if nobody wants to know.
#[inline]
pub fn chain_to(idle: Option<WorkerId>) -> Option<ChainId> {
    heeds_chains().then(|| pass_chain_to(idle))
}

fn pass_chain_to(idle: Option<WorkerId>) -> ChainId {
    let engine = engine();
    // SAFETY: the engine is set, so it is live, and so are its workers; no switch happens in here.
    outside(|| unsafe {
        let sender = (*engine).roster.current;
        let chain = if std::mem::take(&mut (*sender).hands_on) {
            (*sender).chain
        } else {
            (*engine).decision.chain_count += 1;
            ChainId((*engine).decision.chain_count - 1)
        };
        if let Some(idle) = idle {
            move_to(engine, (*engine).roster.worker(idle), chain);
        }
        chain
    })
}

/// The current worker is about to take an event of this chain.
pub fn go_on_in(chain: ChainId) {
    let engine = engine();
    // SAFETY: as above.
    outside(|| unsafe {
        let worker = (*engine).roster.current;
        (*worker).hands_on = true;
        move_to(engine, worker, chain);
    });
}

/// # Safety
///
/// The engine is live, and the worker is one of its own.
unsafe fn move_to(engine: *mut Engine, worker: *mut Worker, chain: ChainId) {
    // SAFETY: the caller's.
    unsafe {
        let worker = &mut *worker;
        let driver = &mut (*engine).decision.driver;
        let is_news = std::mem::replace(&mut worker.chain, chain) != chain;
        match worker.state() {
            _ if !is_news => {}
            State::Waiting if !worker.is_early => driver.tell_continued(worker.id, chain),
            State::Waiting | State::Enabled => {
                if driver.tell_moved(worker.id, chain) {
                    (*engine).budget.interrupt();
                }
            }
            State::Away | State::Ended => {}
        }
    }
}
