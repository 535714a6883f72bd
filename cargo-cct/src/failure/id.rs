//! Short names for failures, derived from what they are.

use std::fmt;

use crate::build::digest;

/// A failure's id, such as `7f3k-q2`: the same failure found again has the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Id(String);

/// Digits and letters that are not mistaken for one another when read aloud or typed.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl Id {
    /// Derives an id from a failure's parts.
    pub(crate) fn of(parts: &[&[u8]]) -> Id {
        let digest = digest::of_parts(parts);
        let bits = u64::from_str_radix(&digest[..16], 16).expect("a digest is hexadecimal");
        let letter = |n: u32| char::from(ALPHABET[(bits >> (5 * n) & 31) as usize]);
        let mut text: String = (0..6).map(letter).collect();
        text.insert(4, '-');
        Id(text)
    }

    /// Reads an id that was typed.
    pub(crate) fn parse(text: &str) -> Option<Id> {
        let text = text.to_ascii_lowercase();
        let (head, tail) = text.split_once('-')?;
        let known = |part: &str| part.bytes().all(|byte| ALPHABET.contains(&byte));
        (head.len() == 4 && tail.len() == 2 && known(head) && known(tail)).then_some(Id(text))
    }
}

impl From<Id> for String {
    fn from(id: Id) -> String {
        id.0
    }
}

/// An id that is read names a folder: it is one, or refused.
impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Id, String> {
        let id = Id::parse(&text).filter(|id| id.0 == text);
        id.ok_or_else(|| format!("`{text}` is no id of a failure"))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_follows_from_its_parts() {
        let id = Id::of(&[b"a", b"b"]);
        assert_eq!(id, Id::of(&[b"a", b"b"]));
        assert_ne!(id, Id::of(&[b"ab", b""]));
        assert_eq!(Id::parse(&id.to_string().to_uppercase()), Some(id));
    }

    #[test]
    fn paths_are_no_ids() {
        for text in ["latest", "./7f3k-q2", "7f3k-q", "7f3l-q2", ""] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
