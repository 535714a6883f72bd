//! How a strategy is named on the command line, in attributes and in config files.

use std::fmt;

use super::kinds::{self, Kind, equal};
use super::suggest::suggest;
use super::{Strategy, Then};

/// A strategy, or several that take turns, with parameters.
///
/// `random`, `sticky:20`, `pct:3`, `portfolio`, or several separated by commas, which take turns
/// iteration by iteration. `portfolio` stands for [`Spec::DEFAULT`]. Each may be a combination:
/// `pct:3@500+random` is PCT up to step 500 of an iteration, and random from there on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    members: Vec<Member>,
    text: String,
}

/// One that takes turns: a strategy, or several that follow each other within an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    parts: Vec<Part>,
}

/// One strategy with its parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which.
    pub kind: Kind,
    /// The number behind the colon; 0 for a kind that takes none.
    pub parameter: u32,
    /// The step at which the next part takes over; `u32::MAX` for the last.
    pub until: u32,
}

impl Spec {
    /// The grammar of [`Spec::parse`], for messages.
    pub const GRAMMAR: &'static str = kinds::GRAMMAR;

    /// The default.
    pub const DEFAULT: &'static str = "surw,rff,pos,pct:3,sticky:20,random";

    /// Reads a strategy's name.
    pub fn parse(text: &str) -> Result<Spec, InvalidSpec> {
        let each = text.split(',').flat_map(|member| {
            let listed = if member == "portfolio" {
                Spec::DEFAULT
            } else {
                member
            };
            listed.split(',')
        });
        let members = each.map(|member| {
            Member::parse(member.as_bytes()).ok_or_else(|| InvalidSpec {
                member: member.to_owned(),
            })
        });
        let members = members.collect::<Result<Vec<_>, _>>()?;
        Ok(Spec {
            members,
            text: text.to_owned(),
        })
    }

    /// Panics unless [`Spec::parse`] takes the text: at compile time, for test attributes.
    #[doc(hidden)]
    pub const fn check(text: &str) {
        let mut rest = text.as_bytes();
        loop {
            let (member, more) = split(rest, b',');
            assert!(
                matches!(member, b"portfolio") || Member::is_valid(member),
                "not a strategy: see `cargo cct test --help` for their names"
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

    /// Builds them, with their names.
    pub fn build(&self) -> Vec<(String, Box<dyn Strategy>)> {
        let members = self.members.iter();
        members
            .map(|member| (member.to_string(), member.build()))
            .collect()
    }
}

impl Member {
    /// Its strategies, in the order in which they take over.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Builds it.
    pub fn build(&self) -> Box<dyn Strategy> {
        Part::build(&self.parts, 0)
    }

    fn parse(text: &[u8]) -> Option<Member> {
        if !Member::is_valid(text) {
            return None;
        }
        let mut parts = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (part, more) = Part::split_first(text)?;
            parts.push(part);
            rest = more;
        }
        Some(Member { parts })
    }

    /// The most parts: each is asked by way of all before it.
    const MOST_PARTS: u32 = 16;

    /// True for parts that each exist and take over later than the one before. Only the first may
    /// enumerate: a later one would not find again where it left off.
    const fn is_valid(text: &[u8]) -> bool {
        let mut rest = text;
        let mut from = 0;
        let mut parts = 0;
        while parts < Member::MOST_PARTS {
            let Some((part, more)) = Part::split_first(rest) else {
                return false;
            };
            if part.until <= from || (from > 0 && part.kind.enumerates()) {
                return false;
            }
            from = part.until;
            parts += 1;
            match more {
                Some(more) => rest = more,
                None => return true,
            }
        }
        false
    }
}

impl Part {
    /// Builds parts of which the first takes over at step `from`; each counts steps from where it does.
    fn build(parts: &[Part], from: u32) -> Box<dyn Strategy> {
        let (part, more) = parts.split_first().expect("a member has a part");
        let strategy = part.kind.build(part.parameter);
        if more.is_empty() {
            return strategy;
        }
        let then = Part::build(more, part.until);
        Box::new(Then::new(strategy, part.until - from, then))
    }

    /// Reads the first part of a member, and returns what comes behind it.
    const fn split_first(text: &[u8]) -> Option<(Part, Option<&[u8]>)> {
        let (text, until, more) = match split(text, b'+') {
            (last, None) => (last, u32::MAX, None),
            (first, more) => match split(first.trim_ascii(), b'@') {
                (_, None) => return None,
                (name, Some(digits)) => match positive(digits) {
                    None => return None,
                    Some(until) => (name, until, more),
                },
            },
        };
        match Part::parse(text, until) {
            None => None,
            Some(part) => Some((part, more)),
        }
    }

    const fn parse(text: &[u8], until: u32) -> Option<Part> {
        let (name, parameter) = match split(text.trim_ascii(), b':') {
            (name, None) => (name, None),
            (name, Some(digits)) => match positive(digits) {
                None => return None,
                parameter => (name, parameter),
            },
        };
        if equal(name, b"probabilistic") {
            return Some(Part {
                kind: Kind::Sticky,
                parameter: of_coin_flips(parameter),
                until,
            });
        }
        let mut index = 0;
        while index < Kind::ALL.len() {
            let kind = Kind::ALL[index];
            if equal(name, kind.name().as_bytes()) {
                return match (parameter, kind.default_parameter()) {
                    (Some(_), 0) => None,
                    (Some(parameter), _) | (None, parameter) => Some(Part {
                        kind,
                        parameter,
                        until,
                    }),
                };
            }
            index += 1;
        }
        None
    }
}

/// How many steps there are on the average until all of these coins come 0, as Coyote flips them for its
/// `probabilistic`; 31 coins are the most.
const fn of_coin_flips(flips: Option<u32>) -> u32 {
    match flips {
        None => 1 << 3,
        Some(flips) if flips < 31 => 1 << flips,
        Some(_) => 1 << 31,
    }
}

/// The text before the first `separator`, and the text after it.
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
        self.parts.iter().try_for_each(|part| write!(f, "{part}"))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.parameter > 0 {
            write!(f, ":{}", self.parameter)?;
        }
        if self.until < u32::MAX {
            write!(f, "@{}+", self.until)?;
        }
        Ok(())
    }
}

/// A strategy that does not exist, or with a parameter that it does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidSpec {
    member: String,
}

impl InvalidSpec {
    /// The alternatives: the nearest strategy if there is one near, and all there are.
    pub fn wants(&self) -> String {
        let near = suggest(&self.member);
        let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        format!("{}{near}", Spec::GRAMMAR)
    }
}

impl fmt::Display for InvalidSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a strategy: expected {}",
            self.member,
            self.wants()
        )
    }
}

impl std::error::Error for InvalidSpec {}

#[cfg(test)]
mod tests {
    use proptest::prelude::Strategy;
    use proptest::{prop_assert_eq, proptest};

    use super::super::Beginning;
    use super::*;
    use crate::fuzz;

    fn members(text: &str) -> Result<Vec<Vec<Part>>, InvalidSpec> {
        let parts = |spec: Spec| spec.members.into_iter().map(|member| member.parts);
        Spec::parse(text).map(|spec| parts(spec).collect())
    }

    #[test]
    fn the_portfolio_may_be_one_of_several() {
        let default = members(Spec::DEFAULT).unwrap();
        assert_eq!(members("portfolio").unwrap(), default);
        let more = members("portfolio,pctwm:3").unwrap();
        assert_eq!(more[..default.len()], default);
        assert_eq!(more.len(), default.len() + 1);
    }

    fn part(kind: Kind, parameter: u32, until: u32) -> Part {
        Part {
            kind,
            parameter,
            until,
        }
    }

    #[test]
    fn names_are_read() {
        let member = |kind, parameter| vec![part(kind, parameter, u32::MAX)];
        assert_eq!(members("random"), Ok(vec![member(Kind::Random, 0)]));
        assert_eq!(members("sticky"), Ok(vec![member(Kind::Sticky, 20)]));
        assert_eq!(
            members("pct:2, sticky:7"),
            Ok(vec![member(Kind::Pct, 2), member(Kind::Sticky, 7)])
        );
        assert_eq!(members("portfolio"), members(Spec::DEFAULT));
    }

    #[test]
    fn combinations_are_read() {
        let expected = vec![
            vec![
                part(Kind::Pct, 2, 50),
                part(Kind::Sticky, 20, 70),
                part(Kind::Random, 0, u32::MAX),
            ],
            vec![part(Kind::Random, 0, u32::MAX)],
        ];
        assert_eq!(
            members("pct:2@50+sticky@70+random,random"),
            Ok(expected.clone())
        );
        assert_eq!(
            members("pct:2@50 + sticky @70+ random, random"),
            Ok(expected)
        );
    }

    #[test]
    fn kinds_that_enumerate_are_marked() {
        for &kind in Kind::ALL {
            let built = kind.build(kind.default_parameter());
            assert_eq!(kind.enumerates(), built.enumerates(), "{kind:?}");
        }
    }

    #[test]
    fn coin_flips_make_powers_of_two() {
        let named = [
            ("probabilistic", 8),
            ("probabilistic:1", 2),
            ("probabilistic:31", 1 << 31),
            ("probabilistic:4294967295", 1 << 31),
        ];
        for (text, n) in named {
            assert_eq!(
                members(text),
                Ok(vec![vec![part(Kind::Sticky, n, u32::MAX)]])
            );
        }
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
            "probabilistic:0",
            "pct,",
            "pct:3:4",
            "sticky:4294967296",
            "Random",
            "pct@5",
            "pct+random",
            "pct@0+random",
            "pct@5+",
            "pct@5+random@5+sticky",
            "pct@5:3+random",
            "pct@5+portfolio",
        ];
        for text in wrong {
            assert!(Spec::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_wrong_one_and_all_there_are() {
        let error = Spec::parse("random,ptc:3").expect_err("wrong").to_string();
        assert!(error.starts_with("`ptc:3` is not a strategy"), "{error}");
        assert!(error.ends_with("(did you mean `pct:3`?)"), "{error}");
        for kind in Kind::ALL {
            assert!(error.contains(kind.form()), "{error}");
            assert!(!kind.about().is_empty());
        }
    }

    #[test]
    fn a_member_is_printed_as_it_is_read() {
        let of = |&kind: &Kind| part(kind, kind.default_parameter(), u32::MAX).to_string();
        let mut all: Vec<String> = Kind::ALL.iter().map(of).collect();
        all.push("pct:3@500+sticky:20@700+random".to_owned());
        for text in all {
            let spec = Spec::parse(&text).expect("well-formed");
            assert_eq!(spec.members()[0].to_string(), text);
        }
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        /// However large its numbers are, a strategy can be built and can begin.
        #[test]
        fn names_in_disorder_are_read_or_refused(text in names()) {
            let Ok(spec) = Spec::parse(&text) else {
                return Ok(());
            };
            prop_assert_eq!(Spec::parse(&spec.to_string()), Ok(spec.clone()));
            for member in spec.members() {
                let again = Spec::parse(&member.to_string()).expect("it was printed so");
                prop_assert_eq!(again.members(), std::slice::from_ref(member));
                member.build().begin(&Beginning {
                    seed: 1,
                    index: 0,
                    longest: 100,
                    fair_after: 1000,
                });
            }
        }
    }

    fn names() -> impl Strategy<Value = String> {
        let kinds = Kind::ALL.iter().map(|kind| kind.name());
        let separators = ["portfolio", ":", ":3", ",", "@5+", "@", "+", ":4294967295"];
        fuzz::texts(kinds.chain(separators).collect())
    }

    #[test]
    fn a_member_of_very_many_parts_is_refused() {
        let parts = (1..100_000).map(|step| format!("random@{step}+"));
        let text = parts.collect::<String>() + "random";
        assert!(Spec::parse(&text).is_err());
    }
}
