//! The firmware as a state machine, with a machine for each part of the hardware.

mod coffee_grinder;
mod door_sensor;
mod failover_driver;
mod firmware;
mod interface;
mod scenario;
mod water_tank;

pub use coffee_grinder::{CoffeeGrinder, GrindIsDue};
pub use door_sensor::DoorSensor;
pub use failover_driver::{
    CoffeeIsMade, Ending, FailoverDriver, FailoverIsDue, Finished, FirmwareHasEnded,
    FirmwareIsReady, FirmwareIsStuck, Running,
};
pub use firmware::{
    CheckingSensors, CleaningUp, DriverRecipients, Firmware, Grinding, Heating, MakeCoffee,
    MakingShots, PollIsDue, Ready, Sensors, Stuck, Terminate,
};
pub use interface::{
    DoorCommand, DoorIsOpen, GrinderClient, GrinderCommand, HopperIsEmpty, HopperLevel,
    PortaFilterLevel, ShotIsComplete, TankClient, TankCommand, WaterIsEmpty, WaterIsHot,
    WaterLevel, WaterTemperature,
};
pub use scenario::run;
pub use water_tank::{HeatIsDue, PumpIsDue, WaterTank};
