//! A picture for Graphviz.

use cct::covered::Covered;

use super::super::words::put;
use super::drawing::{Box, Drawing, Frame, Line, Look};

/// The text of the file.
pub(super) fn dot(covered: &Covered) -> String {
    let drawing = Drawing::of(covered);
    let mut out = String::new();
    put!(out, "digraph {} {{\n", quoted(&covered.path));
    out.push_str("  node [shape=box, style=rounded, fontname=monospace, fontsize=11];\n");
    out.push_str("  edge [fontname=monospace, fontsize=10];\n");
    frame(&drawing, &drawing.frame, 1, &mut 0, &mut out);
    if let Some(start) = drawing.start {
        out.push_str("  start [shape=point, label=\"\"];\n");
        put!(out, "  start -> n{start};\n");
    }
    for arrow in &drawing.arrows {
        for line in &arrow.lines {
            let (from, to) = (arrow.from, arrow.to);
            let label = quoted(&line.text);
            put!(
                out,
                "  n{from} -> n{to} [label={label}{}];\n",
                looks(line.look)
            );
        }
    }
    out.push_str("}\n");
    out
}

fn frame(drawing: &Drawing, of: &Frame, depth: usize, number: &mut usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for &place in &of.boxes {
        let shown = &drawing.boxes[place];
        put!(
            out,
            "{indent}n{place} [label={}{}];\n",
            label(shown),
            looks_of(shown)
        );
    }
    for inner in &of.frames {
        put!(out, "{indent}subgraph cluster_{number} {{\n");
        put!(out, "{indent}  label={};\n", quoted(&inner.name));
        *number += 1;
        frame(drawing, inner, depth + 1, number, out);
        put!(out, "{indent}}}\n");
    }
}

/// A label in HTML, as Graphviz has it.
fn label(shown: &Box) -> String {
    let mut label = format!("<b>{}</b>", escaped(&shown.title.text));
    for line in &shown.lines {
        put!(label, "<br/>{}", colored(line));
    }
    format!("<{label}>")
}

fn colored(line: &Line) -> String {
    let text = escaped(&line.text);
    match line.look {
        Look::Covered => text,
        look => format!("<font color=\"{}\">{text}</font>", color(look)),
    }
}

fn looks_of(shown: &Box) -> String {
    let shape = if shown.is_end { ", shape=oval" } else { "" };
    let style = match shown.title.look {
        Look::Never => ", style=\"rounded,dashed\", color=gray60, fontcolor=gray40",
        Look::Covered | Look::Undeclared => "",
    };
    format!("{shape}{style}")
}

fn looks(look: Look) -> String {
    let color = color(look);
    match look {
        Look::Covered => String::new(),
        Look::Never => format!(", style=dashed, color=gray60, fontcolor={color}"),
        Look::Undeclared => format!(", color={color}, fontcolor={color}"),
    }
}

const fn color(look: Look) -> &'static str {
    match look {
        Look::Covered => "black",
        Look::Never => "gray40",
        Look::Undeclared => "darkorange3",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
