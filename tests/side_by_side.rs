//! Tests of which each keeps one processor busy for a minute or two: cargo runs targets one after the other,
//! and what is in one target side by side.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

#[path = "actors.rs"]
mod actors;
#[path = "book/main.rs"]
mod book;
#[path = "corpus_runner/main.rs"]
mod corpus;
#[path = "edits/main.rs"]
mod edits;
#[path = "memory/main.rs"]
mod memory;
#[path = "oracle_runner/main.rs"]
mod oracle;
#[path = "parity/main.rs"]
mod parity;
