//! The service that plans routes: a model.

use cct::actor::{Context, Recipient};

use crate::{Location, OrderId, RouteIsPlanned};

/// Asks for a route.
#[derive(Debug)]
pub struct PlanRoute {
    /// The order that it is for.
    pub order: OrderId,
    /// Its beginning.
    pub from: Location,
    /// Its end.
    pub to: Location,
    /// The one who asks.
    pub asked_by: Recipient<RouteIsPlanned>,
}

/// A planner of routes that lead straight to their end, or around something.
#[derive(Debug)]
pub struct RoutePlanner;

#[cct::actor]
impl RoutePlanner {
    #[on]
    fn plan(&mut self, plan: PlanRoute, cx: &mut Context<Self>) {
        let corner = Location {
            x: plan.from.x,
            y: plan.to.y,
        };
        let route = if cct::nondet_bool() {
            vec![corner, plan.to]
        } else {
            vec![plan.to]
        };
        let order = plan.order;
        cx.send(&plan.asked_by, RouteIsPlanned { order, route });
    }
}
