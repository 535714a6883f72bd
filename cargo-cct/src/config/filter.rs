//! Filter expressions: which tests an override is for.
//!
//! A subset of nextest's filtersets: `test(…)`, `package(…)`, `binary(…)`, `binary_id(…)`,
//! `kind(…)`, `all()` and `none()`, joined by `and` (`&`), `or` (`|`, `+`), `not` (`!`) and parentheses. An
//! argument is a plain text, or `=exact`, `~contained`, `/regex/` or `#glob*`. A plain text is contained in a
//! test's name, and is a glob of anything else.

use std::fmt;

use regex_lite::Regex;

use super::suggest::did_you_mean;

/// A filter that was read.
#[derive(Clone, Debug)]
pub(crate) enum Filter {
    /// Every test.
    All,
    /// No test.
    None,
    /// Tests of which this part fits, and where in the expression that stands.
    Part(Part, Matcher, usize),
    /// All others.
    Not(Box<Filter>),
    /// Tests that fit all.
    And(Vec<Filter>),
    /// Tests that fit any.
    Or(Vec<Filter>),
}

/// A test, as filters see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Its package.
    pub package: &'a str,
    /// The name of its target.
    pub binary: &'a str,
    /// Its executable, as in reports: `package::test`.
    pub binary_id: &'a str,
    /// The kind of its target: `lib`, `test`, `bin`, ….
    pub kind: &'a str,
    /// Its path in the executable.
    pub test: &'a str,
}

impl<'a> Subject<'a> {
    fn part(&self, part: Part) -> &'a str {
        match part {
            Part::Test => self.test,
            Part::Package => self.package,
            Part::Binary => self.binary,
            Part::BinaryId => self.binary_id,
            Part::Kind => self.kind,
        }
    }
}

/// The part of a test's name that is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Test,
    Package,
    Binary,
    BinaryId,
    Kind,
}

/// A text that a part has to be like.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    Equal(String),
    Contains(String),
    Regex(Regex),
}

const PARTS: [(&str, Part); 5] = [
    ("test", Part::Test),
    ("package", Part::Package),
    ("binary", Part::Binary),
    ("binary_id", Part::BinaryId),
    ("kind", Part::Kind),
];

/// The kinds of targets that cargo has.
const KINDS: [&str; 10] = [
    "lib",
    "rlib",
    "dylib",
    "cdylib",
    "staticlib",
    "proc-macro",
    "bin",
    "test",
    "bench",
    "example",
];

/// An expression that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FilterError {
    expression: String,
    /// Where, in bytes.
    at: usize,
    wants: String,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.expression[..self.at].chars().count();
        let (expression, wants) = (&self.expression, &self.wants);
        write!(f, "{wants}\n    {expression}\n    {:column$}^", "")
    }
}

impl Filter {
    /// Reads an expression.
    pub(crate) fn parse(expression: &str) -> Result<Filter, FilterError> {
        let mut parser = Parser {
            all: expression,
            at: 0,
            depth: 0,
        };
        let filter = parser.or()?;
        parser.blank();
        if parser.rest().is_empty() {
            Ok(filter)
        } else {
            parser.fail("expected `and`, `or` or the end")
        }
    }

    /// Refuses a part of the expression that none of these targets fits, as nothing would ever come of it.
    /// Names of tests are not known before they are built.
    pub(crate) fn check(
        &self,
        expression: &str,
        targets: &[Subject<'_>],
    ) -> Result<(), FilterError> {
        match self {
            Filter::All | Filter::None | Filter::Part(Part::Test, ..) => Ok(()),
            Filter::Part(part, matcher, at) => {
                let fits = |target: &Subject<'_>| matcher.fits(target.part(*part));
                let wants = match part {
                    // A workspace may have none of that kind.
                    Part::Kind if KINDS.iter().any(|kind| matcher.fits(kind)) => return Ok(()),
                    Part::Kind => format!("the kinds are {}", KINDS.map(quoted).join(", ")),
                    _ if targets.iter().any(fits) => return Ok(()),
                    Part::Package => "no package of the workspace fits".to_owned(),
                    _ => "no target of the workspace fits".to_owned(),
                };
                Err(FilterError {
                    expression: expression.to_owned(),
                    at: *at,
                    wants,
                })
            }
            Filter::Not(filter) => filter.check(expression, targets),
            Filter::And(all) | Filter::Or(all) => all
                .iter()
                .try_for_each(|filter| filter.check(expression, targets)),
        }
    }

    /// Tells whether a test fits.
    pub(crate) fn fits(&self, subject: &Subject<'_>) -> bool {
        match self {
            Filter::All => true,
            Filter::None => false,
            Filter::Part(part, matcher, _) => matcher.fits(subject.part(*part)),
            Filter::Not(filter) => !filter.fits(subject),
            Filter::And(all) => all.iter().all(|filter| filter.fits(subject)),
            Filter::Or(all) => all.iter().any(|filter| filter.fits(subject)),
        }
    }
}

impl Matcher {
    /// True for a text like that.
    pub(crate) fn fits(&self, text: &str) -> bool {
        match self {
            Matcher::Equal(wanted) => text == wanted,
            Matcher::Contains(wanted) => text.contains(wanted.as_str()),
            Matcher::Regex(regex) => regex.is_match(text),
        }
    }
}

/// Reads by recursive descent: `or` binds less than `and`, and that less than `not`.
struct Parser<'a> {
    all: &'a str,
    at: usize,
    /// How many `not` and parentheses are around that place.
    depth: u32,
}

/// Nobody can tell any more what a deeper one means.
const DEEPEST: u32 = 100;

impl Parser<'_> {
    fn or(&mut self) -> Result<Filter, FilterError> {
        let mut all = vec![self.and()?];
        while self.takes(&["or", "||", "|", "+"]) {
            all.push(self.and()?);
        }
        Ok(Filter::Or(all))
    }

    fn and(&mut self) -> Result<Filter, FilterError> {
        let mut all = vec![self.not()?];
        while self.takes(&["and", "&&", "&"]) {
            all.push(self.not()?);
        }
        Ok(Filter::And(all))
    }

    fn not(&mut self) -> Result<Filter, FilterError> {
        if self.takes(&["not", "!"]) {
            let filter = self.deeper(Parser::not)?;
            return Ok(Filter::Not(Box::new(filter)));
        }
        if self.takes(&["("]) {
            let filter = self.deeper(Parser::or)?;
            return if self.takes(&[")"]) {
                Ok(filter)
            } else {
                self.fail("expected `)`")
            };
        }
        self.predicate()
    }

    /// Reads a part in what was begun.
    fn deeper(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Filter, FilterError>,
    ) -> Result<Filter, FilterError> {
        if self.depth == DEEPEST {
            return self.fail(&format!(
                "more than {DEEPEST} `not` and `(` are in each other"
            ));
        }
        self.depth += 1;
        let filter = read(self);
        self.depth -= 1;
        filter
    }

    fn predicate(&mut self) -> Result<Filter, FilterError> {
        self.blank();
        let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let end = self.rest().find(is_part).unwrap_or(self.rest().len());
        let name = self.rest()[..end].to_owned();
        let part = PARTS.iter().find(|(known, _)| *known == name);
        if part.is_none() && name != "all" && name != "none" {
            let known = PARTS.iter().map(|(known, _)| *known).chain(["all", "none"]);
            let wants = if name.is_empty() {
                "expected `test(…)`, `package(…)`, `binary(…)`, `kind(…)`, `all()` or the like"
                    .to_owned()
            } else {
                format!("no predicate `{name}`{}", did_you_mean(&name, known))
            };
            return self.fail(&wants);
        }
        let at = self.at;
        self.at += end;
        if !self.takes(&["("]) {
            return self.fail(&format!("expected `(` after `{name}`"));
        }
        let filter = match part {
            Some(&(_, part)) => Filter::Part(part, self.matcher(part)?, at),
            None if name == "all" => Filter::All,
            None => Filter::None,
        };
        if self.takes(&[")"]) {
            Ok(filter)
        } else {
            self.fail("expected `)`")
        }
    }

    fn matcher(&mut self, part: Part) -> Result<Matcher, FilterError> {
        self.blank();
        if self.rest().starts_with('/') {
            self.at += 1;
            let begin = self.at;
            let text = self.text('/')?;
            self.at += 1;
            return match Regex::new(&text) {
                Ok(regex) => Ok(Matcher::Regex(regex)),
                Err(error) => {
                    self.at = begin;
                    self.fail(&format!("`/{text}/` is no regular expression: {error}"))
                }
            };
        }
        let kind = self.rest().chars().next().filter(|c| "=~#".contains(*c));
        self.at += usize::from(kind.is_some());
        let begin = self.at;
        let text = self.text(')')?;
        let text = text.trim();
        if text.is_empty() {
            self.at = begin;
            return self.fail("expected a name");
        }
        Ok(match (kind, part) {
            (Some('='), _) => Matcher::Equal(text.to_owned()),
            (Some('~'), _) | (None, Part::Test) => Matcher::Contains(text.to_owned()),
            _ => glob(text),
        })
    }

    /// The text up to this character, which a backslash takes for itself.
    fn text(&mut self, end: char) -> Result<String, FilterError> {
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in self.rest().char_indices() {
            match (escaped, c) {
                (false, '\\') => escaped = true,
                (false, c) if c == end => {
                    self.at += at;
                    return Ok(text);
                }
                (true, c) => {
                    // In a regular expression any other is escaped for its sake.
                    if c != end {
                        text.push('\\');
                    }
                    text.push(c);
                    escaped = false;
                }
                (false, c) => text.push(c),
            }
        }
        self.at = self.all.len();
        self.fail(&format!("expected `{end}`"))
    }

    /// Takes one of these words or signs, if one comes next.
    fn takes(&mut self, words: &[&str]) -> bool {
        self.blank();
        let is_word = |word: &&&str| {
            let rest = self.rest().strip_prefix(**word);
            let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let ends = |rest: &str| !(word.ends_with(is_letter) && rest.starts_with(is_letter));
            rest.is_some_and(ends)
        };
        let found = words.iter().find(is_word).copied();
        self.at += found.map_or(0, str::len);
        found.is_some()
    }

    fn blank(&mut self) {
        self.at = self.all.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &str {
        &self.all[self.at..]
    }

    fn fail<T>(&self, wants: &str) -> Result<T, FilterError> {
        Err(FilterError {
            expression: self.all.to_owned(),
            at: self.at,
            wants: wants.to_owned(),
        })
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// A pattern in which `*` is any text, and `?` any character.
pub(crate) fn glob(text: &str) -> Matcher {
    if !text.contains(['*', '?']) {
        return Matcher::Equal(text.to_owned());
    }
    let mut regex = String::from("^");
    for c in text.chars() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            c => regex.push_str(&regex_lite::escape(&c.to_string())),
        }
    }
    regex.push('$');
    Matcher::Regex(Regex::new(&regex).expect("all else is escaped"))
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::fuzz;

    const SUBJECT: Subject<'_> = Subject {
        package: "my-bank",
        binary: "transfers",
        binary_id: "my-bank::transfers",
        kind: "test",
        test: "slow::two_at_once",
    };

    #[test]
    fn expressions_fit_or_do_not() {
        for (expression, expected) in [
            ("all()", true),
            ("none()", false),
            ("test(two)", true),
            ("test(=two)", false),
            ("test(=slow::two_at_once)", true),
            ("test(~at_)", true),
            ("test(/^slow::.*once$/)", true),
            ("test(/a\\/b/)", false),
            ("test(#slow::*)", true),
            ("package(my-bank)", true),
            ("package(bank)", false),
            ("package(~bank)", true),
            ("package(my-*)", true),
            ("package(my-ban?)", true),
            ("binary(transfers) & kind(test)", true),
            ("binary_id(my-bank::transfers)", true),
            ("not test(two)", false),
            ("!!test(two)", true),
            ("test(one) or test(two)", true),
            ("test(two) or test(one) and none()", true),
            ("(test(two) or test(one)) and none()", false),
            ("test(two) && not (package(a) | package(b))", true),
            (" test( two ) + none( ) ", true),
            ("not none() and not test(order)", true),
        ] {
            let filter = Filter::parse(expression).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(filter.fits(&SUBJECT), expected, "{expression}");
        }
    }

    #[test]
    fn a_part_that_fits_no_target_is_refused() {
        for (expression, expected) in [
            ("package(my-*) and not binary(transfers)", None),
            ("test(nowhere) or kind(test)", None),
            ("not kind(bench)", None),
            (
                "package(bank)",
                Some((0, "no package of the workspace fits")),
            ),
            (
                "all() and (test(two) or binary(/^x/))",
                Some((24, "no target of the workspace fits")),
            ),
            ("not kind(tset)", Some((4, "the kinds are `lib`, `rlib`"))),
        ] {
            let filter = Filter::parse(expression).expect(expression);
            let error = filter.check(expression, &[SUBJECT]).err();
            let error = error.as_ref().map(|it| (it.at, it.wants.as_str()));
            let is_expected = match (error, expected) {
                (Some((at, wants)), Some((where_, begin))) => {
                    at == where_ && wants.starts_with(begin)
                }
                (error, expected) => error == expected,
            };
            assert!(is_expected, "{expression}: {error:?}");
        }
    }

    #[test]
    fn errors_show_the_place() {
        for (expression, expected) in [
            (
                "",
                "expected `test(…)`, `package(…)`, `binary(…)`, `kind(…)`, `all()` or the like\n    \n    ^",
            ),
            (
                "tets(a)",
                "no predicate `tets`; did you mean `test`?\n    tets(a)\n    ^",
            ),
            ("test(a", "expected `)`\n    test(a\n          ^"),
            ("test()", "expected a name\n    test()\n         ^"),
            (
                "test a",
                "expected `(` after `test`\n    test a\n         ^",
            ),
            (
                "test(ä) x",
                "expected `and`, `or` or the end\n    test(ä) x\n            ^",
            ),
            ("(test(a)", "expected `)`\n    (test(a)\n            ^"),
            ("test(/a)", "expected `/`\n    test(/a)\n            ^"),
        ] {
            let error = Filter::parse(expression).expect_err(expression);
            assert_eq!(error.to_string(), expected, "{expression}");
        }
        let error = Filter::parse("test(/(/)").expect_err("no regex");
        assert!(
            error
                .to_string()
                .starts_with("`/(/` is no regular expression: "),
            "{error}"
        );
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn expressions_in_disorder_are_read_or_refused(text in fuzz::texts(vec![
            "test(", "package(", "kind(lib)", "binary_id(", "all()", "none()", ")", "(", "not ", "!", " and ",
            " or ", "/a+/", "/(/", "=a", "#a*?", "\\)", "~a",
        ])) {
            match Filter::parse(&text) {
                Ok(filter) => {
                    filter.fits(&SUBJECT);
                    drop(filter.check(&text, &[SUBJECT]).map_err(|error| error.to_string()));
                }
                Err(error) => prop_assert!(error.to_string().contains(&text)),
            }
        }
    }

    #[test]
    fn expressions_of_any_depth_are_read_or_refused() {
        for open in ["(", "!", "not ", "not("] {
            let text = open.repeat(100_000);
            assert!(Filter::parse(&text).is_err(), "{open}");
        }
        for join in [" and ", " or "] {
            let text = vec!["all()"; 100_000].join(join);
            assert!(Filter::parse(&text).is_ok_and(|filter| filter.fits(&SUBJECT)));
        }
    }
}
