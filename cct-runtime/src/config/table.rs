//! The table of settings: one row each.
//!
//! It is compiled twice, since the engine depends on the crate that expands attributes: `cct-macros` has a
//! link to this file. So nothing is named here but the columns; types and defaults are left to those that
//! expand them.

/// A setting, as all that knows settings by their names sees it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in manifests, attributes and on the wire; the option and the variable are spelled after it.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Where it may stand.
    pub reach: Reach,
    /// Whether the same choices lead elsewhere with another value.
    pub decides: bool,
    /// The heading of its option.
    pub heading: &'static str,
    /// The placeholder of its option's value.
    pub value: &'static str,
    /// A value, as it is written in manifests and attributes.
    pub example: &'static str,
    /// A sentence for help, without its full stop.
    pub help: &'static str,
    /// The default in words; empty where help has none.
    pub default: &'static str,
}

/// The values of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number.
    Number {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A length of time: typed with a unit, on the wire in milliseconds.
    Time,
    /// A length of time or the word `off`, which is no time.
    TimeOrOff,
    /// A number of bytes: typed with a unit, on the wire without.
    Bytes,
    /// True or false.
    Flag,
    /// One of a few words.
    Words(&'static [&'static str]),
    /// Names with commas between.
    Names,
    /// A strategy, or several.
    Strategy,
    /// A file's path.
    File,
}

/// Where a setting may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// On the command line, in the environment, in manifests and in a test's attribute.
    Test,
    /// Not in an attribute.
    Run,
    /// Not in an attribute, and test processes do not hear of it.
    Tool,
}

/// Hands all rows to the macro that is named.
macro_rules! with_settings {
    ($then:ident) => {
        $then! {
            rewrite: bool {
                kind: Flag, reach: Tool, decides: false,
                heading: "Source layer", value: "BOOL", example: false,
                help: "Whether the workspace's source is rewritten",
                default: "true", |_| true,
            }
            spawn: Vec<String> {
                kind: Names, reach: Tool, decides: false,
                heading: "Source layer", value: "FUNCTION", example: "my_pool::spawn",
                help: "More functions that make a task of the future they are given, by path or name",
                default: "", |_| Vec::new(),
            }
            drive: Vec<String> {
                kind: Names, reach: Tool, decides: false,
                heading: "Source layer", value: "FUNCTION", example: "my_pool::finish",
                help: "More functions that drive the future they are given to its end, by path or name",
                default: "", |_| Vec::new(),
            }
            iterations: u64 {
                kind: Number { least: 1, most: u64::MAX }, reach: Test, decides: false,
                heading: "Exploration", value: "N", example: 500,
                help: "The most schedules to explore for each test",
                // A user who gives a time wants it used.
                default: "1000, or as many as fit into `--time`",
                |given| if given.time.is_some() { u64::MAX } else { 1000 },
            }
            time: Duration {
                kind: Time, reach: Test, decides: false,
                heading: "Exploration", value: "TIME", example: "2s",
                help: "The most time to spend on each test, such as `500ms`, `5s`, `2m`",
            }
            // Counted from when the second worker is made. The most is what a board can hold.
            max_steps: u32 {
                kind: Number { least: 1, most: 1_048_575 }, reach: Test, decides: true,
                heading: "Exploration", value: "N", example: 5000,
                help: "The most steps of a schedule from its second worker on; a longer one is cut off",
                default: "20000", |_| 20_000,
            }
            strategy: Spec {
                kind: Strategy, reach: Test, decides: false,
                heading: "Exploration", value: "SPEC", example: "pct:3",
                help: "The strategy that picks",
                default: "", |_| Spec::default(),
            }
            seed: u64 {
                kind: Number { least: 0, most: u64::MAX }, reach: Test, decides: false,
                heading: "Exploration", value: "N", example: 7,
                help: "The seed of all choices; each test's own seed follows from this one and its name",
                default: "", |_| 0,
            }
            granularity: Granularity {
                kind: Words(&["all", "workspace", "mix"]), reach: Test, decides: true,
                heading: "Exploration", value: "WHICH", example: "workspace",
                help: "Which operations are steps: all, none of dependencies, or both by turns",
                default: "mix", |_| Granularity::Mix,
            }
            timeouts: Timeouts {
                kind: Words(&["late", "race", "auto"]), reach: Test, decides: true,
                heading: "Exploration", value: "WHICH", example: "race",
                help: "Whether a wait may time out although others can run: never, always, or in some \
                       schedules if the time-out is near",
                default: "auto", |_| Timeouts::Auto,
            }
            counts: Counts {
                kind: Words(&["none", "drops", "all", "auto"]), reach: Run, decides: true,
                heading: "Exploration", value: "WHICH", example: "auto",
                help: "Which operations on the counts of `Arc` and `Weak` are steps: none, all but clones, \
                       all, or all where code of the program may look at a count",
                default: "auto", |_| Counts::Auto,
            }
            races: bool {
                kind: Flag, reach: Run, decides: true,
                heading: "Exploration", value: "BOOL", example: true,
                help: "Whether accesses to plain memory are looked at for data races",
                default: "true", |_| true,
            }
            tsv: bool {
                kind: Flag, reach: Run, decides: true,
                heading: "Exploration", value: "BOOL", example: true,
                help: "Whether calls of functions that are not thread-safe, of C and of \
                       `#[cct::thread_unsafe]`, are looked at for violations, where races are",
                default: "true", |_| true,
            }
            benign_races: Vec<String> {
                kind: Names, reach: Run, decides: true,
                heading: "Exploration", value: "FUNCTION", example: "my_crate::stats::*",
                help: "Takes data races with plain accesses of these functions for meant, by their paths, \
                       in which `*` is any text",
                default: "", |_| Vec::new(),
            }
            points: Vec<String> {
                kind: Names, reach: Run, decides: true,
                heading: "Exploration", value: "CODE", example: "src/cache.rs:40-60",
                help: "Makes accesses to plain memory by this code scheduling points: lines of a file, \
                       functions by their paths, in which `*` is any text, or `all`",
                default: "", |_| Vec::new(),
            }
            memory: Memory {
                kind: Words(&["sc", "weak", "mix"]), reach: Test, decides: true,
                heading: "Exploration", value: "WHICH", example: "weak",
                help: "Whether a load of an atomic may read an older store, where the orderings allow it: \
                       never, in all schedules, or by turns",
                default: "sc", |_| Memory::Sc,
            }
            isolation: Isolation {
                kind: Words(&["auto", "none", "process"]), reach: Test, decides: false,
                heading: "Exploration", value: "WHICH", example: "process",
                help: "Whether each schedule has a process of its own: if schedules depend on what earlier \
                       ones have left behind, never, or always",
                default: "auto", |_| Isolation::Auto,
            }
            interleave: Vec<String> {
                kind: Names, reach: Test, decides: true,
                heading: "Exploration", value: "CRATE", example: "a,b",
                help: "Explores these crates step by step, whatever the granularity, and rewrites their \
                       source",
                default: "", |_| Vec::new(),
            }
            atomic: Vec<String> {
                kind: Names, reach: Test, decides: true,
                heading: "Exploration", value: "CRATE", example: "a,b",
                help: "Takes a call into these crates for one step, as long as it does not wait",
                default: "", |_| Vec::new(),
            }
            // 0 cuts them off at once, as the end of a process does.
            detached_steps: u32 {
                kind: Number { least: 0, most: u32::MAX as u64 }, reach: Test, decides: true,
                heading: "Exploration", value: "N", example: 0,
                help: "How long detached threads may run on after a test's body returned",
                default: "3000", |_| 3000,
            }
            // By default half of what is fair at least.
            temperature: u32 {
                kind: Number { least: 0, most: u32::MAX as u64 }, reach: Test, decides: false,
                heading: "Exploration", value: "N", example: 5000,
                help: "For how many fair steps something may be overdue",
                default: "a quarter of the step bound", |given| given.max_steps() / 4,
            }
            fail_on_unobserved_panic: bool {
                kind: Flag, reach: Test, decides: false,
                heading: "Exploration", value: "BOOL", example: true,
                help: "Counts a panic that no `join` noticed as a failure",
                default: "", |_| false,
            }
            // By default a prime, so that each strategy of a portfolio has its share.
            watch: u32 {
                kind: Number { least: 1, most: u32::MAX as u64 }, reach: Test, decides: false,
                heading: "Exploration", value: "N", example: 1,
                help: "After the first 64 schedules, watches one in so many to count behaviours; 1 watches \
                       all",
                default: "17", |_| 17,
            }
            // This default and the next are Coyote's.
            uncontrolled_attempts: u32 {
                kind: Number { least: 1, most: u32::MAX as u64 }, reach: Test, decides: false,
                heading: "Exploration", value: "N", example: 10,
                help: "How often it checks before a decision whether the outside has answered",
                default: "10", |_| 10,
            }
            uncontrolled_delay: u32 {
                kind: Number { least: 0, most: u32::MAX as u64 }, reach: Test, decides: false,
                heading: "Exploration", value: "N", example: 1000,
                help: "For how many rounds it spins between two of these checks",
                default: "1000", |_| 1000,
            }
            uncontrolled_timeout: Duration {
                kind: Time, reach: Test, decides: false,
                heading: "Exploration", value: "TIME", example: "10s",
                help: "How long to wait for other processes when no thread can run",
                default: "10s", |_| Duration::from_secs(10),
            }
            // The file has the seed.
            resume: String {
                kind: File, reach: Run, decides: false,
                heading: "Exploration", value: "FILE", example: "search",
                help: "Goes on with the search that this file is of, or begins it; the file is kept up to \
                       date. For one test, and one strategy that enumerates",
            }
            known: bool {
                kind: Flag, reach: Tool, decides: false,
                heading: "Exploration", value: "BOOL", example: false,
                help: "Whether the failures that are on record are tried before a test is explored",
                default: "true", |_| true,
            }
            shrink: Duration {
                kind: TimeOrOff, reach: Tool, decides: false,
                heading: "Exploration", value: "TIME", example: "30s",
                help: "The most time to spend on shortening the schedule of each failure, or `off`",
                default: "5s", |_| Duration::from_secs(5),
            }
            hang_timeout: Duration {
                kind: Time, reach: Tool, decides: false,
                heading: "Exploration", value: "TIME", example: "30s",
                help: "How long a test may be silent before it counts as hanging",
                default: "10s", |_| Duration::from_secs(10),
            }
            // The tool gives processes its default; elsewhere nobody watches.
            max_memory: u64 {
                kind: Bytes, reach: Run, decides: false,
                heading: "Exploration", value: "SIZE", example: "2G",
                help: "The most memory that a test may take, such as `500M`, `2G`",
                default: "half of the machine's, or of what its control group may take, divided by the \
                          tests at a time",
                |_| u64::MAX,
            }
        }
    };
}
pub(crate) use with_settings;

macro_rules! rows {
    ($($name:ident: $type:ty {
        kind: $kind:ident $({ $($limits:tt)* })? $(($words:expr))?, reach: $reach:ident,
        decides: $decides:literal, heading: $heading:literal, value: $value:literal,
        example: $example:literal, help: $help:literal,
        $(default: $shown:literal, $default:expr,)?
    })*) => {
        /// All settings, in the order in which help lists them.
        pub const TABLE: &[Setting] = &[$(Setting {
            name: stringify!($name),
            kind: Kind::$kind $({ $($limits)* })? $(($words))?,
            reach: Reach::$reach,
            decides: $decides,
            heading: $heading,
            value: $value,
            example: stringify!($example),
            help: $help,
            default: concat!($($shown)?),
        },)*];
    };
}
with_settings!(rows);
