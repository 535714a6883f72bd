//! Which iterations of a search a process makes, as the tool tells it.

use std::fmt;

/// The part of a search that one process has: its number, and the number of parts.
///
/// Parts are either processes that the tool watches together, or *shards*, which know nothing of each other.
/// A shard plans as many iterations for each of the shards as the settings say, so that all of them together
/// make what one search would that is so many times as long; it may begin at a later one, where it was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its number, from 0.
    pub number: u32,
    /// The number of parts.
    pub of: u32,
    /// The iteration that a shard begins at, from 1; `None` if this is no shard.
    pub from: Option<u64>,
}

impl Part {
    /// The whole search.
    pub const WHOLE: Part = Part {
        number: 0,
        of: 1,
        from: None,
    };

    /// Reads what `Display` writes: `1/4`, or for a shard `1/4@17`.
    pub fn parse(text: &str) -> Option<Part> {
        let (part, from) = match text.split_once('@') {
            Some((part, from)) => (part, Some(from.parse().ok().filter(|&from| from > 0)?)),
            None => (text, None),
        };
        let (number, of) = part.split_once('/')?;
        let (number, of) = (number.parse().ok()?, of.parse().ok()?);
        (number < of).then_some(Part { number, of, from })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)?;
        match self.from {
            Some(from) => write!(f, "@{from}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

    #[test]
    fn a_part_is_one_of_so_many() {
        for text in ["0/1", "2/3", "0/1@1", "7/16@1000"] {
            let part = Part::parse(text).expect("a part");
            assert_eq!(part.to_string(), text);
        }
        for wrong in [
            "", "1", "3/3", "1/0", "-1/2", "a/b", "0/1/2", "0/1@", "0/1@0", "@1",
        ] {
            assert_eq!(Part::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn text_in_disorder_is_a_part_or_none(text in fuzz::texts(vec!["0", "/", "/2", "@", "@7"])) {
            if let Some(part) = Part::parse(&text) {
                prop_assert_eq!(Part::parse(&part.to_string()), Some(part));
            }
        }
    }
}
