//! The specification.

use cct::{Monitor, Temperature};

use super::Value;

/// Safety: all that is learned is the same value.
#[derive(Debug, Default)]
pub struct OneValueIsLearned {
    learned: Option<Value>,
}

/// The event is a value that was learned.
impl Monitor for OneValueIsLearned {
    type Event = Value;

    fn on_event(&mut self, value: Value) -> Temperature {
        let learned = *self.learned.get_or_insert(value);
        assert!(
            learned == value,
            "Conflicting values learned: {learned:?} and {value:?}"
        );
        Temperature::Cold("learned")
    }
}
