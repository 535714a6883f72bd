//! The user's source, as far as it can be found: lines to cite, and what an operation was called on.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cct::trace::Site;

use crate::column;
use crate::plain_file;
use crate::rewrite::Named;

/// Files that were read, by the path that their sites give.
#[derive(Debug)]
pub(super) struct Source {
    root: PathBuf,
    named: Named,
    /// The paths of files that sites name otherwise.
    paths: BTreeMap<String, String>,
    files: RefCell<BTreeMap<String, Rc<[String]>>>,
}

/// A receiver may be spread over this many lines.
const LINES_OF_A_CHAIN: usize = 6;
/// An awaited expression is shown if it has at most so many characters.
const LONGEST_AWAITED: usize = 18;

impl Source {
    /// Files are looked for from the workspace's root, where rustc runs.
    pub(super) fn new(root: &Path) -> Source {
        Source {
            root: root.to_owned(),
            named: Named::default(),
            paths: BTreeMap::new(),
            files: RefCell::default(),
        }
    }

    /// The same where the text was rewritten with functions in mind that settings name.
    pub(super) fn with(self, named: &Named) -> Source {
        Source {
            named: named.clone(),
            ..self
        }
    }

    /// The same with the paths of files that sites name otherwise.
    pub(super) fn with_files(self, paths: BTreeMap<String, String>) -> Source {
        Source { paths, ..self }
    }

    /// These functions.
    pub(super) fn named(&self) -> &Named {
        &self.named
    }

    /// Where files are looked for.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The text of a line, from 1.
    pub(super) fn line(&self, file: &str, line: u32) -> Option<String> {
        self.lines(file)
            .get(usize::try_from(line).ok()?.checked_sub(1)?)
            .cloned()
    }

    /// The expression before the method that a site points at: `self.balance` of
    /// `self.balance.load(…)`.
    pub(super) fn receiver(&self, site: &Site) -> Option<String> {
        let lines = self.lines(&site.file);
        let at = usize::try_from(site.line).ok()?.checked_sub(1)?;
        let line = lines.get(at)?;
        let line = &line[..column::at(line, site.column)?];
        // A chain that goes over several lines is read as if it were one.
        let first = at.saturating_sub(LINES_OF_A_CHAIN);
        let above = lines[first..at].iter().map(|line| line.trim());
        let text = above.chain([line.trim()]).collect::<Vec<_>>().join("\n");
        receiver_before(&text)
    }

    /// Returns the call at a site that points at the name of a function, method or macro: `total.lock`.
    pub(super) fn called(&self, site: &Site) -> Option<String> {
        let line = self.line(&site.file, site.line)?;
        let rest = &line[column::at(&line, site.column)?..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')?;
        let (path, rest) = (rest[..end].trim_end_matches(':'), &rest[end..]);
        let is_macro = rest.starts_with('!');
        if path.is_empty() || !(is_macro || rest.starts_with(['(', '<'])) {
            return None;
        }
        let name = without_path(path);
        Some(match self.receiver(site) {
            _ if is_macro => format!("{name}!"),
            Some(receiver) => format!("{}.{name}", short_name(&receiver)),
            None => name,
        })
    }

    /// The awaited expression at a site that points at an `await`, if it is short.
    pub(super) fn awaited(&self, site: &Site) -> Option<String> {
        let expression = self.awaited_in_full(site)?;
        let last = short_name(&expression);
        let elided = last.split_once('(').map(|(called, _)| {
            let name = called.split("::<").next().unwrap_or(called);
            format!("{name}(…)")
        });
        let forms = [Some(without_path(&expression)), Some(last), elided];
        let fits = |form: &String| form.chars().count() <= LONGEST_AWAITED;
        forms.into_iter().flatten().find(fits)
    }

    /// The same, however long it is.
    pub(super) fn awaited_in_full(&self, site: &Site) -> Option<String> {
        let line = self.line(&site.file, site.line)?;
        let rest = &line[column::at(&line, site.column)?..];
        let is_await = ["await", "__cct_await"]
            .iter()
            .any(|name| rest.starts_with(name));
        self.receiver(site).filter(|_| is_await)
    }

    /// The text of a file.
    pub(super) fn text(&self, file: &str) -> Option<String> {
        plain_file::read_to_string(&self.root.join(file)).ok()
    }

    fn lines(&self, file: &str) -> Rc<[String]> {
        let mut files = self.files.borrow_mut();
        let path = self.paths.get(file).map_or(file, String::as_str);
        let read = || {
            let text = plain_file::read_to_string(&self.root.join(path)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        Rc::clone(files.entry(file.to_owned()).or_insert_with(read))
    }
}

/// The expression at the end of a text that ends just before a method's name.
fn receiver_before(text: &str) -> Option<String> {
    let text = text.trim_end().strip_suffix('.')?.trim_end();
    let mut start = text.len();
    // The open brackets, from the back. Only the types of a call are in angle brackets, else they compare.
    let mut open = Vec::new();
    for (at, c) in text.char_indices().rev() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        let is_in_types = open.last() == Some(&'<');
        let belongs = match c {
            ')' | ']' => {
                open.push(if c == ')' { '(' } else { '[' });
                true
            }
            '>' if is_in_types && before.ends_with('-') => true,
            '>' if is_in_types || open.is_empty() && after.starts_with('(') => {
                open.push('<');
                true
            }
            _ if open.last() == Some(&c) => {
                open.pop();
                true
            }
            _ if !open.is_empty() => true,
            '.' | '_' | ':' | '?' => true,
            // Only between the parts of a chain: a line that begins with a point.
            '\n' => after.starts_with('.'),
            _ => c.is_alphanumeric(),
        };
        if !belongs {
            break;
        }
        start = at;
    }
    let expression: String = text[start..].chars().filter(|c| *c != '\n').collect();
    (!expression.is_empty() && open.is_empty()).then_some(expression)
}

/// `yield_now()` of `tokio::task::yield_now()`.
fn without_path(expression: &str) -> String {
    let end = expression
        .find(['(', '[', '<', '.'])
        .unwrap_or(expression.len());
    let path = expression[..end].trim_end_matches("::");
    let start = path.rfind("::").map_or(0, |at| at + 2);
    expression[start..].to_owned()
}

/// A site without its folders.
pub(super) fn short_site(site: &Site) -> String {
    let file = site.file.rsplit('/').next().unwrap_or_default();
    format!("{file}:{}", site.line)
}

/// The natural name of the object: the last part of the expression, unless that is a number, and
/// without an index, whose variable has had many values.
pub(super) fn short_name(expression: &str) -> String {
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for c in expression.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == '.' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("there is a first part").push(c);
        }
    }
    let is_number = |part: &String| part.chars().all(|c| c.is_ascii_digit());
    let is_adapter = |part: &String| {
        [
            "unwrap()", "as_ref()", "borrow()", "clone()", "get()", "deref()",
        ]
        .contains(&part.as_str())
    };
    while parts.len() > 1 && parts.last().is_some_and(is_adapter) {
        parts.pop();
    }
    let count = 1 + parts
        .iter()
        .rev()
        .take_while(|part| is_number(part))
        .count();
    let name = parts[parts.len().saturating_sub(count)..].join(".");
    let name = without_path(&name);
    match name.split_once('[') {
        Some((array, index)) if !index.starts_with(|c: char| c.is_ascii_digit()) => {
            array.to_owned()
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_is_what_stands_before_the_method() {
        let of = |text: &str| receiver_before(text).unwrap_or_default();
        assert_eq!(of("let b = self.balance."), "self.balance");
        assert_eq!(of("if slots[i + 1].lock."), "slots[i + 1].lock");
        assert_eq!(of("drop(inner(a, b)."), "inner(a, b)");
        assert_eq!(of("shared\n.state\n."), "shared.state");
        assert_eq!(of("foo();\nshared."), "shared");
        assert_eq!(of("*STATE."), "STATE");
        let typed = "ids.iter().sum::<fn(u8) -> Vec<_>>()";
        assert_eq!(of(&format!("let n = {typed}.")), typed);
        assert_eq!(receiver_before("Mutex::lock"), None);
        assert_eq!(receiver_before("("), None);
    }

    #[test]
    fn a_path_is_left_out_before_a_call() {
        assert_eq!(without_path("tokio::task::yield_now()"), "yield_now()");
        assert_eq!(without_path("add(a::b)"), "add(a::b)");
        assert_eq!(without_path("self.rx"), "self.rx");
        assert_eq!(without_path("mem::take::<a::T>(x)"), "take::<a::T>(x)");
    }

    #[test]
    fn a_name_is_the_last_part() {
        assert_eq!(short_name("self.balance"), "balance");
        assert_eq!(short_name("pair.0"), "pair.0");
        assert_eq!(short_name("locks[a.b]"), "locks");
        assert_eq!(short_name("locks[0]"), "locks[0]");
        assert_eq!(short_name("shared.get().unwrap()"), "shared");
        assert_eq!(short_name("module::STATE"), "STATE");
        assert_eq!(
            short_name("lazy(|cx| Pin::new(f))"),
            "lazy(|cx| Pin::new(f))"
        );
    }
}
