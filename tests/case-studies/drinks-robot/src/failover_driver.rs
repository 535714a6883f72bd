//! The driver of the test: it replaces the navigator, in order.

use std::time::Duration;

use cct::actor::{ActorRef, Context, Then};

use crate::{Navigator, Services, Terminate, Variant};

/// How long a navigator is at work before it is replaced.
const TIME_TO_LIVE: Duration = Duration::from_millis(500);

/// The robot has an order that is stored.
#[derive(Debug)]
pub struct RobotIsReady;

/// The robot knows the next navigator.
#[derive(Debug)]
pub struct NavigatorIsReset;

/// The navigator has ended.
#[derive(Debug)]
pub struct NavigatorHalted;

/// The tick at which the navigator is replaced.
#[derive(Debug)]
pub struct FailoverIsDue;

/// Tells the driver of the machines that outlive navigators; it creates the first one.
#[derive(Debug)]
pub struct Begin(pub Services);

/// The state in which a navigator is at work.
#[derive(Debug)]
pub struct Watching {
    has_timer: bool,
}

/// The state in which it ends, and the next one takes over.
#[derive(Debug)]
pub struct Replacing;

/// A driver of failovers.
#[derive(Debug)]
pub struct FailoverDriver {
    variant: Variant,
    /// How many are left.
    failovers: u32,
    services: Option<Services>,
    navigator: Option<ActorRef<Navigator>>,
}

impl FailoverDriver {
    /// A driver of so many failovers.
    #[must_use]
    pub fn new(variant: Variant, failovers: u32) -> FailoverDriver {
        FailoverDriver {
            variant,
            failovers,
            services: None,
            navigator: None,
        }
    }

    fn create_navigator(&mut self, cx: &Context<Self>) {
        let services = self.services.clone();
        let services = services.expect("it has begun");
        self.navigator = Some(cx.create(Navigator::new(self.variant, services)));
    }
}

#[cct::machine(start = Watching { has_timer: false })]
#[ignore(Watching: NavigatorIsReset)]
#[ignore(Replacing: RobotIsReady)]
impl FailoverDriver {
    #[on]
    fn begin(&mut self, _: &mut Watching, Begin(services): Begin, cx: &mut Context<Self>) {
        self.services = Some(services);
        self.create_navigator(cx);
    }

    /// An order is stored. Before that there would be little to fail over.
    #[on]
    fn wind_up(&mut self, watching: &mut Watching, _: RobotIsReady, cx: &mut Context<Self>) {
        if self.failovers > 0 && !watching.has_timer {
            watching.has_timer = true;
            self.failovers -= 1;
            cx.start_timer(TIME_TO_LIVE, FailoverIsDue);
        }
    }

    #[on]
    fn replace(&mut self, _: &mut Watching, _: FailoverIsDue, cx: &mut Context<Self>) -> Replacing {
        if let Some(navigator) = &self.navigator {
            cx.send(navigator, Terminate(cx.me().recipient()));
        }
        Replacing
    }

    #[on]
    fn start_next(&mut self, _: &mut Replacing, _: NavigatorHalted, cx: &mut Context<Self>) {
        self.create_navigator(cx);
    }

    #[on]
    fn resume(&mut self, _: &mut Replacing, _: NavigatorIsReset) -> Then<Self> {
        Then::goto(Watching { has_timer: false })
    }
}
