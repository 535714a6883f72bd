//! Rows and their parts.

use std::collections::BTreeMap;

/// Names a row: ordered by partition, then by row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Key {
    /// The part that all rows of a batch have in common.
    pub partition: String,
    /// The part that tells the rows of a partition apart. An empty one is not valid.
    pub row: String,
}

impl Key {
    /// Puts a key together.
    #[must_use]
    pub fn new(partition: &str, row: &str) -> Key {
        Key {
            partition: partition.to_owned(),
            row: row.to_owned(),
        }
    }

    /// Returns the smallest key that is larger than this one.
    #[must_use]
    pub fn after(&self) -> Key {
        Key::new(&self.partition, &format!("{}\0", self.row))
    }
}

/// The version of a row. The table draws a new one for each modification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Etag {
    /// The table that drew it.
    pub table: char,
    /// Its number in that table.
    pub number: u32,
}

impl Etag {
    /// The version that no row ever has.
    pub const WRONG: Etag = Etag {
        table: '?',
        number: 0,
    };
}

/// The value of a property.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text.
    Text(String),
}

/// The data of a row, by name.
pub type Properties = BTreeMap<String, Value>;

/// A row of a table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Row {
    /// Its key.
    pub key: Key,
    /// Its version.
    pub etag: Etag,
    /// Its data.
    pub properties: Properties,
}
