//! The storage of requests: a model that outlives all navigators.

use cct::actor::{Context, Recipient};

use crate::{Loaded, OrderId, Picture, Stored};

/// A robot's request, as it is stored until it is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The order's number.
    pub order: OrderId,
    /// The room.
    pub picture: Picture,
}

/// Asks for the request that is stored.
#[derive(Debug)]
pub struct Load {
    /// The one who asks.
    pub from: Recipient<Loaded>,
}

/// Has a request stored, in place of the one before.
#[derive(Debug)]
pub struct Store {
    /// The request.
    pub request: Request,
    /// The one who asks.
    pub from: Recipient<Stored>,
}

/// Has the request of this number deleted.
#[derive(Debug)]
pub struct Delete(pub OrderId);

/// A store with a place for one request.
#[derive(Debug, Default)]
pub struct Storage {
    pending: Option<Request>,
}

#[cct::actor]
impl Storage {
    #[on]
    fn load(&mut self, load: Load, cx: &mut Context<Self>) {
        cx.send(&load.from, Loaded(self.pending.clone()));
    }

    #[on]
    fn store(&mut self, store: Store, cx: &mut Context<Self>) {
        let order = store.request.order;
        let replaced = self.pending.replace(store.request);
        let replaced = replaced.map(|request| request.order);
        cx.send(&store.from, Stored { order, replaced });
    }

    #[on]
    fn delete(&mut self, Delete(order): Delete) {
        self.pending.take_if(|request| request.order == order);
    }
}
