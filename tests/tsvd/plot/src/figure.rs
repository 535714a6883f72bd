//! The figure: panels in rows of three, each with two lines and an axis on either side.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::sweep::{Point, Sweep};

const COLUMNS: usize = 3;
/// Width and height of a panel, in pixels.
const PANEL: (u32, u32) = (340, 210);
/// The height of the line above all panels that says what the colours are.
const LEGEND: u32 = 30;
const MARGIN: u32 = 8;
const BUGS: RGBColor = RGBColor(31, 119, 180);
const ADDED: RGBColor = RGBColor(214, 96, 39);
const GRID: RGBColor = RGBColor(225, 225, 225);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// Writes the figure of all sweeps as SVG.
pub(crate) fn draw(path: &Path, sweeps: &[Sweep]) -> Drawn {
    let rows = sweeps.len().div_ceil(COLUMNS);
    let width = PANEL.0 * u32::try_from(COLUMNS)?;
    let height = PANEL.1 * u32::try_from(rows)? + LEGEND;
    let root = SVGBackend::new(path, (width, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (legend, panels) = root.split_vertically(LEGEND);
    label(&legend, 20, BUGS, "bugs found in two runs (left axis)")?;
    label(
        &legend,
        320,
        ADDED,
        "seconds added to the first run (right axis)",
    )?;
    for (area, sweep) in panels.split_evenly((rows, COLUMNS)).iter().zip(sweeps) {
        panel(area, sweep)?;
    }
    root.present()?;
    Ok(())
}

/// A short line of the colour, a mark, and what it is.
fn label(area: &Area<'_>, left: i32, colour: RGBColor, text: &str) -> Drawn {
    let middle = 16;
    area.draw(&PathElement::new(
        [(left, middle), (left + 24, middle)],
        colour.stroke_width(2),
    ))?;
    area.draw(&Circle::new((left + 12, middle), 3, colour.filled()))?;
    area.draw(&Text::new(
        text.to_owned(),
        (left + 32, middle - 7),
        ("sans-serif", 14),
    ))?;
    Ok(())
}

fn panel(area: &Area<'_>, sweep: &Sweep) -> Drawn {
    let last = i32::try_from(sweep.points.len())? - 1;
    let most = |of: fn(&Point) -> f64| sweep.points.iter().map(of).fold(1.0, f64::max) * 1.15;
    let mut chart = ChartBuilder::on(area)
        .caption(format!("--{}", sweep.parameter), ("sans-serif", 14))
        .margin(MARGIN)
        .x_label_area_size(22)
        .y_label_area_size(34)
        .right_y_label_area_size(38)
        .build_cartesian_2d(0..last, 0.0..most(|it| it.bugs))?
        .set_secondary_coord(0..last, 0.0..most(|it| it.added));
    let value = |index: &i32| {
        let point = usize::try_from(*index)
            .ok()
            .and_then(|index| sweep.points.get(index));
        point.map_or_else(String::new, |it| it.value.clone())
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .x_labels(sweep.points.len())
        .y_labels(5)
        .x_label_formatter(&value)
        .y_label_formatter(&|bugs| format!("{bugs:.0}"))
        .label_style(("sans-serif", 12))
        .y_label_style(("sans-serif", 12, &BUGS))
        .draw()?;
    chart
        .configure_secondary_axes()
        .y_labels(5)
        .y_label_formatter(&|added| format!("{added:.1}"))
        .label_style(("sans-serif", 12, &ADDED))
        .draw()?;
    let along = |of: fn(&Point) -> f64| (0..).zip(sweep.points.iter().map(of)).collect::<Vec<_>>();
    let (bugs, added) = (along(|it| it.bugs), along(|it| it.added));
    chart.draw_secondary_series(LineSeries::new(added, ADDED.stroke_width(2)).point_size(3))?;
    chart.draw_series(LineSeries::new(bugs, BUGS.stroke_width(2)).point_size(3))?;
    Ok(())
}
