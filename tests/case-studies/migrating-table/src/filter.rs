//! Conditions on rows.

use std::cmp::Ordering;

use crate::operation::Operation;
use crate::value::{Row, Value};

/// A condition on rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Filter {
    /// Every row matches.
    All,
    /// The property compares with the value in this way. An absent property does not, nor does one of
    /// another type.
    Compare(String, Comparison, Value),
    /// Both match.
    And(Box<Filter>, Box<Filter>),
    /// One of them matches.
    Or(Box<Filter>, Box<Filter>),
}

/// A comparison of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

const PARTITION_KEY: &str = "PartitionKey";
const ROW_KEY: &str = "RowKey";

impl Filter {
    /// Matches rows that have this property with this value.
    #[must_use]
    pub fn property_is(name: &str, value: Value) -> Filter {
        Filter::Compare(name.to_owned(), Comparison::Eq, value)
    }

    /// Matches rows of this key, whatever their partition.
    #[must_use]
    pub fn row_is(row: &str) -> Filter {
        Filter::property_is(ROW_KEY, Value::Text(row.to_owned()))
    }

    /// Matches rows of this partition that match the rest, in the form that atomic queries take.
    #[must_use]
    pub fn partition(partition: &str, rest: Filter) -> Filter {
        let partition = Filter::property_is(PARTITION_KEY, Value::Text(partition.to_owned()));
        match rest {
            Filter::All => partition,
            rest => Filter::And(Box::new(partition), Box::new(rest)),
        }
    }

    /// Matches rows that match one of these.
    #[must_use]
    pub fn or(self, other: Filter) -> Filter {
        Filter::Or(Box::new(self), Box::new(other))
    }

    /// Matches the rows that a batch is about.
    #[must_use]
    pub fn of_operations(partition: &str, operations: &[Operation]) -> Filter {
        let rest = (operations.iter())
            .map(|operation| Filter::row_is(&operation.key.row))
            .reduce(Filter::or)
            .unwrap_or(Filter::All);
        Filter::partition(partition, rest)
    }

    /// Splits a filter of an atomic query into its partition and the rest.
    #[must_use]
    pub fn pinned(&self) -> Option<(&str, &Filter)> {
        match self {
            Filter::Compare(name, Comparison::Eq, Value::Text(partition))
                if name == PARTITION_KEY =>
            {
                Some((partition, &Filter::All))
            }
            Filter::And(first, rest) => {
                let (partition, of_first) = first.pinned()?;
                (*of_first == Filter::All).then_some((partition, rest))
            }
            _ => None,
        }
    }

    /// Tells whether a row matches.
    #[must_use]
    pub fn matches(&self, row: &Row) -> bool {
        match self {
            Filter::All => true,
            Filter::Compare(name, comparison, value) => match name.as_str() {
                PARTITION_KEY => comparison.of_text(&row.key.partition, value),
                ROW_KEY => comparison.of_text(&row.key.row, value),
                _ => (row.properties.get(name)).is_some_and(|found| comparison.of(found, value)),
            },
            Filter::And(first, second) => first.matches(row) && second.matches(row),
            Filter::Or(first, second) => first.matches(row) || second.matches(row),
        }
    }
}

impl Comparison {
    fn of(self, left: &Value, right: &Value) -> bool {
        match (left, right) {
            (Value::Bool(left), Value::Bool(right)) => self.holds(left.cmp(right)),
            (Value::Int(left), Value::Int(right)) => self.holds(left.cmp(right)),
            (Value::Text(left), right) => self.of_text(left, right),
            _ => false,
        }
    }

    fn of_text(self, left: &str, right: &Value) -> bool {
        matches!(right, Value::Text(right) if self.holds(left.cmp(right.as_str())))
    }

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Eq => ordering.is_eq(),
            Comparison::Ne => ordering.is_ne(),
            Comparison::Lt => ordering.is_lt(),
            Comparison::Le => ordering.is_le(),
            Comparison::Gt => ordering.is_gt(),
            Comparison::Ge => ordering.is_ge(),
        }
    }
}
