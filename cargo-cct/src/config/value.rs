//! A setting as it is written in a file: its name, and its value as text.

use cct::config::{Kind, Settings, TABLE};

use super::suggest::did_you_mean;
use crate::cli::{duration, size};

/// Sets what a file gives; names may be written with `-` for `_`.
pub(super) fn assign(settings: &mut Settings, key: &str, text: &str) -> Result<(), String> {
    let name = key.replace('-', "_");
    let Some(row) = TABLE.iter().find(|row| row.name == name) else {
        let names = TABLE.iter().map(|row| row.name);
        return Err(format!("no setting `{key}`{}", did_you_mean(&name, names)));
    };
    let text = match row.kind {
        Kind::Time => duration::milliseconds(text).map_err(|error| format!("`{key}`: {error}"))?,
        Kind::TimeOrOff => {
            duration::milliseconds_or_off(text).map_err(|error| format!("`{key}`: {error}"))?
        }
        Kind::Bytes => size::bytes(text).map_err(|error| format!("`{key}`: {error}"))?,
        _ => text.to_owned(),
    };
    let set = settings.set(&name, &text);
    set.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_setting_that_was_meant() {
        let assign = |key, text| assign(&mut Settings::default(), key, text);
        assert_eq!(assign("max-steps", "9"), Ok(()));
        let error = assign("iteration", "5").expect_err("no such setting");
        assert_eq!(error, "no setting `iteration`; did you mean `iterations`?");
        assert!(
            assign("time", "soon")
                .expect_err("no time")
                .starts_with("`time`: ")
        );
    }
}
