//! A picture as SVG.

use cct::covered::Covered;

use super::super::words::put;
use super::drawing::{Drawing, Line, Look};
use super::layout::{LINE, Layout, layout};

const STYLE: &str = "
  text { font: 11px ui-monospace, monospace; fill: #1f2328; white-space: pre }
  .title { font-weight: bold }
  .box rect { fill: #f6f8fa; stroke: #57606a }
  .box.never rect { fill: #ffffff; stroke: #8c959f; stroke-dasharray: 4 3 }
  .frame rect { fill: none; stroke: #afb8c1 }
  .frame text { fill: #57606a }
  .arrow path { fill: none; stroke: #1f2328; marker-end: url(#tip) }
  .arrow text { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
  .arrow.never path { stroke: #8c959f; stroke-dasharray: 4 3; marker-end: url(#tip-never) }
  text.never { fill: #8c959f }
  .arrow.undeclared path { stroke: #bc4c00; marker-end: url(#tip-undeclared) }
  text.undeclared { fill: #bc4c00 }
";

/// The text of the file.
pub(super) fn svg(covered: &Covered) -> String {
    let drawing = Drawing::of(covered);
    let layout = layout(&drawing);
    let (width, height) = (layout.width, layout.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<style>{STYLE}</style>\n",
        escaped(&covered.path)
    );
    for (name, color) in [
        ("tip", "#1f2328"),
        ("tip-never", "#8c959f"),
        ("tip-undeclared", "#bc4c00"),
    ] {
        put!(
            out,
            "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"{color}\"/></marker>\n"
        );
    }
    put!(
        out,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (name, area) in &layout.frames {
        put!(
            out,
            "<g class=\"frame\">{}<text x=\"{}\" y=\"{}\">{}</text></g>\n",
            rectangle(area.x, area.y, (area.width, area.height), 8),
            area.x + 8,
            area.y + 14,
            escaped(name)
        );
    }
    boxes(&drawing, &layout, &mut out);
    arrows(&drawing, &layout, &mut out);
    out.push_str("</svg>\n");
    out
}

fn boxes(drawing: &Drawing, layout: &Layout<'_>, out: &mut String) {
    for (number, (shown, area)) in drawing.boxes.iter().zip(&layout.boxes).enumerate() {
        let class = class(shown.title.look);
        let round = if shown.is_end { area.height / 2 } else { 4 };
        put!(
            out,
            "<g class=\"box{class}\">{}",
            rectangle(area.x, area.y, (area.width, area.height), round)
        );
        if drawing.start == Some(number) {
            // A dot with an arrow, left of the box.
            put!(
                out,
                "<circle cx=\"{0}\" cy=\"{1}\" r=\"4\"/>",
                area.x,
                area.y
            );
        }
        let mut y = area.y + LINE;
        text(&shown.title, (area.x + 8, y), "title", out);
        for line in &shown.lines {
            y += LINE;
            text(line, (area.x + 8, y), "", out);
        }
        out.push_str("</g>\n");
    }
}

fn arrows(drawing: &Drawing, layout: &Layout<'_>, out: &mut String) {
    for (arrow, way) in drawing.arrows.iter().zip(&layout.ways) {
        let name = |number: usize| escaped(&drawing.boxes[number].name);
        put!(
            out,
            "<g class=\"arrow{}\" data-from=\"{}\" data-to=\"{}\"><path d=\"{}\"/>",
            class(arrow.look),
            name(arrow.from),
            name(arrow.to),
            path(&way.corners)
        );
        let (x, mut y) = way.text;
        for line in &arrow.lines {
            text(line, (x, y), "", out);
            y += LINE;
        }
        out.push_str("</g>\n");
    }
}

/// A way with round corners.
fn path(corners: &[(i32, i32)]) -> String {
    let mut path = String::new();
    for (number, &(x, y)) in corners.iter().enumerate() {
        let (before, after) = (number.checked_sub(1), corners.get(number + 1));
        match (before, after) {
            (None, _) => put!(path, "M{x} {y}"),
            (_, None) => put!(path, "L{x} {y}"),
            (Some(before), Some(&after)) => {
                let before = corners[before];
                let (near_x, near_y) = near((x, y), before);
                let (far_x, far_y) = near((x, y), after);
                put!(path, "L{near_x} {near_y}Q{x} {y} {far_x} {far_y}");
            }
        }
    }
    path
}

/// A point a little on the way from one corner to another.
fn near((x, y): (i32, i32), (to_x, to_y): (i32, i32)) -> (i32, i32) {
    let little = |from: i32, to: i32| from + ((to - from) / 2).clamp(-4, 4);
    (little(x, to_x), little(y, to_y))
}

fn rectangle(x: i32, y: i32, (width, height): (i32, i32), round: i32) -> String {
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>")
}

fn text(line: &Line, (x, y): (i32, i32), more: &str, out: &mut String) {
    let class = format!("{more}{}", class(line.look));
    let class = match class.trim() {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    };
    put!(
        out,
        "<text x=\"{x}\" y=\"{y}\"{class}>{}</text>",
        escaped(&line.text)
    );
}

const fn class(look: Look) -> &'static str {
    match look {
        Look::Covered => "",
        Look::Never => " never",
        Look::Undeclared => " undeclared",
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
