//! The hardware as the firmware knows it: commands, answers, and interrupts.

use cct::actor::{Accepts, ActorRef, Recipient};

/// Asks whether the door is open.
#[derive(Debug)]
pub struct DoorCommand(pub Recipient<DoorIsOpen>);

/// Whether the door is open.
#[derive(Clone, Copy, Debug)]
pub struct DoorIsOpen(pub bool);

/// The commands of the water tank.
#[derive(Debug)]
pub enum TankCommand {
    /// Answers and interrupts go here from now on.
    Connect(TankClient),
    /// Asks for a [`WaterLevel`].
    ReadLevel,
    /// Asks for a [`WaterTemperature`].
    ReadTemperature,
    /// Turns the heater on or off. [`WaterIsHot`] tells when the water is.
    Heater(bool),
    /// Turns the pump on or off. It makes one shot, and [`ShotIsComplete`] tells of it.
    Pump(bool),
}

/// The water that there is, in percent.
#[derive(Clone, Copy, Debug)]
pub struct WaterLevel(pub i32);

/// Its temperature.
#[derive(Clone, Copy, Debug)]
pub struct WaterTemperature(pub i32);

/// An interrupt: the water is hot.
#[derive(Clone, Copy, Debug)]
pub struct WaterIsHot;

/// An interrupt: there is no water.
#[derive(Clone, Copy, Debug)]
pub struct WaterIsEmpty;

/// An interrupt: the shot is made.
#[derive(Clone, Copy, Debug)]
pub struct ShotIsComplete;

/// The commands of the grinder.
#[derive(Debug)]
pub enum GrinderCommand {
    /// Answers and interrupts go here from now on.
    Connect(GrinderClient),
    /// Asks for a [`HopperLevel`].
    ReadHopper,
    /// Asks for a [`PortaFilterLevel`].
    ReadPortaFilter,
    /// Turns the grinder on or off.
    Grinder(bool),
    /// Empties the portafilter.
    Dump,
}

/// The beans that there are, in percent.
#[derive(Clone, Copy, Debug)]
pub struct HopperLevel(pub i32);

/// The ground coffee that there is, in percent.
#[derive(Clone, Copy, Debug)]
pub struct PortaFilterLevel(pub i32);

/// An interrupt: there are no beans.
#[derive(Clone, Copy, Debug)]
pub struct HopperIsEmpty;

/// The places where the tank's answers and interrupts go.
#[derive(Clone, Debug)]
pub struct TankClient {
    /// The level.
    pub level: Recipient<WaterLevel>,
    /// The temperature.
    pub temperature: Recipient<WaterTemperature>,
    /// The water is hot.
    pub hot: Recipient<WaterIsHot>,
    /// There is none.
    pub empty: Recipient<WaterIsEmpty>,
    /// The shot is made.
    pub complete: Recipient<ShotIsComplete>,
}

impl TankClient {
    /// All of them are this actor.
    pub fn of<M>(actor: &ActorRef<M>) -> TankClient
    where
        M: Accepts<WaterLevel>
            + Accepts<WaterTemperature>
            + Accepts<WaterIsHot>
            + Accepts<WaterIsEmpty>
            + Accepts<ShotIsComplete>,
    {
        TankClient {
            level: actor.recipient(),
            temperature: actor.recipient(),
            hot: actor.recipient(),
            empty: actor.recipient(),
            complete: actor.recipient(),
        }
    }
}

/// The places where the grinder's answers and interrupts go.
#[derive(Clone, Debug)]
pub struct GrinderClient {
    /// The beans.
    pub hopper: Recipient<HopperLevel>,
    /// The ground coffee.
    pub porta_filter: Recipient<PortaFilterLevel>,
    /// There are no beans.
    pub empty: Recipient<HopperIsEmpty>,
}

impl GrinderClient {
    /// All of them are this actor.
    pub fn of<M>(actor: &ActorRef<M>) -> GrinderClient
    where
        M: Accepts<HopperLevel> + Accepts<PortaFilterLevel> + Accepts<HopperIsEmpty>,
    {
        GrinderClient {
            hopper: actor.recipient(),
            porta_filter: actor.recipient(),
            empty: actor.recipient(),
        }
    }
}
