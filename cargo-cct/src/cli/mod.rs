//! The command line: what was typed, and what it means together with the other sources of settings.

mod args;
mod cargo_args;
mod config;
mod duration;
mod harness_args;

pub(crate) use args::{
    CleanArgs, Cli, ColorChoice, ExpandArgs, ListArgs, Output, Picker, ReplayArgs, ShowArgs,
    TestArgs, Verb,
};
pub(crate) use cargo_args::CargoArgs;
pub(crate) use config::{Config, ConfigError};
pub(crate) use harness_args::HarnessArgs;
