//! Sums up the results of all subjects, for each value of each parameter.

use serde_json::Value;

/// One parameter and what each of its values gave, in the order in which they were tried.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// The option of the tool, without dashes.
    pub(crate) parameter: String,
    /// The results of each value; never empty.
    pub(crate) points: Vec<Point>,
}

/// The results of one value of a parameter: sums over all subjects, means over all files.
#[derive(Debug)]
pub(crate) struct Point {
    /// The value as it was given.
    pub(crate) value: String,
    /// Violations that were found in both runs.
    pub(crate) bugs: f64,
    /// By how many seconds the first run was longer than the native one.
    pub(crate) added: f64,
}

impl Sweep {
    /// Reads files with one JSON object a line. Results that are missing count nothing.
    pub(crate) fn all(files: &[String]) -> serde_json::Result<Vec<Self>> {
        let mut sweeps = Vec::new();
        for line in files.iter().flat_map(|file| file.lines()) {
            let result: Value = serde_json::from_str(line)?;
            let point = point(
                &mut sweeps,
                text(&result, "parameter"),
                text(&result, "variant"),
            );
            point.bugs += number(&result, "bugs_first") + number(&result, "bugs_later");
            point.added += number(&result, "first_run") - number(&result, "native");
        }
        let share = 1.0 / f64::from(u32::try_from(files.len()).unwrap_or(u32::MAX));
        for point in sweeps.iter_mut().flat_map(|sweep| &mut sweep.points) {
            point.bugs *= share;
            point.added *= share;
        }
        Ok(sweeps)
    }
}

/// The one to add to, which is made if it is the first of its kind.
fn point<'a>(sweeps: &'a mut Vec<Sweep>, parameter: &str, value: &str) -> &'a mut Point {
    let sweep = find_or_push(
        sweeps,
        |it| it.parameter == parameter,
        || Sweep {
            parameter: parameter.to_owned(),
            points: Vec::new(),
        },
    );
    find_or_push(
        &mut sweep.points,
        |it| it.value == value,
        || Point {
            value: value.to_owned(),
            bugs: 0.0,
            added: 0.0,
        },
    )
}

fn find_or_push<T>(
    all: &mut Vec<T>,
    is_it: impl FnMut(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let index = all.iter().position(is_it).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[index]
}

fn text<'a>(result: &'a Value, key: &str) -> &'a str {
    result[key].as_str().unwrap_or_default()
}

fn number(result: &Value, key: &str) -> f64 {
    result[key].as_f64().unwrap_or_default()
}
