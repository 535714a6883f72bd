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
    use proptest::sample::select;
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

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

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn values_are_read_or_refused_by_their_names(row in select(TABLE), text in fuzz::texts(vec![
            "5", "1.5", ".", "s", "ms", " min", "h", "off", "M", "GiB", "tb", "true", "pct:3", ",", "a",
            "99999999",
        ])) {
            let mut settings = Settings::default();
            match assign(&mut settings, row.name, &text) {
                Ok(()) => prop_assert_eq!(Settings::parse(&settings.lines()), Ok(settings)),
                Err(error) => prop_assert!(error.contains(row.name), "{}", error),
            }
        }
    }
}
