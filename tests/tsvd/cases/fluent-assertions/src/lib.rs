//! FluentAssertions, issue 862: the options of an equivalency keep for each type whether it is compared by
//! value, and assertions that run at a time share them.

use std::any::TypeId;

use dictionary::Dictionary;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EqualityStrategy {
    Equals,
    Members,
}

#[derive(Debug, Default)]
pub struct EquivalencyOptions {
    has_value_semantics: Dictionary<TypeId, bool>,
}

impl EquivalencyOptions {
    /// How values of the type are compared.
    pub fn equality_strategy<T: 'static>(&self) -> EqualityStrategy {
        let key = TypeId::of::<T>();
        let by_value = self.has_value_semantics.try_get(&key).unwrap_or_else(|| {
            let by_value = !std::mem::needs_drop::<T>();
            self.has_value_semantics.set(key, by_value);
            by_value
        });
        if by_value {
            EqualityStrategy::Equals
        } else {
            EqualityStrategy::Members
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn one_type_by_two() {
        let options = Arc::new(EquivalencyOptions::default());
        let tasks = [(), ()].map(|()| {
            let options = options.clone();
            thread::spawn(move || options.equality_strategy::<String>())
        });
        for task in tasks {
            assert_eq!(task.join().unwrap(), EqualityStrategy::Members);
        }
    }
}
