//! An actor that sets a client off when a configuration comes.

use cct::actor::{ActorRef, Context};

use super::scenario::{Trigger, When};
use super::service::{Act, Service};
use crate::config::Push;

/// A subscriber that waits for one configuration.
#[derive(Debug)]
pub struct Hook {
    trigger: Trigger,
    service: ActorRef<Service>,
}

impl Hook {
    /// Creates the hook of a client.
    #[must_use]
    pub fn new(trigger: Trigger, service: ActorRef<Service>) -> Hook {
        Hook { trigger, service }
    }
}

#[cct::actor]
impl Hook {
    #[on]
    fn push(&mut self, push: Push, cx: &mut Context<Self>) {
        let mut done = Some(push.done);
        if push.config == self.trigger.config {
            let (last, others) = match self.trigger.actions.split_last() {
                Some((last, others)) => (Some(last), others),
                None => (None, [].as_slice()),
            };
            for action in others {
                cx.send(&self.service, Act::new(action.clone()));
            }
            if let Some(last) = last {
                let mut act = Act::new(last.clone());
                if self.trigger.when == When::Blocking {
                    act.done = done.take();
                }
                cx.send(&self.service, act);
            }
        }
        if let Some(done) = done {
            done();
        }
    }
}
