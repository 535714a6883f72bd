//! `timeline.html` in a real browser: clicks, keys, filters, search, roles, and 100,000 steps.

mod browser;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::{Value, json};

use crate::browser::Browser;

/// The steps of the long schedule.
const LONG: usize = 100_000;

/// Moves the cursor to the store that overwrites another.
const TO_THE_LOST_UPDATE: &str = "go(state.model.edges
    .findLast((_, at, edges) => at % 3 === 1 && edges[at + 1] === OVERWRITES))";

/// Two failures of the fixture, the first of them shrunk.
struct Failures {
    workspace: Workspace,
    pool: String,
    deadlock: String,
}

static FOUND: LazyLock<Failures> = LazyLock::new(|| {
    let workspace = Workspace::of_fixture("shrinking");
    // Time enough to tell from where on failures are certain, on a slow machine too.
    let args = ["--strategy", "random", "--iterations", "2000"];
    let args = [&args[..], &["--shrink", "60s"]].concat();
    let events = workspace.explore(&args, 100);
    let id = |test: &str| {
        let event = events.test(&format!("shrinking::long {test}"));
        event["failure"]["id"]
            .as_str()
            .expect("it fails")
            .to_owned()
    };
    let (pool, deadlock) = (id("a_lost_update_in_a_pool"), id("two_locks_in_two_orders"));
    Finished::of(workspace.cct().args(["shrink", &pool])).expect(0);
    Failures {
        workspace,
        pool,
        deadlock,
    }
});

fn folder(id: &str) -> PathBuf {
    FOUND.workspace.path(&format!("target/cct/failures/{id}"))
}

/// A browser for a test. A machine without one says so, loudly, and passes.
fn browser(test: &str) -> Option<Browser> {
    let browser = Browser::start(test);
    if browser.is_none() {
        // Not captured, as `eprintln!` would be.
        let mut stderr = std::io::stderr();
        let _ = writeln!(
            stderr,
            "\n!!! {test}: NOT TESTED, no Chromium works on this machine \
             (`apt-get install chromium`)"
        );
    }
    browser
}

/// Opens a page, and returns the browser for it.
fn opened(test: &str, page: &str) -> Option<Browser> {
    let mut browser = browser(test)?;
    browser.open(&folder(page).join("timeline.html"));
    Some(browser)
}

/// The cursor's step, by index.
fn cursor(browser: &mut Browser) -> u64 {
    let cursor = browser.eval("state.cursor");
    let row = browser.text(".row.cursor .box");
    assert!(!row.is_empty(), "the cursor's row is there");
    cursor.as_u64().expect("a number")
}

fn number(browser: &mut Browser, expression: &str) -> u64 {
    let value = browser.eval(expression);
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{expression}: {value}"))
}

#[test]
fn a_page_shows_the_failure() {
    let Some(mut page) = opened("a_page_shows_the_failure", &FOUND.pool) else {
        return;
    };
    assert_eq!(page.text("#label"), "FAIL");
    assert!(page.text("#test").contains("a_lost_update_in_a_pool"));
    let shown = Finished::of(FOUND.workspace.cct().args(["show", &FOUND.pool, "--json"]));
    let report = Events::of(&shown).only("report").clone();
    let message = report["bug"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("right: 40"), "{message}");
    assert!(page.text("#message").contains(message));
    let facts = page.text("#facts");
    for word in [
        &*FOUND.pool,
        "strategy random",
        "iteration",
        "seed",
        "rustc",
    ] {
        assert!(facts.contains(word), "{word}: {facts}");
    }
    assert!(page.text("#length").contains("1 preemption"));
    let heads = page.text("#heads");
    for word in ["step", "main", "w1", "w4", "spawned src/lib.rs:16"] {
        assert!(heads.contains(word), "{word}: {heads}");
    }
    // The cursor begins at the failure, and its line is marked in the source.
    assert!(page.text(".row.cursor").contains("failed here"));
    let source = page.text("#source .line.here");
    assert!(source.contains("assert_eq!(done(40, 4), 40)"), "{source}");
    assert!(page.text("#end").contains("panicked"));
    assert!(page.text("#commands").contains("cargo cct replay"));
    assert_eq!(
        page.loaded.len(),
        1,
        "nothing but the page: {:?}",
        page.loaded
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn keys_and_clicks_move_the_cursor() {
    let Some(mut page) = opened("keys_and_clicks_move_the_cursor", &FOUND.pool) else {
        return;
    };
    let last = number(&mut page, "state.model.count - 1");
    page.press("Home");
    assert_eq!(cursor(&mut page), 0);
    // The test prints before it does anything else, which is a step in some schedules.
    page.eval("go(state.model.printedIn.keys().next().value)");
    assert!(cursor(&mut page) < 2);
    let step = page.text("#step");
    assert!(
        step.contains("» forty jobs, four workers printed by main"),
        "{step}"
    );
    page.press("Home");
    page.press("ArrowRight");
    page.press("j");
    page.press("ArrowDown");
    assert_eq!(cursor(&mut page), 3);
    page.press("ArrowLeft");
    page.press("k");
    assert_eq!(cursor(&mut page), 1);
    page.press("End");
    assert_eq!(cursor(&mut page), last);
    page.press("PageUp");
    assert!(cursor(&mut page) < last);
    // The one preemption, its label, and the lost update, which is marked.
    page.press("p");
    page.press("Home");
    page.press("p");
    assert!(page.text(".row.cursor").contains("preempted"));
    assert!(page.text("#step").contains("after a preemption"));
    page.eval(TO_THE_LOST_UPDATE);
    assert!(page.text(".row.cursor").contains("◀ overwrites"));
    assert!(
        page.text("#step")
            .contains("overwrites, without having seen it, step")
    );
    assert!(
        number(
            &mut page,
            "document.querySelectorAll('path.edge.race').length"
        ) > 0
    );
    // A link leads to the step it names; so does `b`, and a click on a row.
    let before = cursor(&mut page);
    page.click("#step .link");
    let after = cursor(&mut page);
    assert!(after < before);
    page.click(&format!("#step-{} .box", after + 1));
    assert_eq!(cursor(&mut page), after + 1);
    page.press("f");
    assert!(page.text(".row.cursor").contains("failed here"));
    page.press("?");
    assert_eq!(
        page.eval("document.getElementById('help').open"),
        json!(true)
    );
    page.press("Escape");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn filters_and_search_leave_what_they_say() {
    let Some(mut page) = opened("filters_and_search_leave_what_they_say", &FOUND.pool) else {
        return;
    };
    let all = number(&mut page, "state.shown.length");
    // Only the steps on the counter.
    let store = "go(state.model.lane.findIndex(\
        (_, step) => state.model.said(step).startsWith('count.store')))";
    page.eval(store);
    page.press("o");
    let shown = number(&mut page, "state.shown.length");
    assert!(shown > 0 && shown < all);
    let texts = page.eval("[...document.querySelectorAll('.box span')].map(box => box.innerText)");
    let texts = texts.as_array().expect("a list");
    assert!(
        texts
            .iter()
            .all(|text| text.as_str().unwrap_or_default().starts_with("count."))
    );
    assert!(page.text("#shown").contains("hidden"));
    assert!(number(&mut page, "document.querySelectorAll('.gap').length") > 0);
    page.press("Escape");
    assert_eq!(number(&mut page, "state.shown.length"), all);
    // Without one of the workers, by its box.
    page.click("summary");
    page.click("#workers label:nth-child(2) input");
    assert_eq!(
        number(
            &mut page,
            "document.querySelectorAll('[role=columnheader]').length"
        ),
        5
    );
    let of_other = "state.shown.filter(step => state.model.lane[step] === 1).length";
    assert_eq!(number(&mut page, of_other), 0);
    page.click("#clear");
    // Search, by keys alone.
    page.press("/");
    page.write("count.store");
    page.press("Enter");
    assert!(
        page.text("#hits").contains(" of "),
        "{}",
        page.text("#hits")
    );
    assert!(page.text(".row.cursor .box").contains("count.store"));
    assert!(number(&mut page, "document.querySelectorAll('.box.found').length") > 0);
    let first = cursor(&mut page);
    page.press("Enter");
    assert_ne!(cursor(&mut page), first);
    page.press("Escape");
    page.press("/");
    page.write("nothing has this");
    assert_eq!(page.text("#hits"), "not found");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn the_schedule_that_was_found_is_there_too() {
    let Some(mut page) = opened("the_schedule_that_was_found_is_there_too", &FOUND.pool) else {
        return;
    };
    let shrunk = page.text("#length");
    page.press("t");
    let found = page.text("#length");
    assert_ne!(shrunk, found);
    let steps = found.split(' ').next().unwrap_or_default();
    let pressed = page.text("#views [aria-pressed=true]");
    assert_eq!(pressed, format!("as found · {steps}"));
    page.click("#views button:first-child");
    assert_eq!(page.text("#length"), shrunk);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn the_step_is_marked_from_which_on_it_was_certain() {
    let Some(mut page) = opened(
        "the_step_is_marked_from_which_on_it_was_certain",
        &FOUND.deadlock,
    ) else {
        return;
    };
    let shown = Finished::of(
        FOUND
            .workspace
            .cct()
            .args(["show", &FOUND.deadlock, "--json"]),
    );
    let certain = Events::of(&shown).only("report")["certain"].clone();
    let step = certain["step"].as_u64().expect("it is known");
    // The sentence leads to the step, as the key does.
    let sentence = page.text("#certain");
    assert!(
        sentence.starts_with(&format!("◆ certain from step {step}: ")),
        "{sentence}"
    );
    page.press("Home");
    page.click("#certain button");
    let cursor = cursor(&mut page);
    assert_eq!(number(&mut page, "state.model.numbers[state.cursor]"), step);
    page.press("Home");
    page.press("c");
    assert_eq!(self::cursor(&mut page), cursor);
    // By words, beside the number, and in the account of the step.
    assert!(page.text(".row.cursor").contains("◆ certain from here"));
    assert_eq!(page.text(".row.cursor .number"), format!("◆ {step}"));
    assert!(page.text("#step").contains(&sentence));
    let marked = "document.querySelectorAll('.row.certain').length";
    assert_eq!(number(&mut page, marked), 1);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let Some(mut page) = opened("a_deadlock_says_who_waits_for_whom", &FOUND.deadlock) else {
        return;
    };
    assert_eq!(page.text("#label"), "DEADLOCK");
    let end = page.text("#end");
    assert!(
        end.contains("waits for") && end.contains("held by"),
        "{end}"
    );
    assert!(page.text(".row.cursor").contains("✗ deadlock"));
    let step = page.text("#step");
    assert!(step.contains("finds the lock taken in step"), "{step}");
    page.screenshot("deadlock.png");
    assert_eq!(page.errors, [""; 0]);
}

/// As assistive technology is told of the page.
#[test]
fn everything_has_a_role_and_a_name() {
    let Some(mut page) = opened("everything_has_a_role_and_a_name", &FOUND.pool) else {
        return;
    };
    let tree = page.call("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("a list");
    let role = |node: &Value| {
        node["role"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let count = |wanted: &str| nodes.iter().filter(|node| role(node) == wanted).count();
    for wanted in [
        "grid",
        "row",
        "columnheader",
        "rowheader",
        "gridcell",
        "button",
        "searchbox",
    ] {
        assert!(count(wanted) > 0, "{wanted}");
    }
    for node in nodes {
        let is_control =
            ["grid", "button", "searchbox", "combobox", "checkbox"].contains(&&*role(node));
        let name = node["name"]["value"].as_str().unwrap_or_default();
        assert!(!is_control || !name.is_empty(), "{node}");
    }
    // The grid tells of its row, and how many there are.
    let active = "(id => document.getElementById(id).className)\
        (document.getElementById('grid').getAttribute('aria-activedescendant'))";
    assert_eq!(page.eval(active), json!("row cursor"));
    let rows = number(&mut page, "+document.getElementById('grid').ariaRowCount");
    assert_eq!(rows, number(&mut page, "state.shown.length + 1"));
    // Tab leads through all that can be used, and each place that has the focus is seen.
    let mut seen = Vec::new();
    for _ in 0..40 {
        page.press("Tab");
        let at = page.eval(
            "(at => [at.id || at.className || at.tagName, getComputedStyle(at).outlineStyle])\
             (document.activeElement)",
        );
        assert!(at[0] == "BODY" || at[1] != "none", "{at}");
        seen.push(at[0].as_str().unwrap_or_default().to_owned());
    }
    for wanted in ["search", "object", "grid", "link", "help-button"] {
        assert!(seen.iter().any(|id| id == wanted), "{wanted}: {seen:?}");
    }
}

#[test]
fn both_themes_are_seen() {
    let Some(mut page) = opened("both_themes_are_seen", &FOUND.pool) else {
        return;
    };
    page.eval(TO_THE_LOST_UPDATE);
    let mut colours = Vec::new();
    for theme in ["light", "dark"] {
        page.prefer(theme);
        colours.push(page.eval("getComputedStyle(document.body).backgroundColor"));
        assert!(page.screenshot(&format!("{theme}.png")) > 10_000);
    }
    assert_ne!(colours[0], colours[1]);
}

/// The milliseconds that things take, told and not judged.
const COST: &str = "(() => {
    const time = (turns, act) => {
        const began = performance.now();
        for (let turn = 0; turn < turns; turn++) {
            act(turn);
            document.body.getBoundingClientRect();
        }
        return (performance.now() - began) / turns;
    };
    const grid = document.getElementById('grid');
    return {
        load: performance.getEntriesByType('navigation')[0].loadEventEnd,
        size: document.getElementById('data').textContent.length,
        cursor: time(200, turn => { go(turn * 499); draw(); }),
        scroll: time(200, turn => { grid.scrollTop = turn * 20000; draw(); }),
        search: time(5, () => search('count.store')),
        filter: time(5, () => filter()),
        view: time(5, () => view(state.model)),
    };
})()";

/// Rows outside the window are not drawn, so a step costs the same wherever the schedule is long.
#[test]
fn a_hundred_thousand_steps_are_a_window_of_rows() {
    let folder = FOUND.workspace.path("long");
    fs::create_dir_all(&folder).expect("the workspace is writable");
    let text = fs::read_to_string(self::folder(&FOUND.pool).join("trace.json"));
    let mut record: Value = text.expect("it is there").parse().expect("it is JSON");
    let steps = record["trace"]["steps"].as_array().expect("a list").clone();
    let repeated: Vec<Value> = steps.iter().cycle().take(LONG).cloned().collect();
    record["trace"]["steps"] = json!(repeated);
    fs::write(folder.join("trace.json"), record.to_string()).expect("the workspace is writable");

    // The desktop's opener, which keeps what it was to open.
    let bin = FOUND.workspace.path("bin");
    let opener = bin.join("xdg-open");
    fs::create_dir_all(&bin).expect("the workspace is writable");
    fs::write(&opener, "#!/bin/sh\nprintf %s \"$1\" > \"$0.opened\"\n").expect("it is writable");
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", bin.display());
    let mut show = FOUND.workspace.cct();
    show.args(["show", "long", "--open"]).env("PATH", path);
    let told = Finished::of(&mut show);
    told.expect(0);
    assert!(told.stdout.starts_with("Opened "), "{told:#?}");
    let shown = fs::read_to_string(bin.join("xdg-open.opened")).expect("it was opened");
    let page_file = FOUND.workspace.path(&shown);
    assert!(page_file.ends_with("long/timeline.html"));

    let Some(mut page) = browser("a_hundred_thousand_steps_are_a_window_of_rows") else {
        return;
    };
    page.open(&page_file);
    assert_eq!(number(&mut page, "state.model.count"), LONG as u64);
    let rows = "document.querySelectorAll('.row').length";
    page.press("End");
    assert_eq!(cursor(&mut page), LONG as u64 - 1);
    for scrolled in ["0", "1e6", "4e6"] {
        page.eval(&format!(
            "document.getElementById('grid').scrollTop = {scrolled}"
        ));
        let rows = number(&mut page, rows);
        assert!((5..60).contains(&rows), "{rows} rows at {scrolled}");
    }
    let cost = page.eval(COST);
    let _ = writeln!(std::io::stderr(), "{LONG} steps, milliseconds: {cost}");
    assert_eq!(page.errors, [""; 0]);
}

/// The export is read by a program that knows nothing of ours but the format.
#[test]
fn a_trace_is_exported() {
    let file = FOUND.workspace.path("trace.perfetto.json");
    let shown = Finished::of(
        FOUND
            .workspace
            .cct()
            .args(["show", &FOUND.pool, "--perfetto"])
            .arg(&file),
    );
    shown.expect(0);
    let text = fs::read_to_string(file).expect("it was written");
    let trace: Value = text.parse().expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert!(of("X") > 100 && of("M") > 5);
    assert_eq!(of("s"), of("f"));
}
