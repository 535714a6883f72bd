//! The command line: what was typed, and what it means together with the other sources of settings.

mod args;
mod cargo_args;
pub(crate) mod duration;
mod explore;
mod harness_args;
mod inject;
mod servers;
pub(crate) mod size;

pub(crate) use args::{
    ArchiveArgs, CleanArgs, Cli, ColorChoice, CompletionsArgs, ConfigArgs, EnvShell, ExpandArgs,
    InterfereArgs, KeepArgs, ListArgs, ManArgs, ManyArgs, MergeArgs, NextestArgs, Output, Place,
    ReplayArgs, RunTestArgs, ShowArgs, ShowEnvArgs, ShrinkArgs, TestArgs, TsvdArgs, Unpacked, Verb,
};
pub(crate) use cargo_args::CargoArgs;
pub(crate) use explore::ExploreArgs;
pub(crate) use harness_args::HarnessArgs;
pub(crate) use servers::Annotations;
