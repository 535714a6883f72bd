//! Functions that choose at random which branch of a `select!` comes first.
//!
//! They are no part of their crates' interfaces.

/// A function that draws a number below its argument, or that shuffles what it is given.
#[derive(Clone, Copy, Debug)]
pub struct RandomChoice {
    /// Its package.
    pub package: &'static str,
    /// The end of its file's path.
    pub file: &'static str,
    /// Its name.
    pub function: &'static str,
}

/// All that are known. A package needs one of its own: a file is another's in another version.
pub const RANDOM_CHOICES: &[RandomChoice] = &[
    RandomChoice {
        package: "tokio",
        file: "src/macros/support.rs",
        function: "thread_rng_n",
    },
    // Of tokio 1.0 and some later ones.
    RandomChoice {
        package: "tokio",
        file: "src/util/rand.rs",
        function: "thread_rng_n",
    },
    RandomChoice {
        package: "futures-util",
        file: "src/async_await/random.rs",
        function: "shuffle",
    },
    // It is what `Select` draws by, too.
    RandomChoice {
        package: "crossbeam-channel",
        file: "src/utils.rs",
        function: "shuffle",
    },
];
