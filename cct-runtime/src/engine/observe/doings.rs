//! The doings of actors, in the record of an iteration.

use std::borrow::Cow;

use super::record::Recorder;
use crate::strategy::WorkerId;
use crate::trace::{ActorInfo, Did, Doing};

/// So many characters of an event are told beside what its actor does.
const LONGEST_PAYLOAD: usize = 200;

impl Recorder {
    /// An actor is created; returns its number.
    pub(crate) fn add_actor(&mut self, name: &str, path: &str) -> u32 {
        self.trace.log.actors.push(ActorInfo {
            name: String::from(name),
            path: String::from(path),
        });
        self.trace.log.actors.len() as u32 - 1
    }

    /// The worker does this for an actor, or to it. An actor from before the record began is not known.
    pub(crate) fn add_doing(
        &mut self,
        worker: WorkerId,
        actor: Option<u32>,
        (did, number): (Did, Option<u64>),
        [state, event, to, payload]: [Option<&str>; 4],
    ) {
        let Some(actor) = actor else {
            return;
        };
        let payload = payload.map(|text| match text.char_indices().nth(LONGEST_PAYLOAD) {
            Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
            None => Cow::Borrowed(text),
        });
        let doing = Doing {
            worker: worker.0,
            after: self.trace.steps.len() as u32,
            actor,
            did,
            state: state.map(|text| self.label(text)),
            event: event.map(|text| self.label(text)),
            to: to.map(|text| self.label(text)),
            payload: payload.map(|text| self.label(&text)),
            number,
        };
        self.trace.log.doings.push(doing);
    }
}
