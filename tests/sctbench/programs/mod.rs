//! The programs, a file for each suite, written from descriptions of the originals.

mod bounded_buffer;
mod chess;
mod conc_bugs;
mod convul;
mod coyote;
mod cs;
mod flavour;
mod inspect;
mod parsec;
mod radbench;
mod safestack;
mod splash2;
mod threadfuzzer;
mod threads;

use crate::program::Program;

/// Every suite.
const SUITES: &[&[Program]] = &[
    cs::PROGRAMS,
    conc_bugs::PROGRAMS,
    chess::PROGRAMS,
    inspect::PROGRAMS,
    bounded_buffer::PROGRAMS,
    parsec::PROGRAMS,
    radbench::PROGRAMS,
    safestack::PROGRAMS,
    splash2::PROGRAMS,
    convul::PROGRAMS,
    coyote::PROGRAMS,
    threadfuzzer::PROGRAMS,
];

/// Every program, suite by suite.
pub(crate) fn all() -> impl Iterator<Item = &'static Program> {
    SUITES.iter().copied().flatten()
}

/// The program with this suite and name.
pub(crate) fn by_id(id: &str) -> Option<&'static Program> {
    all().find(|program| program.id() == id)
}
