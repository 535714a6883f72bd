//! The firmware.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{Interrupt, Sensors};
use crate::{FULL, HOT, JobsAreFinished, Progress, Variant};

/// How often it looks at the portafilter while it grinds.
const POLL: Duration = Duration::from_millis(100);

/// Somebody has to refill something, or close the door.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck;

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the machine needs water or beans, or its door is open")
    }
}

impl std::error::Error for Stuck {}

/// The firmware of a coffee machine.
#[derive(Debug)]
pub struct Firmware<S> {
    variant: Variant,
    sensors: Arc<S>,
    interrupts: UnboundedReceiver<Interrupt>,
}

impl<S: Sensors> Firmware<S> {
    /// Makes coffee, with firmware that knows nothing of the past.
    pub async fn run(variant: Variant, sensors: Arc<S>, shots: u32) -> Result<(), Stuck> {
        let made = Firmware::make_coffee(variant, Arc::clone(&sensors), shots).await;
        if made.is_err() {
            turn_everything_off(&*sensors).await;
        }
        cct::notify::<JobsAreFinished>(Progress::Idle);
        made
    }

    async fn make_coffee(variant: Variant, sensors: Arc<S>, shots: u32) -> Result<(), Stuck> {
        cct::notify::<JobsAreFinished>(Progress::Busy);
        let (sender, interrupts) = unbounded_channel();
        sensors.connect(sender).await;
        let mut firmware = Firmware {
            variant,
            sensors,
            interrupts,
        };
        firmware.check_sensors().await?;
        firmware.heat_water().await?;
        firmware.grind_beans().await?;
        firmware.make_shots(shots).await?;
        firmware.sensors.dump_grinds().await;
        Ok(())
    }

    /// Heater, pump and grinder may have been left on, and ground coffee in the portafilter.
    async fn check_sensors(&mut self) -> Result<(), Stuck> {
        turn_everything_off(&*self.sensors).await;
        let is_empty = self.variant.is_empty(self.sensors.hopper_level().await);
        if self.sensors.is_door_open().await || self.sensors.water_level().await <= 0 || is_empty {
            return Err(Stuck);
        }
        if self.sensors.porta_filter_level().await > 0 {
            self.sensors.dump_grinds().await;
        }
        // Levels were read after everything was off: interrupts from before say nothing new.
        while self.interrupts.try_recv().is_ok() {}
        Ok(())
    }

    async fn heat_water(&mut self) -> Result<(), Stuck> {
        if self.sensors.water_temperature().await < HOT {
            self.sensors.turn_heater(true).await;
            self.wait_for(Interrupt::WaterIsHot).await?;
        }
        Ok(())
    }

    async fn grind_beans(&mut self) -> Result<(), Stuck> {
        self.sensors.turn_grinder(true).await;
        while self.sensors.porta_filter_level().await < FULL {
            tokio::time::sleep(POLL).await;
            if let Ok(Interrupt::HopperIsEmpty) = self.interrupts.try_recv() {
                return Err(Stuck);
            }
        }
        self.sensors.turn_grinder(false).await;
        Ok(())
    }

    async fn make_shots(&mut self, requested: u32) -> Result<(), Stuck> {
        let mut made = 0;
        while made < requested {
            self.sensors.turn_pump(true).await;
            self.wait_for(Interrupt::ShotIsComplete).await?;
            made += 1;
        }
        assert_eq!(made, requested, "as many shots as requested");
        Ok(())
    }

    async fn wait_for(&mut self, expected: Interrupt) -> Result<(), Stuck> {
        let interrupt = self.interrupts.recv().await;
        if interrupt == Some(expected) {
            Ok(())
        } else {
            Err(Stuck)
        }
    }
}

async fn turn_everything_off(sensors: &impl Sensors) {
    sensors.turn_heater(false).await;
    sensors.turn_pump(false).await;
    sensors.turn_grinder(false).await;
}
