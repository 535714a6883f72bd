//! Instructions are counted by valgrind's callgrind; the process under it says from where to where.
//!
//! A processor's own counter would count what the C library does on just that processor, with its fastest way
//! to copy memory, and virtual machines seldom have one. Valgrind's processor is nearly the same everywhere.

use std::arch::asm;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, hint};

use crate::table::Table;

/// Why nothing can be counted on this machine; none if it can.
pub(crate) fn reason_not_to() -> Option<String> {
    match Command::new("valgrind").arg("--version").output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!("valgrind does not start: {}", output.status)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Some("valgrind is not installed".to_owned())
        }
        Err(error) => Some(format!("valgrind does not start: {error}")),
    }
}

/// Runs this program with these arguments and counts; `name` is that of the files in the folder of temporary
/// ones. Returns what was printed and the counts in their order.
pub(crate) fn run(name: &str, arguments: &[&str]) -> io::Result<(Output, Vec<u64>)> {
    // Guards of both profiles may run at the same time.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("perf-guard")
        .join(Table::NAME);
    fs::create_dir_all(&folder)?;
    let file = folder.join(name);
    let part = |number: usize| PathBuf::from(format!("{}.{number}", file.display()));
    let parts = || (1..).map(part).take_while(|path| path.exists());
    parts().try_for_each(fs::remove_file)?;
    // Paths and variables lie on the stack, whose addresses some strategies' tables depend on.
    let executable = std::env::current_exe()?;
    let (home, own) = (executable.parent(), executable.file_name());
    let (home, own) = home.zip(own).ok_or(ErrorKind::NotFound)?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--instr-atstart=no", "--quiet"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(Path::new(".").join(own))
        .args(arguments)
        .current_dir(home)
        .env_clear()
        // Whether a long vector that grows is copied depends on what lies behind it, unless it is mapped.
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .output()?;
    let counts = parts().map(|path| total(&fs::read_to_string(path)?));
    Ok((output, counts.collect::<io::Result<_>>()?))
}

/// Reads the line with the sum.
fn total(text: &str) -> io::Result<u64> {
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total = total.and_then(|total| total.parse().ok());
    total.ok_or_else(|| io::Error::other("callgrind wrote no sum"))
}

/// A question to callgrind, by its number there.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Request {
    /// Writes the counts into the next file, and begins again at zero.
    Dump = 0,
    /// Begins again at zero.
    Zero = 1,
    Start = 4,
    Stop = 5,
}

/// The instructions from here on count.
pub(crate) fn begin() {
    ask(Request::Zero);
    ask(Request::Start);
}

/// The instructions from here on do not count; a count is complete.
pub(crate) fn end() {
    ask(Request::Stop);
    ask(Request::Dump);
}

/// Asks valgrind; on a real processor these instructions do nothing.
fn ask(request: Request) {
    let base = usize::from_be_bytes(*b"\0\0\0\0CT\0\0");
    let words = hint::black_box([base + request as usize, 0, 0, 0, 0, 0]);
    // SAFETY: rotations by 128 bits in all leave the register as it was, and the exchange changes nothing;
    // valgrind knows the sequence, reads the words, which live here, and puts its answer into `rdx`.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") 0_usize => _,
            inout("rdi") 0_usize => _,
        );
    }
}
