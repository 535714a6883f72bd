//! Lengths of time as they are typed: `500ms`, `5s`, `2m`, `1h`; a bare number means seconds.

use std::time::Duration;

/// Reads a length of time.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wants = || format!("`{text}` is no length of time: expected `500ms`, `5s`, `2m` or `1h`");
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| wants())?;
    let unit = match unit.trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wants()),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| wants())
}

/// Reads one for the settings, which count in milliseconds.
pub(crate) fn milliseconds(text: &str) -> Result<String, String> {
    parse(text).map(|time| time.as_millis().to_string())
}

/// Reads one that may be `off`, which is no time.
pub(crate) fn milliseconds_or_off(text: &str) -> Result<String, String> {
    match text {
        "off" => Ok("0".to_owned()),
        text => milliseconds(text).map_err(|wants| format!("{wants}, or `off`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("2m"), Ok(Duration::from_mins(2)));
        assert_eq!(parse("3"), Ok(Duration::from_secs(3)));
        assert_eq!(milliseconds_or_off("off").as_deref(), Ok("0"));
        assert_eq!(milliseconds_or_off("30s").as_deref(), Ok("30000"));
        assert!(milliseconds_or_off("on").is_err() && milliseconds("off").is_err());
        assert!(parse("3 weeks").is_err() && parse("").is_err() && parse("s").is_err());
    }
}
