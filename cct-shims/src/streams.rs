//! The locks of the standard streams: apart from the shims' other statics, since these are put back.

use cct::primitive::StreamMachine;

/// Standard output's.
pub(crate) static STDOUT: StreamMachine = StreamMachine::new();

/// Standard error's.
pub(crate) static STDERR: StreamMachine = StreamMachine::new();
