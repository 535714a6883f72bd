//! The places of boxes and arrows: rows of boxes, and arrows that run between rows.
//!
//! A box is in the row that is as many arrows away from the first (layers, as Sugiyama, Tagawa and Toda have
//! them, 1981). Each frame is a column of its own, so that nobody else's box is in it. An arrow leaves a box
//! downwards, runs across in the space below its row, on a track of its own which has the arrow's lines, and
//! goes down into the next row; one that leads elsewhere goes around on the right, on a lane of its own. So
//! no arrow crosses a box, and no two lines of text are in one place.

use std::collections::{BTreeMap, VecDeque};

use super::drawing::{Arrow, Box, Drawing, Frame, Line};

/// The height of a line of text, and the width of a character.
pub(super) const LINE: i32 = 15;
const CHARACTER: i32 = 7;
/// The space between a box's border and its text.
const INSIDE: i32 = 8;
/// The space between boxes of a row.
const BETWEEN: i32 = 28;
/// The space between a frame and what is in it, and the height of its name.
const AROUND: i32 = 10;
const NAME: i32 = 18;
/// The space between tracks, and between lanes.
const APART: i32 = 10;
/// How far an arrow of a box to itself goes.
const LOOP: i32 = 22;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Area {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// The way of an arrow, corner by corner, and the left end of its first line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub(super) corners: Vec<(i32, i32)>,
    pub(super) text: (i32, i32),
}

pub(super) struct Layout<'a> {
    pub(super) width: i32,
    pub(super) height: i32,
    /// Of each box.
    pub(super) boxes: Vec<Area>,
    /// Of each arrow.
    pub(super) ways: Vec<Way>,
    pub(super) frames: Vec<(&'a str, Area)>,
}

impl Area {
    const fn right(self) -> i32 {
        self.x + self.width
    }

    const fn bottom(self) -> i32 {
        self.y + self.height
    }
}

pub(super) fn layout(drawing: &Drawing) -> Layout<'_> {
    let rows = rows(drawing);
    let count = rows.iter().max().map_or(0, |last| last + 1);
    let mut layout = Layout {
        width: 0,
        height: 0,
        boxes: drawing.boxes.iter().map(area).collect(),
        ways: Vec::new(),
        frames: Vec::new(),
    };
    let slots: Vec<i32> = (0..drawing.boxes.len())
        .map(|number| layout.boxes[number].width + width_of_loops(drawing, number))
        .collect();
    let mut heights = vec![0; count];
    for (number, &row) in rows.iter().enumerate() {
        let loops = loops(drawing, number).map(|arrow| lines(&arrow.lines));
        let height = layout.boxes[number].height.max(loops.sum());
        heights[row] = heights[row].max(height);
    }
    let order = order(drawing, &rows);
    let columns = Columns {
        rows: &rows,
        order: &order,
        slots: &slots,
    };
    let mut spans = Vec::new();
    let right = columns.place(&drawing.frame, AROUND, &mut layout.boxes, &mut spans);
    // Above each row there is room for the names of frames.
    let depth = depth(&drawing.frame);
    let tracks = Tracks::of(drawing, &rows, count);
    let mut y = AROUND + (depth * (NAME + AROUND));
    let mut tops = vec![0; count];
    let mut y_of_tracks = BTreeMap::new();
    for row in 0..count {
        if row > 0 || tracks.has_above_first {
            for &(arrow, is_up) in &tracks.gaps[row] {
                // The first track of an arrow has its lines.
                let height = if is_up {
                    0
                } else {
                    lines(&drawing.arrows[arrow].lines)
                };
                y += height + APART;
                y_of_tracks.insert((arrow, is_up), y);
            }
            y += 2 * APART + depth * (NAME + AROUND);
        }
        tops[row] = y;
        y += heights[row] + depth * AROUND + APART;
    }
    for &(arrow, is_up) in &tracks.gaps[count] {
        y += lines(&drawing.arrows[arrow].lines) + APART;
        y_of_tracks.insert((arrow, is_up), y);
    }
    for (number, &row) in rows.iter().enumerate() {
        layout.boxes[number].y = tops[row];
    }
    layout.frames = frames(spans, &layout.boxes);
    layout.ways = ways(drawing, &layout.boxes, &tracks, &y_of_tracks, right);
    let text = layout.ways.iter().zip(&drawing.arrows);
    let text = text.map(|(way, arrow)| way.text.0 + width_of(&arrow.lines));
    let corners = layout.ways.iter().flat_map(|way| &way.corners);
    let widest = text.chain(corners.map(|corner| corner.0)).chain([right]);
    layout.width = widest.max().unwrap_or(0) + AROUND;
    layout.height = y + AROUND;
    layout
}

/// The size of a box, at no place yet.
fn area(shown: &Box) -> Area {
    let all = shown.lines.iter().chain([&shown.title]);
    let widest = all.map(|line| width(&line.text)).max().unwrap_or(0);
    Area {
        x: 0,
        y: 0,
        width: widest + 2 * INSIDE,
        height: LINE * (size(shown.lines.len()) + 1) + INSIDE,
    }
}

/// A number of things as a factor of lengths.
fn size(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn width(text: &str) -> i32 {
    size(text.chars().count()) * CHARACTER
}

fn width_of(lines: &[Line]) -> i32 {
    lines
        .iter()
        .map(|line| width(&line.text))
        .max()
        .unwrap_or(0)
}

fn lines(lines: &[Line]) -> i32 {
    size(lines.len()) * LINE
}

fn loops(drawing: &Drawing, number: usize) -> impl Iterator<Item = &Arrow> {
    let arrows = drawing.arrows.iter();
    arrows.filter(move |arrow| (arrow.from, arrow.to) == (number, number))
}

fn width_of_loops(drawing: &Drawing, number: usize) -> i32 {
    let widest = loops(drawing, number).map(|arrow| width_of(&arrow.lines) + LOOP);
    widest.max().unwrap_or(0)
}

/// The row of each box.
fn rows(drawing: &Drawing) -> Vec<usize> {
    let mut rows: Vec<Option<usize>> = vec![None; drawing.boxes.len()];
    let mut last = None;
    for first in drawing.start.into_iter().chain(0..drawing.boxes.len()) {
        if rows[first].is_some() || drawing.boxes[first].is_end {
            continue;
        }
        // Boxes that no arrow leads to from there come below.
        rows[first] = Some(last.map_or(0, |last| last + 1));
        let mut rest = VecDeque::from([first]);
        while let Some(from) = rest.pop_front() {
            last = last.max(rows[from]);
            for arrow in drawing.arrows.iter().filter(|arrow| arrow.from == from) {
                if rows[arrow.to].is_none() && !drawing.boxes[arrow.to].is_end {
                    rows[arrow.to] = rows[from].map(|row| row + 1);
                    rest.push_back(arrow.to);
                }
            }
        }
    }
    let ends = last.map_or(0, |last| last + 1);
    rows.into_iter().map(|row| row.unwrap_or(ends)).collect()
}

/// The boxes in an order in which those of a row come after what leads to them.
fn order(drawing: &Drawing, rows: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let mut place = vec![0; drawing.boxes.len()];
    for row in 0..=rows.iter().copied().max().unwrap_or(0) {
        let here = (0..drawing.boxes.len()).filter(|&number| rows[number] == row);
        let mut here: Vec<(usize, usize)> = here
            .map(|number| {
                let into = drawing.arrows.iter().filter(|arrow| arrow.to == number);
                let above: Vec<usize> = into
                    .filter(|arrow| rows[arrow.from] + 1 == row)
                    .map(|arrow| place[arrow.from])
                    .collect();
                let middle = 1000 * above.iter().sum::<usize>();
                (middle.checked_div(above.len()).unwrap_or(0), number)
            })
            .collect();
        here.sort_unstable();
        for (index, (_, number)) in here.into_iter().enumerate() {
            place[number] = index;
            order.push(number);
        }
    }
    order
}

/// How deep frames are in each other.
fn depth(frame: &Frame) -> i32 {
    let inner = frame.frames.iter().map(|inner| depth(inner) + 1);
    inner.max().unwrap_or(0)
}

/// Frames side by side.
struct Columns<'a> {
    rows: &'a [usize],
    order: &'a [usize],
    /// The width that each box needs, with its arrows to itself.
    slots: &'a [i32],
}

/// A frame, the boxes in it, and its depth.
type Span<'a> = (&'a Frame, Vec<usize>, i32);

impl Columns<'_> {
    /// Gives each box of the frame its place across, from `left` on; returns where the frame ends.
    fn place<'a>(
        &self,
        frame: &'a Frame,
        left: i32,
        boxes: &mut [Area],
        spans: &mut Vec<(Span<'a>, i32, i32)>,
    ) -> i32 {
        let mut x = left;
        let own = self
            .order
            .iter()
            .filter(|number| frame.boxes.contains(number));
        let own: Vec<usize> = own.copied().collect();
        let mut by_row: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &number in &own {
            by_row.entry(self.rows[number]).or_default().push(number);
        }
        let width = |row: &Vec<usize>| {
            let slots: i32 = row.iter().map(|&number| self.slots[number]).sum();
            slots + BETWEEN * (size(row.len()) - 1)
        };
        let widest = by_row.values().map(width).max().unwrap_or(0);
        for row in by_row.values() {
            let mut at = x + (widest - width(row)) / 2;
            for &number in row {
                boxes[number].x = at;
                at += self.slots[number] + BETWEEN;
            }
        }
        x += widest;
        for inner in &frame.frames {
            let begin = if x == left { x } else { x + BETWEEN };
            let end = self.place(inner, begin + AROUND, boxes, spans) + AROUND;
            let end = end.max(begin + size(inner.name.chars().count()) * CHARACTER + 2 * AROUND);
            let inside = boxes_in(inner);
            spans.push(((inner, inside, depth(inner)), begin, end));
            x = end;
        }
        x
    }
}

fn boxes_in(frame: &Frame) -> Vec<usize> {
    let inner = frame.frames.iter().flat_map(boxes_in);
    frame.boxes.iter().copied().chain(inner).collect()
}

fn frames<'a>(spans: Vec<(Span<'a>, i32, i32)>, boxes: &[Area]) -> Vec<(&'a str, Area)> {
    let frames = spans
        .into_iter()
        .filter_map(|((frame, inside, depth), left, right)| {
            let top = inside.iter().map(|&number| boxes[number].y).min()?;
            let bottom = inside.iter().map(|&number| boxes[number].bottom()).max()?;
            let y = top - (depth + 1) * (NAME + AROUND) + AROUND;
            let area = Area {
                x: left,
                y,
                width: right - left,
                height: bottom + (depth + 1) * AROUND - y,
            };
            Some((&*frame.name, area))
        });
    let mut frames: Vec<_> = frames.collect();
    // A frame around others is drawn before them.
    frames.reverse();
    frames
}

/// The tracks in the spaces above rows, and below the last.
struct Tracks {
    /// For each row the arrows that run above it; `true` for the second track of one that goes around.
    gaps: Vec<Vec<(usize, bool)>>,
    /// Whether each arrow goes around.
    around: Vec<bool>,
    has_above_first: bool,
}

impl Tracks {
    fn of(drawing: &Drawing, rows: &[usize], count: usize) -> Tracks {
        let mut gaps = vec![Vec::new(); count + 1];
        let mut around = Vec::new();
        for (number, arrow) in drawing.arrows.iter().enumerate() {
            let (from, to) = (rows[arrow.from], rows[arrow.to]);
            let is_around = from + 1 != to;
            around.push(is_around);
            if arrow.from == arrow.to {
                continue;
            }
            gaps[from + 1].push((number, false));
            if is_around {
                gaps[to].push((number, true));
            }
        }
        Tracks {
            has_above_first: !gaps[0].is_empty(),
            gaps,
            around,
        }
    }
}

fn ways(
    drawing: &Drawing,
    boxes: &[Area],
    tracks: &Tracks,
    y_of_tracks: &BTreeMap<(usize, bool), i32>,
    right: i32,
) -> Vec<Way> {
    let is_loop = |arrow: &Arrow| arrow.from == arrow.to;
    let from_or_to = |number: usize, out: bool| {
        let arrows = drawing.arrows.iter().filter(move |it| !is_loop(it));
        let ends = arrows.filter(move |it| number == if out { it.from } else { it.to });
        size(ends.count())
    };
    let mut used: BTreeMap<(usize, bool), i32> = BTreeMap::new();
    // Arrows leave and reach a box side by side.
    let mut port = |number: usize, out: bool| {
        let next = used.entry((number, out)).or_default();
        *next += 1;
        let area = boxes[number];
        area.x + area.width * *next / (from_or_to(number, out) + 1)
    };
    let mut lane = right + BETWEEN;
    let mut loops: BTreeMap<usize, i32> = BTreeMap::new();
    let mut ways = Vec::new();
    for (number, arrow) in drawing.arrows.iter().enumerate() {
        let (from, to) = (boxes[arrow.from], boxes[arrow.to]);
        if is_loop(arrow) {
            let before = loops.entry(arrow.from).or_default();
            let y = from.y + *before;
            *before += lines(&arrow.lines);
            let out = from.right() + LOOP - 8;
            let (above, below) = (y + 4, y + 12);
            ways.push(Way {
                corners: vec![
                    (from.right(), above),
                    (out, above),
                    (out, below),
                    (from.right(), below),
                ],
                text: (from.right() + LOOP, y + LINE - 4),
            });
            continue;
        }
        let (begin, end) = (port(arrow.from, true), port(arrow.to, false));
        let y = y_of_tracks[&(number, false)];
        let mut corners = vec![(begin, from.bottom()), (begin, y)];
        let mut left = begin.min(end);
        if tracks.around[number] {
            let up = y_of_tracks[&(number, true)];
            corners.extend([(lane, y), (lane, up), (end, up), (end, to.y)]);
            left = begin;
            lane += APART;
        } else {
            corners.extend([(end, y), (end, to.y)]);
        }
        corners.dedup();
        let first = y - lines(&arrow.lines) + LINE - 4;
        ways.push(Way {
            corners,
            text: (left + 4, first),
        });
    }
    ways
}
