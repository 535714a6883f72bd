//! `[workspace.metadata.cct]` and `[package.metadata.cct]`: settings that count less than a test's own.

use cct::config::Settings;
use serde_json::Value;

use super::value::assign;

/// A table that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("`{table}`: {message}")]
pub(crate) struct ConfigError {
    table: String,
    message: String,
}

/// Reads the `cct` table of a manifest's metadata; `owner` is `workspace` or `package`.
pub(crate) fn configured(metadata: &Value, owner: &str) -> Result<Settings, ConfigError> {
    let failed = |message| ConfigError {
        table: format!("{owner}.metadata.cct"),
        message,
    };
    let table = match metadata.get("cct") {
        None => return Ok(Settings::default()),
        Some(Value::Object(table)) => table,
        Some(_) => return Err(failed("expected a table".to_owned())),
    };
    let mut settings = Settings::default();
    for (key, value) in table {
        let text = text(value).ok_or_else(|| failed(format!("`{key}` is no plain value")))?;
        assign(&mut settings, key, &text).map_err(failed)?;
    }
    Ok(settings)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Array(values) => Some(
            values
                .iter()
                .map(text)
                .collect::<Option<Vec<_>>>()?
                .join(","),
        ),
        Value::Null | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::fuzz;

    #[test]
    fn values_are_read_as_on_the_command_line() {
        let metadata = json!({ "cct": {
            "iterations": 5, "time": "2s", "max-steps": 9, "atomic": ["a", "b"], "hang_timeout": 3,
            "rewrite": false, "interleave": ["a"], "uncontrolled_timeout": "1s",
        }});
        let config = configured(&metadata, "package").expect("well-formed");
        assert_eq!(config.iterations, Some(5));
        assert_eq!(config.time, Some(Duration::from_secs(2)));
        assert_eq!(config.max_steps, Some(9));
        assert_eq!(config.atomic, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(config.hang_timeout, Some(Duration::from_secs(3)));
        assert_eq!(config.uncontrolled_timeout, Some(Duration::from_secs(1)));
        assert_eq!(config.rewrite, Some(false));
        assert_eq!(config.interleave, Some(vec!["a".to_owned()]));
    }

    #[test]
    fn unknown_keys_are_errors() {
        let error = configured(&json!({ "cct": { "iteration": 5 } }), "workspace");
        let message = error.expect_err("no such setting").to_string();
        assert!(
            message.starts_with("`workspace.metadata.cct`: no setting `iteration`; did you mean"),
            "{message}"
        );
    }

    #[test]
    fn no_table_is_no_error() {
        assert_eq!(
            configured(&Value::Null, "package").expect("empty"),
            Settings::default()
        );
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn tables_in_disorder_are_read_or_refused(changes in fuzz::changes()) {
            let metadata = json!({ "cct": {
                "iterations": 5, "time": "2s", "max-steps": 9, "atomic": ["a", "b"], "rewrite": false,
                "strategy": "pct:3", "max-memory": "2G", "resume": "file",
            }});
            match configured(&fuzz::changed(metadata, &changes), "package") {
                Ok(settings) => prop_assert_eq!(Settings::parse(&settings.lines()), Ok(settings)),
                Err(error) => prop_assert!(error.to_string().starts_with("`package.metadata.cct`: ")),
            }
        }
    }
}
