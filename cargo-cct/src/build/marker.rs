//! Notes that the wrapper leaves beside what rustc made, for whoever runs or links it later.
//!
//! They live and die with their file; nothing else remembers how it was built.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a note says about its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Marker {
    /// An executable with std's test harness, under control.
    Harness,
    /// An executable with a `main` of its own, under the facade.
    Program,
    /// The engine as a dependency of the user's, hollow; the sysroot's takes its place.
    Engine,
    /// The shims, likewise.
    Shims,
}

impl Marker {
    const ALL: [(Marker, &str); 4] = [
        (Marker::Harness, "harness\n"),
        (Marker::Program, "program\n"),
        (Marker::Engine, "engine\n"),
        (Marker::Shims, "shims\n"),
    ];

    /// Leaves a note beside `file`.
    pub(crate) fn write(self, file: &Path) -> io::Result<()> {
        let text = Marker::ALL
            .iter()
            .find(|(marker, _)| *marker == self)
            .map_or("", |(_, text)| text);
        fs::write(path(file), text)
    }

    /// Reads the note beside `file`.
    pub(crate) fn read(file: &Path) -> Option<Marker> {
        let found = fs::read_to_string(path(file)).ok()?;
        Marker::ALL
            .iter()
            .find(|(_, text)| *text == found)
            .map(|(marker, _)| *marker)
    }
}

/// A library's two files share one note.
fn path(file: &Path) -> PathBuf {
    let is_library = file
        .extension()
        .is_some_and(|extension| extension == "rlib" || extension == "rmeta");
    if is_library {
        return file.with_extension("cct");
    }
    let mut path = OsString::from(file);
    path.push(".cct");
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_and_its_metadata_share_a_note() {
        assert_eq!(
            path(Path::new("/a/libx-1.rlib")),
            path(Path::new("/a/libx-1.rmeta"))
        );
        assert_eq!(path(Path::new("/a/x-1")), Path::new("/a/x-1.cct"));
    }
}
