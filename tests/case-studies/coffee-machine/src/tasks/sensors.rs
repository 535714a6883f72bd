//! The hardware as the firmware knows it.

use std::future::Future;

use tokio::sync::mpsc::UnboundedSender;

/// A message of the hardware that nobody asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// The water is hot.
    WaterIsHot,
    /// There is no water.
    WaterIsEmpty,
    /// There are no beans.
    HopperIsEmpty,
    /// The shot is made.
    ShotIsComplete,
}

/// Sensors and switches.
pub trait Sensors: Send + Sync + 'static {
    /// Interrupts go here from now on.
    fn connect(&self, interrupts: UnboundedSender<Interrupt>) -> impl Future<Output = ()> + Send;

    /// Whether the door is open.
    fn is_door_open(&self) -> impl Future<Output = bool> + Send;

    /// The water that there is, in percent.
    fn water_level(&self) -> impl Future<Output = i32> + Send;

    /// Its temperature.
    fn water_temperature(&self) -> impl Future<Output = i32> + Send;

    /// The beans that there are, in percent.
    fn hopper_level(&self) -> impl Future<Output = i32> + Send;

    /// The ground coffee that there is, in percent.
    fn porta_filter_level(&self) -> impl Future<Output = i32> + Send;

    /// Turns the heater on or off. [`Interrupt::WaterIsHot`] tells when the water is.
    fn turn_heater(&self, is_on: bool) -> impl Future<Output = ()> + Send;

    /// Turns the pump on or off. It makes one shot, and [`Interrupt::ShotIsComplete`] tells of it.
    fn turn_pump(&self, is_on: bool) -> impl Future<Output = ()> + Send;

    /// Turns the grinder on or off.
    fn turn_grinder(&self, is_on: bool) -> impl Future<Output = ()> + Send;

    /// Empties the portafilter.
    fn dump_grinds(&self) -> impl Future<Output = ()> + Send;
}
