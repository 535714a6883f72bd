//! Which passes are on.

/// One source transformation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Pass {
    /// Each `.await` is a place where the task may be held.
    Await = 1,
    /// Futures that are handed to a runtime say that they are tasks, and where they were spawned.
    Tasks = 2,
    /// Statements have borders.
    Statements = 4,
    /// So do futures that are handed to what may be a runtime of some kind.
    Handed = 8,
    /// What a crate draws by lot, the engine chooses: for crates that are known to.
    Choices = 16,
}

/// A set of passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Passes(u8);

impl Passes {
    /// Nothing is rewritten.
    pub(crate) const NONE: Passes = Passes(0);
    /// All that is done to a crate of which nothing is known.
    pub(crate) const ALL: Passes = Passes(Self::CERTAIN.0 | Pass::Handed as u8);
    /// Those that know what they see.
    const CERTAIN: Passes = Passes(Pass::Await as u8 | Pass::Tasks as u8 | Pass::Statements as u8);
    /// What is done to a crate that draws lots, whether it is explored step by step or not.
    pub(crate) const CHOICES: Passes = Passes(Pass::Choices as u8);
    /// The names of the passes, as they are kept beside what was built.
    const NAMES: [(Pass, &str); 5] = [
        (Pass::Await, "await"),
        (Pass::Tasks, "tasks"),
        (Pass::Statements, "statements"),
        (Pass::Handed, "handed"),
        (Pass::Choices, "choices"),
    ];

    /// Tells whether a pass is on.
    pub(crate) fn contains(self, pass: Pass) -> bool {
        self.0 & pass as u8 != 0
    }

    /// Tells whether nothing is rewritten.
    pub(crate) fn is_empty(self) -> bool {
        self == Passes::NONE
    }

    /// These and others.
    pub(crate) fn and(self, others: Passes) -> Passes {
        Passes(self.0 | others.0)
    }

    /// What to try when the result does not compile; none when it is the user's own text.
    pub(crate) fn fewer(self) -> Option<Passes> {
        const FIRST: Passes = Passes(Pass::Await as u8);
        if self.contains(Pass::Choices) {
            return Some(Passes(self.0 & !Passes::CHOICES.0));
        }
        match self {
            Passes::NONE => None,
            FIRST => Some(Passes::NONE),
            Passes::ALL => Some(Passes::CERTAIN),
            _ => Some(FIRST),
        }
    }

    /// The names, with commas between.
    pub(crate) fn names(self) -> String {
        let names = Self::NAMES.iter().filter(|(pass, _)| self.contains(*pass));
        names.map(|(_, name)| *name).collect::<Vec<_>>().join(",")
    }

    /// Reads the names; none when one is not known.
    pub(crate) fn parse(names: &str) -> Option<Passes> {
        let names = names.split(',').filter(|name| !name.is_empty());
        let bits = names.map(|name| {
            let known = Self::NAMES.iter().find(|(_, known)| *known == name)?;
            Some(known.0 as u8)
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
