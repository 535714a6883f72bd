//! The water tank, with heater and pump: a model.

use std::time::Duration;

use cct::actor::{Context, Timer};

use super::{
    ShotIsComplete, TankClient, TankCommand, WaterIsEmpty, WaterIsHot, WaterLevel, WaterTemperature,
};
use crate::{HOT, TICK};

/// The time between two ticks of heater or pump.
const PERIOD: Duration = Duration::from_millis(100);

/// A tick of the heater.
#[derive(Clone, Debug)]
pub struct HeatIsDue;

/// A tick of the pump.
#[derive(Clone, Debug)]
pub struct PumpIsDue;

/// A tank of water.
#[derive(Debug)]
pub struct WaterTank {
    level: i32,
    temperature: i32,
    client: Option<TankClient>,
    heater: Option<Timer>,
    pump: Option<Timer>,
}

impl WaterTank {
    /// A tank with so much water of this temperature.
    #[must_use]
    pub fn new(level: i32, temperature: i32) -> WaterTank {
        WaterTank {
            level,
            temperature,
            client: None,
            heater: None,
            pump: None,
        }
    }

    fn turn_off_heater(&mut self) {
        if let Some(timer) = self.heater.take() {
            timer.stop();
        }
    }

    fn turn_off_pump(&mut self) {
        if let Some(timer) = self.pump.take() {
            timer.stop();
        }
    }
}

#[cct::actor]
impl WaterTank {
    #[on]
    fn obey(&mut self, command: TankCommand, cx: &mut Context<Self>) {
        match (command, &self.client) {
            (TankCommand::Connect(client), _) => self.client = Some(client),
            (TankCommand::ReadLevel, Some(client)) => {
                cx.send(&client.level, WaterLevel(self.level));
            }
            (TankCommand::ReadTemperature, Some(client)) => {
                cx.send(&client.temperature, WaterTemperature(self.temperature));
            }
            (TankCommand::Heater(true), _) => {
                assert!(
                    self.level > 0,
                    "Please do not turn on heater if there is no water"
                );
                self.turn_off_heater();
                self.heater = Some(cx.start_periodic_timer(PERIOD, PERIOD, HeatIsDue));
            }
            (TankCommand::Heater(false), _) => self.turn_off_heater(),
            (TankCommand::Pump(true), _) => {
                assert!(
                    self.level > 0,
                    "Please do not turn on shot maker if there is no water"
                );
                self.turn_off_pump();
                self.pump = Some(cx.start_timer(PERIOD, PumpIsDue));
            }
            (TankCommand::Pump(false), _) => self.turn_off_pump(),
            (TankCommand::ReadLevel | TankCommand::ReadTemperature, None) => {
                unreachable!("nobody asks before there is somebody to be answered")
            }
        }
    }

    #[on]
    fn heat(&mut self, _: HeatIsDue, cx: &mut Context<Self>) {
        if self.heater.is_none() {
            return;
        }
        self.temperature += TICK;
        if self.temperature >= HOT {
            self.temperature = HOT;
            self.turn_off_heater();
            if let Some(client) = &self.client {
                cx.send(&client.hot, WaterIsHot);
            }
        }
    }

    #[on]
    fn pump(&mut self, _: PumpIsDue, cx: &mut Context<Self>) {
        if self.pump.take().is_none() {
            return;
        }
        self.level -= TICK;
        let Some(client) = &self.client else { return };
        if self.level <= 0 {
            cx.send(&client.empty, WaterIsEmpty);
        } else {
            cx.send(&client.complete, ShotIsComplete);
        }
    }
}
