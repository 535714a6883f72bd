//! The scenario: hardware in some state, and firmware that is ended some times.

use cct::actor::Runtime;

use super::{CoffeeGrinder, DoorSensor, FailoverDriver, Sensors, WaterTank};
use crate::{FULL, HOT, JobsAreFinished, TICK, Variant};

const FAILOVERS: u32 = 2;

/// Firmware of this variant makes coffee, ends, and makes coffee again.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(JobsAreFinished);
    let level = || 1 + i32::try_from(cct::nondet_index(FULL as usize)).expect("it is small");
    // The door is open in one case of ten.
    let is_open = cct::nondet_index(10) == 1;
    let sensors = Sensors {
        door: runtime.create(DoorSensor::new(is_open)).recipient(),
        tank: (runtime.create(WaterTank::new(level(), HOT - 3 * TICK))).recipient(),
        grinder: runtime.create(CoffeeGrinder::new(level())).recipient(),
    };
    runtime.create(FailoverDriver::new(variant, sensors, FAILOVERS));
}
