//! The sources that the build script put into this executable.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
