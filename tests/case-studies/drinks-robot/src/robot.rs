//! The robot: it asks for an order, drives to the client, pours a drink, and comes back.

use std::time::Duration;

use cct::actor::{ActorRef, Context, Recipient, Then, Timer};

use crate::{
    AskForClient, AskForRoute, Drink, Location, Navigator, NavigatorIsReset, OrderId,
    OrdersAreServed, Person, Picture, Request, RobotIsReady, START, Service, Variant,
};

/// How long it drives from one place of a route to the next.
const MOVE: Duration = Duration::from_millis(500);
/// How long it pours.
const SERVE: Duration = Duration::from_secs(2);
/// How long it drives back.
const RETREAT: Duration = Duration::from_secs(1);

/// A navigator says that it is at work from here on.
#[derive(Debug)]
pub struct RegisterNavigator(pub ActorRef<Navigator>);

/// The navigator has stored the request.
#[derive(Debug)]
pub struct OrderConfirmed(pub OrderId);

/// Somebody is to be served.
#[derive(Debug)]
pub struct OrderProduced {
    /// The order.
    pub order: OrderId,
    /// The client.
    pub client: Person,
}

/// The route to the client.
#[derive(Debug)]
pub struct RouteProduced {
    /// The order.
    pub order: OrderId,
    /// The places to go to, one after another.
    pub route: Vec<Location>,
}

/// The tick at which the next place of the route is reached.
#[derive(Debug)]
pub struct MoveIsDue;

/// The tick at which the glass is full, or the robot back.
#[derive(Debug)]
pub struct ServedIsDue;

/// The state without a navigator.
#[derive(Debug)]
pub struct Starting;

/// The state in which it waits for an order.
#[derive(Debug)]
pub struct Ordering;

/// The state in which it waits for the route to the client.
#[derive(Debug)]
pub struct Fetching {
    client: Person,
}

/// The state on the way to the client.
#[derive(Debug)]
pub struct Moving {
    client: Person,
    route: Vec<Location>,
    timer: Option<Timer>,
}

/// The state at the client's.
#[derive(Debug)]
pub struct Serving {
    client: Person,
}

/// The state on the way back.
#[derive(Debug)]
pub struct Retreating;

/// The state after the last order.
#[derive(Debug)]
pub struct Finished;

/// A robot.
#[derive(Debug)]
pub struct Robot {
    variant: Variant,
    /// How many orders it serves.
    orders: u32,
    driver: Option<Recipients>,
    navigator: Option<ActorRef<Navigator>>,
    /// The order that was asked for last.
    order: OrderId,
    /// It has no route yet.
    is_pending: bool,
    /// The request is stored.
    is_confirmed: bool,
    location: Location,
}

/// The places where a driver is told how the robot fares.
#[derive(Clone, Debug)]
pub struct Recipients {
    /// An order is stored: a navigator may end.
    pub ready: Recipient<RobotIsReady>,
    /// The next navigator is known.
    pub reset: Recipient<NavigatorIsReset>,
}

impl Robot {
    /// A robot that serves so many orders.
    #[must_use]
    pub fn new(variant: Variant, orders: u32, driver: Option<Recipients>) -> Robot {
        Robot {
            variant,
            orders,
            driver,
            navigator: None,
            order: OrderId::default(),
            is_pending: false,
            is_confirmed: false,
            location: START,
        }
    }

    fn navigator(&self) -> &ActorRef<Navigator> {
        let navigator = self.navigator.as_ref();
        navigator.expect("nothing is done without a navigator")
    }

    fn ask_for_client(&self, cx: &Context<Self>) {
        let request = Request {
            order: self.order,
            picture: Picture::take(),
        };
        cx.send(self.navigator(), AskForClient(request));
    }

    /// The order that is waited for.
    fn is_awaited(&self, order: OrderId) -> bool {
        self.is_pending && order == self.order
    }
}

#[cct::machine(start = Starting, states(Finished))]
#[defer(Starting: OrderConfirmed, OrderProduced)]
impl Robot {
    #[on]
    fn meet(&mut self, _: &mut Starting, register: RegisterNavigator) -> Ordering {
        self.navigator = Some(register.0);
        Ordering
    }

    /// A navigator takes over. The order that is pending begins again.
    #[on]
    fn take_next(
        &mut self,
        register: RegisterNavigator,
        cx: &mut Context<Self>,
    ) -> Option<Ordering> {
        self.navigator = Some(register.0);
        if let Some(driver) = &self.driver {
            cx.send(&driver.reset, NavigatorIsReset);
        }
        self.is_pending.then_some(Ordering)
    }

    /// An order that was confirmed is stored: this navigator, or the next one, will produce it.
    #[entry]
    fn ask(&mut self, _: &mut Ordering, cx: &mut Context<Self>) {
        cct::notify::<OrdersAreServed>(Service::Busy);
        if !self.is_pending {
            self.order.0 += 1;
            self.is_pending = true;
            self.is_confirmed = false;
            self.ask_for_client(cx);
        } else if !self.is_confirmed {
            self.ask_for_client(cx);
        }
    }

    #[on]
    fn confirm(&mut self, OrderConfirmed(order): OrderConfirmed, cx: &mut Context<Self>) {
        if !self.is_awaited(order) {
            return;
        }
        self.is_confirmed = true;
        if let Some(driver) = &self.driver {
            cx.send(&driver.ready, RobotIsReady);
        }
    }

    #[on]
    fn execute(&mut self, _: &mut Ordering, produced: OrderProduced) -> Option<Fetching> {
        if !self.is_awaited(produced.order) {
            return None;
        }
        self.is_confirmed = true;
        let client = produced.client;
        Some(Fetching { client })
    }

    #[entry]
    fn ask_the_way(&mut self, fetching: &mut Fetching, cx: &mut Context<Self>) {
        let ask = AskForRoute {
            order: self.order,
            from: self.location,
            to: fetching.client.location,
        };
        cx.send(self.navigator(), ask);
    }

    #[on]
    fn set_out(&mut self, fetching: &mut Fetching, produced: RouteProduced) -> Option<Moving> {
        if !self.is_awaited(produced.order) {
            return None;
        }
        if self.variant != Variant::ForgetsLate {
            self.is_pending = false;
        }
        let mut route = produced.route;
        route.reverse();
        Some(Moving {
            client: fetching.client,
            route,
            timer: None,
        })
    }

    #[entry]
    fn start_moving(&mut self, moving: &mut Moving, cx: &mut Context<Self>) {
        moving.timer = Some(cx.start_timer(MOVE, MoveIsDue));
    }

    #[on]
    fn move_on(
        &mut self,
        moving: &mut Moving,
        _: MoveIsDue,
        cx: &mut Context<Self>,
    ) -> Option<Serving> {
        self.is_pending = false;
        let Some(next) = moving.route.pop() else {
            let client = moving.client;
            assert_eq!(
                self.location, client.location,
                "the robot is at the client's"
            );
            return Some(Serving { client });
        };
        self.location = next;
        moving.timer = Some(cx.start_timer(MOVE, MoveIsDue));
        None
    }

    #[exit]
    fn stop_moving(&mut self, moving: &mut Moving) {
        if let Some(timer) = &moving.timer {
            timer.stop();
        }
    }

    #[entry]
    fn pour(&mut self, _: &mut Serving, cx: &mut Context<Self>) {
        cx.start_timer(SERVE, ServedIsDue);
    }

    #[on]
    fn serve(&mut self, serving: &mut Serving, _: ServedIsDue) -> Retreating {
        let age = serving.client.age;
        let drink = cct::choose(Drink::suitable(age));
        assert!(
            Drink::suitable(age).contains(drink),
            "{drink:?} is not for this client"
        );
        cct::notify::<OrdersAreServed>(Service::Idle);
        Retreating
    }

    #[entry]
    fn retreat(&mut self, _: &mut Retreating, cx: &mut Context<Self>) {
        cx.start_timer(RETREAT, ServedIsDue);
    }

    #[on]
    fn come_back(&mut self, _: &mut Retreating, _: ServedIsDue) -> Then<Self> {
        self.location = START;
        if self.order.0 < self.orders {
            Then::goto(Ordering)
        } else {
            Then::goto(Finished)
        }
    }

    /// An order that was produced again by the next navigator, or too late by the one before.
    #[on]
    fn drop_order(&mut self, _: OrderProduced) {}

    /// A route of a navigator that has been replaced since.
    #[on]
    fn drop_route(&mut self, _: RouteProduced) {}

    /// A tick on its way when the timer was stopped.
    #[on]
    fn drop_tick(&mut self, _: MoveIsDue) {}
}
