//! The grinder, with hopper and portafilter: a model.

use std::time::Duration;

use cct::actor::{Context, Timer};

use super::{GrinderClient, GrinderCommand, HopperIsEmpty, HopperLevel, PortaFilterLevel};
use crate::{FULL, TICK};

/// The time between two ticks.
const PERIOD: Duration = Duration::from_millis(100);

/// A tick of the grinder.
#[derive(Clone, Debug)]
pub struct GrindIsDue;

/// A grinder that grinds until it is turned off, or has ground its last bean.
#[derive(Debug)]
pub struct CoffeeGrinder {
    hopper: i32,
    porta_filter: i32,
    client: Option<GrinderClient>,
    timer: Option<Timer>,
}

impl CoffeeGrinder {
    /// A grinder with so many beans.
    #[must_use]
    pub fn new(hopper: i32) -> CoffeeGrinder {
        CoffeeGrinder {
            hopper,
            porta_filter: 0,
            client: None,
            timer: None,
        }
    }

    fn turn_off(&mut self) {
        if let Some(timer) = self.timer.take() {
            timer.stop();
        }
    }
}

#[cct::actor]
impl CoffeeGrinder {
    #[on]
    fn obey(&mut self, command: GrinderCommand, cx: &mut Context<Self>) {
        match (command, &self.client) {
            (GrinderCommand::Connect(client), _) => self.client = Some(client),
            (GrinderCommand::ReadHopper, Some(client)) => {
                cx.send(&client.hopper, HopperLevel(self.hopper));
            }
            (GrinderCommand::ReadPortaFilter, Some(client)) => {
                cx.send(&client.porta_filter, PortaFilterLevel(self.porta_filter));
            }
            (GrinderCommand::Grinder(true), _) => {
                assert!(
                    self.hopper > 0,
                    "Please do not turn on grinder if there are no beans in the hopper"
                );
                self.turn_off();
                self.timer = Some(cx.start_periodic_timer(PERIOD, PERIOD, GrindIsDue));
            }
            (GrinderCommand::Grinder(false), _) => self.turn_off(),
            (GrinderCommand::Dump, _) => self.porta_filter = 0,
            (GrinderCommand::ReadHopper | GrinderCommand::ReadPortaFilter, None) => {
                unreachable!("nobody asks before there is somebody to be answered")
            }
        }
    }

    /// The sensor counts ticks, so a hopper that runs out within one shows less than nothing.
    #[on]
    fn grind(&mut self, _: GrindIsDue, cx: &mut Context<Self>) {
        if self.timer.is_none() {
            return;
        }
        self.hopper -= TICK;
        self.porta_filter = FULL.min(self.porta_filter + TICK);
        if self.hopper <= 0 {
            self.turn_off();
            if let Some(client) = &self.client {
                cx.send(&client.empty, HopperIsEmpty);
            }
        }
    }
}
