//! Crates without threads: their lazily made statics are fresh in each schedule.

use std::sync::LazyLock;
use std::thread;

use regex::Regex;

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+").unwrap());

#[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Point {
    x: i32,
    y: i32,
}

#[test]
fn a_value_survives_the_way_through_text() {
    let text = serde_json::to_string(&Point { x: 1, y: 2 }).unwrap();
    assert_eq!(
        serde_json::from_str::<Point>(&text).unwrap(),
        Point { x: 1, y: 2 }
    );
}

#[test]
fn a_pattern_is_shared() {
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(WORD.find_iter("two words").count(), 2));
        }
    });
}
