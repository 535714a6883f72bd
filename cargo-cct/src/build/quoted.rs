//! Facts of the code that procedural macros quote, in a note beside the library of each: where nothing is to
//! be built, to read their sources would take longer than all else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::facts::{self, SourceFacts, Words};
use super::marker;
use crate::plain_file;

/// The facts of code that a library of the build itself may put into the crates that use it.
pub(super) fn of_library(library: &Path) -> SourceFacts {
    let file = facts::dep_info_of(library);
    let read = || {
        file.map_or(SourceFacts::UNKNOWN, |file| {
            facts::of_crate(&file, Words::Quoted)
        })
    };
    // There may be no `/proc`.
    let Ok(state) = state(library) else {
        return read();
    };
    let note = note(library);
    let noted = plain_file::read_to_string(&note).ok();
    let noted =
        noted.and_then(|text| marker::facts(text.strip_prefix(&state)?.strip_suffix('\n')?));
    noted.unwrap_or_else(|| {
        let read = read();
        // A source that cannot be read may be there the next time.
        if read != SourceFacts::UNKNOWN {
            let text = format!("{state}{}\n", marker::names(read).join(","));
            // Where nothing can be written it is read again.
            let _ = plain_file::put(&note, |path| fs::write(path, text));
        }
        read
    })
}

fn note(library: &Path) -> PathBuf {
    library.with_extension("quoted")
}

/// Another library, or another tool, has a line of its own. Images of systems give all files one time.
fn state(library: &Path) -> io::Result<String> {
    let of = |path: &Path| {
        let about = fs::metadata(path)?;
        io::Result::Ok(format!(
            "{} {}",
            about.len(),
            plain_file::changed_at(&about)
        ))
    };
    let (library, tool) = (of(library)?, of(Path::new("/proc/self/exe"))?);
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("{library} {tool} {version}\n"))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;
    use std::{env, process};

    use cct::claim::Exception;

    use super::*;

    #[test]
    fn a_note_is_of_one_library_as_it_is() {
        let folder = env::temp_dir().join(format!("cct-quoted.{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let [library, source] = ["liba-1.so", "a.rs"].map(|name| folder.join(name));
        let write = |code: &str| fs::write(&source, code).expect("a file");
        let build = |seconds| {
            fs::write(&library, "").expect("a file");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            let library = fs::File::options().write(true).open(&library);
            let set = library.and_then(|library| library.set_modified(time));
            set.expect("a time");
        };
        let rule = format!("{}: {}\n", library.display(), source.display());
        fs::write(folder.join("a-1.d"), rule).expect("a file");
        let quotes = |exception| {
            let found = of_library(&library);
            assert_eq!(
                found.left_out.names().collect::<Vec<_>>(),
                [Exception::name(exception)]
            );
        };

        write("fn f() { quote!(Arc::new(1)) }");
        build(1);
        quotes(Exception::ReferenceCounts);
        // Cargo builds it again first.
        write("fn f() { quote!(asm!(\"\")) }");
        quotes(Exception::ReferenceCounts);
        build(2);
        quotes(Exception::InlineAssembly);
        // Half a note, or none that can be read, is none.
        for damage in [
            "",
            "something else\n",
            &format!("{}no exception\n", state(&library).expect("it is there")),
        ] {
            fs::write(note(&library), damage).expect("a file");
            quotes(Exception::InlineAssembly);
        }
        fs::remove_file(note(&library)).expect("it was written");
        fs::remove_file(&source).expect("it is there");
        assert_eq!(of_library(&library), SourceFacts::UNKNOWN);
        assert!(!note(&library).exists());
        fs::remove_dir_all(&folder).expect("removable");
    }
}
