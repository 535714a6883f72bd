//! An entry in `.vscode/launch.json`: put in, or in the place of the one with its name. Everything else in
//! the file, comments included, stays as it is, byte for byte.

use std::ops::Range;

/// The text with the entry in its list of configurations; none if there is no such list to be found.
pub(super) fn with_entry(text: &str, name: &str, entry: &str) -> Option<String> {
    if text.trim().is_empty() {
        let list = indented(entry, 8);
        return Some(format!(
            "{{\n    \"version\": \"0.2.0\",\n    \"configurations\": [\n        {list}\n    ]\n}}\n"
        ));
    }
    let (list, entries) = configurations(text)?;
    let entry = indented(entry, 8);
    let is_it = |place: &&Range<usize>| is_called(&text[(*place).clone()], name);
    let (place, new) = match entries.iter().find(is_it) {
        Some(place) => (place.clone(), entry),
        None if entries.is_empty() => (list..list, format!("\n        {entry}\n    ")),
        None => (list..list, format!("\n        {entry},")),
    };
    Some(format!(
        "{}{new}{}",
        &text[..place.start],
        &text[place.end..]
    ))
}

fn indented(entry: &str, by: usize) -> String {
    entry.replace('\n', &format!("\n{}", " ".repeat(by)))
}

/// True if the object has this name.
fn is_called(object: &str, name: &str) -> bool {
    let mut tokens = Tokens::of(object);
    let mut before = [Token::End; 2];
    let mut depth = 0;
    while let Some((token, place)) = tokens.next() {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            Token::Text
                if depth == 1
                    && before == [Token::Name, Token::Colon]
                    && serde_json::from_str::<String>(&object[place.clone()])
                        .is_ok_and(|text| text == name) =>
            {
                return true;
            }
            _ => {}
        }
        let token = match token {
            Token::Text if depth == 1 && &object[place] == "\"name\"" => Token::Name,
            other => other,
        };
        before = [before[1], token];
    }
    false
}

/// Where the list of configurations begins, after its bracket, and the objects in it.
fn configurations(text: &str) -> Option<(usize, Vec<Range<usize>>)> {
    let mut tokens = Tokens::of(text);
    let (mut depth, mut before) = (0, [Token::End; 2]);
    let (mut list, mut begun, mut entries) = (None, 0, Vec::new());
    let mut is_done = false;
    while let Some((token, place)) = tokens.next() {
        match token {
            Token::Open => {
                depth += 1;
                if depth == 2 && before == [Token::Name, Token::Colon] && list.is_none() {
                    (&text[place.clone()] == "[").then_some(())?;
                    list = Some(place.end);
                }
                if depth == 3 && list.is_some() && !is_done {
                    begun = place.start;
                }
            }
            Token::Close => {
                if depth == 3 && list.is_some() && !is_done {
                    entries.push(begun..place.end);
                }
                is_done |= depth == 2 && list.is_some();
                depth -= 1;
            }
            _ => {}
        }
        let is_name = depth == 1 && &text[place] == "\"configurations\"";
        let token = if is_name { Token::Name } else { token };
        before = [before[1], token];
    }
    (depth == 0 && is_done && tokens.is_sound).then_some((list?, entries))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    Open,
    Close,
    Colon,
    /// A string.
    Text,
    /// The string that is looked for.
    Name,
    Other,
    End,
}

/// The tokens of JSON with comments.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Every string and comment has an end.
    is_sound: bool,
}

impl Tokens<'_> {
    fn of(text: &str) -> Tokens<'_> {
        Tokens {
            text,
            at: 0,
            is_sound: true,
        }
    }

    fn next(&mut self) -> Option<(Token, Range<usize>)> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            let start = self.at;
            let ends = |end: Option<usize>, length: usize| end.map(|end| end + length);
            let length = if rest.starts_with("//") {
                ends(rest.find('\n'), 1)
            } else if let Some(comment) = rest.strip_prefix("/*") {
                ends(comment.find("*/"), 4)
            } else if first == '"' {
                end_of_string(rest)
            } else {
                Some(first.len_utf8())
            };
            self.is_sound &= length.is_some() || rest.starts_with("//");
            self.at += length.unwrap_or(rest.len());
            let token = match first {
                '/' => continue,
                _ if first.is_whitespace() => continue,
                '{' | '[' => Token::Open,
                '}' | ']' => Token::Close,
                ':' => Token::Colon,
                '"' => Token::Text,
                _ => Token::Other,
            };
            return Some((token, start..self.at));
        }
    }
}

fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return Some(index + 1),
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::fuzz;

    const ENTRY: &str = "{\n    \"name\": \"cct: a\",\n    \"n\": 2\n}";

    #[test]
    fn a_file_is_made_that_is_json() {
        let text = with_entry("", "cct: a", ENTRY).expect("a file");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["configurations"][0]["n"], 2);
        let again = with_entry(&text, "cct: a", &ENTRY.replace('2', "3")).expect("a file");
        assert_eq!(again, text.replace("\"n\": 2", "\"n\": 3"));
    }

    #[test]
    fn all_else_stays() {
        let user = "// mine\n{ \"version\": \"0.2.0\", /* [ */\n  \"configurations\": [ // all\n    \
                    { \"name\": \"run } \\\" \", \"args\": [\"{\"], },\n  ],\n  \"x\": [{}]\n}\n";
        let text = with_entry(user, "cct: a", ENTRY).expect("a list");
        let entry = ENTRY.replace('\n', "\n        ");
        assert_eq!(
            text,
            user.replacen("[ //", &format!("[\n        {entry}, //"), 1)
        );
        let again = with_entry(&text, "cct: a", "{}").expect("a list");
        assert_eq!(again, user.replacen("[ //", "[\n        {}, //", 1));
        let other = with_entry(&text, "cct: b", "{}").expect("a list");
        assert_eq!(other.len(), text.len() + "\n        {},".len());
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_alone() {
        for text in [
            "[]",
            "{}",
            "{ \"configurations\": {} }",
            "{ \"configurations\": [ }",
            "{ \"configurations\": [ \"",
            "{ \"configurations\": [] /*",
            "{ \"a\": { \"configurations\": [] } }",
            "hello",
        ] {
            assert_eq!(with_entry(text, "cct: a", ENTRY), None, "{text}");
        }
        let empty = with_entry("{ \"configurations\": [] }", "cct: a", "{}");
        let expected = "{ \"configurations\": [\n        {}\n    ] }";
        assert_eq!(empty.as_deref(), Some(expected));
    }

    const WHOLE: &str = "// mine\n{ \"version\": \"0.2.0\", /* [ */\n  \"configurations\": [ // all\n    \
                         { \"name\": \"cct: a\", \"args\": [\"{\"], },\n  ],\n  \"x\": [{}]\n}\n";

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn a_file_in_disorder_is_kept_or_left_alone(text in fuzz::damaged(WHOLE, vec![
            "{", "}", "[", "]", "//", "/*", "*/", "\"", "\\", "\"name\"", ":", ",", "\"cct: a\"", "é",
        ])) {
            if let Some(made) = with_entry(&text, "cct: a", "{}") {
                let has_entry = made.contains("{}");
                prop_assert!(has_entry);
            }
        }
    }
}
