//! Timers, and clocks that stand still.

/// The last names of the types, and of the async functions, that wait for nothing but time.
pub const SLEEPS: [&str; 12] = [
    // tokio, gloo; and what wraps them is often called alike.
    "Sleep",
    "sleep",
    "sleep_until",
    // tokio's and async-std's intervals: who awaits the next tick sleeps until then.
    "tick",
    "Tick",
    "Interval",
    // futures-timer, and tokio before 1.0.
    "Delay",
    "delay",
    "delay_for",
    "delay_until",
    // async-io, smol.
    "Timer",
    "after",
];

/// The function that makes the clock of the caller's runtime stand still: tokio's `time::pause`.
pub const PAUSE: &str = "pause";

/// The name that makes it stand still from the start: of a method of tokio's builder, and of an argument of
/// its attributes.
pub const START_PAUSED: &str = "start_paused";
