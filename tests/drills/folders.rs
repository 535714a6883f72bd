//! Failures on disk that were damaged: bytes that are others, files that are cut off, or something else
//! altogether.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use cct_tests::support::{Draws, Workspace};

use crate::garden::Garden;
use crate::tally::{Harm, Tally};

const KINDS: [&str; 18] = [
    "a bit", "a bit", "a bit", "bytes", "a digit", "a digit", "cut", "cut", "empty", "json",
    "longer", "pipe", "device", "folder", "loop", "link", "removed", "huge",
];

/// The length of a record's end, which says that it is as it was written.
const SEAL: usize = 43;

/// Damages one file, in this way.
pub(crate) fn damage(file: &Path, kind: &str, garden: &Garden, draws: &mut Draws) {
    let bytes = fs::read(file).unwrap_or_default();
    let put = |bytes: &[u8]| fs::write(file, bytes).expect("the copy is writable");
    let remove = || {
        let _ = fs::remove_file(file);
    };
    let at = draws.below(bytes.len().max(1));
    match kind {
        "a bit" | "bytes" | "a digit" if bytes.is_empty() => put(b"x"),
        "a bit" => {
            let mut bytes = bytes;
            bytes[at] ^= 1 << draws.below(8);
            put(&bytes);
        }
        "bytes" => {
            let mut bytes = bytes;
            for _ in 0..draws.below(100) {
                let at = draws.below(bytes.len());
                bytes[at] = u8::try_from(draws.below(256)).expect("a byte");
            }
            put(&bytes);
        }
        "a digit" => {
            let mut bytes = bytes;
            let digits: Vec<usize> = (0..bytes.len())
                .filter(|&at| bytes[at].is_ascii_digit())
                .collect();
            if !digits.is_empty() {
                let at = digits[draws.below(digits.len())];
                bytes[at] = b'0' + (bytes[at] - b'0' + 1) % 10;
            }
            put(&bytes);
        }
        "cut" => put(&bytes[..at.min(bytes.len())]),
        "empty" => put(b""),
        "json" => {
            let others = [
                "{}",
                "[]",
                "null",
                "{\"format\":\"cargo-cct failure\"}",
                "7",
            ];
            put(draws.one_of(&others).as_bytes());
        }
        "longer" => put(&[&bytes[..], b"\n{\"more\":1}"].concat()),
        "pipe" => {
            remove();
            let made = Command::new("mkfifo").arg(file).status();
            assert!(made.expect("`mkfifo` can be run").success());
        }
        "device" => {
            remove();
            symlink("/dev/zero", file).expect("a link");
        }
        "folder" => {
            remove();
            fs::create_dir(file).expect("a folder");
            fs::write(file.join("mine"), "mine").expect("a file");
        }
        "loop" => {
            remove();
            symlink(file, file).expect("a link");
        }
        "link" => {
            remove();
            let to = ["letter.txt", "trace.json", "nowhere"];
            symlink(garden.folder().join(draws.one_of(&to)), file).expect("a link");
        }
        "huge" => {
            let opened = File::options()
                .write(true)
                .create(true)
                .truncate(false)
                .open(file);
            opened
                .and_then(|mut it| it.set_len(3 << 30).and_then(|()| it.write_all(b"{")))
                .expect("a file with a hole");
        }
        _ => remove(),
    }
}

/// Has `to` be a copy of `from`, whatever is there.
pub(crate) fn restore(from: &Path, to: &Path) {
    let script = "rm -rf \"$1\" && cp -a \"$0\" \"$1\"";
    let copied = Command::new("sh")
        .args(["-c", script])
        .args([from, to])
        .status();
    assert!(copied.expect("a shell").success());
}

/// All plain files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .flat_map(|path| match fs::symlink_metadata(&path) {
            Ok(about) if about.is_dir() => files(&path),
            Ok(about) if about.is_file() => vec![path],
            _ => Vec::new(),
        })
        .collect();
    files.sort();
    files
}

#[test]
fn damaged_failures_are_told() {
    let (mut tally, count, mut draws) = Tally::new("folders", 60);
    let workspace = Workspace::of_fixture("drills");
    let garden = Garden::new(&workspace);
    let args = ["test", "--json", "--lib", "--seed=1", "a_store_is_lost"];
    let found = tally.run(workspace.cct().args(args), "as ever");
    let id = found.ids().pop().expect("it is found");
    tally.run(
        workspace.cct().args(["shrink", &id, "--time=1s"]),
        "a shorter one beside it",
    );
    let (folder, pristine) = (
        workspace.path("target/cct/failures"),
        workspace.path("pristine"),
    );
    restore(&folder, &pristine);
    for number in 0..count {
        let all = files(&folder);
        let record = folder.join(&id).join("trace.json");
        let mut what = format!("{number}:");
        for _ in 0..=draws.below(2) {
            let is_record = draws.below(10) < 6;
            let file = if is_record {
                record.clone()
            } else {
                draws.one_of(&all).clone()
            };
            let kind = *draws.one_of(&KINDS);
            let name = file.strip_prefix(&folder).expect("below").display();
            write!(what, " {kind} of {name}").expect("text takes text");
            let is_plain =
                fs::symlink_metadata(&file).is_ok_and(|it| it.is_file() && it.len() < 1 << 30);
            if is_plain {
                damage(&file, kind, &garden, &mut draws);
            }
        }
        let is_plain =
            fs::symlink_metadata(&record).is_ok_and(|it| it.is_file() && it.len() < 1 << 30);
        let now = is_plain.then(|| fs::read(&record).unwrap_or_default());
        let now = now.unwrap_or_default();
        let was = fs::read(pristine.join(&id).join("trace.json")).expect("it is there");
        let is_intact = now == was;
        // The seal itself: the rest is as it was, whether that is seen or not.
        let is_unsealed =
            !is_intact && now.len() == was.len() && now.starts_with(&was[..was.len() - SEAL]);
        let verb = match draws.below(20) {
            0..11 => "show",
            11..15 => "replay",
            15..18 => "list",
            18 => "shrink",
            _ => "test",
        };
        let args = match verb {
            "show" | "replay" => vec![verb, &id],
            "shrink" => vec![verb, &id, "--time=100ms"],
            "list" => vec![verb],
            _ => args.to_vec(),
        };
        write!(what, "; {verb}").expect("text takes text");
        let ended = tally.run(workspace.cct().env("CCT_KNOWN", "true").args(args), &what);
        tally.did();
        let allowed: &[i32] = match (verb, is_intact) {
            ("show" | "shrink", true) | ("list", _) => &[0],
            ("replay", true) | ("test", _) => &[100],
            ("show" | "shrink", false) if is_unsealed => &[0, 96],
            ("replay", false) if is_unsealed => &[100, 96],
            _ => &[96],
        };
        tally.check(Harm::Wrong, allowed.contains(&ended.code()), || {
            format!(
                "{what}: {}\n{}\n{}",
                ended.code(),
                ended.stdout,
                ended.stderr
            )
        });
        tally.check(Harm::Touched, garden.is_as_it_was(), || {
            format!("{what}: the garden")
        });
        if verb == "test" && !ended.stderr.contains("cannot be replayed") {
            for id in ended.ids() {
                let shown = tally.run(workspace.cct().args(["show", &id]), &what);
                tally.check(Harm::Loss, shown.code() == 0, || {
                    format!("{what}: {shown:#?}")
                });
            }
        }
        restore(&pristine, &folder);
    }
    tally.end();
}
