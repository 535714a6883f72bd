//! The hardware: a model.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::{Interrupt, Sensors};
use crate::{FULL, HOT, TICK};

/// The time between two ticks of heater, pump or grinder.
const PERIOD: Duration = Duration::from_millis(100);

/// Hardware that goes on whatever becomes of the firmware.
#[derive(Debug)]
pub struct MockSensors(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    is_door_open: bool,
    water: i32,
    temperature: i32,
    hopper: i32,
    porta_filter: i32,
    interrupts: Option<UnboundedSender<Interrupt>>,
    heater: Option<JoinHandle<()>>,
    pump: Option<JoinHandle<()>>,
    grinder: Option<JoinHandle<()>>,
}

/// Whether a part goes on.
#[derive(PartialEq, Eq)]
enum Next {
    GoesOn,
    Stops,
}

impl MockSensors {
    /// Hardware with so much water and so many beans.
    #[must_use]
    pub fn new(water: i32, hopper: i32, is_door_open: bool) -> MockSensors {
        MockSensors(Arc::new(Mutex::new(State {
            is_door_open,
            water,
            temperature: HOT - 3 * TICK,
            hopper,
            porta_filter: 0,
            interrupts: None,
            heater: None,
            pump: None,
            grinder: None,
        })))
    }

    /// Makes the tick of a part every now and then, until it stops.
    fn start(&self, mut tick: impl FnMut(&mut State) -> Next + Send + 'static) -> JoinHandle<()> {
        let state = Arc::clone(&self.0);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PERIOD).await;
                if tick(&mut *state.lock().await) == Next::Stops {
                    return;
                }
            }
        })
    }

    /// Turns everything off, at the end of a test.
    pub async fn turn_off(&self) {
        let mut state = self.0.lock().await;
        let State {
            heater,
            pump,
            grinder,
            ..
        } = &mut *state;
        for part in [heater, pump, grinder] {
            stop(part);
        }
    }
}

fn stop(part: &mut Option<JoinHandle<()>>) {
    if let Some(part) = part.take() {
        part.abort();
    }
}

impl State {
    /// Nobody may be there to be told.
    fn tell(&self, interrupt: Interrupt) {
        if let Some(interrupts) = &self.interrupts {
            let _ = interrupts.send(interrupt);
        }
    }

    fn heat(&mut self) -> Next {
        self.temperature = HOT.min(self.temperature + TICK);
        if self.temperature < HOT {
            return Next::GoesOn;
        }
        self.tell(Interrupt::WaterIsHot);
        Next::Stops
    }

    fn pump(&mut self) -> Next {
        self.water -= TICK;
        self.tell(if self.water <= 0 {
            Interrupt::WaterIsEmpty
        } else {
            Interrupt::ShotIsComplete
        });
        Next::Stops
    }

    /// The sensor counts ticks, so a hopper that runs out within one shows less than nothing.
    fn grind(&mut self) -> Next {
        self.hopper -= TICK;
        self.porta_filter = FULL.min(self.porta_filter + TICK);
        if self.hopper > 0 {
            return Next::GoesOn;
        }
        self.tell(Interrupt::HopperIsEmpty);
        Next::Stops
    }
}

impl Sensors for MockSensors {
    async fn connect(&self, interrupts: UnboundedSender<Interrupt>) {
        self.0.lock().await.interrupts = Some(interrupts);
    }

    async fn is_door_open(&self) -> bool {
        self.0.lock().await.is_door_open
    }

    async fn water_level(&self) -> i32 {
        self.0.lock().await.water
    }

    async fn water_temperature(&self) -> i32 {
        self.0.lock().await.temperature
    }

    async fn hopper_level(&self) -> i32 {
        self.0.lock().await.hopper
    }

    async fn porta_filter_level(&self) -> i32 {
        self.0.lock().await.porta_filter
    }

    async fn turn_heater(&self, is_on: bool) {
        let mut state = self.0.lock().await;
        stop(&mut state.heater);
        if is_on {
            assert!(
                state.water > 0,
                "Please do not turn on heater if there is no water"
            );
            state.heater = Some(self.start(State::heat));
        }
    }

    async fn turn_pump(&self, is_on: bool) {
        let mut state = self.0.lock().await;
        stop(&mut state.pump);
        if is_on {
            assert!(
                state.water > 0,
                "Please do not turn on shot maker if there is no water"
            );
            state.pump = Some(self.start(State::pump));
        }
    }

    async fn turn_grinder(&self, is_on: bool) {
        let mut state = self.0.lock().await;
        stop(&mut state.grinder);
        if is_on {
            assert!(
                state.hopper > 0,
                "Please do not turn on grinder if there are no beans in the hopper"
            );
            state.grinder = Some(self.start(State::grind));
        }
    }

    async fn dump_grinds(&self) {
        self.0.lock().await.porta_filter = 0;
    }
}
