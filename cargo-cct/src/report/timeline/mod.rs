//! The picture of a failure: one HTML file without anything beside it, for a browser.
//!
//! The page is three files here, put together with the failure's data. It asks nothing of the network.

mod data;
mod export;
mod order;

use super::failure::Report;

pub(crate) use export::chrome_trace;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const MODEL: &str = include_str!("model.js");
const SCRIPT: &str = include_str!("page.js");

/// The page; `found` is the same failure from before it was shrunk. None if no steps are known.
pub(crate) fn timeline(report: &Report, found: Option<&Report>) -> Option<String> {
    report.facts()?;
    let data = data::of(report, found);
    let title = format!("{} · {}", report.verdict().0, report.record().name);
    let parts = [
        ("<!--title-->", escaped(&title)),
        ("/*style*/", STYLE.to_owned()),
        ("/*data*/", in_script(&data)),
        ("/*script*/", [MODEL, SCRIPT].concat()),
    ];
    let mut page = String::new();
    let mut rest = PAGE;
    for (place, part) in parts {
        let (before, after) = rest
            .split_once(place)
            .expect("the page has a place for each part");
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    page.push_str(rest);
    Some(page)
}

/// JSON between `<script>` and `</script>`: no text in it can end it, or begin a comment.
fn in_script(data: &serde_json::Value) -> String {
    // Only within strings does JSON have this character.
    data.to_string().replace('<', "\\u003c")
}

/// A text between tags.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use cct::operation::Operation as Op;

    use super::*;
    use crate::sample::{record, step, trace};

    /// Ends the script, or would, wherever it is not escaped.
    const EVIL: &str = "</script><script>alert('&amp;')</script><!-- \u{2028} \\u003c \"";

    fn page() -> String {
        let mut steps = [step(0, Op::Custom, EVIL), step(1, Op::Load, "src/a.rs")];
        steps[0].0.label = Some(0);
        let mut trace = trace(&steps);
        trace.labels.push(EVIL.to_owned());
        trace.workers[1].name = Some(EVIL.to_owned());
        let mut record = record(&trace, EVIL);
        record.name.test = EVIL.to_owned();
        record.printed = EVIL.to_owned();
        let report = Report::of(&record, Path::new("/nowhere"));
        timeline(&report, Some(&report)).expect("there are steps")
    }

    #[test]
    fn no_text_ends_the_script_it_is_in() {
        let page = page();
        // The data's, and the script's.
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<script").count(), 2);
        let (_, rest) = page.split_once("id=\"data\">").expect("there is data");
        let (data, _) = rest.split_once("</script>").expect("it ends");
        let data: serde_json::Value = data.parse().expect("it is JSON");
        assert!(data["message"].as_str().expect("a text").contains(EVIL));
        assert!(data["test"].as_str().expect("a text").contains(EVIL));
        assert_eq!(data["printed"], EVIL);
        assert_eq!(data["views"][1]["title"], "as found");
    }

    #[test]
    fn a_page_asks_nothing_of_the_network() {
        let page = page();
        for word in [
            "http://",
            "src=\"",
            "url(",
            "@import",
            "fetch(",
            "XMLHttpRequest",
        ] {
            let ours = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!ours.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    /// The colours of a theme: names and values within the braces behind this text.
    fn colours(start: &str) -> BTreeMap<&'static str, [f64; 3]> {
        let (_, rest) = STYLE.split_once(start).expect("the theme is there");
        let (block, _) = rest.split_once('}').expect("it ends");
        let entries = block.split(';').filter_map(|entry| entry.split_once(':'));
        let channel = |hex: &str, at: usize| {
            let value = u8::from_str_radix(&hex[at..at + 2], 16).expect("a colour");
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        let colour = |hex: &str| [1, 3, 5].map(|at| channel(hex, at));
        entries
            .map(|(name, value)| (name.trim(), colour(value.trim())))
            .collect()
    }

    /// The contrast of two colours, by WCAG 2.
    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let luminance =
            |[red, green, blue]: [f64; 3]| 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn texts_can_be_told_from_what_is_behind_them() {
        let texts = [
            "--text", "--faint", "--bad", "--accent", "--w0", "--w1", "--w2", "--w3", "--w4",
            "--w5",
        ];
        let behind = ["--page", "--card", "--hit"];
        let more = [
            ("--text", "--bad-back"),
            ("--text", "--found"),
            ("--faint", "--bad-back"),
        ];
        for theme in [":root {", "dark) {\n  :root {"] {
            let colours = colours(theme);
            let pairs = texts
                .iter()
                .flat_map(|&text| behind.map(|behind| (text, behind)));
            for (text, behind) in pairs.chain(more) {
                let contrast = contrast(colours[text], colours[behind]);
                assert!(contrast >= 4.5, "{theme} {text} on {behind}: {contrast:.2}");
            }
        }
    }
}
