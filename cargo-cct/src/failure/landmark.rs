//! The sites of a failure with what is around them, by which they are found again after the code was edited.
//!
//! A site is a line of a function. The lines of the failure are laid beside those of the function as it is
//! now, in order: an equal text counts most, then one that has most of its words, as after a renaming, and
//! how far it is from the function's first line decides between equals.

use std::collections::BTreeMap;
use std::path::Path;

use cct::trace::Site;
use serde::{Deserialize, Serialize};

use super::place::{Place, Sources};
use super::portable::Folders;

/// A site, and what is around it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Landmark {
    /// The site.
    pub site: Site,
    /// Its line.
    #[serde(flatten)]
    pub place: Place,
    /// How many lines of the function before it have the same text.
    #[serde(default)]
    pub nth: u32,
    /// How many lines it is below the function's first.
    #[serde(default)]
    pub below: u32,
}

impl Landmark {
    /// That of a site; none of std's and ours, and of files that cannot be read.
    pub(crate) fn of(site: &Site, sources: &mut Sources) -> Option<Landmark> {
        let (nth, below) = sources.position(site)?;
        Some(Landmark {
            site: site.clone(),
            place: sources.place(site),
            nth,
            below,
        })
    }
}

/// Where the places of a failure are now.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// Where the files of other packages are.
    folders: Folders,
    lines: BTreeMap<(String, u32), Option<(String, u32)>>,
}

/// How well two lines fit, at most; and the least with which they may be one.
const EQUAL: f64 = 3.0;
const ALIKE: f64 = 0.6;
/// For the same number among equal lines.
const SAME_NUMBER: f64 = 0.5;
/// A line that is a hundred lines off loses this much.
const FAR: f64 = 0.2;

impl Moves {
    /// Looks for them in the files below `root`, and in those of other packages.
    pub(crate) fn find(landmarks: &[Landmark], root: &Path, folders: Folders) -> Moves {
        let mut sources = Sources::new(root);
        let mut lines: BTreeMap<(String, &str), BTreeMap<u32, &Landmark>> = BTreeMap::new();
        for landmark in landmarks {
            let file = folders.now(&landmark.site.file);
            let lines = lines.entry((file, &*landmark.place.function)).or_default();
            lines.insert(landmark.site.line, landmark);
        }
        let files: Vec<&str> = lines.keys().map(|(file, _)| file.as_str()).collect();
        let mut moves = Moves {
            folders,
            lines: BTreeMap::new(),
        };
        for ((file, function), lines) in &lines {
            let lines: Vec<&Landmark> = lines.values().copied().collect();
            let found = best(&lines, file, function, &files, &mut sources);
            for (index, landmark) in lines.iter().enumerate() {
                let now = found.as_ref().and_then(|(file, lines)| {
                    let line = lines.get(index).copied().flatten()?;
                    Some((file.clone(), line))
                });
                moves.lines.insert((file.clone(), landmark.site.line), now);
            }
        }
        moves
    }

    /// The place now, without a column if it is another one; none if it is gone.
    pub(crate) fn of(&self, site: &Site) -> Option<Site> {
        let file = self.folders.now(&site.file);
        match self.lines.get(&(file.clone(), site.line)) {
            None => Some(Site {
                file,
                ..site.clone()
            }),
            Some(now) => now.as_ref().map(|(file, line)| Site {
                file: file.clone(),
                line: *line,
                column: site.column,
            }),
        }
    }

    /// How many lines are others now.
    pub(crate) fn count(&self) -> usize {
        let is_other = |(before, now): &(&(String, u32), &Option<(String, u32)>)| {
            now.as_ref().is_some_and(|now| now != *before)
        };
        self.lines.iter().filter(is_other).count()
    }
}

/// The lines now, with their file: those of the function of this name, in its file or in another one of the
/// failure; else of the function that has most of them, of those in its file and those of its name anywhere.
fn best(
    lines: &[&Landmark],
    file: &str,
    function: &str,
    files: &[&str],
    sources: &mut Sources,
) -> Option<(String, Vec<Option<u32>>)> {
    let others = files.iter().filter(|other| **other != file);
    let by_name = [file].into_iter().chain(others.copied());
    for file in by_name {
        let fits = fits(lines, sources.functions_called(file, function));
        if let Some(found) = fits
            .into_iter()
            .max_by(|one, other| one.0.total_cmp(&other.0))
        {
            return Some((file.to_owned(), found.1));
        }
    }
    // It, or its file, has another name now.
    let mut all = Vec::new();
    for (score, found) in fits(lines, sources.all_functions(file)) {
        all.push((score, file.to_owned(), found));
    }
    for other in sources.all_files() {
        for (score, found) in fits(lines, sources.functions_called(&other, function)) {
            all.push((score, other.clone(), found));
        }
    }
    let enough = |score: f64| score >= EQUAL * lines.len() as f64 / 2.0;
    let most = all
        .into_iter()
        .max_by(|one, other| one.0.total_cmp(&other.0));
    most.filter(|(score, ..)| enough(*score))
        .map(|(_, file, found)| (file, found))
}

fn fits(lines: &[&Landmark], functions: Vec<(u32, Vec<String>)>) -> Vec<(f64, Vec<Option<u32>>)> {
    let fit = |(first, texts): (u32, Vec<String>)| {
        let (score, found) = fit(lines, &texts);
        let at = |index: Option<usize>| Some(first + u32::try_from(index?).ok()?);
        (score, found.into_iter().map(at).collect())
    };
    functions.into_iter().map(fit).collect()
}

/// Lays the lines beside these, in order, so that they fit best together; by index.
fn fit(lines: &[&Landmark], texts: &[String]) -> (f64, Vec<Option<usize>>) {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let numbered: Vec<(&str, u32)> = texts
        .iter()
        .map(|text| {
            let number = seen.entry(text).or_default();
            *number += 1;
            (text.as_str(), *number - 1)
        })
        .collect();
    let score = |line: &Landmark, index: usize| {
        let (text, number) = numbered[index];
        let far = (f64::from(line.below) - index as f64).abs().min(100.0) / 100.0 * FAR;
        if line.place.text == text {
            let same = if line.nth == number { SAME_NUMBER } else { 0.0 };
            return Some(EQUAL + same - far);
        }
        let alike = alike(&line.place.text, text);
        (alike >= ALIKE).then_some(alike - far)
    };
    let (rows, columns) = (lines.len(), texts.len());
    let mut best = vec![vec![0.0_f64; columns + 1]; rows + 1];
    let mut scores = vec![vec![None; columns]; rows];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let own = score(lines[row], column);
            scores[row][column] = own;
            let taken = own.map_or(f64::MIN, |own| own + best[row + 1][column + 1]);
            best[row][column] = taken.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let mut found = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let rest = best[row][column];
        let taken = scores[row][column].map(|own| own + best[row + 1][column + 1]);
        if taken.is_some_and(|taken| taken >= rest) {
            found[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if best[row][column + 1] >= rest {
            column += 1;
        } else {
            row += 1;
        }
    }
    (best[0][0], found)
}

/// How much of the words of two lines is the same and in order, from 0 to 1.
fn alike(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(words);
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &one, &other);
    f64::from(similar::get_diff_ratio(&ops, one.len(), other.len()))
}

/// The words and signs of a line.
fn words(line: &str) -> Vec<&str> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|char| !is_word(char)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landmark(text: &str, nth: u32, below: u32) -> Landmark {
        Landmark {
            site: Site::default(),
            place: Place {
                function: "f".to_owned(),
                text: text.to_owned(),
            },
            nth,
            below,
        }
    }

    #[test]
    fn a_file_that_was_renamed_is_found_by_its_functions() {
        let root = std::env::temp_dir().join(format!("cct-renamed-{}", std::process::id()));
        let folder = root.join("src").join("inner");
        std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
        let lines = "fn other() {\n    go();\n}\n\nfn f() {\n    go();\n    come();\n}\n";
        std::fs::write(folder.join("new.rs"), lines).expect("it is writable");
        std::fs::write(root.join("src/lib.rs"), "fn f() {\n    stay();\n}\n").expect("likewise");
        let at = |text: &str, line| Landmark {
            site: Site {
                file: "src/old.rs".to_owned(),
                line,
                column: 5,
            },
            ..landmark(text, 0, line - 1)
        };
        let moves = Moves::find(
            &[at("go();", 2), at("come();", 3)],
            &root,
            Folders::default(),
        );
        let now = moves.of(&at("come();", 3).site).expect("it is found");
        assert_eq!((now.file.as_str(), now.line), ("src/inner/new.rs", 7));
        let gone = Moves::find(&[at("nothing(alike);", 2)], &root, Folders::default());
        assert_eq!(gone.of(&at("", 2).site), None);
        std::fs::remove_dir_all(&root).expect("it is ours");
    }

    fn fitted(lines: &[Landmark], now: &str) -> Vec<Option<usize>> {
        let lines: Vec<&Landmark> = lines.iter().collect();
        let texts: Vec<String> = now.lines().map(|line| line.trim().to_owned()).collect();
        fit(&lines, &texts).1
    }

    #[test]
    fn lines_are_found_where_others_were_added_or_words_are_others() {
        let lines = [
            landmark("let value = x.load(SeqCst);", 0, 1),
            landmark("x.store(value + 1, SeqCst);", 0, 2),
        ];
        let added =
            "fn f() {\nlet value = x.load(SeqCst);\nprintln!();\nx.store(value + 1, SeqCst);\n}";
        assert_eq!(fitted(&lines, added), [Some(1), Some(3)]);
        let renamed = "fn f() {\nlet seen = x.load(SeqCst);\nx.store(seen + 1, SeqCst);\n}";
        assert_eq!(fitted(&lines, renamed), [Some(1), Some(2)]);
        let removed = "fn f() {\nx.store(1 + value, SeqCst);\n}";
        assert_eq!(fitted(&lines, removed), [None, Some(1)]);
    }

    #[test]
    fn equal_lines_are_told_apart_by_their_number() {
        let second = [landmark("go();", 1, 2)];
        assert_eq!(
            fitted(&second, "fn f() {\n// One.\n// Two.\ngo();\ngo();\n}"),
            [Some(4)]
        );
    }
}
