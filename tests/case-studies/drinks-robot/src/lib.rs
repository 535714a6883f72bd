//! A robot that serves drinks with the help of a navigator, which **fails over while the robot is on its
//! way**: then the robot waits for an order that nobody will bring.
//!
//! The robot shows the navigator a picture of the room. The navigator stores the request, has a cognitive
//! service find somebody to be served, and a planner make the route. The stored request is deleted once the
//! robot has the route. When a navigator ends, the next one goes on with the request that it finds stored,
//! and the robot, if it has none, waits for the client again.
//!
//! This is Coyote's sample *Failover robot navigator*. Navigator and robot are real; storage, cognitive
//! service and planner are models. Navigators end in two ways ([`Failover`]): in order, by a handshake with
//! the [`FailoverDriver`], as in the sample, or by a crash at any moment.
//!
//! [`Variant`] chooses the bug. [`Variant::ForgetsLate`] is the sample's own; [`Variant::DeletesFirst`] does
//! harm in crashes alone. Both break the specification [`OrdersAreServed`].
//!
//! ```text
//! cargo cct test -p drinks-robot
//! ```

mod cognitive_service;
mod failover_driver;
mod navigator;
mod robot;
mod room;
mod route_planner;
mod scenario;
mod specification;
mod storage;
mod variant;

pub use cognitive_service::{CognitiveService, FindClient};
pub use failover_driver::{
    Begin, FailoverDriver, FailoverIsDue, NavigatorHalted, NavigatorIsReset, Replacing,
    RobotIsReady, Watching,
};
pub use navigator::{
    Active, AskForClient, AskForRoute, ClientIsFound, Loaded, Loading, Navigator, RouteIsPlanned,
    Services, Stored, Terminate,
};
pub use robot::{
    Fetching, Finished, MoveIsDue, Moving, OrderConfirmed, OrderProduced, Ordering, Recipients,
    RegisterNavigator, Retreating, Robot, RouteProduced, ServedIsDue, Serving, Starting,
};
pub use room::{Age, Drink, Location, OrderId, Person, Picture, START};
pub use route_planner::{PlanRoute, RoutePlanner};
pub use scenario::{Failover, run};
pub use specification::{OrdersAreServed, Service};
pub use storage::{Delete, Load, Request, Storage, Store};
pub use variant::Variant;
