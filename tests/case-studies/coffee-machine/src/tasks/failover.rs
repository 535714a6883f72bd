//! The driver of the test: firmware that is ended some times.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use super::{Firmware, MockSensors, Stuck};
use crate::{FULL, JobsAreFinished, Variant};

const FAILOVERS: u32 = 2;

/// The unit of time in which firmware lives, and the most of these that it may live.
const TIME_TO_LIVE: (Duration, usize) = (Duration::from_millis(100), 24);

/// Firmware of this variant makes coffee, ends, and makes coffee again.
pub async fn run(variant: Variant) {
    cct::register(JobsAreFinished);
    let level = || 1 + i32::try_from(cct::nondet_index(FULL as usize)).expect("it is small");
    // The door is open in one case of ten.
    let is_open = cct::nondet_index(10) == 1;
    let sensors = Arc::new(MockSensors::new(level(), level(), is_open));
    let mut ended = Vec::new();
    for life in 0..=FAILOVERS {
        let shots = *cct::choose(&[1, 2, 3]);
        let mut firmware = tokio::spawn(Firmware::run(variant, Arc::clone(&sensors), shots));
        let lives = u32::try_from(1 + cct::nondet_index(TIME_TO_LIVE.1)).expect("it is small");
        let made = if life < FAILOVERS {
            timeout(TIME_TO_LIVE.0 * lives, &mut firmware).await.ok()
        } else {
            Some((&mut firmware).await)
        };
        match made.map(unless_it_panicked) {
            Some(Some(Err(Stuck))) => break,
            Some(_) => {}
            None => {
                firmware.abort();
                if variant == Variant::EndsInNoOrder {
                    ended.push(firmware);
                } else {
                    join(firmware).await;
                }
            }
        }
    }
    for firmware in ended {
        join(firmware).await;
    }
    sensors.turn_off().await;
}

async fn join(firmware: JoinHandle<Result<(), Stuck>>) {
    let made = firmware.await;
    unless_it_panicked(made);
}

/// The result of firmware that has come to its end.
fn unless_it_panicked<T>(made: Result<T, JoinError>) -> Option<T> {
    match made {
        Ok(made) => Some(made),
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => None,
    }
}
