//! The navigator: it stores a request before it works on it, and goes on with the one that it finds.

use cct::actor::{ActorRef, Context, Halt, Recipient};

use crate::{
    CognitiveService, Delete, FindClient, Load, Location, NavigatorHalted, OrderConfirmed, OrderId,
    OrderProduced, Person, PlanRoute, RegisterNavigator, Request, Robot, RoutePlanner,
    RouteProduced, Storage, Store, Variant,
};

/// The robot asks for somebody to be served.
#[derive(Debug)]
pub struct AskForClient(pub Request);

/// The robot asks for the way.
#[derive(Debug)]
pub struct AskForRoute {
    /// The order that it is for.
    pub order: OrderId,
    /// The place where the robot is.
    pub from: Location,
    /// The place where it is to go.
    pub to: Location,
}

/// The request that is stored.
#[derive(Debug)]
pub struct Loaded(pub Option<Request>);

/// The storage's word that a request is stored.
#[derive(Debug)]
pub struct Stored {
    /// Its number.
    pub order: OrderId,
    /// The number of the one that was stored before.
    pub replaced: Option<OrderId>,
}

/// The cognitive service's answer.
#[derive(Debug)]
pub struct ClientIsFound {
    /// The order that it is for.
    pub order: OrderId,
    /// Somebody to be served.
    pub client: Person,
}

/// The planner's answer.
#[derive(Debug)]
pub struct RouteIsPlanned {
    /// The order that it is for.
    pub order: OrderId,
    /// The places to go to, one after another.
    pub route: Vec<Location>,
}

/// The order to end, and where the end is told.
#[derive(Debug)]
pub struct Terminate(pub Recipient<NavigatorHalted>);

/// The machines that a navigator needs.
#[derive(Clone, Debug)]
pub struct Services {
    /// The robot.
    pub robot: ActorRef<Robot>,
    /// The storage.
    pub storage: ActorRef<Storage>,
    /// The service that finds people.
    pub cognitive: ActorRef<CognitiveService>,
    /// The planner.
    pub planner: ActorRef<RoutePlanner>,
}

/// The state before it knows what is stored.
#[derive(Debug)]
pub struct Loading;

/// The state at work.
#[derive(Debug)]
pub struct Active {
    /// The request that is stored, or about to be.
    pending: Option<Request>,
}

/// A navigator.
#[derive(Debug)]
pub struct Navigator {
    variant: Variant,
    services: Services,
}

impl Navigator {
    /// A navigator that goes on with what is stored.
    #[must_use]
    pub fn new(variant: Variant, services: Services) -> Navigator {
        Navigator { variant, services }
    }

    fn find_client(&self, request: Request, cx: &Context<Self>) {
        let from = cx.me().recipient();
        cx.send(&self.services.cognitive, FindClient { request, from });
    }
}

impl Active {
    fn is_pending(&self, order: OrderId) -> bool {
        (self.pending.as_ref()).is_some_and(|request| request.order == order)
    }
}

#[cct::machine(start = Loading)]
#[defer(Loading: AskForClient, AskForRoute)]
impl Navigator {
    #[entry]
    fn begin(&mut self, _: &mut Loading, cx: &mut Context<Self>) {
        let navigator = cx.me().clone();
        cx.send(&self.services.robot, RegisterNavigator(navigator));
        let from = cx.me().recipient();
        cx.send(&self.services.storage, Load { from });
    }

    #[on]
    fn go_on(
        &mut self,
        _: &mut Loading,
        Loaded(pending): Loaded,
        cx: &mut Context<Self>,
    ) -> Active {
        if let Some(request) = &pending {
            self.find_client(request.clone(), cx);
        }
        Active { pending }
    }

    #[on]
    fn store(&mut self, active: &mut Active, ask: AskForClient, cx: &mut Context<Self>) {
        let AskForClient(request) = ask;
        let order = request.order;
        if active.is_pending(order) {
            // The robot asks again, since it had no answer from the navigator before.
            cx.send(&self.services.robot, OrderConfirmed(order));
            return;
        }
        active.pending = Some(request.clone());
        let from = cx.me().recipient();
        cx.send(&self.services.storage, Store { request, from });
    }

    #[on]
    fn stored(&mut self, active: &mut Active, stored: Stored, cx: &mut Context<Self>) {
        let Stored { order, replaced } = stored;
        assert!(
            replaced.is_none_or(|replaced| replaced < order),
            "{replaced:?} was pending and is replaced by {order:?}"
        );
        cx.send(&self.services.robot, OrderConfirmed(order));
        if let Some(request) = &active.pending {
            self.find_client(request.clone(), cx);
        }
    }

    #[on]
    fn produce(&mut self, active: &mut Active, found: ClientIsFound, cx: &mut Context<Self>) {
        let ClientIsFound { order, client } = found;
        if active.is_pending(order) {
            cx.send(&self.services.robot, OrderProduced { order, client });
        }
    }

    #[on]
    fn plan(&mut self, _: &mut Active, ask: AskForRoute, cx: &mut Context<Self>) {
        let plan = PlanRoute {
            order: ask.order,
            from: ask.from,
            to: ask.to,
            asked_by: cx.me().recipient(),
        };
        cx.send(&self.services.planner, plan);
    }

    /// The order is complete, and the request forgotten.
    #[on]
    fn complete(&mut self, active: &mut Active, planned: RouteIsPlanned, cx: &mut Context<Self>) {
        let RouteIsPlanned { order, route } = planned;
        let produced = RouteProduced { order, route };
        active.pending.take_if(|request| request.order == order);
        if self.variant == Variant::DeletesFirst {
            cx.send(&self.services.storage, Delete(order));
            cx.send(&self.services.robot, produced);
        } else {
            cx.send(&self.services.robot, produced);
            cx.send(&self.services.storage, Delete(order));
        }
    }

    #[on]
    fn end(&mut self, Terminate(driver): Terminate, cx: &mut Context<Self>) -> Halt {
        cx.send(&driver, NavigatorHalted);
        Halt
    }
}
