//! A run for GitHub: annotations at the lines of failures, and a summary of the job's step.
//!
//! GitHub shows ten errors a step, so the tenth speaks for all that are left. Annotations are commands to the
//! runner, which reads both streams; they go to standard error, so that standard output stays what it is.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cct::wire::Counters;

use super::out::note;
use super::words::{count, distinct, duration, number, put};
use super::{Brief, Detail, Layout, Report, Reported, Reporter, Summary, plain, warning_word};
use crate::results::{Ending, Joined};
use crate::run::{RunSeed, TestName, TestRun};

/// So many errors of a step are shown.
const ANNOTATIONS: usize = 10;
/// GitHub refuses a summary above 1 MiB.
const SUMMARY: u64 = 1 << 20;
/// The room that is left for what other tools append.
const RESERVE: u64 = 1 << 16;

/// Speaks to GitHub.
#[derive(Debug)]
pub(crate) struct GitHub {
    /// The folder that paths of failures start from.
    root: PathBuf,
    /// The folder that GitHub's paths start from.
    repository: PathBuf,
    /// The file to append the summary to.
    summary: Option<PathBuf>,
    failures: Vec<Failure>,
}

#[derive(Debug)]
struct Failure {
    name: TestName,
    brief: Brief,
    report: Option<String>,
}

impl GitHub {
    /// For the runner whose variables these are, if this is one's.
    pub(crate) fn new(root: &Path, var: impl Fn(&str) -> Option<String>) -> GitHub {
        let set = |name| var(name).filter(|value| !value.is_empty());
        GitHub {
            root: root.to_owned(),
            repository: set("GITHUB_WORKSPACE").map_or_else(|| root.to_owned(), PathBuf::from),
            summary: set("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            failures: Vec::new(),
        }
    }

    /// Takes in a test that ended, if it failed.
    fn add(&mut self, name: &TestName, brief: Option<Brief>, report: Option<&Report>) {
        let Some(brief) = brief.filter(|brief| brief.is_failure) else {
            return;
        };
        let failure = Failure {
            name: name.clone(),
            brief,
            report: report.map(|report| plain(&report.text(&Layout::FILE, Detail::Around))),
        };
        if self.failures.len() + 1 < ANNOTATIONS {
            tell(&self.annotation(&failure));
        }
        self.failures.push(failure);
    }

    fn annotation(&self, failure: &Failure) -> String {
        let brief = &failure.brief;
        let mut properties = Vec::new();
        if let Some((file, line)) = brief.place.as_ref()
            && let Some(path) = self.path(file)
        {
            properties.push(format!("file={}", in_property(&path)));
            properties.push(format!("line={line}"));
        }
        let title = format!("{} {}", brief.label, failure.name);
        properties.push(format!("title={}", in_property(&title)));
        format!(
            "::error {}::{}",
            properties.join(","),
            in_message(&brief.text())
        )
    }

    /// A path as GitHub knows it; none if the file is elsewhere.
    fn path(&self, file: &str) -> Option<String> {
        let path = self.root.join(file);
        let within = path.strip_prefix(&self.repository).ok()?;
        Some(within.to_string_lossy().into_owned())
    }

    /// Annotations of the first failures were made; this is the one for the rest, if there is any.
    fn last_annotation(&self) -> Option<String> {
        match self.failures.get(ANNOTATIONS - 1..)? {
            [] => None,
            [one] => Some(self.annotation(one)),
            rest => {
                let names = rest.iter().map(|failure| failure.name.to_string());
                let names: Vec<_> = names.collect();
                let title = format!("{} more", count(rest.len() as u64, "failure"));
                let text = format!(
                    "GitHub shows {ANNOTATIONS} errors of a step; these failed, too:\n{}",
                    names.join("\n")
                );
                Some(format!(
                    "::error title={}::{}",
                    in_property(&title),
                    in_message(&text)
                ))
            }
        }
    }

    /// The summary in Markdown, of at most so many bytes.
    fn markdown(&self, summary: &Summary, room: usize) -> String {
        let counters = &summary.counters;
        let mut out = String::from("## cargo cct\n\n");
        let failed = summary.ran() - summary.passed;
        put!(
            out,
            "{} of {} failed, {}, in {}: {}, {}, {}; seed `{}`\n\n",
            number(failed as u64),
            count(summary.ran() as u64, "test"),
            match summary.not_run {
                0 => "all ran".to_owned(),
                n => format!("{} did not run to the end", number(n as u64)),
            },
            duration(summary.elapsed),
            count(counters.schedules, "schedule"),
            distinct(counters.distinct),
            count(counters.steps, "step"),
            summary.seed
        );
        let mut left = self.failures.len();
        if left == 0 {
            return out;
        }
        let note = |left: usize| {
            let failures = count(left as u64, "failure");
            format!("\n{failures} more: there is no room for them here.\n")
        };
        let room = room.saturating_sub(note(left).len());
        out.push_str("| | test | what | again |\n|---|---|---|---|\n");
        for failure in &self.failures {
            let brief = &failure.brief;
            let replay = brief.replay.as_deref().unwrap_or_default();
            let what = brief.message.lines().next().unwrap_or_default();
            let row = format!(
                "| {} | {} | {} | {} |\n",
                brief.label,
                in_cell(&failure.name.to_string()),
                in_cell(what),
                in_cell(replay)
            );
            // Half of the room is for the reports.
            if out.len() + row.len() > room / 2 {
                break;
            }
            out.push_str(&row);
            left -= 1;
        }
        if left > 0 {
            out.push_str(&note(left));
        }
        let mut without = 0;
        for failure in &self.failures {
            let Some(report) = &failure.report else {
                continue;
            };
            let section = section(&failure.name, report);
            if out.len() + section.len() > room {
                without += 1;
                continue;
            }
            out.push_str(&section);
        }
        if without > 0 {
            out.push_str(&note(without));
        }
        out
    }

    fn append(&self, path: &Path, summary: &Summary) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let used = file.metadata()?.len();
        let room = SUMMARY.saturating_sub(RESERVE).saturating_sub(used);
        let text = self.markdown(summary, usize::try_from(room).unwrap_or(usize::MAX));
        if text.len() as u64 > room {
            return Err(io::Error::other("there is no room left in it"));
        }
        file.write_all(text.as_bytes())
    }
}

impl Reporter for GitHub {
    fn begin(&mut self, _: usize, _: RunSeed) -> io::Result<()> {
        Ok(())
    }

    fn earlier(&mut self, name: &TestName, test: &Joined, failure: Reported<'_>) -> io::Result<()> {
        // A test that is not at its end is told when this command has come to one.
        if test.ending == Ending::Open {
            return Ok(());
        }
        let report = failure.map(|(_, report)| report);
        self.add(name, Brief::of_earlier(test, failure), report);
        Ok(())
    }

    fn begun(&mut self, _: &TestName) -> io::Result<()> {
        Ok(())
    }

    fn progress(&mut self, _: &TestName, _: &Counters) -> io::Result<()> {
        Ok(())
    }

    fn ended(&mut self, run: &TestRun, _: Option<&str>, failure: Reported<'_>) -> io::Result<()> {
        let report = failure.map(|(_, report)| report);
        self.add(&run.name, Brief::of(run, report), report);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if let Some(last) = self.last_annotation() {
            tell(&last);
        }
        // The failures are told elsewhere, too: this is no reason to fail.
        if let Some(path) = &self.summary
            && let Err(error) = self.append(path, summary)
        {
            let word = warning_word();
            crate::report::remark_line!("{word}: no summary in `{}`: {error}", path.display());
        }
        Ok(())
    }
}

fn tell(line: &str) {
    note(format_args!("{line}\n"));
}

/// A report that can be opened; what it is fenced with does not occur in it.
fn section(name: &TestName, report: &str) -> String {
    let longest = report.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let name = in_html(&name.to_string());
    format!(
        "\n<details><summary>{name}</summary>\n\n{fence}text\n{}\n{fence}\n\n</details>\n",
        report.trim_end()
    )
}

fn in_message(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

fn in_property(text: &str) -> String {
    in_message(text).replace(':', "%3A").replace(',', "%2C")
}

fn in_html(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// Code in a table: HTML, since Markdown's has no way to write all characters.
fn in_cell(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = in_html(text).replace('|', "&#124;").replace('\n', " ");
    let text = text
        .replace('`', "&#96;")
        .replace('*', "&#42;")
        .replace('_', "&#95;");
    format!("<code>{text}</code>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(number: u32, report: Option<&str>) -> Failure {
        Failure {
            name: TestName {
                binary: "bank::it,s".to_owned(),
                test: format!("a::b{number}"),
            },
            brief: Brief {
                label: "FAIL".to_owned(),
                is_failure: true,
                is_refusal: false,
                message: "panicked: 100%\nleft | right".to_owned(),
                story: "w1 overwrote it.".to_owned(),
                replay: Some("cargo cct replay 7f3k-q2".to_owned()),
                place: Some(("src/a,b.rs".to_owned(), 7)),
            },
            report: report.map(str::to_owned),
        }
    }

    fn github(failures: Vec<Failure>) -> GitHub {
        let vars = |name: &str| (name == "GITHUB_WORKSPACE").then(|| "/repo".to_owned());
        let mut github = GitHub::new(Path::new("/repo/rust"), vars);
        github.failures = failures;
        github
    }

    #[test]
    fn an_annotation_is_one_line_whatever_is_in_it() {
        let github = github(Vec::new());
        assert_eq!(
            github.annotation(&failure(1, None)),
            "::error file=rust/src/a%2Cb.rs,line=7,title=FAIL bank%3A%3Ait%2Cs a%3A%3Ab1::\
             panicked: 100%25%0Aleft | right%0Aw1 overwrote it.%0Acargo cct replay 7f3k-q2"
        );
        let mut elsewhere = failure(1, None);
        elsewhere.brief.place = Some(("/other/lib.rs".to_owned(), 7));
        assert!(
            github
                .annotation(&elsewhere)
                .starts_with("::error title=FAIL ")
        );
    }

    #[test]
    fn the_tenth_annotation_speaks_for_the_rest() {
        let of = |count| github((0..count).map(|number| failure(number, None)).collect());
        assert_eq!(of(9).last_annotation(), None);
        let tenth = of(10).last_annotation().expect("one more");
        assert!(tenth.contains("a%3A%3Ab9::panicked"), "{tenth}");
        let rest = of(12).last_annotation().expect("one more");
        assert!(
            rest.starts_with("::error title=3 failures more::"),
            "{rest}"
        );
        assert!(rest.ends_with("%0Abank::it,s a::b9%0Abank::it,s a::b10%0Abank::it,s a::b11"));
    }

    #[test]
    fn a_summary_has_the_reports_that_there_is_room_for() {
        let summary = Summary {
            failed: 3,
            ..Summary::default()
        };
        let reports = ["short ``` fence", &"long ".repeat(400), "last"];
        let failures = (1..).zip(reports);
        let github = github(failures.map(|(n, text)| failure(n, Some(text))).collect());
        let all = github.markdown(&summary, 1 << 20);
        assert!(all.contains("| FAIL | <code>bank::it,s a::b1</code> | <code>panicked: 100%"));
        assert!(all.contains("\n````text\nshort ``` fence\n````\n"), "{all}");
        assert!(
            all.contains("long long") && !all.contains("no room"),
            "{all}"
        );
        let some = github.markdown(&summary, 2000);
        assert!(some.len() <= 2000 && !some.contains("long long"), "{some}");
        assert!(
            some.contains("short") && some.contains("\nlast\n"),
            "{some}"
        );
        assert!(some.contains("1 failure more: there is no room"), "{some}");
    }
}
