//! Operations at random: the strategy chooses them.

use super::service::Action;
use crate::filter::Filter;
use crate::operation::{IfMatch, Kind, Operation};
use crate::value::{Etag, Key, Properties, Row, Value};

/// The property that filters look at.
pub(super) const HAPPY: &str = "isHappy";

const KINDS: [Kind; 7] = [
    Kind::Insert,
    Kind::Replace,
    Kind::Merge,
    Kind::Delete,
    Kind::InsertOrReplace,
    Kind::InsertOrMerge,
    Kind::DeleteIfExists,
];

/// Chooses one of the filters.
pub(super) fn filter() -> Filter {
    let of = |is_happy| Filter::property_is(HAPPY, Value::Bool(is_happy));
    cct::choose(&[Filter::All, of(false), of(true)]).clone()
}

/// Chooses an atomic query or a batch. Its number tells its data from those of others.
pub(super) fn atomic(service: usize, call: usize, reference: &[Row]) -> Action {
    if cct::nondet_bool() {
        return Action::Query(filter());
    }
    let mut rows: Vec<usize> = (0..6).collect();
    let length = 1 + usize::from(cct::nondet_bool());
    let mut operation = |index| {
        let row = rows.remove(cct::nondet_index(rows.len()));
        let key = Key::new("", &row.to_string());
        let marker = format!("m{service}.{call}.{index}");
        self::operation(key, marker, reference)
    };
    Action::Batch((0..length).map(&mut operation).collect())
}

fn operation(key: Key, marker: String, reference: &[Row]) -> Operation {
    let kind = *cct::choose(&KINDS);
    let mut operation = Operation::new(kind, key, Properties::new());
    if matches!(kind, Kind::Replace | Kind::Merge | Kind::Delete) {
        let row = reference.iter().find(|row| row.key == operation.key);
        let mut demands = vec![IfMatch::Any, IfMatch::Etag(Etag::WRONG)];
        demands.extend(row.map(|row| IfMatch::Etag(row.etag)));
        operation.if_match = *cct::choose(&demands);
    }
    if !matches!(kind, Kind::Delete | Kind::DeleteIfExists) {
        let is_happy = Value::Bool(cct::nondet_bool());
        operation.properties = [(marker, Value::Bool(true)), (HAPPY.to_owned(), is_happy)].into();
    }
    operation
}
