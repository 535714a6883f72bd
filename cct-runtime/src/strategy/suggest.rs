//! The strategy that was probably meant by a name that is none.

use super::Kind;

/// Names further away than this are other words.
const NEAR: usize = 2;

/// The member that `text` is nearest to, if it is near to one.
pub(super) fn suggest(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '-');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        return None;
    }
    let distances = Kind::ALL
        .iter()
        .map(|&kind| (distance(name, kind.name()), kind));
    let (far, kind) = distances.min_by_key(|&(far, _)| far)?;
    let portfolio = distance(name, "portfolio");
    if portfolio <= NEAR && portfolio < far {
        return Some("portfolio".to_owned());
    }
    // Two letters of three are another word.
    if far > NEAR.min(name.len() / 3) {
        return None;
    }
    let digits = rest.trim_matches(|c: char| !c.is_ascii_digit());
    let parameter = digits.parse().ok().filter(|&n| n > 0);
    Some(match kind.default_parameter() {
        0 => kind.name().to_owned(),
        default => format!("{}:{}", kind.name(), parameter.unwrap_or(default)),
    })
}

/// How many letters have to be changed, added or taken away; two that changed places count as one.
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut rows = vec![(0..=other.len()).collect::<Vec<_>>()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let kept = rows[i][j] + usize::from(a != b);
            let mut least = kept.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_understood() {
        let meant = |text| suggest(text).unwrap_or_default();
        assert_eq!(meant("pct3"), "pct:3");
        assert_eq!(meant("pct=2"), "pct:2");
        assert_eq!(meant("PCT:2"), "pct:2");
        assert_eq!(meant("pct:0"), "pct:3");
        assert_eq!(meant("pct-5"), "pct:5");
        assert_eq!(meant("ptc:5"), "pct:5");
        assert_eq!(meant("Random"), "random");
        assert_eq!(meant("random:1"), "random");
        assert_eq!(meant("stiky:7"), "sticky:7");
        assert_eq!(meant("portfollio"), "portfolio");
        assert_eq!(meant("wisest"), "");
        assert_eq!(meant(""), "");
        assert_eq!(meant(":3"), "");
    }

    #[test]
    fn changed_places_are_one_mistake() {
        assert_eq!(distance("random", "random"), 0);
        assert_eq!(distance("radnom", "random"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
