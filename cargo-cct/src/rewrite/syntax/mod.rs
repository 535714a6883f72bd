//! How passes read a file: its tokens as trees, which of them are code, where statements begin and end.
//!
//! Nothing here edits.

mod tree;

mod by_hand;
mod code;
mod declared;
mod names;

mod end;
mod one_line;
mod start;

pub(super) use code::sequences;
pub(super) use declared::split;
pub(super) use end::end_of;
pub(super) use names::Names;
pub(super) use one_line::one_line;
pub(super) use start::{Start, place_before};
pub(super) use tree::{Tree, trees};
