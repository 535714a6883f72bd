//! Reads from a crate's source what it may do that no run can see: count references, look at such counts, and
//! use memory without synchronisation.
//!
//! None of this goes without certain words, wherever they stand: what is switched off by a `cfg` or never
//! called counts as well. Where the words of a crate are not known, all is assumed.

use std::fs;
use std::path::{Path, PathBuf};

use cct::claim::{Exception, Exceptions};
use proc_macro2::{TokenStream, TokenTree};

use super::code::Code;
use super::dep_info;
use crate::rewrite::{Edition, Source};

/// The facts of a crate's source, or of several crates together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SourceFacts {
    /// The acts of it that no run can see.
    pub left_out: Exceptions,
    /// It may look at a count of references, or make something depend on one, but for drops.
    pub looks_at_counts: bool,
    /// The accesses to memory that are seen, at least of some crate.
    pub code: Option<Code>,
}

impl SourceFacts {
    /// The facts of no source.
    pub(crate) const NONE: SourceFacts = SourceFacts {
        left_out: Exceptions::NONE,
        looks_at_counts: false,
        code: None,
    };

    /// The assumption about a crate of which nothing is known.
    pub(crate) const UNKNOWN: SourceFacts = SourceFacts {
        left_out: Exceptions::of(Exception::ReferenceCounts)
            .and(Exceptions::of(Exception::PlainMemory))
            .and(Exceptions::of(Exception::InlineAssembly)),
        looks_at_counts: true,
        code: None,
    };

    /// Returns the facts of both.
    #[must_use]
    pub(crate) fn and(self, other: SourceFacts) -> SourceFacts {
        SourceFacts {
            left_out: self.left_out.and(other.left_out),
            looks_at_counts: self.looks_at_counts || other.looks_at_counts,
            code: self.code.max(other.code),
        }
    }
}

/// Which words of a file count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Words {
    /// All: it is part of the executable.
    All,
    /// The facts of code that it quotes: it makes code for others.
    Quoted,
}

/// The facts of a crate, by the file in which rustc names its sources.
pub(super) fn of_crate(dep_info: &Path, words: Words) -> SourceFacts {
    let Some(files) = dep_info::sources(dep_info) else {
        return SourceFacts::UNKNOWN;
    };
    let mut found = SourceFacts::NONE;
    for file in &files {
        // There is no more to be found.
        if found == SourceFacts::UNKNOWN {
            break;
        }
        found = found.and(of_file(file, words, found));
    }
    found
}

/// Where the sources of a library are named, by cargo's name for it: by rustc beside it, or by cargo where
/// that has put it under a shorter name.
pub(super) fn dep_info_of(library: &Path) -> Option<PathBuf> {
    let name = library.file_name()?.to_str()?.strip_prefix("lib")?;
    let rustcs = library.with_file_name(name).with_extension("d");
    Some(rustcs)
        .filter(|file| file.exists())
        .or_else(|| Some(library.with_extension("d")))
}

/// `known` need not be looked for.
fn of_file(file: &Path, words: Words, known: SourceFacts) -> SourceFacts {
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let text = match fs::read(file).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        // Code is text; what is included besides may be anything.
        Ok(Err(_)) if !is_rust => return SourceFacts::NONE,
        _ => return SourceFacts::UNKNOWN,
    };
    of_text(&text, file, words, known).unwrap_or(if is_rust {
        SourceFacts::UNKNOWN
    } else {
        SourceFacts::NONE
    })
}

/// None if it is not made of Rust's tokens.
fn of_text(text: &str, file: &Path, words: Words, known: SourceFacts) -> Option<SourceFacts> {
    // Most files have none of them, and need not be taken apart.
    let may_have = |(exception, hints): &(Exception, &[&str])| {
        !known.left_out.has(*exception) && hints.iter().any(|hint| text.contains(hint))
    };
    let may_look = !known.looks_at_counts && LOOKS.iter().any(|word| text.contains(word));
    if !may_look && !HINTS.iter().any(may_have) {
        return Some(SourceFacts::NONE);
    }
    let source = Source::parse(text, file, Edition::Rust2021)?;
    let mut found = Found(SourceFacts::NONE);
    match words {
        Words::All => found.read(source.tokens),
        Words::Quoted => found.read_quoted(source.tokens),
    }
    Some(found.0)
}

/// Parts of the words that matter.
const HINTS: [(Exception, &[&str]); 4] = [
    (Exception::ReferenceCounts, &["Arc"]),
    (Exception::InlineAssembly, &["asm"]),
    (Exception::RandomNumbers, &["_rdrand", "_rdseed"]),
    (
        Exception::PlainMemory,
        &[
            "unsafe", "const", "mut", "Ptr", "ptr", "addr_of", "NonNull", "Pointer", "p}",
        ],
    ),
];

/// Functions of `Arc` that look at a count: those that are called by path, that no other type has, or that
/// are called as methods.
const LOOKS: [&str; 12] = [
    "get_mut",
    "make_mut",
    "try_unwrap",
    "into_inner",
    "unwrap_or_clone",
    "strong_count",
    "weak_count",
    "upgrade",
    "downgrade",
    "new_cyclic",
    "increment_strong_count",
    "decrement_strong_count",
];
/// So many of them count only behind a path.
const BY_PATH: usize = 4;

/// Macros that make code of what they are given.
const QUOTES: [&str; 4] = [
    "quote",
    "quote_spanned",
    "parse_quote",
    "parse_quote_spanned",
];

struct Found(SourceFacts);

impl Found {
    fn read(&mut self, tokens: TokenStream) {
        let (mut before_is_pointer, mut before_is_assembly) = (false, false);
        // The marks before the token, up to two.
        let mut colons = 0;
        for token in tokens {
            let (mut is_pointer, mut is_assembly) = (false, false);
            let is_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
            match token {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    let word = word.strip_prefix("r#").unwrap_or(&word);
                    if let Some(place) = LOOKS.iter().position(|look| *look == word) {
                        self.0.looks_at_counts |= place >= BY_PATH || colons == 2;
                    }
                    match word {
                        "Arc" => self.0.left_out.add(Exception::ReferenceCounts),
                        "asm" | "naked_asm" | "global_asm" => is_assembly = true,
                        // Instructions, past all functions.
                        word if word.starts_with("_rdrand") || word.starts_with("_rdseed") => {
                            self.0.left_out.add(Exception::RandomNumbers);
                        }
                        // Without these, memory has one user at a time or is a lock or an atomic, and nobody
                        // can tell where it lies.
                        "unsafe" | "AtomicPtr" | "NonNull" | "Pointer" => {
                            self.0.left_out.add(Exception::PlainMemory);
                        }
                        word if word.split('_').any(|part| part == "ptr") => {
                            self.0.left_out.add(Exception::PlainMemory);
                        }
                        "addr_of" | "addr_of_mut" => self.0.left_out.add(Exception::PlainMemory),
                        "const" | "mut" if before_is_pointer => {
                            self.0.left_out.add(Exception::PlainMemory);
                        }
                        "raw" => is_pointer = true,
                        _ => {}
                    }
                }
                TokenTree::Punct(punct) => {
                    is_pointer = punct.as_char() == '*';
                    if before_is_assembly && punct.as_char() == '!' {
                        self.0.left_out.add(Exception::InlineAssembly);
                    }
                }
                TokenTree::Literal(literal) => {
                    if shows_an_address(&literal.to_string()) {
                        self.0.left_out.add(Exception::PlainMemory);
                    }
                }
            }
            before_is_pointer = is_pointer;
            before_is_assembly = is_assembly;
            colons = if is_colon { colons + 1 } else { 0 };
        }
    }

    /// Of a procedural macro, or what one is made with: the words that may end up in what it makes.
    fn read_quoted(&mut self, tokens: TokenStream) {
        let (mut is_quote, mut is_call) = (false, false);
        for token in tokens {
            let (mut word_quotes, mut mark_quotes) = (false, false);
            match token {
                TokenTree::Group(group) if is_call => self.read(group.stream()),
                TokenTree::Group(group) => self.read_quoted(group.stream()),
                TokenTree::Ident(word) => word_quotes = QUOTES.iter().any(|quote| word == quote),
                TokenTree::Punct(punct) => mark_quotes = is_quote && punct.as_char() == '!',
                TokenTree::Literal(literal) => self.read_text(&literal.to_string()),
            }
            (is_quote, is_call) = (word_quotes, mark_quotes);
        }
    }

    /// Text may be made into code as well, if it looks like some.
    fn read_text(&mut self, text: &str) {
        if ["Arc::", "Arc<"].iter().any(|code| text.contains(code)) {
            self.0.left_out.add(Exception::ReferenceCounts);
        }
        self.0.looks_at_counts |= LOOKS.iter().any(|word| text.contains(word));
        if text.contains("asm!") {
            self.0.left_out.add(Exception::InlineAssembly);
        }
        let of_memory = ["unsafe {", "unsafe fn", "unsafe impl", "*const ", "*mut "];
        if of_memory.iter().any(|code| text.contains(code)) {
            self.0.left_out.add(Exception::PlainMemory);
        }
    }
}

/// True for a format of a pointer: `{:p}`, `{a:#p}`, `{:>18p}`.
fn shows_an_address(text: &str) -> bool {
    text.split('{').skip(1).any(|rest| {
        let format = rest
            .split_once('}')
            .and_then(|(inside, _)| inside.split_once(':'));
        format.is_some_and(|(_, format)| format.ends_with('p'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::proptest;

    use super::*;
    use crate::fuzz;

    fn found(text: &str, words: Words) -> Vec<&'static str> {
        let found = of_text(text, Path::new("/a.rs"), words, SourceFacts::NONE);
        found.expect("tokens").left_out.names().collect()
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let counts = ["reference counts"];
        for text in [
            "use std::sync::{Arc, Mutex};",
            "pub use alloc::sync::Arc as Shared;",
            "macro_rules! shared { ($e:expr) => { ::std::sync::Arc::new($e) } }",
            "#[cfg(never)] fn f(_: r#Arc<u8>) {}",
        ] {
            assert_eq!(found(text, Words::All), counts, "{text}");
        }
        let memory = ["plain memory"];
        for text in [
            "fn f() { unsafe { g() } }",
            "unsafe impl Sync for A {}",
            "fn f(p: *const u8) {}",
            "fn f(p: usize) -> *mut u8 { p as *mut u8 }",
            "fn f(a: &A, b: &A) -> bool { std::ptr::eq(a, b) }",
            "use std::sync::atomic::AtomicPtr;",
            "fn f(a: &A) -> String { format!(\"{a:p}\") }",
            "fn f(a: &A) -> String { format!(\"{a:#p}\") }",
            "fn f(a: &A) -> String { format!(\"{:>18p} is it\", a) }",
            "fn f(a: &[u8]) -> usize { a.as_ptr_range().start.addr() }",
            "fn f(a: &mut [u8]) -> usize { a.as_mut_ptr().addr() }",
            "fn f(a: &A) -> usize { (&raw const *a).addr() }",
            "fn f(a: &A) -> usize { addr_of!(*a).addr() }",
            "fn f(a: NonNull<A>) {}",
            "fn f(a: &A) -> String { as_text(a, std::fmt::Pointer::fmt) }",
        ] {
            assert_eq!(found(text, Words::All), memory, "{text}");
        }
    }

    #[test]
    fn looks_at_counts_are_known_by_their_names() {
        let looks = |text| {
            let found = of_text(text, Path::new("/a.rs"), Words::All, SourceFacts::NONE);
            found.expect("tokens").looks_at_counts
        };
        for text in [
            "fn f(a: &mut Arc<u8>) { Arc::get_mut(a); }",
            "fn f(a: Arc<u8>) { Arc::<u8>::try_unwrap(a); }",
            "fn f(a: &Weak<u8>) { a.upgrade(); }",
            "fn f(a: &Arc<u8>) -> usize { Arc::strong_count(a) }",
            "macro_rules! m { ($a:expr) => { std::sync::Arc::make_mut($a) } }",
        ] {
            assert!(looks(text), "{text}");
        }
        for text in [
            "fn f(a: &mut Mutex<u8>) { a.get_mut(); a.into_inner(); } fn get_mut(a: u8) {}",
            "fn f(a: &Arc<u8>) { Arc::clone(a); /* Arc::get_mut */ }",
            "struct A { get_mut: u8 }",
        ] {
            assert!(!looks(text), "{text}");
        }
    }

    #[test]
    fn other_words_are_not() {
        for text in [
            "#![forbid(unsafe_code)] // unsafe, Arc",
            "/// An `Arc`, and `unsafe`.\nfn f(a: &mut Arcade) { *a = 3; }",
            "fn f(a: &str) { f(\"unsafe Arc\"); }",
            "const RAW: u8 = 1; fn raw(raw: u8) -> String { format!(\"{raw} {raw:x}p\") }",
            "const A: u32 = 2 * B; fn f(mut a: u32) -> u32 { a * a }",
        ] {
            assert_eq!(found(text, Words::All), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_macro_is_what_it_makes() {
        let both = ["reference counts", "plain memory"];
        let own = "fn f() { unsafe { Arc::new(g(\"no unsafe here\")) } }";
        assert_eq!(found(own, Words::Quoted), [""; 0]);
        let quoted = "fn f() { let a = 1; quote! { unsafe { ::std::sync::Arc::new(#a) } } }";
        assert_eq!(found(quoted, Words::Quoted), both);
        let spelled = "fn f() { \"unsafe { std::sync::Arc::new(1) }\".parse() }";
        assert_eq!(found(spelled, Words::Quoted), both);
    }

    #[test]
    fn assembly_is_a_macro_of_that_name() {
        let left_out = |text: &str| {
            let found = of_text(text, Path::new("/a.rs"), Words::All, SourceFacts::NONE);
            let found = found.unwrap_or(SourceFacts::NONE);
            found.left_out.has(Exception::InlineAssembly)
        };
        for text in [
            "fn f() { asm!(\"nop\") }",
            "core::arch::naked_asm! { \"ret\" }",
        ] {
            assert!(left_out(text), "{text}");
        }
        for text in ["mod asm;", "use std::arch::asm;", "// asm!(\"\")"] {
            assert!(!left_out(text), "{text}");
        }
    }

    #[test]
    fn a_file_is_read_for_facts_that_are_not_known() {
        let counts = SourceFacts {
            left_out: Exceptions::of(Exception::ReferenceCounts),
            looks_at_counts: true,
            code: None,
        };
        let found = |text| of_text(text, Path::new("/a.rs"), Words::All, counts).expect("tokens");
        assert_eq!(
            found("use std::sync::Arc; fn f() { Arc::strong_count() }"),
            SourceFacts::NONE
        );
        let text = "use std::sync::Arc; fn f() { unsafe { Arc::strong_count(asm!()) } }";
        assert_eq!(found(text), SourceFacts::UNKNOWN);
    }

    #[test]
    fn what_cannot_be_read_is_assumed_to_have_all() {
        assert_eq!(
            of_crate(Path::new("/nowhere.d"), Words::All),
            SourceFacts::UNKNOWN
        );
        let broken = of_text("Arc \"", Path::new("/a.rs"), Words::All, SourceFacts::NONE);
        assert_eq!(broken, None);
        let library = Path::new("/nowhere/libserde_derive-1f.so");
        let named = dep_info_of(library).expect("a library");
        assert_eq!(of_crate(&named, Words::Quoted), SourceFacts::UNKNOWN);
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn any_text_has_facts_or_is_unknown(text in fuzz::texts(vec![
            "Arc", "::", "get_mut", "*", "const", "asm", "!", "(", ")", "{", "}", "r#", "\"", "'", "//", "/*",
            "{:p}", "unsafe", "quote", "b'",
        ])) {
            for words in [Words::All, Words::Quoted] {
                of_text(&text, Path::new("/a.rs"), words, SourceFacts::NONE);
            }
        }
    }

    #[test]
    fn text_of_any_depth_has_facts_or_is_unknown() {
        for open in ["(", "[", "{"] {
            let close = if open == "(" {
                ")"
            } else if open == "[" {
                "]"
            } else {
                "}"
            };
            let text = format!("{}Arc{}", open.repeat(100_000), close.repeat(100_000));
            for words in [Words::All, Words::Quoted] {
                of_text(&text, Path::new("/a.rs"), words, SourceFacts::NONE);
            }
        }
    }
}
