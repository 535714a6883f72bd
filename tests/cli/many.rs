//! Archives, shards, merged results and campaigns.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use cct_tests::support::{Events, Finished, Workspace, cargo_cct, name};
use serde_json::Value;

use crate::explored::text;

/// Tests that differ in what shards do with them.
const SOURCE: &str = r#"
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn run(workers: usize, work: fn(&AtomicU32)) -> u32 {
    let count = Arc::new(AtomicU32::new(0));
    let all: Vec<_> = (0..workers)
        .map(|_| {
            let count = count.clone();
            thread::spawn(move || work(&count))
        })
        .collect();
    for one in all {
        one.join().unwrap();
    }
    count.load(SeqCst)
}

#[test]
fn adds() {
    let add = |count: &AtomicU32| drop((count.fetch_add(1, SeqCst), count.fetch_add(1, SeqCst)));
    assert_eq!(run(3, add), 6);
}

#[test]
fn loses() {
    let add = |count: &AtomicU32| count.store(count.load(SeqCst) + 1, SeqCst);
    assert_eq!(run(2, add), 2);
}

#[test]
fn is_alone() {
    assert_eq!(run(0, |_| ()), 0);
}

#[test]
fn reads_its_data() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    assert_eq!(std::fs::read_to_string(format!("{folder}/data/text")).unwrap(), "text");
}
"#;

/// An archive, and folders in which there is nothing else.
struct Many {
    workspace: Workspace,
    archive: PathBuf,
}

impl Many {
    fn new() -> Many {
        let workspace = Workspace::empty(Some("packed"));
        workspace.write(
            "app/Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
        );
        workspace.write("app/src/lib.rs", SOURCE);
        workspace.write("app/data/text", "text");
        let archive = workspace.path("app.cct");
        let mut command = workspace.cct();
        command.args([
            "archive",
            "--lib",
            "--json",
            "--seed=5",
            "--manifest-path",
            "app/Cargo.toml",
        ]);
        let made = Finished::of(command.arg("-o").arg(&archive));
        made.expect(0);
        assert_eq!(Events::of(&made).only("archived")["executables"], 1);
        // Neither source nor what was built is there any more.
        fs::remove_dir_all(workspace.path("app")).expect("removable");
        Many { workspace, archive }
    }

    /// The tool in a folder of its own, without cargo or a compiler.
    fn cct(&self, folder: &str) -> Command {
        let folder = self.workspace.path(folder);
        fs::create_dir_all(&folder).expect("the copy is writable");
        let mut command = cargo_cct();
        command.current_dir(folder).env("PATH", "/nowhere");
        command
    }

    fn test(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = self.cct(folder);
        command
            .args(["test", "--json", "--archive"])
            .arg(&self.archive);
        command.args(args);
        command
    }

    fn merge(&self, folder: &str, args: &[&str], code: i32) -> (Value, String) {
        let merged = Finished::of(self.cct(folder).args(["merge", "--json"]).args(args));
        merged.expect(code);
        (Events::of(&merged).only("merged").clone(), merged.stderr)
    }
}

/// The numbers of each test that do not depend on how it was shared out.
#[expect(
    single_use_lifetimes,
    reason = "it cannot be left out of an argument that is a trait"
)]
fn numbers<'a>(tests: impl Iterator<Item = &'a Value>) -> BTreeMap<String, [u64; 3]> {
    let number = |event: &Value, key: &str| event["counters"][key].as_u64().expect("a number");
    let numbers = tests.map(|event| {
        let keys = ["schedules", "distinct", "behaviours"];
        (name(event), keys.map(|key| number(event, key)))
    });
    numbers.collect()
}

fn tests_of(merged: &Value) -> impl Iterator<Item = &Value> {
    merged["tests"].as_array().expect("a list").iter()
}

#[test]
fn shards_of_an_archive_find_what_one_run_does() {
    let many = Many::new();
    let whole = Finished::of(&mut many.test("whole", &["--seed=5", "--iterations=600"]));
    whole.expect(100);
    let whole = Events::of(&whole);

    // In three folders, and one by one in the variables of another system.
    for (number, folder) in [(0, "a"), (2, "a/longer/path")] {
        let mut shard = many.test(folder, &["--shard=auto", "--iterations=200", "--results"]);
        shard.arg(many.workspace.path("results"));
        let index = number.to_string();
        let shard = shard
            .env("JOB_COMPLETION_INDEX", &index)
            .env("CCT_SHARDS", "3");
        Finished::of(shard).expect(100);
    }
    let results = many.workspace.path("results");
    let results = results.to_str().expect("a path in Unicode");
    let (merged, said) = many.merge("a", &[results], 100);
    assert_eq!(merged["missing"], serde_json::json!(["2/3"]));
    assert!(said.contains("shard 2/3 is missing"), "{said}");

    let mut second = many.test("b", &["--shard=2/3", "--iterations=200", "--results"]);
    Finished::of(second.arg(results)).expect(100);
    // The shard is through, and says so again.
    let again = Finished::of(&mut second);
    again.expect(100);
    assert!(again.stderr.contains("nothing is left to do"), "{again:#?}");
    let (merged, said) = many.merge("a", &[results], 100);
    assert_eq!((&merged["missing"], &*said), (&serde_json::json!([]), ""));
    // To join once more changes nothing.
    let file = Path::new(results).join("results.cct");
    let before = fs::read(&file).expect("it is there");
    assert_eq!(many.merge("b", &[results], 100).0, merged);
    assert_eq!(fs::read(&file).expect("it is there"), before);

    let ended = whole.ended();
    let (one, all) = (numbers(ended.into_values()), numbers(tests_of(&merged)));
    assert_eq!(one["app adds"], all["app adds"]);
    let loses = tests_of(&merged)
        .find(|test| test["test"] == "loses")
        .expect("a test");
    let first = &loses["failures"][0];
    assert_eq!(first["iteration"], whole.test("app loses")["first_bug"]);
    let claims = tests_of(&merged).map(|test| (text(&test["test"]), !test["claim"].is_null()));
    let expected = [
        ("adds", false),
        ("is_alone", true),
        ("loses", false),
        ("reads_its_data", true),
    ];
    assert_eq!(claims.collect::<BTreeMap<_, _>>(), BTreeMap::from(expected));

    // The failure is replayed, shown and listed where it is not known how to build it.
    let id = text(&first["id"]);
    for verb in ["replay", "show"] {
        let mut command = many.cct("b");
        command.args([verb, id, "--results", results, "--archive"]);
        let told = Finished::of(command.arg(&many.archive));
        told.expect(if verb == "replay" { 100 } else { 0 });
        assert!(
            told.stdout
                .contains("let add = |count: &AtomicU32| count.store("),
            "{told:#?}"
        );
    }
    // Results of another run are not mixed in.
    let mut other = many.test("b", &["--shard=2/3", "--iterations=300", "--results"]);
    let other = Finished::of(other.arg(results));
    other.expect(96);
    assert!(
        other.stderr.contains("settings `iterations=200"),
        "{other:#?}"
    );

    // Old ones are a part of the results, and stay.
    let shard = Path::new(results).join("shard-1-of-3/failures");
    let failures = fs::read_dir(shard).expect("it failed, too").flatten();
    let mut files = failures.map(|entry| entry.path().join("trace.json"));
    let failure = files.find(|file| file.exists()).expect("one is there");
    let file = fs::File::options().write(true).open(&failure);
    let file = file.expect("a failure");
    let long_ago = SystemTime::now() - Duration::from_hours(24 * 61);
    file.set_modified(long_ago).expect("a time");
    let mut first = many.test("a", &["--shard=1/3", "--iterations=200", "--results"]);
    Finished::of(first.arg(results)).expect(100);
    assert!(failure.exists());
    // One that is cut off is told, and the others are joined.
    file.set_len(100).expect("it is open");
    let (_, said) = many.merge("c", &[results, "--into=joined"], 100);
    assert!(said.contains("a failure is left out"), "{said}");

    refuse(&many);
    campaign(&many);
    goes_on(&many);
}

/// Archives and shards that cannot be used.
fn refuse(many: &Many) {
    let whole = fs::read(&many.archive).expect("it is there");
    let refused = |bytes: &[u8], why: &str| {
        let path = many.workspace.path("bad.cct");
        fs::write(&path, bytes).expect("the copy is writable");
        let refused = Finished::of(many.cct("a").args(["test", "--archive"]).arg(path));
        refused.expect(96);
        assert!(refused.stderr.contains(why), "no `{why}`: {refused:#?}");
    };
    refused(&whole[..whole.len() / 2], "ends too early");
    refused(&whole[..100], "ends too early");
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x55;
    refused(&damaged, "damaged");
    refused(b"something else", "no archive that");
    refused(b"", "no archive that");
    for (args, why) in [
        (&["--shard=auto"][..], "SLURM_ARRAY_TASK_ID"),
        (&["--shard=4/3"], "`1/n` to `n/n`"),
        (&["--lib"], "name tests instead"),
        (&["--interleave=a"], "give it to `cargo cct archive`"),
    ] {
        let refused = Finished::of(&mut many.test("a", args));
        assert!(matches!(refused.code, Some(2 | 96)), "{refused:#?}");
        assert!(refused.stderr.contains(why), "no `{why}`: {refused:#?}");
    }
    // A file of the user's is not moved, to have a folder in its place.
    for name in ["failures", "run"] {
        let mut here = many.test(&format!("of-{name}"), &["--results=."]);
        let mine = many.workspace.path(&format!("of-{name}")).join(name);
        fs::write(&mine, "mine").expect("the copy is writable");
        let refused = Finished::of(&mut here);
        refused.expect(96);
        assert!(
            refused.stderr.contains("choose another folder"),
            "{refused:#?}"
        );
        assert_eq!(fs::read_to_string(&mine).expect("it is there"), "mine");
    }
}

/// Ends a process that this test started; nobody can catch this.
fn kill(mut child: Child) {
    child.kill().expect("it is ours");
    child.wait().expect("it has ended");
}

/// A campaign that is killed again and again comes to what one run does: every iteration is counted once.
fn campaign(many: &Many) {
    let adds = [
        "adds",
        "--strategy=random,sticky,pos",
        "--iterations=9000",
        "--seed=5",
    ];
    let whole = Finished::of(&mut many.test("whole", &adds));
    whole.expect(0);
    let begin = || {
        let mut command = many.test("c", &adds);
        command.args(["--campaign", "kept"]);
        command
    };
    let results = many.workspace.path("c/kept/results.cct");
    let mut counted = Vec::new();
    for _ in 0..3 {
        let child = begin().stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        thread::sleep(Duration::from_millis(400));
        kill(child.expect("the tool"));
        if results.exists() {
            // Some tests have not come to their ends: the code is that of a run that is not complete.
            let merged = Finished::of(many.cct("c").args(["merge", "--json", "kept"]));
            let merged = Events::of(&merged).only("merged").clone();
            counted.push(numbers(tests_of(&merged)));
        }
    }
    let grows = |pair: &[BTreeMap<String, [u64; 3]>]| {
        let stays = |(test, [schedules, ..]): (&String, &[u64; 3])| {
            pair[1]
                .get(test)
                .is_some_and(|[later, ..]| later >= schedules)
        };
        pair[0].iter().all(stays)
    };
    assert!(counted.windows(2).all(grows), "{counted:?}");
    Finished::of(&mut begin()).expect(0);
    let (merged, _) = many.merge("c", &["kept"], 0);
    let ended = Events::of(&whole);
    assert_eq!(
        numbers(tests_of(&merged)),
        numbers(ended.ended().into_values())
    );
}

/// A command that goes on tells of the whole campaign: in its summary, in JSON and in JUnit.
fn goes_on(many: &Many) {
    let command = |time: &str, junit: &str| {
        let mut command = many.test("d", &["--campaign=kept", "--seed=5", "--strategy=random"]);
        command.arg("--time").arg(time).arg("--junit").arg(junit);
        Finished::of(&mut command)
    };
    let (first, second) = (command("8s", "1.xml"), command("8s", "2.xml"));
    let mut told = Vec::new();
    for (run, junit) in [(&first, "1.xml"), (&second, "2.xml")] {
        run.expect(100);
        let events = Events::of(run);
        let ended = events.only("run_ended");
        let counts = ["passed", "native", "failed", "not_run"].map(|key| ended[key].clone());
        let xml = fs::read_to_string(many.workspace.path("d").join(junit)).expect("it is there");
        let cases = |what: &str| xml.matches(what).count();
        told.push((
            counts,
            ended["failures"].clone(),
            [cases("<testcase "), cases("<skipped"), cases("<failure ")],
            xml.contains("cargo cct replay"),
        ));
    }
    assert_eq!(told[0].2, [4, 0, 1], "{first:#?}");
    assert_eq!(told[1], told[0], "{second:#?}");
    let events = Events::of(&second);
    let earlier = events.of_kind("test_earlier");
    let outcomes = earlier.map(|event| (name(event), text(&event["outcome"]).to_owned()));
    let outcomes: BTreeMap<_, _> = outcomes.collect();
    assert_eq!(outcomes.len(), 4, "{outcomes:?}");
    assert_eq!(outcomes["app loses"], "failed");
    // The command that is told works as it stands.
    let told = events.of_kind("test_earlier");
    let mut replays = told.filter_map(|event| event["failure"]["replay"].as_str());
    let replay = replays.next().expect("one has failed");
    let words: Vec<_> = replay.split(' ').skip(2).collect();
    assert!(
        words.contains(&"--archive") && words.contains(&"--results"),
        "{replay}"
    );
    Finished::of(many.cct("d").args(words)).expect(100);
    let counted = events.only("run_ended")["earlier"].as_u64();
    assert!(counted >= Some(2), "{second:#?}");

    // One that is killed while it goes on has told what was known before.
    let mut killed = many.test("d", &["--campaign=kept", "--seed=5", "--strategy=random"]);
    killed.args(["--time=600s", "--junit=3.xml"]);
    let child = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let file = many.workspace.path("d/3.xml");
    let knows = || fs::read_to_string(&file).is_ok_and(|xml| xml.contains("<failure "));
    while !knows() {
        thread::sleep(Duration::from_millis(100));
    }
    kill(child.expect("the tool"));
}
