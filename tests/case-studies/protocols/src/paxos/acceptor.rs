//! An acceptor.

use cct::actor::{ActorRef, Context, Halt};

use super::{Accept, Accepted, AcceptorId, Learner, Number, Prepare, Promise, Proposal};

/// A fault: the acceptor is gone.
#[derive(Debug)]
pub struct Fail;

/// An acceptor of proposals.
#[derive(Debug)]
pub struct Acceptor {
    id: AcceptorId,
    learner: ActorRef<Learner>,
    promised: Option<Number>,
    accepted: Option<Proposal>,
}

impl Acceptor {
    /// An acceptor that has promised nothing.
    #[must_use]
    pub fn new(id: AcceptorId, learner: ActorRef<Learner>) -> Acceptor {
        Acceptor {
            id,
            learner,
            promised: None,
            accepted: None,
        }
    }
}

#[cct::actor]
impl Acceptor {
    #[on]
    fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        if self.promised < Some(prepare.number) {
            self.promised = Some(prepare.number);
            let promise = Promise {
                acceptor: self.id,
                accepted: self.accepted,
            };
            cx.send(&prepare.from, promise);
        }
    }

    #[on]
    fn accept(&mut self, Accept(proposal): Accept, cx: &mut Context<Self>) {
        if self.promised == Some(proposal.number) {
            self.accepted = Some(proposal);
            let acceptor = self.id;
            cx.send(&self.learner, Accepted { acceptor, proposal });
        }
    }

    #[on]
    fn fail(&mut self, _: Fail) -> Halt {
        Halt
    }
}
