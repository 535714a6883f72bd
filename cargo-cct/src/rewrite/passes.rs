//! Which parts of the rewriting are on.

/// How sure the passes of a part are of what they see. When the result does not compile, the least sure are
/// given up first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Sureness {
    /// They cannot be wrong.
    Sure,
    /// They know what they see.
    Certain,
    /// They guess.
    Guess,
    /// They are for crates that are known by name, whether these are explored step by step or not.
    Known,
}

macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident = $name:literal: $sureness:ident,)*) => {
        /// A part of the rewriting: passes that are on or off together.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Part {
            $($(#[$doc])* $part,)*
        }

        /// The names are kept beside what was built.
        const PARTS: &[(Part, &str, Sureness)] = &[$((Part::$part, $name, Sureness::$sureness),)*];
    };
}
parts! {
    /// Each `.await` is a place where the task may be held.
    Await = "await": Sure,
    /// Futures that are handed to a runtime say that they are tasks, and where they were spawned.
    Tasks = "tasks": Certain,
    /// Statement boundaries are told to the engine.
    Statements = "statements": Certain,
    /// Futures that are handed to what may be a runtime of some kind are tasks, too.
    Handed = "handed": Guess,
    /// The engine replaces the random branch choices of known crates.
    Choices = "choices": Known,
}

impl Part {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its name.
    #[cfg(test)]
    pub(super) fn name(self) -> &'static str {
        PARTS[self as usize].1
    }
}

/// A set of parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Passes(u8);

impl Passes {
    /// Nothing is rewritten.
    pub(crate) const NONE: Passes = Passes(0);
    /// All that is done to a crate of which nothing is known.
    pub(crate) const ALL: Passes = Passes::up_to(Sureness::Guess);
    /// The edits of a crate that chooses branches at random, whether it is explored step by step or not.
    pub(crate) const CHOICES: Passes = Passes(Part::Choices.bit());

    /// The parts that are at least so sure.
    const fn up_to(sureness: Sureness) -> Passes {
        let mut bits = 0;
        let mut at = 0;
        while at < PARTS.len() {
            let (part, _, own) = PARTS[at];
            if own as u8 <= sureness as u8 {
                bits |= part.bit();
            }
            at += 1;
        }
        Passes(bits)
    }

    /// Tells whether a part is on.
    pub(crate) fn contains(self, part: Part) -> bool {
        self.0 & part.bit() != 0
    }

    /// Tells whether nothing is rewritten.
    pub(crate) fn is_empty(self) -> bool {
        self == Passes::NONE
    }

    /// These and others.
    pub(crate) fn and(self, others: Passes) -> Passes {
        Passes(self.0 | others.0)
    }

    /// The passes to try when the result does not compile: without those that are least sure; none when it is
    /// the user's own text.
    pub(crate) fn fewer(self) -> Option<Passes> {
        let on = PARTS.iter().filter(|(part, ..)| self.contains(*part));
        let least = on.map(|(_, _, sureness)| *sureness).max()?;
        let surer = PARTS.iter().filter(|(_, _, sureness)| *sureness < least);
        let bits = surer.fold(0, |bits, (part, ..)| bits | part.bit());
        Some(Passes(self.0 & bits))
    }

    /// The names, with commas between.
    pub(crate) fn names(self) -> String {
        let names = PARTS.iter().filter(|(part, ..)| self.contains(*part));
        names
            .map(|(_, name, _)| *name)
            .collect::<Vec<_>>()
            .join(",")
    }

    /// Reads the names; none when one is not known.
    pub(crate) fn parse(names: &str) -> Option<Passes> {
        let names = names.split(',').filter(|name| !name.is_empty());
        let bits = names.map(|name| {
            let known = PARTS.iter().find(|(_, known, _)| *known == name)?;
            Some(known.0.bit())
        });
        bits.sum::<Option<u8>>().map(Passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_ends_with_the_users_own_text() {
        let mut steps = vec![Passes::ALL.and(Passes::CHOICES)];
        while let Some(fewer) = steps[steps.len() - 1].fewer() {
            steps.push(fewer);
        }
        let names: Vec<_> = steps.iter().map(|passes| passes.names()).collect();
        assert_eq!(
            names,
            [
                "await,tasks,statements,handed,choices",
                "await,tasks,statements,handed",
                "await,tasks,statements",
                "await",
                ""
            ]
        );
    }

    #[test]
    fn names_are_read_back() {
        assert_eq!(Passes::parse(&Passes::ALL.names()), Some(Passes::ALL));
        assert_eq!(Passes::parse(""), Some(Passes::NONE));
        assert_eq!(Passes::parse("await,other"), None);
    }
}
