//! The book in docs/ and the pages beside it: every page is in the summary, every link leads somewhere, code
//! is shown as it stands in the files that it names, and the worked examples find their bugs.

mod from_loom;
mod from_shuttle;
mod page;
mod samples;
mod tutorial;

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use cct_tests::support::Workspace;

use page::Page;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages of the book, and those at the top of the repository.
fn pages() -> Vec<Page> {
    let folders = [root(), root().join("docs")];
    let files = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(folder).expect("the folder is there");
        entries.map(|entry| entry.expect("it can be read").path())
    });
    let pages = files.filter(|file| file.extension().is_some_and(|end| end == "md"));
    pages.map(|file| Page::read(&file)).collect()
}

fn is_of_the_book(page: &Page) -> bool {
    page.file
        .parent()
        .is_some_and(|folder| folder.ends_with("docs"))
}

#[test]
fn each_page_is_in_the_summary() {
    let summary = Page::read(&root().join("docs/SUMMARY.md"));
    let listed: BTreeSet<_> = summary.links.iter().cloned().collect();
    let pages = pages();
    let names = pages
        .iter()
        .filter(|page| is_of_the_book(page))
        .map(Page::name)
        .filter(|name| name != "SUMMARY.md");
    assert_eq!(names.collect::<BTreeSet<_>>(), listed);
}

#[test]
fn each_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.file.clone(),
                _ => page.file.with_file_name(file),
            };
            // The book has no other files than its own.
            let leaves = is_of_the_book(&page) && file.contains("..");
            let has_anchor = || anchor.is_empty() || Page::read(&target).anchors.contains(anchor);
            if leaves || !target.exists() || !has_anchor() {
                broken.push(format!("{}: {link}", page.name()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A block of code below `<!-- file: tests/book/from_loom.rs -->` is a part of that file.
#[test]
fn code_is_shown_as_it_is() {
    let mut shown = 0;
    for page in pages() {
        for (file, block) in page.blocks_below("file: ") {
            let text = fs::read_to_string(root().join(file)).expect("the file is there");
            assert!(text.contains(block), "{}: {file}\n{block}", page.name());
            shown += 1;
        }
    }
    assert!(shown >= 4, "{shown} blocks");
}

#[test]
fn the_worked_examples_find_their_bugs() {
    catch_unwind(from_loom::a_value_arrives_whole).expect_err("Loom finds it");
    catch_unwind(from_shuttle::a_page_is_loaded_once).expect_err("Shuttle finds it");
    let events = Workspace::of_fixture("migrated").explore(&[], 100);
    for test in [
        "migrated::slot a_value_arrives_whole",
        "migrated::pages a_page_is_loaded_once",
    ] {
        assert_eq!(events.test(test)["status"], "FAIL", "{test}");
    }
}
