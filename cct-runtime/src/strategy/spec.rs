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
        let listed = if text == "portfolio" { Spec::DEFAULT } else { text };
        let members = listed.split(',').map(|member| Member::parse(member.trim()));
        let members = members.collect::<Option<Vec<_>>>().ok_or(InvalidSpec)?;
        Ok(Spec { members, text: text.to_owned() })
    }

    /// The strategies that take turns; at least one.
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

impl Member {
    fn parse(text: &str) -> Option<Member> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter.parse().ok().filter(|&n: &u32| n > 0)?)),
            None => (text, None),
        };
        match (name, parameter) {
            ("random", None) => Some(Member::Random),
            ("sticky", parameter) => Some(Member::Sticky(parameter.unwrap_or(20))),
            ("pct", parameter) => Some(Member::Pct(parameter.unwrap_or(3))),
            _ => None,
        }
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
