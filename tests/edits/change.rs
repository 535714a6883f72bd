//! Random edits of a source file.

use proc_macro2::TokenStream;
use syn::visit::Visit;

use crate::edits::code::{Code, Names};

/// A few numbers that look drawn.
pub(crate) struct Drawn(u64);

impl Drawn {
    pub(crate) fn new(seed: u64) -> Drawn {
        Drawn(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// A number below this one, which is not 0.
    fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % below
    }

    /// One of them, if there is one.
    fn of<'a, T>(&mut self, those: &'a [T]) -> Option<&'a T> {
        (!those.is_empty()).then(|| &those[self.below(those.len())])
    }
}

/// The name of the module that is a log.
pub(crate) const LOG_NAME: &str = "trail";

/// A log behind a lock, as logging crates have one.
const LOG: &str = "
#[allow(dead_code)]
mod trail {
    static LINES: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    static LEVEL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(2);
    pub(super) fn note(text: &str) {
        if LEVEL.load(std::sync::atomic::Ordering::Relaxed) > 1 {
            LINES.lock().unwrap().push(text.to_owned());
        }
    }
}
";

/// One to four edits that do no harm, and their names.
pub(crate) fn edited(source: &str, drawn: &mut Drawn) -> (String, Vec<&'static str>) {
    let mut text = source.to_owned();
    let mut names = Vec::new();
    for number in 0..=drawn.below(4) {
        let (name, edited) = match drawn.below(9) {
            0 => ("blank line", with_line(&text, "", drawn)),
            1 | 2 => ("comment", with_line(&text, "// Edited.", drawn)),
            3 => {
                let print = format!("println!(\"print {number}\");");
                ("print", with_statement(&text, |_| print, drawn))
            }
            4 => {
                let print = format!("eprintln!(\"print {number}\");");
                ("print", with_statement(&text, |_| print, drawn))
            }
            5 => ("note", noted(&text, drawn)),
            6 => ("moved function", moved(&text, drawn)),
            _ => ("renamed local", renamed(&text, drawn)),
        };
        if let Some(edited) = edited {
            text = edited;
            names.push(name);
        }
    }
    (text, names)
}

/// A statement of the file is left out or made twice; tells which.
pub(crate) fn changed(source: &str, drawn: &mut Drawn) -> Option<(String, String)> {
    let mut lines: Vec<&str> = source.lines().collect();
    let code = Code::of(source)?;
    let &line = drawn.of(&code.whole_statements())?;
    let text = lines[line - 1].trim().to_owned();
    let change = if drawn.coin() {
        lines.remove(line - 1);
        "without"
    } else {
        lines.insert(line - 1, lines[line - 1]);
        "twice"
    };
    Some((lines.join("\n") + "\n", format!("{change} `{text}`")))
}

/// With a line before any other that begins outside of literals.
fn with_line(source: &str, line: &str, drawn: &mut Drawn) -> Option<String> {
    let code = Code::of(source)?;
    let mut lines: Vec<&str> = source.lines().collect();
    let places: Vec<usize> = (2..=lines.len())
        .filter(|&line| code.is_between_tokens(line))
        .collect();
    lines.insert(drawn.of(&places)? - 1, line);
    Some(lines.join("\n") + "\n")
}

/// With a statement before another, whose text may depend on how many modules of the file are around it.
fn with_statement(
    source: &str,
    statement: impl FnOnce(usize) -> String,
    drawn: &mut Drawn,
) -> Option<String> {
    let code = Code::of(source)?;
    let &(line, modules) = drawn.of(&code.statements)?;
    let mut lines: Vec<&str> = source.lines().collect();
    let statement = statement(modules);
    lines.insert(line - 1, &statement);
    Some(lines.join("\n") + "\n")
}

/// With a note in the log.
fn noted(source: &str, drawn: &mut Drawn) -> Option<String> {
    let note = |modules| {
        let to_file = if modules == 0 {
            "self::".to_owned()
        } else {
            "super::".repeat(modules)
        };
        format!("{to_file}trail::note(\"noted\");")
    };
    let text = with_statement(source, note, drawn)?;
    Some(if text.contains("mod trail") {
        text
    } else {
        text + LOG
    })
}

/// With a function that stands by itself at the end of the file.
fn moved(source: &str, drawn: &mut Drawn) -> Option<String> {
    let code = Code::of(source)?;
    let &(first, last) = drawn.of(&code.functions)?;
    let lines: Vec<&str> = source.lines().collect();
    let (before, rest) = lines.split_at(first - 1);
    let (function, after) = rest.split_at(last + 1 - first);
    Some([before, after, &[""], function].concat().join("\n") + "\n")
}

/// With another name for a variable of a function.
fn renamed(source: &str, drawn: &mut Drawn) -> Option<String> {
    let code = Code::of(source)?;
    let function = drawn.of(&code.bodies)?;
    let mut names = Names::default();
    names.visit_block(&function.block);
    let tokens: TokenStream = function.tokens.clone();
    let names = names.that_can_be_renamed(&tokens);
    let name = drawn.of(&names)?;
    let other = format!("{name}_here");
    (!source.contains(&other)).then(|| function.renamed(source, name, &other))
}
