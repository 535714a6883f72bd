//! The memory of test processes: how much one may take, and how much it takes.
//!
//! The machine's own end of memory must not be reached: there the system ends whatever process it likes.
//! Memory counts that is in use; address space that is only reserved does not.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use cct::config::Settings;

/// How often a process is asked.
const LOOK: Duration = Duration::from_millis(100);
/// A machine that does not tell has so much.
const UNKNOWN: u64 = 4 << 30;
/// A process has so much beside what its test takes, at least.
const BESIDE: u64 = 256 << 20;
/// The most that the detector of data races takes, also of memory that was given back since.
const DETECTOR: u64 = 1 << 30;

static SHARE: OnceLock<u64> = OnceLock::new();

/// Says how many processes run at a time.
pub(crate) fn shared_by(processes: usize) {
    let processes = u64::try_from(processes.max(1)).unwrap_or(u64::MAX);
    // A run says so once, before any process is started.
    let _ = SHARE.set(all() / 2 / processes);
}

/// How much a test may take unless settings say: half of all, divided by the processes.
pub(crate) fn share() -> u64 {
    SHARE.get().copied().unwrap_or_else(|| all() / 2)
}

/// The settings below a test's attribute, with the limit filled in.
pub(super) fn with_limit(defaults: &Settings) -> Settings {
    let limit = defaults.max_memory.unwrap_or_else(share);
    Settings {
        max_memory: Some(limit),
        ..defaults.clone()
    }
}

/// Looks at the memory of a process, and of those below it, once in a while: a test may have others work
/// for it, and each of its schedules may have a process of its own.
#[derive(Debug)]
pub(super) struct Watched {
    process: u32,
    /// The limit of the test.
    limit: u64,
    looked: Instant,
    used: u64,
}

impl Watched {
    /// This process and those below it; the test has this limit.
    pub(super) fn new(process: u32, limit: u64) -> Watched {
        Watched {
            process,
            limit,
            looked: Instant::now(),
            used: 0,
        }
    }

    /// How much they took at the last look.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// The limit, if the processes are beyond what goes with it: the engine has memory of its own, so that
    /// the test's own count, which repeats, comes first.
    pub(super) fn exceeded(&mut self) -> Option<u64> {
        if self.looked.elapsed() < LOOK {
            return None;
        }
        self.looked = Instant::now();
        let processes = with_descendants(self.process);
        let sum = |used: fn(u32) -> Option<u64>| -> u64 {
            processes.iter().filter_map(|&process| used(process)).sum()
        };
        self.used = sum(resident);
        let bound = bound(self.limit, all());
        if self.used > bound {
            // Processes that were forked have pages in common.
            self.used = sum(|process| proportional(process).or_else(|| resident(process)));
        }
        (self.used > bound).then_some(self.limit)
    }
}

/// Where a process is ended whose test has this limit, on a machine with so much memory.
fn bound(limit: u64, all: u64) -> u64 {
    let with_engine = limit.saturating_add((limit / 2).max(BESIDE) + DETECTOR);
    with_engine.min(all / 4 * 3)
}

/// A process and all below it.
fn with_descendants(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut index = 0;
    while let Some(&process) = all.get(index) {
        all.extend(children_of(process));
        index += 1;
    }
    all
}

/// The children of all threads of a process.
fn children_of(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let lists = tasks.map(|task| task.path().join("children"));
    let lists = lists.map(|path| fs::read_to_string(path).unwrap_or_default());
    lists
        .flat_map(|list| {
            let numbers = list.split_whitespace().filter_map(|it| it.parse().ok());
            numbers.collect::<Vec<u32>>()
        })
        .collect()
}

/// The memory that a process has in use.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    kibibytes(&status, "VmRSS:")
}

/// The same, with a share of what it has in common with others; slower.
fn proportional(process: u32) -> Option<u64> {
    let sums = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    kibibytes(&sums, "Pss:")
}

/// All memory of the machine, or that which the control group of this process may take.
fn all() -> u64 {
    static ALL: OnceLock<u64> = OnceLock::new();
    *ALL.get_or_init(|| {
        let machine = fs::read_to_string("/proc/meminfo").ok();
        let machine = machine.and_then(|info| kibibytes(&info, "MemTotal:"));
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let group = of_groups(&groups, Path::new("/sys/fs/cgroup"));
        machine.unwrap_or(UNKNOWN).min(group.unwrap_or(u64::MAX))
    })
}

fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// The smallest limit of these control groups and those above, by the lines of `/proc/self/cgroup`.
fn of_groups(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (kinds, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let (top, file) = match kinds {
            "" => (root.to_owned(), "memory.max"),
            _ if kinds.split(',').any(|kind| kind == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        // In a container the path may be that of the host, and the group is the top here.
        let own = top.join(path.trim_start_matches('/'));
        let folders = own
            .ancestors()
            .take_while(|folder| folder.starts_with(&top));
        let read = |folder: &Path| {
            let text = fs::read_to_string(folder.join(file)).ok()?;
            text.trim().parse::<u64>().ok()
        };
        folders.filter_map(read).collect()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_of_a_group_and_those_above_counts() {
        let root = std::env::temp_dir().join(format!("cct-groups-{}", std::process::id()));
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        put("a/b/memory.max", "max\n");
        put("a/memory.max", "1000000\n");
        put("memory/c/memory.limit_in_bytes", "500\n");
        assert_eq!(of_groups("0::/a/b\n", &root), Some(1_000_000));
        assert_eq!(of_groups("4:cpu,memory:/c\n2:cpu:/\n", &root), Some(500));
        assert_eq!(of_groups("0::/elsewhere\n", &root), None);
        fs::remove_dir_all(&root).expect("it is ours");
    }

    #[test]
    fn a_process_may_take_more_than_its_test_but_not_all() {
        let giga = 1 << 30;
        assert_eq!(bound(4 * giga, 64 * giga), 7 * giga);
        assert_eq!(bound(giga / 16, 64 * giga), giga / 16 + BESIDE + DETECTOR);
        assert_eq!(bound(u64::MAX, 64 * giga), 48 * giga);
    }

    #[test]
    fn this_process_uses_memory_and_the_machine_has_more() {
        let used = resident(std::process::id()).expect("the kernel tells");
        assert!(0 < used && used < all());
        let share = proportional(std::process::id()).expect("the kernel tells");
        assert!(0 < share && share < all());
    }

    #[test]
    fn the_processes_below_this_one_are_found() {
        let mut child = std::process::Command::new("sh");
        let mut child = child
            .args(["-c", "sleep 86400 & wait"])
            .spawn()
            .expect("a shell");
        // A list is cut short where a thread of this process ends meanwhile.
        let are_all_in = |all: &[u32]| {
            let grandchildren = children_of(child.id());
            all.contains(&child.id()) && grandchildren.iter().any(|it| all.contains(it))
        };
        while !are_all_in(&with_descendants(std::process::id())) {
            std::thread::yield_now();
        }
        for grandchild in children_of(child.id()) {
            std::process::Command::new("kill")
                .arg(grandchild.to_string())
                .status()
                .expect("ours");
        }
        child.wait().expect("ours");
    }
}
