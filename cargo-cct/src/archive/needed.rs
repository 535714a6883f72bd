//! The shared libraries that a file loads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use object::elf::{DT_NEEDED, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, SectionIndex, StringTable};

/// The libraries that these files load, and those load in turn, as far as they are in these folders. All
/// others are the machine's.
pub(super) fn needed(files: &[PathBuf], folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut open = files.to_vec();
    while let Some(file) = open.pop() {
        for name in names(&file).unwrap_or_default() {
            let mut places = folders.iter().map(|folder| folder.join(&name));
            if !found.contains_key(&name)
                && let Some(place) = places.find(|place| place.is_file())
            {
                found.insert(name, place.clone());
                open.push(place);
            }
        }
    }
    found.into_values().collect()
}

/// The names that a file says it needs; none if it is no ELF file.
fn names(file: &Path) -> Option<Vec<String>> {
    let data = fs::read(file).ok()?;
    let data = &data[..];
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (entries, strings) = sections.dynamic(endian, data).ok()??;
    let strings: StringTable<'_> = sections
        .strings(endian, data, SectionIndex(strings.0))
        .ok()?;
    let needed = entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(DT_NEEDED));
    let names = needed.filter_map(|entry| entry.string(endian, strings).ok());
    Some(
        names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_needs_libc() {
        let own = std::env::current_exe().expect("a path");
        let names = names(&own).expect("an executable");
        assert!(
            names.iter().any(|name| name.starts_with("libc.so")),
            "{names:?}"
        );
        // No folder, no library.
        assert!(needed(&[own], &[]).is_empty());
    }
}
