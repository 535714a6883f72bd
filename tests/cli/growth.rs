//! Memory, descriptors and children of a test process do not grow with the number of its iterations.
//!
//! `CCT_GROWTH=1000000 cargo test -p cct-tests --test cli -- growth:: --nocapture` makes so many iterations.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use cct_tests::support::Workspace;

/// A test process, as the kernel tells of it.
#[derive(Clone, Debug)]
struct Size {
    /// Memory of its own in use, in KiB.
    memory: u64,
    /// Memory in use that it shares with copies of it, in KiB.
    shared: u64,
    /// Open descriptors: their numbers, and what is behind them, by the kernel's name for it.
    descriptors: BTreeSet<(PathBuf, PathBuf)>,
    /// The numbers of its children.
    children: BTreeSet<u32>,
}

impl Size {
    /// That of the process with this number; none if it is gone.
    fn of(process: &Path) -> Option<Size> {
        let status = fs::read_to_string(process.join("status")).ok()?;
        let field = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let mut children = BTreeSet::new();
        for task in fs::read_dir(process.join("task")).ok()?.flatten() {
            let list = fs::read_to_string(task.path().join("children")).ok()?;
            let numbers = list.split_whitespace();
            children.extend(numbers.filter_map(|child| child.parse::<u32>().ok()));
        }
        let open = fs::read_dir(process.join("fd")).ok()?.flatten();
        let descriptors = open.filter_map(|entry| {
            let behind = fs::read_link(entry.path()).ok()?;
            Some((entry.file_name().into(), behind))
        });
        Some(Size {
            memory: field("RssAnon:")?,
            shared: field("RssShmem:")?,
            descriptors: descriptors.collect(),
            children,
        })
    }

    /// The most memory of both, and the descriptors and children of both: some are there for a moment, the
    /// process of an iteration among them, and those that are left behind for good.
    fn with(self, other: &Size) -> Size {
        Size {
            memory: self.memory.max(other.memory),
            shared: self.shared.max(other.shared),
            descriptors: &self.descriptors & &other.descriptors,
            children: &self.children & &other.children,
        }
    }
}

/// The process of this executable's test whose parent is not of the same executable: copies are left out.
fn test_process(executable: &Path) -> Option<PathBuf> {
    let exe = |process: &Path| fs::read_link(process.join("exe")).ok();
    let is_it = |process: &Path| {
        exe(process).is_some_and(|path| path.starts_with(executable)) && {
            let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
            let parent = stat.rsplit_once(") ").and_then(|(_, rest)| {
                let parent = rest.split(' ').nth(1)?;
                exe(&Path::new("/proc").join(parent))
            });
            parent.is_some_and(|path| !path.starts_with(executable))
        }
    };
    let entries = fs::read_dir("/proc").ok()?.flatten();
    entries.map(|entry| entry.path()).find(|path| is_it(path))
}

/// The sizes of a test's process: of the two halves of those that were seen, and of the last tenth.
fn sizes(isolation: &str, iterations: u64) -> [Size; 3] {
    let iterations = std::env::var("CCT_GROWTH").unwrap_or_else(|_| iterations.to_string());
    let workspace = Workspace::of_fixture("leaks");
    workspace.test(&["--no-run"], 0);
    let args = ["test", "--strategy", "random", "--watch", "1000000"];
    let settings = ["--iterations", &iterations, "--isolation", isolation];
    let mut tool = workspace.cct();
    tool.args(args)
        .args(settings)
        .args(["--jobs", "1", "nothing_is_left"]);
    let mut tool = tool
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tool");
    let target = workspace.path("target/cct");
    let mut seen = Vec::new();
    let status = loop {
        if let Some(status) = tool.try_wait().expect("ours") {
            break status;
        }
        seen.extend(test_process(&target).and_then(|process| Size::of(&process)));
        thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{status}");
    // Memory that is taken once is taken at the beginning.
    let seen = &seen[seen.len() / 4..];
    let size = |part: &[Size]| {
        let (first, rest) = part.split_first().expect("it was not over too soon");
        rest.iter().fold(first.clone(), Size::with)
    };
    let (first, second) = seen.split_at(seen.len() / 2);
    let last = &second[second.len() - (second.len() / 5).max(1)..];
    let sizes = [first, second, last].map(size);
    println!("{iterations} iterations, isolation {isolation}: {sizes:?}");
    sizes
}

fn assert_flat([first, second, last]: [Size; 3]) {
    // A page or two may be touched late. An iteration that kept a word would add a hundred times that in a
    // million iterations, and more than that here.
    const SLACK: u64 = 64;
    assert!(
        second.memory <= first.memory + SLACK,
        "{first:?} {second:?}"
    );
    assert!(
        second.shared <= first.shared + SLACK,
        "{first:?} {second:?}"
    );
    // Also one that is left behind late.
    let late = &last.descriptors - &first.descriptors;
    assert!(late.is_empty(), "{late:?} in {last:?}");
    let late = &last.children - &first.children;
    assert!(late.is_empty(), "{late:?} in {last:?}");
}

#[test]
fn nothing_grows_in_one_process() {
    assert_flat(sizes("none", 100_000));
}

#[test]
fn nothing_grows_in_many_processes() {
    assert_flat(sizes("process", 10_000));
}
