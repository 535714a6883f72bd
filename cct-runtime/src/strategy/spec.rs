//! How a strategy is named on the command line, in attributes and in config files.

use std::fmt;

/// A strategy, or several that take turns, with parameters.
///
/// `random`, `sticky:20`, `pct:3`, `portfolio`, or several separated by commas, which take turns
/// iteration by iteration. `portfolio` stands for `sticky:20,sticky:200,pct:3,random`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    members: Vec<Member>,
    text: String,
}

/// One strategy with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// Uniform random.
    Random,
    /// Sticky random walk: switches with probability 1/n.
    Sticky(u32),
    /// PCT of depth d.
    Pct(u32),
}

impl Spec {
    /// What [`Spec::parse`] takes, for messages.
    pub const GRAMMAR: &'static str =
        "`portfolio`, `random`, `sticky:N`, `pct:D`, or several of them with commas between";

    /// What is used when nothing is said.
    pub const DEFAULT: &'static str = "sticky:20,sticky:200,pct:3,random";

    /// Reads a strategy's name.
    pub fn parse(text: &str) -> Result<Spec, InvalidSpec> {
        let listed = if text == "portfolio" {
            Spec::DEFAULT
        } else {
            text
        };
        let members = listed
            .split(',')
            .map(|member| Member::parse(member.as_bytes()));
        let members = members.collect::<Option<Vec<_>>>().ok_or(InvalidSpec)?;
        Ok(Spec {
            members,
            text: text.to_owned(),
        })
    }

    /// Panics unless [`Spec::parse`] takes the text: at compile time, for test attributes.
    #[doc(hidden)]
    pub const fn check(text: &str) {
        let mut rest = text.as_bytes();
        if matches!(rest, b"portfolio") {
            return;
        }
        loop {
            let (member, more) = split(rest, b',');
            assert!(
                Member::parse(member).is_some(),
                "not a strategy: expected `portfolio`, `random`, `sticky:N`, `pct:D`, \
                 or several of them with commas between"
            );
            match more {
                Some(more) => rest = more,
                None => return,
            }
        }
    }

    /// The strategies that take turns; at least one.
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

impl Member {
    const fn parse(text: &[u8]) -> Option<Member> {
        let (name, parameter) = match split(text.trim_ascii(), b':') {
            (name, None) => (name, None),
            (name, Some(digits)) => match positive(digits) {
                None => return None,
                parameter => (name, parameter),
            },
        };
        match (name, parameter) {
            (b"random", None) => Some(Member::Random),
            (b"sticky", None) => Some(Member::Sticky(20)),
            (b"sticky", Some(n)) => Some(Member::Sticky(n)),
            (b"pct", None) => Some(Member::Pct(3)),
            (b"pct", Some(depth)) => Some(Member::Pct(depth)),
            _ => None,
        }
    }
}

/// What is before the first `separator`, and what is after it.
const fn split(text: &[u8], separator: u8) -> (&[u8], Option<&[u8]>) {
    let mut at = 0;
    while at < text.len() {
        if text[at] == separator {
            return (text.split_at(at).0, Some(text.split_at(at + 1).1));
        }
        at += 1;
    }
    (text, None)
}

/// A whole number from 1 that fits.
const fn positive(digits: &[u8]) -> Option<u32> {
    let Ok(digits) = str::from_utf8(digits) else {
        return None;
    };
    match u32::from_str_radix(digits, 10) {
        Ok(0) | Err(_) => None,
        Ok(number) => Some(number),
    }
}

impl Default for Spec {
    fn default() -> Self {
        Spec::parse("portfolio").expect("the default strategy is well-formed")
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Member::Random => f.write_str("random"),
            Member::Sticky(n) => write!(f, "sticky:{n}"),
            Member::Pct(depth) => write!(f, "pct:{depth}"),
        }
    }
}

/// A strategy that does not exist, or with a parameter that it does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidSpec;

impl fmt::Display for InvalidSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a strategy: expected {}", Spec::GRAMMAR)
    }
}

impl std::error::Error for InvalidSpec {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let members = |text| Spec::parse(text).map(|spec| spec.members().to_vec());
        assert_eq!(members("random"), Ok(vec![Member::Random]));
        assert_eq!(members("sticky"), Ok(vec![Member::Sticky(20)]));
        assert_eq!(
            members("pct:2, sticky:7"),
            Ok(vec![Member::Pct(2), Member::Sticky(7)])
        );
        assert_eq!(members("portfolio"), members(Spec::DEFAULT));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let wrong = [
            "",
            "fair",
            "random:1",
            "pct:0",
            "pct:-1",
            "pct:+",
            "sticky:",
            "pct,",
            "pct:3:4",
            "sticky:4294967296",
            "portfolio,random",
            "Random",
        ];
        for text in wrong {
            assert_eq!(Spec::parse(text), Err(InvalidSpec), "{text:?}");
        }
    }

    #[test]
    fn a_member_is_printed_as_it_is_read() {
        for member in [Member::Random, Member::Sticky(20), Member::Pct(3)] {
            let spec = Spec::parse(&member.to_string()).expect("well-formed");
            assert_eq!(spec.members(), [member]);
        }
    }
}
