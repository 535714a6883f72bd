//! The JSON schema of `.config/cct.toml`, made from the table of settings.

use cct::config::{Kind, Reach, Setting, TABLE};
use serde_json::{Map, Value, json};

use super::file::{BENIGN, FILTER, is_for_one};

/// The schema, in the draft that editors' TOML plugins read.
pub(crate) fn schema() -> Value {
    let mut profile = properties(|_| true);
    let string = |about: &str| json!({ "type": "string", "description": about });
    profile.extend([
        (
            "inherits".to_owned(),
            string("The profile that this one goes on from; `default` if it says nothing"),
        ),
        (
            "junit".to_owned(),
            string("Also writes the results as JUnit XML to this file, from the workspace's root"),
        ),
        (
            "annotations".to_owned(),
            json!({
                "enum": ["auto", "github", "none"],
                "description": "Whether a build server is told of failures in its own words",
            }),
        ),
        (
            "overrides".to_owned(),
            json!({
                "type": "array",
                "description": "Settings for some tests; the first that fits counts most",
                "items": { "$ref": "#/definitions/override" },
            }),
        ),
    ]);
    let fail_fast = json!({
        "type": "boolean",
        "description": "Starts no further test once one has failed",
    });
    profile.extend(spellings("fail_fast", &fail_fast));
    let mut overriding = properties(|row| is_for_one(row.name, row.reach));
    let filter = string("The tests it is for, such as `test(/^slow/) and package(bank)`");
    overriding.insert(FILTER.to_owned(), filter);
    let benign = json!({
        "type": "array",
        "description": "Functions whose data races are meant",
        "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["function", "reason"],
            "properties": {
                "function": string("Its path, in which `*` is any text"),
                "reason": string("Why its races do no harm"),
            },
        },
    });
    let mut all = Map::from_iter(spellings(BENIGN, &benign));
    let profiles = json!({
        "type": "object",
        "description": "Profiles; `default` counts unless another is asked for",
        "additionalProperties": { "$ref": "#/definitions/profile" },
    });
    all.insert("profile".to_owned(), profiles);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": ".config/cct.toml",
        "description": "Settings of cargo cct",
        "type": "object",
        "additionalProperties": false,
        "properties": all,
        "definitions": {
            "profile": {
                "type": "object",
                "additionalProperties": false,
                "properties": profile,
            },
            "override": {
                "type": "object",
                "additionalProperties": false,
                "required": [FILTER],
                "properties": overriding,
            },
        },
    })
}

fn properties(is_wanted: impl Fn(&Setting) -> bool) -> Map<String, Value> {
    let rows = TABLE.iter().filter(|row| is_wanted(row));
    let all = rows.flat_map(|row| spellings(row.name, &property(row)));
    all.collect()
}

/// A name may be written with `-` for `_`.
fn spellings(name: &str, property: &Value) -> Vec<(String, Value)> {
    let mut names = vec![name.to_owned(), name.replace('_', "-")];
    names.dedup();
    names
        .into_iter()
        .map(|name| (name, property.clone()))
        .collect()
}

fn property(row: &Setting) -> Value {
    let mut value = match row.kind {
        // Editors count in 64 bits with a sign.
        Kind::Number { least, most } if i64::try_from(most).is_err() => {
            json!({ "type": "integer", "minimum": least })
        }
        Kind::Number { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Time => json!({ "type": ["string", "number"], "pattern": TIME }),
        Kind::TimeOrOff => {
            json!({ "type": ["string", "number"], "pattern": format!("{TIME}|^off$") })
        }
        Kind::Bytes => json!({ "type": ["string", "number"], "pattern": SIZE }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Words(words) => json!({ "enum": words }),
        Kind::Names => json!({
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } },
            ],
        }),
        Kind::Strategy | Kind::File => json!({ "type": "string" }),
    };
    if let Some(value) = value.as_object_mut() {
        let mut about = row.help.to_owned();
        if !row.default.is_empty() {
            about = format!("{about} [default: {}]", row.default);
        }
        if row.reach != Reach::Test && !is_for_one(row.name, row.reach) {
            about.push_str(". For all tests");
        }
        value.insert("description".to_owned(), about.into());
    }
    value
}

const SIZE: &str = r"^[0-9]+(\.[0-9]+)? *([kKmMgGtT]i?)?[bB]?$";
const TIME: &str = r"^[0-9]+(\.[0-9]+)? *(ms|s|m|min|h)?$";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_schema() {
        let committed = include_str!("../../../docs/cct.schema.json");
        let made = format!("{:#}\n", schema());
        assert!(
            committed == made,
            "docs/cct.schema.json is to be what `cargo cct config --schema` prints:\n{made}"
        );
    }
}
