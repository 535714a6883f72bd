//! The settings that are one of a few words.

use std::time::Duration;

/// Which operations are steps, where dependencies are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Granularity {
    /// All of them are.
    All,
    /// A call into a crate that is not of the workspace is one step; it has more only where it waits.
    Workspace,
    /// The one in some schedules, the other in the rest: each strategy of a portfolio has turns of both.
    #[default]
    Mix,
}

impl Granularity {
    /// All of them.
    pub const ALL: [Granularity; 3] = [Granularity::All, Granularity::Workspace, Granularity::Mix];

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Granularity::All => "all",
            Granularity::Workspace => "workspace",
            Granularity::Mix => "mix",
        }
    }
}

/// Whether the time-out of a wait may be *early*: come although others can run. Sleeps never end early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timeouts {
    /// Never: time moves when nobody can run.
    Late,
    /// In every schedule, whatever its length.
    Race,
    /// In some of the schedules, by their seeds, if it is no further away than [`Timeouts::NEAR`]; never
    /// in those of a strategy that enumerates.
    #[default]
    Auto,
}

impl Timeouts {
    /// All of them.
    pub const ALL: [Timeouts; 3] = [Timeouts::Late, Timeouts::Race, Timeouts::Auto];

    /// How far away a time-out may be that is early under `auto`: for how long a busy machine may keep a
    /// thread waiting that could run. A time-out further away is a watchdog.
    pub const NEAR: Duration = Duration::from_millis(50);

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Timeouts::Late => "late",
            Timeouts::Race => "race",
            Timeouts::Auto => "auto",
        }
    }
}

/// Which operations on the counts of `Arc` and `Weak` are steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counts {
    /// None. Crates are compiled as they are.
    #[default]
    None,
    /// All but clones: their order is of no matter unless somebody looks at a count.
    Drops,
    /// All of them.
    All,
    /// All of them where code of the program may look at a count, and else all but clones.
    Auto,
}

impl Counts {
    /// All of them.
    pub const ALL: [Counts; 4] = [Counts::None, Counts::Drops, Counts::All, Counts::Auto];

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Counts::None => "none",
            Counts::Drops => "drops",
            Counts::All => "all",
            Counts::Auto => "auto",
        }
    }
}

/// Whether each schedule has a process of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// If schedules are found to depend on what earlier ones have left behind in the process.
    #[default]
    Auto,
    /// Never: the process is put back between two schedules, as far as it can be.
    None,
    /// Always: each is made by a copy of a process in which none has been made.
    Process,
}

impl Isolation {
    /// All of them.
    pub const ALL: [Isolation; 3] = [Isolation::Auto, Isolation::None, Isolation::Process];

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Isolation::Auto => "auto",
            Isolation::None => "none",
            Isolation::Process => "process",
        }
    }
}

/// The memory that loads of atomics see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Memory {
    /// Sequentially consistent: a load reads the latest store.
    #[default]
    Sc,
    /// As the orderings that are written say: a load may read an older store.
    Weak,
    /// Both by turns.
    Mix,
}

impl Memory {
    /// All of them.
    pub const ALL: [Memory; 3] = [Memory::Sc, Memory::Weak, Memory::Mix];

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Memory::Sc => "sc",
            Memory::Weak => "weak",
            Memory::Mix => "mix",
        }
    }
}
