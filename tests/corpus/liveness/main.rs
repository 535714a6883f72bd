//! Something that must happen never does, and nobody waits for it.

mod polite_neighbours;
mod unanswered;
