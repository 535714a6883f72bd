//! Texts and values in disorder, for tests of all that is read: nothing panics, whatever is there.
//!
//! CONTRIBUTING.md has the long form.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// The cases are the same in each run, unless the environment has another seed.
pub(crate) fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        rng_seed: match config.rng_seed {
            RngSeed::Random => RngSeed::Fixed(1),
            given @ RngSeed::Fixed(_) => given,
        },
        failure_persistence: None,
        ..config
    }
}

/// Pieces that any reader may stumble over.
const OTHERS: [&str; 22] = [
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{feff}",
    "é",
    "\u{10ffff}",
    "\"",
    "'",
    "\\",
    "/",
    "#",
    "-1",
    "0",
    "1e400",
    "4294967295",
    "18446744073709551616",
    "{",
    "[[",
    ")",
];

fn piece(pieces: Vec<&'static str>) -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(pieces).prop_map(str::to_owned),
        2 => select(&OTHERS[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// Texts of these pieces, with others between them.
pub(crate) fn texts(pieces: Vec<&'static str>) -> impl Strategy<Value = String> {
    vec(piece(pieces), 0..9).prop_map(|pieces| pieces.concat())
}

/// The text with some of its parts lost, doubled, or written over by these pieces and by others.
pub(crate) fn damaged(
    text: &'static str,
    pieces: Vec<&'static str>,
) -> impl Strategy<Value = String> {
    let change = (any::<Index>(), 0..12_usize, piece(pieces), any::<bool>());
    vec(change, 0..4).prop_map(move |changes| {
        let mut text = text.to_owned();
        for (at, length, piece, doubles) in changes {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            let old = text[start..end].to_owned();
            let new = if doubles { old + &piece } else { piece };
            text.replace_range(start..end, &new);
        }
        text
    })
}

/// Changes of a value: where, and how.
pub(crate) fn changes() -> impl Strategy<Value = Vec<(Index, u8, Index)>> {
    vec((any::<Index>(), any::<u8>(), any::<Index>()), 1..4)
}

/// The value with some of its parts written over.
pub(crate) fn changed(mut value: Value, changes: &[(Index, u8, Index)]) -> Value {
    for (at, how, from) in changes {
        let mut places = Vec::new();
        collect(&value, String::new(), &mut places);
        let other = value.pointer(&places[from.index(places.len())]).cloned();
        let place = value.pointer_mut(&places[at.index(places.len())]);
        let (place, other) = (place.expect("it is there"), other.expect("likewise"));
        *place = match (how % 24, place.take()) {
            (0, _) => Value::Null,
            (1, _) => json!(0),
            (2, _) => json!(1),
            (3, _) => json!(-1),
            (4, _) => json!(u32::MAX),
            (5, _) => json!(u64::MAX),
            (6, _) => json!(1e300),
            (7, _) => json!(""),
            (8, _) => json!("é\n\u{0}"),
            (9, _) => json!([]),
            (10, _) => json!({}),
            (11, _) => json!(true),
            (12.., Value::Array(mut all)) if !all.is_empty() => {
                let at = from.index(all.len());
                match how % 3 {
                    0 => drop(all.remove(at)),
                    1 => all.push(all[at].clone()),
                    _ => all.swap(0, at),
                }
                Value::Array(all)
            }
            (12.., Value::Number(number)) => match (how % 3, number.as_u64()) {
                (0, Some(number)) => json!(number.wrapping_add(1)),
                (1, Some(number)) => json!(number.saturating_sub(1)),
                _ => json!(u64::from(u32::MAX) - 1),
            },
            (12.., Value::String(text)) => {
                let at = text.floor_char_boundary(from.index(text.len() + 1));
                let between = OTHERS[usize::from(*how) % OTHERS.len()];
                json!([&text[..at], between, &text[at..]].concat())
            }
            _ => other,
        };
    }
    value
}

/// Collects the pointers to all parts of a value.
fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Array(all) => {
            for (index, value) in all.iter().enumerate() {
                collect(value, format!("{at}/{index}"), places);
            }
        }
        Value::Object(all) => {
            for (key, value) in all {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{at}/{key}"), places);
            }
        }
        _ => {}
    }
    places.push(at);
}
