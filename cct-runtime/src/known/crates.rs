//! The crates whose names are relied on, and the versions that these were checked with.

/// A crate some of whose names are relied on.
#[derive(Clone, Copy, Debug)]
pub struct Crate {
    /// Its package.
    pub package: &'static str,
    /// The versions that the names are relied on in: a range whose interface is one, by the rules of semantic
    /// versioning. For some crates the sources at one end of it were read, and not those at the other.
    pub versions: &'static str,
    /// The names that may be missed in others.
    pub lost: &'static str,
}

/// All of them.
pub const CRATES: &[Crate] = &[
    // `spawn`, `spawn_local`, `spawn_on`, `block_on`, `run_until`; `Sleep`, `Interval::tick`; `time::pause`,
    // `start_paused`; the attributes `test` and `main`.
    Crate {
        package: "tokio",
        versions: ">=1, <2",
        lost: "tasks, roots, sleeps and paused clocks",
    },
    // `spawn`, `spawn_local` and `spawn_on` of `JoinMap` and `TaskTracker`.
    Crate {
        package: "tokio-util",
        versions: ">=0.7, <0.8",
        lost: "tasks",
    },
    // `task::spawn`, which spawns nothing.
    Crate {
        package: "tokio-test",
        versions: ">=0.4, <0.5",
        lost: "which futures a test polls by hand",
    },
    // `spawn_ok`, `spawn_obj`, `block_on`, `run`, `run_until`.
    Crate {
        package: "futures-executor",
        versions: ">=0.3, <0.4",
        lost: "tasks and roots",
    },
    // `spawn`, `spawn_local` and both `_with_handle`; `boxed`, `boxed_local`.
    Crate {
        package: "futures-util",
        versions: ">=0.3, <0.4",
        lost: "tasks, and which branch of a `select!` comes first",
    },
    // `FutureObj`, `LocalFutureObj`, `spawn_obj`, `spawn_local_obj`.
    Crate {
        package: "futures-task",
        versions: ">=0.3, <0.4",
        lost: "tasks",
    },
    // `spawn`, `run`.
    Crate {
        package: "async-executor",
        versions: ">=1, <2",
        lost: "tasks and roots",
    },
    // `block_on`; `Timer`.
    Crate {
        package: "async-io",
        versions: ">=1, <3",
        lost: "roots and sleeps",
    },
    // `spawn`, `spawn_local`, `block_on`; `sleep`; the attributes `test` and `main`.
    Crate {
        package: "async-std",
        versions: ">=1, <2",
        lost: "tasks, roots and sleeps",
    },
    // `block_on`.
    Crate {
        package: "futures-lite",
        versions: ">=1, <3",
        lost: "roots",
    },
    // `Delay`.
    Crate {
        package: "futures-timer",
        versions: ">=3, <4",
        lost: "sleeps",
    },
    // `spawn`, `block_on`; the attributes `test` and `main`.
    Crate {
        package: "actix-rt",
        versions: ">=2, <3",
        lost: "tasks and roots",
    },
    // `shuffle`.
    Crate {
        package: "crossbeam-channel",
        versions: ">=0.5, <0.6",
        lost: "which operation of a `select!` comes first",
    },
    // `apply`, as in `#[apply(test!)]`.
    Crate {
        package: "macro_rules_attribute",
        versions: ">=0.2, <0.3",
        lost: "which async tests are driven",
    },
];

#[cfg(test)]
mod tests {
    use super::super::{RANDOM_CHOICES, RAW_CALLS};
    use super::CRATES;

    #[test]
    fn what_is_relied_on_by_package_has_its_versions() {
        let is_known = |package: &str| CRATES.iter().any(|known| known.package == package);
        for choice in RANDOM_CHOICES {
            assert!(is_known(choice.package), "{choice:?}");
        }
        // These have versions of their own.
        for calls in RAW_CALLS {
            assert!(!is_known(calls.package), "{calls:?}");
        }
    }
}
