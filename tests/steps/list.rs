//! The list: for each function of the shims, which steps it makes.

use std::collections::BTreeMap;

use cct::operation::Operation;

/// The committed list.
const TEXT: &str = include_str!("steps.txt");

/// The effect of a function on what workers share.
#[derive(Debug)]
pub(crate) enum Entry {
    /// It makes these steps, in this order.
    Steps(Vec<Operation>),
    /// It belongs to a step that another function makes.
    Part,
    /// Nothing.
    Nothing,
}

/// Reads the list; a name may be that of a set, which stands for each of its members.
pub(crate) fn read() -> BTreeMap<String, Entry> {
    let mut sets: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut entries = BTreeMap::new();
    for line in TEXT
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some((set, members)) = line
            .strip_prefix("set ")
            .and_then(|set| set.split_once(" = "))
        {
            sets.push((set, members.split(' ').collect()));
            continue;
        }
        let (name, entry) = line
            .split_once(" | ")
            .expect("a name, a bar, and what it does");
        let name = name.trim();
        let mut names = vec![name.to_owned()];
        for (set, members) in &sets {
            if name.contains(set) {
                names = members
                    .iter()
                    .map(|member| name.replace(set, member))
                    .collect();
            }
        }
        // That module is of this processor only.
        names.retain(|name| cfg!(target_arch = "x86_64") || !name.starts_with("arch::"));
        for name in names {
            let former = entries.insert(name.clone(), parsed(entry));
            assert!(former.is_none(), "{name} is listed twice");
        }
    }
    entries
}

fn parsed(entry: &str) -> Entry {
    let (kind, rest) = entry.split_once(' ').expect("a kind, and more of it");
    let operation =
        |key| Operation::from_key(key).unwrap_or_else(|| panic!("no operation `{key}`"));
    match kind {
        "step" => Entry::Steps(rest.split(' ').map(operation).collect()),
        "part" => {
            operation(rest);
            Entry::Part
        }
        "none" => Entry::Nothing,
        _ => panic!("`{kind}` is neither step, part nor none"),
    }
}
