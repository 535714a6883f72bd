//! The tool's output for programs: `--json`, read line by line.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Finished;

/// The lines of one call.
#[derive(Debug)]
pub struct Events(Vec<Value>);

impl Events {
    /// Reads standard output.
    #[track_caller]
    pub fn of(finished: &Finished) -> Self {
        Self::read(&finished.stdout)
    }

    /// Reads lines; one that is no object with a version and a kind is an error.
    #[track_caller]
    pub fn read(text: &str) -> Self {
        let read = |line: &str| {
            let value: Value = line
                .parse()
                .unwrap_or_else(|error| panic!("no JSON: {error}\n{line}"));
            assert!(value["version"].is_u64(), "no version: {line}");
            assert!(value["event"].is_string(), "no kind: {line}");
            value
        };
        Self(text.lines().map(read).collect())
    }

    /// The events of a kind, in order.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |event| event["event"] == kind)
    }

    /// The only event of a kind.
    #[track_caller]
    pub fn only(&self, kind: &str) -> &Value {
        let mut events = self.of_kind(kind);
        match (events.next(), events.next()) {
            (Some(event), None) => event,
            _ => panic!("not exactly one `{kind}` in {:#?}", self.0),
        }
    }

    /// The event of each test that ended, by its name: the executable's, a blank, its own.
    pub fn ended(&self) -> BTreeMap<String, &Value> {
        let named = |event| (name(event), event);
        self.of_kind("test_ended").map(named).collect()
    }

    /// The event of one test that ended.
    #[track_caller]
    pub fn test(&self, name: &str) -> &Value {
        let ended = self.ended();
        let known = || ended.keys().cloned().collect::<Vec<_>>();
        ended
            .get(name)
            .unwrap_or_else(|| panic!("no `{name}` among {:?}", known()))
    }

    /// The word for how each test ended.
    pub fn statuses(&self) -> BTreeMap<String, String> {
        let status = |event: &Value| event["status"].as_str().unwrap_or_default().to_owned();
        let ended = self.ended().into_iter();
        ended.map(|(name, event)| (name, status(event))).collect()
    }
}

/// The full name of the test that an event or a failure is about.
pub fn name(event: &Value) -> String {
    let part = |key: &str| event[key].as_str().unwrap_or_default();
    format!("{} {}", part("binary"), part("test"))
        .trim_end()
        .to_owned()
}
