//! All passes on texts that are hardly Rust, or not at all: what was Rust is Rust, and nothing panics.

use std::path::Path;

use proptest::prelude::Strategy;
use proptest::proptest;

use super::sweep::check;
use super::{Edition, Source};
use crate::fuzz;

const PIECES: [&str; 48] = [
    "#!/bin/sh\n",
    "#![a]\n",
    "\u{feff}",
    "fn f() ",
    "async ",
    "{ ",
    "} ",
    "( ",
    ") ",
    "[ ",
    "] ",
    "; ",
    ".await",
    "x.await;",
    "let x = ",
    "\"",
    "r#\"",
    "\"#",
    "b'",
    "'",
    "'a ",
    "'a'",
    "//",
    "///",
    "//!",
    "/*",
    "*/",
    "\r\n",
    "\n",
    "\r",
    "select!",
    "macro_rules! m { ",
    "$x:expr",
    "=> ",
    "::",
    "|x| ",
    "move ",
    "if ",
    "else ",
    "match ",
    "loop ",
    "return ",
    "unsafe ",
    "1.0.",
    "r#fn",
    "c\"",
    "é",
    "\0",
];

const WHOLE: &str = "\u{feff}#![allow(a)]\r\n//! Words.\r\nuse std::thread;\r\n\
async fn f(x: &[u8]) -> u8 {\r\n    let y = g(x).await?;\r\n    \
tokio::spawn(async move { h().await });\r\n    \
tokio::select! { a = b() => c(), }\r\n    let s = r#\"\n/// no \"#; /* a /* b */ */ \
if y { loop { z.await } }\r\n    \
thread::current().unpark()\r\n}\r\n";

fn check_all(text: &str) {
    for edition in [Edition::Rust2015, Edition::Rust2024] {
        check(text, Path::new("/a.rs"), edition);
    }
}

proptest! {
    #![proptest_config(fuzz::config())]

    #[test]
    fn pieces_in_any_order_come_to_no_harm(text in fuzz::texts(PIECES.to_vec())) {
        check_all(&text);
    }

    #[test]
    fn a_file_with_other_text_in_it_comes_to_no_harm(text in fuzz::damaged(WHOLE, PIECES.to_vec())) {
        check_all(&text);
    }

    #[test]
    fn any_text_comes_to_no_harm(text in "(.|\r\n|\n|\u{feff}|\0){0,80}".prop_map(|text| text)) {
        check_all(&text);
    }
}

/// Code that is nested deeper than anybody writes is left as it is.
#[test]
fn text_of_any_depth_comes_to_no_harm() {
    for depth in [150, 5_000, 100_000] {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("m!{", "}"),
            ("async { a.await; ", "}"),
        ] {
            let text = format!(
                "async fn f() {{ {}{} }}",
                open.repeat(depth),
                close.repeat(depth)
            );
            for edition in [Edition::Rust2015, Edition::Rust2024] {
                super::edits(
                    &text,
                    Path::new("/a.rs"),
                    edition,
                    super::Passes::ALL,
                    super::Named::NONE,
                );
            }
            let is_read = Source::parse(&text, Path::new("/a.rs"), Edition::Rust2024).is_some();
            assert_eq!(is_read, depth == 150, "{depth} of {open}");
        }
    }
}
