//! The chart of a report: speed relative to the best rival, as bars.

use crate::{
    is_ours,
    results::{LEVEL, Line, Results},
};
use plotters::{coord::ranged1d::SegmentValue, prelude::*, style::text_anchor::*};
use std::error::Error;

const WIDTH: u32 = 1040;
const ROW: u32 = 21;

// Blue and vermilion of Okabe and Ito's palette: apart for every kind of colour vision.
const AHEAD: RGBColor = RGBColor(0, 0x72, 0xb2);
const BEHIND: RGBColor = RGBColor(0xd5, 0x5e, 0);

/// Draws all rows that are charted, and those where Keylane is behind.
pub fn svg(results: &Results) -> Result<String, Box<dyn Error>> {
    let row = |line| {
        let ratio = Line::ratios(line).into_iter().next().filter(|it| it.ratio.is_finite())?;
        let is_shown = line.is_charted || ratio.ratio >= LEVEL.1 && !ratio.is_cold();
        is_shown.then_some((line, ratio.rival, 1.0 / ratio.ratio))
    };
    // The vertical axis points up.
    let rows: Vec<(&Line, String, f64)> = results.lines.iter().rev().filter_map(row).collect();
    let most = rows.iter().map(|(.., speed)| *speed).fold(1.5, f64::max);

    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH, (rows.len() as u32 + 5) * ROW)).into_drawing_area();
    root.fill(&WHITE)?;
    let longest = rows.iter().map(|(line, ..)| line.case.len()).max().unwrap_or(0) as u32;
    // Plotters' sizes are 1.24 times those of SVG.
    let font = ("sans-serif", 15).into_font();
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("{}: speed over the best rival's", results.cpu), font.resize(18.0))
        .margin_right(WIDTH / 5)
        .set_label_area_size(LabelAreaPosition::Left, 20 + 7 * longest)
        .set_label_area_size(LabelAreaPosition::Bottom, ROW)
        .build_cartesian_2d(0.0..most, (0..rows.len()).into_segmented())?;
    let name = |at: &SegmentValue<usize>| match at {
        SegmentValue::CenterOf(i) => rows.get(*i).map_or(String::new(), |(line, ..)| line.case.clone()),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(rows.len())
        .y_label_formatter(&name)
        .x_label_formatter(&|speed| format!("{speed}×"))
        .label_style(font.clone())
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (i, (line, best, speed)) in rows.iter().enumerate() {
        let colour = if 1.0 / speed >= LEVEL.1 { BEHIND } else { AHEAD };
        let mut bar = Rectangle::new(
            [(0.0, SegmentValue::Exact(i)), (*speed, SegmentValue::Exact(i + 1))],
            colour.filled(),
        );
        bar.set_margin(3, 3, 0, 0);
        chart.plotting_area().draw(&bar)?;
        for library in line.figures.keys().filter(|library| !is_ours(library)) {
            let at = (line.speed(library, best).unwrap_or(0.0), SegmentValue::CenterOf(i));
            chart.plotting_area().draw(&Circle::new(at.clone(), 3, WHITE.filled()))?;
            chart.plotting_area().draw(&Circle::new(at, 3, BLACK))?;
        }
        let style = font.color(&colour).pos(Pos::new(HPos::Left, VPos::Center));
        let at = (speed.max(1.0) + most / 100.0, SegmentValue::CenterOf(i));
        chart.plotting_area().draw(&Text::new(format!("{speed:.2}× {best}"), at, style))?;
    }
    root.present()?;
    drop((chart, root));
    Ok(svg)
}
