//! `[workspace.metadata.cct]` and `[package.metadata.cct]`: settings that count less than a test's own.

use std::time::Duration;

use cct::config::Settings;
use serde_json::Value;

use super::duration;

/// The settings of one manifest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// What tests are told.
    pub settings: Settings,
    /// How long a test may be silent.
    pub hang_timeout: Option<Duration>,
    /// Whether the source is rewritten.
    pub rewrite: Option<bool>,
}

/// A table that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("`{table}`: {message}")]
pub(crate) struct ConfigError {
    table: String,
    message: String,
}

impl Config {
    /// Reads the `cct` table of a manifest's metadata; `owner` is `workspace` or `package`.
    pub(crate) fn read(metadata: &Value, owner: &str) -> Result<Config, ConfigError> {
        let failed = |message| ConfigError {
            table: format!("{owner}.metadata.cct"),
            message,
        };
        let table = match metadata.get("cct") {
            None => return Ok(Config::default()),
            Some(Value::Object(table)) => table,
            Some(_) => return Err(failed("expected a table".to_owned())),
        };
        let mut config = Config::default();
        for (key, value) in table {
            let key = key.replace('-', "_");
            let text = text(value).ok_or_else(|| failed(format!("`{key}` is no plain value")))?;
            let time = |text| duration::parse(text).map_err(failed);
            let text = match key.as_str() {
                "hang_timeout" => {
                    config.hang_timeout = Some(time(&text)?);
                    continue;
                }
                "rewrite" => {
                    let value = text
                        .parse()
                        .map_err(|_| failed(format!("`{key} = {text}`")))?;
                    config.rewrite = Some(value);
                    continue;
                }
                "time" => time(&text)?.as_millis().to_string(),
                _ => text,
            };
            config
                .settings
                .set(&key, &text)
                .map_err(|error| failed(error.to_string()))?;
        }
        Ok(config)
    }

    /// Fills the gaps of `self` from `lower`, which counts less.
    pub(crate) fn over(self, lower: &Config) -> Config {
        Config {
            settings: self.settings.over(lower.settings.clone()),
            hang_timeout: self.hang_timeout.or(lower.hang_timeout),
            rewrite: self.rewrite.or(lower.rewrite),
        }
    }
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
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_on_the_command_line() {
        let metadata = json!({ "cct": {
            "iterations": 5, "time": "2s", "max-steps": 9, "atomic": ["a", "b"], "hang_timeout": 3,
            "rewrite": false, "interleave": ["a"],
        }});
        let config = Config::read(&metadata, "package").expect("well-formed");
        assert_eq!(config.settings.iterations, Some(5));
        assert_eq!(config.settings.time, Some(Duration::from_secs(2)));
        assert_eq!(config.settings.max_steps, Some(9));
        assert_eq!(
            config.settings.atomic,
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(config.hang_timeout, Some(Duration::from_secs(3)));
        assert_eq!(config.rewrite, Some(false));
        assert_eq!(config.settings.interleave, Some(vec!["a".to_owned()]));
    }

    #[test]
    fn unknown_keys_are_errors() {
        let error = Config::read(&json!({ "cct": { "iteration": 5 } }), "workspace");
        let message = error.expect_err("no such setting").to_string();
        assert!(
            message.starts_with("`workspace.metadata.cct`: setting `iteration`"),
            "{message}"
        );
    }

    #[test]
    fn no_table_is_no_error() {
        assert_eq!(
            Config::read(&Value::Null, "package")
                .expect("empty")
                .settings,
            Settings::default()
        );
    }
}
