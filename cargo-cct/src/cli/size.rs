//! Sizes as they are typed: `500M`, `2G`, `1.5GiB`; units are multiples of 1024, a bare number means bytes.

/// The least that is a limit: a test process has as much before it begins.
const LEAST: f64 = 32.0 * 1024.0 * 1024.0;

/// Reads a size for the settings, which count in bytes.
pub(crate) fn bytes(text: &str) -> Result<String, String> {
    let wants = || format!("`{text}` is no size: expected `500M`, `2G` or the like, from 32M on");
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| wants())?;
    let unit = unit.trim().to_ascii_lowercase();
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wants()),
    };
    let bytes = number * 1024_f64.powi(power);
    if !(LEAST..9e18).contains(&bytes) {
        return Err(wants());
    }
    Ok(format!("{bytes:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        assert_eq!(bytes("64M").as_deref(), Ok("67108864"));
        assert_eq!(bytes("1.5GiB").as_deref(), Ok("1610612736"));
        assert_eq!(bytes("2 gb").as_deref(), Ok("2147483648"));
        assert_eq!(bytes("67108864").as_deref(), Ok("67108864"));
        for wrong in ["", "G", "1M", "0", "-2G", "2 horses", "9999999T"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
