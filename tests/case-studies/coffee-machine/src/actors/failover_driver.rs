//! The driver of the test: it orders coffee, and ends the firmware at some moment.

use std::time::Duration;

use cct::actor::{ActorRef, Context, Then, Timer};

use super::{DriverRecipients, Firmware, MakeCoffee, Sensors, Terminate};
use crate::Variant;

/// How long firmware is at work before it is ended.
const TIME_TO_LIVE: Duration = Duration::from_millis(500);

/// The firmware can make coffee.
#[derive(Debug)]
pub struct FirmwareIsReady;

/// The firmware has made coffee.
#[derive(Debug)]
pub struct CoffeeIsMade;

/// The firmware needs somebody's help.
#[derive(Debug)]
pub struct FirmwareIsStuck;

/// The firmware has ended.
#[derive(Debug)]
pub struct FirmwareHasEnded;

/// The tick at which the firmware is ended.
#[derive(Debug)]
pub struct FailoverIsDue;

/// The state in which firmware is at work.
#[derive(Debug, Default)]
pub struct Running {
    has_ordered: bool,
    timer: Option<Timer>,
}

/// The state in which it ends.
#[derive(Debug)]
pub struct Ending;

/// The state after the firmware has asked for help.
#[derive(Debug)]
pub struct Finished;

/// A driver of failovers.
#[derive(Debug)]
pub struct FailoverDriver {
    variant: Variant,
    sensors: Sensors,
    /// How many are left.
    failovers: u32,
    firmware: Option<ActorRef<Firmware>>,
}

impl FailoverDriver {
    /// A driver of so many failovers.
    #[must_use]
    pub fn new(variant: Variant, sensors: Sensors, failovers: u32) -> FailoverDriver {
        FailoverDriver {
            variant,
            sensors,
            failovers,
            firmware: None,
        }
    }
}

#[cct::machine(start = Running::default())]
#[ignore(Ending: FirmwareIsReady, CoffeeIsMade, FirmwareIsStuck)]
#[ignore(Running: CoffeeIsMade)]
#[ignore(Finished: FirmwareIsReady, CoffeeIsMade, FirmwareIsStuck, FailoverIsDue)]
impl FailoverDriver {
    #[entry]
    fn start(&mut self, running: &mut Running, cx: &mut Context<Self>) {
        let told = DriverRecipients {
            ready: cx.me().recipient(),
            made: cx.me().recipient(),
            stuck: cx.me().recipient(),
            ended: cx.me().recipient(),
        };
        let firmware = Firmware::new(self.variant, self.sensors.clone(), told);
        self.firmware = Some(cx.create(firmware));
        if self.failovers > 0 {
            self.failovers -= 1;
            running.timer = Some(cx.start_timer(TIME_TO_LIVE, FailoverIsDue));
        }
    }

    /// Each firmware gets one order.
    #[on]
    fn order(&mut self, running: &mut Running, _: FirmwareIsReady, cx: &mut Context<Self>) {
        if std::mem::replace(&mut running.has_ordered, true) {
            return;
        }
        if let Some(firmware) = &self.firmware {
            let shots = *cct::choose(&[1, 2, 3]);
            cx.send(firmware, MakeCoffee { shots });
        }
    }

    /// Other firmware would have to ask as well.
    #[on]
    fn finish(&mut self, running: &mut Running, _: FirmwareIsStuck) -> Finished {
        if let Some(timer) = &running.timer {
            timer.stop();
        }
        Finished
    }

    #[on]
    fn end_firmware(
        &mut self,
        _: &mut Running,
        _: FailoverIsDue,
        cx: &mut Context<Self>,
    ) -> Then<Self> {
        let Some(firmware) = self.firmware.take() else {
            return Then::stay();
        };
        if self.variant == Variant::EndsInNoOrder {
            firmware.halt();
            return Then::goto(Running::default());
        }
        cx.send(&firmware, Terminate);
        Then::goto(Ending)
    }

    #[on]
    fn start_next(&mut self, _: &mut Ending, _: FirmwareHasEnded) -> Running {
        Running::default()
    }
}
