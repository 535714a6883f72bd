//! The firmware.

use std::time::Duration;

use cct::actor::{Context, Halt, Recipient, Then};

use super::{
    CoffeeIsMade, DoorCommand, DoorIsOpen, FirmwareHasEnded, FirmwareIsReady, FirmwareIsStuck,
    GrinderClient, GrinderCommand, HopperIsEmpty, HopperLevel, PortaFilterLevel, ShotIsComplete,
    TankClient, TankCommand, WaterIsEmpty, WaterIsHot, WaterLevel, WaterTemperature,
};
use crate::{FULL, HOT, JobsAreFinished, Progress, Variant};

/// How often it looks at the portafilter while it grinds.
const POLL: Duration = Duration::from_millis(100);

/// The order to make so many shots.
#[derive(Clone, Copy, Debug)]
pub struct MakeCoffee {
    /// How many.
    pub shots: u32,
}

/// The order to end.
#[derive(Clone, Copy, Debug)]
pub struct Terminate;

/// The tick at which the firmware looks at the portafilter again.
#[derive(Debug)]
pub struct PollIsDue;

/// The hardware.
#[derive(Clone, Debug)]
pub struct Sensors {
    /// The door.
    pub door: Recipient<DoorCommand>,
    /// The water tank.
    pub tank: Recipient<TankCommand>,
    /// The grinder.
    pub grinder: Recipient<GrinderCommand>,
}

/// The places where the driver is told how the firmware fares.
#[derive(Clone, Debug)]
pub struct DriverRecipients {
    /// It can make coffee.
    pub ready: Recipient<FirmwareIsReady>,
    /// It has made coffee.
    pub made: Recipient<CoffeeIsMade>,
    /// It needs somebody's help.
    pub stuck: Recipient<FirmwareIsStuck>,
    /// It has ended.
    pub ended: Recipient<FirmwareHasEnded>,
}

/// The state in which sensors are read.
#[derive(Debug, Default)]
pub struct CheckingSensors {
    water: Option<i32>,
    hopper: Option<i32>,
    porta_filter: Option<i32>,
    is_door_open: Option<bool>,
}

/// The state in which water is heated.
#[derive(Debug)]
pub struct Heating;

/// The state in which coffee can be made.
#[derive(Debug)]
pub struct Ready;

/// The state in which beans are ground for so many shots.
#[derive(Debug)]
pub struct Grinding {
    shots: u32,
}

/// The state in which shots are made.
#[derive(Debug)]
pub struct MakingShots {
    requested: u32,
    made: u32,
}

/// The state in which the portafilter is emptied.
#[derive(Debug)]
pub struct CleaningUp;

/// The state in which somebody has to refill something, or close the door.
#[derive(Debug)]
pub struct Stuck;

/// The firmware of a coffee machine.
#[derive(Debug)]
pub struct Firmware {
    variant: Variant,
    sensors: Sensors,
    driver: DriverRecipients,
}

impl Firmware {
    /// Firmware that knows nothing of the past.
    #[must_use]
    pub fn new(variant: Variant, sensors: Sensors, driver: DriverRecipients) -> Firmware {
        Firmware {
            variant,
            sensors,
            driver,
        }
    }

    /// Heater, pump and grinder may have been left on.
    fn turn_everything_off(&self, cx: &Context<Self>) {
        cx.send(&self.sensors.tank, TankCommand::Heater(false));
        cx.send(&self.sensors.tank, TankCommand::Pump(false));
        cx.send(&self.sensors.grinder, GrinderCommand::Grinder(false));
    }
}

impl CheckingSensors {
    /// True if coffee can be made, once all sensors are read.
    fn is_good(&self, variant: Variant) -> Option<bool> {
        self.porta_filter?;
        Some(self.water? > 0 && !variant.is_empty(self.hopper?) && !self.is_door_open?)
    }
}

#[cct::machine(
    start = CheckingSensors::default(),
    groups(Working = CheckingSensors | Heating | Ready | Grinding | MakingShots | CleaningUp)
)]
#[defer(CheckingSensors: MakeCoffee)]
#[defer(Heating: MakeCoffee)]
#[ignore(CheckingSensors: HopperIsEmpty, WaterIsEmpty, WaterIsHot, ShotIsComplete)]
#[ignore(Stuck: MakeCoffee, HopperIsEmpty, WaterIsEmpty, WaterIsHot, PollIsDue, PortaFilterLevel)]
#[ignore(Stuck: HopperLevel, WaterLevel, DoorIsOpen, ShotIsComplete)]
#[ignore(MakingShots: PollIsDue, PortaFilterLevel)]
#[ignore(Ready: PollIsDue, PortaFilterLevel)]
impl Firmware {
    #[entry]
    fn check(&mut self, _: &mut CheckingSensors, cx: &mut Context<Self>) {
        let Sensors {
            door,
            tank,
            grinder,
        } = &self.sensors;
        cx.send(tank, TankCommand::Connect(TankClient::of(cx.me())));
        cx.send(grinder, GrinderCommand::Connect(GrinderClient::of(cx.me())));
        self.turn_everything_off(cx);
        cx.send(tank, TankCommand::ReadLevel);
        cx.send(grinder, GrinderCommand::ReadHopper);
        cx.send(grinder, GrinderCommand::ReadPortaFilter);
        cx.send(door, DoorCommand(cx.me().recipient()));
    }

    /// The state that follows once all sensors are read.
    fn after(&self, checking: &CheckingSensors) -> Then<Self> {
        match checking.is_good(self.variant) {
            None => Then::stay(),
            Some(true) => Then::goto(Heating),
            Some(false) => Then::goto(Stuck),
        }
    }

    #[on]
    fn read_water(
        &mut self,
        checking: &mut CheckingSensors,
        WaterLevel(level): WaterLevel,
    ) -> Then<Self> {
        checking.water = Some(level);
        self.after(checking)
    }

    #[on]
    fn read_hopper(
        &mut self,
        checking: &mut CheckingSensors,
        HopperLevel(level): HopperLevel,
    ) -> Then<Self> {
        checking.hopper = Some(level);
        self.after(checking)
    }

    /// Coffee that was ground for somebody else is thrown away.
    #[on]
    fn read_porta_filter(
        &mut self,
        checking: &mut CheckingSensors,
        PortaFilterLevel(level): PortaFilterLevel,
        cx: &mut Context<Self>,
    ) -> Then<Self> {
        if level > 0 {
            cx.send(&self.sensors.grinder, GrinderCommand::Dump);
        }
        checking.porta_filter = Some(level);
        self.after(checking)
    }

    #[on]
    fn read_door(
        &mut self,
        checking: &mut CheckingSensors,
        DoorIsOpen(is_open): DoorIsOpen,
    ) -> Then<Self> {
        checking.is_door_open = Some(is_open);
        self.after(checking)
    }

    #[entry]
    fn begin_heating(&mut self, _: &mut Heating, cx: &mut Context<Self>) {
        cct::notify::<JobsAreFinished>(Progress::Busy);
        cx.send(&self.sensors.tank, TankCommand::ReadTemperature);
    }

    #[on]
    fn heat(
        &mut self,
        _: &mut Heating,
        WaterTemperature(temperature): WaterTemperature,
        cx: &mut Context<Self>,
    ) -> Option<Ready> {
        if temperature >= HOT {
            return Some(Ready);
        }
        cx.send(&self.sensors.tank, TankCommand::Heater(true));
        None
    }

    #[on]
    fn stop_heating(&mut self, _: &mut Heating, _: WaterIsHot, cx: &mut Context<Self>) -> Ready {
        cx.send(&self.sensors.tank, TankCommand::Heater(false));
        Ready
    }

    #[entry]
    fn be_ready(&mut self, _: &mut Ready, cx: &mut Context<Self>) {
        cct::notify::<JobsAreFinished>(Progress::Idle);
        cx.send(&self.driver.ready, FirmwareIsReady);
    }

    #[on]
    fn take_order(&mut self, _: &mut Ready, order: MakeCoffee) -> Grinding {
        cct::notify::<JobsAreFinished>(Progress::Busy);
        let shots = order.shots;
        Grinding { shots }
    }

    #[entry]
    fn begin_grinding(&mut self, _: &mut Grinding, cx: &mut Context<Self>) {
        cx.send(&self.sensors.grinder, GrinderCommand::Grinder(true));
        cx.start_timer(POLL, PollIsDue);
    }

    #[on]
    fn look(&mut self, _: &mut Grinding, _: PollIsDue, cx: &mut Context<Self>) {
        cx.send(&self.sensors.grinder, GrinderCommand::ReadPortaFilter);
    }

    #[on]
    fn grind(
        &mut self,
        grinding: &mut Grinding,
        PortaFilterLevel(level): PortaFilterLevel,
        cx: &mut Context<Self>,
    ) -> Option<MakingShots> {
        if level < FULL {
            cx.start_timer(POLL, PollIsDue);
            return None;
        }
        Some(MakingShots {
            requested: grinding.shots,
            made: 0,
        })
    }

    #[exit]
    fn stop_grinding(&mut self, _: &mut Grinding, cx: &mut Context<Self>) {
        cx.send(&self.sensors.grinder, GrinderCommand::Grinder(false));
    }

    #[entry]
    fn make_shot(&mut self, _: &mut MakingShots, cx: &mut Context<Self>) {
        cx.send(&self.sensors.tank, TankCommand::Pump(true));
    }

    #[on]
    fn count_shot(
        &mut self,
        making: &mut MakingShots,
        _: ShotIsComplete,
        cx: &mut Context<Self>,
    ) -> Option<CleaningUp> {
        making.made += 1;
        if making.made < making.requested {
            cx.send(&self.sensors.tank, TankCommand::Pump(true));
            return None;
        }
        assert_eq!(making.made, making.requested, "as many shots as requested");
        Some(CleaningUp)
    }

    #[entry]
    fn clean_up(&mut self, _: &mut CleaningUp, cx: &mut Context<Self>) -> Ready {
        cx.send(&self.sensors.grinder, GrinderCommand::Dump);
        cx.send(&self.driver.made, CoffeeIsMade);
        Ready
    }

    #[on(Working)]
    fn lack_beans(&mut self, _: HopperIsEmpty) -> Stuck {
        Stuck
    }

    #[on(Working)]
    fn lack_water(&mut self, _: WaterIsEmpty) -> Stuck {
        Stuck
    }

    #[entry]
    fn ask_for_help(&mut self, _: &mut Stuck, cx: &mut Context<Self>) {
        self.turn_everything_off(cx);
        cct::notify::<JobsAreFinished>(Progress::Idle);
        cx.send(&self.driver.stuck, FirmwareIsStuck);
    }

    /// In whichever state it is. Hardware stays as it is: a processor that restarts turns off nothing.
    #[on]
    fn end(&mut self, _: Terminate, cx: &mut Context<Self>) -> Halt {
        cx.send(&self.driver.ended, FirmwareHasEnded);
        Halt
    }
}
