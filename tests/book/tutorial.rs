//! The program that docs/tutorial.md makes: all of it is on the page, and it is mended as the page says.

use std::fs;

use cct_tests::support::Workspace;

use crate::book::page::Page;
use crate::book::root;

const FOLDER: &str = "tests/fixtures/tutorial/";

fn page() -> Page {
    Page::read(&root().join("docs/tutorial.md"))
}

#[test]
fn the_whole_program_is_on_the_page() {
    let page = page();
    for file in ["src/lib.rs", "tests/locks.rs"] {
        let path = format!("{FOLDER}{file}");
        let blocks = page.blocks_below("file: ").into_iter();
        let blocks = blocks.filter(|(of, _)| *of == path).map(|(_, block)| block);
        let shown = blocks.collect::<Vec<_>>().join("\n");
        let text = fs::read_to_string(root().join(path)).expect("the file is there");
        assert_eq!(shown, text);
    }
}

#[test]
fn the_mended_program_passes() {
    let workspace =
        Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "tutorial");
    let page = page();
    let [(file, handler)] = page.blocks_below("mended: ")[..] else {
        panic!("one block is mended");
    };
    workspace.replace(file, "#[ignore(GaveUp: Granted)]\n", "");
    let next = "    #[entry]\n    fn work";
    workspace.replace(file, next, &format!("{handler}\n{next}"));
    let passed = workspace.explore(&["--test", "locks"], 0);
    let ended = passed.test("locks::locks everybody_gets_the_lock");
    assert_eq!(ended["status"], "PASS", "{ended:#}");
}
