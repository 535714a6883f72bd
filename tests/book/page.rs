//! A page of Markdown: its links, the anchors that lead into it, its blocks of code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page.
pub(crate) struct Page {
    /// Its file.
    pub(crate) file: PathBuf,
    /// The targets of its links, as written.
    pub(crate) links: Vec<String>,
    /// The anchors of its headings, as mdBook and code forges make them.
    pub(crate) anchors: BTreeSet<String>,
    /// Its comments and blocks of code, in their order.
    parts: Vec<Part>,
}

enum Part {
    Comment(String),
    Block(String),
}

impl Page {
    /// Reads a page.
    ///
    /// # Panics
    ///
    /// If the file cannot be read.
    pub(crate) fn read(file: &Path) -> Self {
        let text = text(file);
        let mut page = Page {
            file: file.to_owned(),
            links: Vec::new(),
            anchors: BTreeSet::new(),
            parts: Vec::new(),
        };
        // The text of the heading, or block, that is being read.
        let mut open: Option<String> = None;
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push(dest_url.into_string()),
                Event::Start(Tag::Heading { .. } | Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    open = Some(String::new());
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(open) = &mut open {
                        open.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    page.anchors
                        .extend(open.take().map(|heading| anchor(&heading)));
                }
                Event::End(TagEnd::CodeBlock) => page.parts.extend(open.take().map(Part::Block)),
                Event::Html(html) => {
                    let comment = html.trim().strip_prefix("<!-- ");
                    let comment = comment.and_then(|rest| rest.strip_suffix(" -->"));
                    page.parts
                        .extend(comment.map(|text| Part::Comment(text.to_owned())));
                }
                _ => {}
            }
        }
        page
    }

    /// The file's name.
    pub(crate) fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The blocks that follow a comment that begins so, with the rest of the comment.
    pub(crate) fn blocks_below(&self, beginning: &str) -> Vec<(&str, &str)> {
        let pairs = self.parts.iter().zip(self.parts.iter().skip(1));
        let blocks = pairs.filter_map(|pair| match pair {
            (Part::Comment(comment), Part::Block(block)) => {
                Some((comment.strip_prefix(beginning)?, block.as_str()))
            }
            _ => None,
        });
        blocks.collect()
    }
}

/// The text of a file, with those that it includes.
fn text(file: &Path) -> String {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let included = text.lines().map(|line| {
        let name = line.strip_prefix("{{#include ");
        match name.and_then(|rest| rest.strip_suffix("}}")) {
            Some(name) => self::text(&file.with_file_name(name)),
            None => line.to_owned() + "\n",
        }
    });
    included.collect()
}

/// Letters, numbers, `-` and `_` in lower case, with `-` for spaces.
fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    kept.collect()
}
