//! The command line: what was typed, and what it means together with the other sources of settings.

mod args;
mod cargo_args;
mod config;
mod duration;
mod explore;
mod harness_args;

pub(crate) use args::{
    CleanArgs, Cli, ColorChoice, ExpandArgs, ListArgs, Output, Place, ReplayArgs, ShowArgs,
    ShrinkArgs, TestArgs, Verb,
};
pub(crate) use cargo_args::CargoArgs;
pub(crate) use config::{ConfigError, configured};
pub(crate) use harness_args::HarnessArgs;
