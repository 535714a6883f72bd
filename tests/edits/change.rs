//! Random edits of a source file.

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
}

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

/// One to four edits that do no harm. The result may not compile.
pub(crate) fn edited(source: &str, drawn: &mut Drawn) -> String {
    let mut text = source.to_owned();
    for number in 0..=drawn.below(4) {
        text = match drawn.below(9) {
            0 => inserted(&text, "", drawn, false),
            1 | 2 => inserted(&text, "// Edited.", drawn, false),
            3 => inserted(
                &text,
                &format!("println!(\"print {number}\");"),
                drawn,
                true,
            ),
            4 => inserted(
                &text,
                &format!("eprintln!(\"print {number}\");"),
                drawn,
                true,
            ),
            5 if !text.contains("mod trail") => {
                inserted(&text, "trail::note(\"noted\");", drawn, true) + LOG
            }
            6 => moved(&text, drawn),
            _ => renamed(&text, drawn),
        };
    }
    text
}

/// A statement of the file is left out or made twice; tells which.
pub(crate) fn changed(source: &str, drawn: &mut Drawn) -> (String, String) {
    let mut lines: Vec<&str> = source.lines().collect();
    let places = statements(&lines);
    if places.is_empty() {
        return (source.to_owned(), String::new());
    }
    let at = places[drawn.below(places.len())];
    let line = lines[at].trim().to_owned();
    let what = if drawn.below(2) == 0 {
        lines.remove(at);
        "without"
    } else {
        lines.insert(at, lines[at]);
        "twice"
    };
    (lines.join("\n") + "\n", format!("{what} `{line}`"))
}

/// The lines that are whole statements.
fn statements(lines: &[&str]) -> Vec<usize> {
    let is_statement = |&at: &usize| {
        let (before, line) = (lines[at - 1].trim_end(), lines[at]);
        let begins = before.ends_with([';', '{', '}']) && line.starts_with("    ");
        begins && line.ends_with(';') && !line.trim().starts_with("use ")
    };
    (1..lines.len()).filter(is_statement).collect()
}

/// With a line more, before any line or before a statement.
fn inserted(source: &str, line: &str, drawn: &mut Drawn, is_code: bool) -> String {
    let mut lines: Vec<&str> = source.lines().collect();
    let places = if is_code {
        statements(&lines)
    } else {
        (1..lines.len()).collect()
    };
    if !places.is_empty() {
        lines.insert(places[drawn.below(places.len())], line);
    }
    lines.join("\n") + "\n"
}

/// With a function that stands by itself at the end of the file.
fn moved(source: &str, drawn: &mut Drawn) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let begins = |at: &usize| {
        let line = lines[*at];
        ["fn ", "pub fn ", "async fn ", "pub async fn "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let functions: Vec<usize> = (0..lines.len()).filter(begins).collect();
    if functions.is_empty() {
        return source.to_owned();
    }
    let at = functions[drawn.below(functions.len())];
    let is_above = |line: &&&str| line.starts_with("#[") || line.starts_with("//");
    let first = at - lines[..at].iter().rev().take_while(is_above).count();
    let length = lines[at..].iter().position(|line| *line == "}");
    let last = at + length.expect("functions end");
    let (before, rest) = lines.split_at(first);
    let (function, after) = rest.split_at(last + 1 - first);
    // The file's own comments stay where they are.
    if before.is_empty() {
        return source.to_owned();
    }
    [before, after, &[""], function].concat().join("\n") + "\n"
}

/// With another name for a variable.
fn renamed(source: &str, drawn: &mut Drawn) -> String {
    let words: Vec<&str> = source.split_whitespace().collect();
    let names = words.windows(2).filter(|pair| pair[0] == "let");
    let names = names.map(|pair| pair[1].trim_end_matches(':'));
    let is_name = |name: &&str| name.chars().all(char::is_lowercase) && name.len() > 2;
    let names: Vec<&str> = names.filter(is_name).collect();
    if names.is_empty() {
        return source.to_owned();
    }
    let name = names[drawn.below(names.len())];
    let mut text = String::new();
    let mut rest = source;
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        text.push_str(before);
        let is_whole = !text.ends_with(is_word) && !after.starts_with(is_word);
        text.push_str(name);
        if is_whole && !text[..text.len() - name.len()].ends_with('.') {
            text.push_str("_here");
        }
        rest = after;
    }
    text + rest
}
