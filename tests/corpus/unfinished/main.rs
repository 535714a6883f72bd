//! No schedule comes to an end within the step bound, and nothing shows that none ever would.

mod counts;
mod watchdog;
