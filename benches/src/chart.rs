//! The chart of a report: speed relative to the best rival, as bars.

use crate::{
    is_ours,
    report::{LEVEL, Line, Results},
};
use plotters::{prelude::*, style::text_anchor::*};
use std::error::Error;

const WIDTH: u32 = 1040;
const LEFT: i32 = 350;
const TOP: u32 = 70;
const ROW: u32 = 21;

// Blue and vermilion of Okabe and Ito's palette: apart for every kind of colour vision.
const AHEAD: RGBColor = RGBColor(0, 0x72, 0xb2);
const BEHIND: RGBColor = RGBColor(0xd5, 0x5e, 0);
const FAINT: RGBColor = RGBColor(0x6a, 0x73, 0x7d);

/// A row of the picture.
enum Row<'a> {
    Heading(&'a str),
    /// The best rival, and our costs over its.
    Bar(&'a Line, &'a str, f64),
}

/// Returns the chart: its rows and their background.
pub fn svg(results: &Results) -> Result<String, Box<dyn Error>> {
    let mut rows = Vec::new();
    for lines in results.lines.chunk_by(|a, b| a.table == b.table) {
        let bar = |line| {
            let (rival, ratio) = Line::rival(line)?;
            let is_shown = line.is_charted || ratio >= LEVEL.1 && !line.case.ends_with("/cold");
            is_shown.then_some(Row::Bar(line, rival, ratio))
        };
        let mut bars = lines.iter().filter_map(bar).peekable();
        rows.extend(bars.peek().is_some().then_some(Row::Heading(&lines[0].table)));
        rows.extend(bars);
    }
    let speeds = rows.iter().map(|row| if let Row::Bar(.., ratio) = row { 1.0 / ratio } else { 0.0 });
    let most = speeds.fold(1.5, f64::max);
    let height = TOP + (rows.len() as u32 + 2) * ROW;

    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    // Plotters' sizes are 1.24 times those of SVG.
    let font = |size: i32, colour: RGBColor| ("sans-serif", size).into_font().color(&colour);
    let bold = |size: i32| ("sans-serif", size).into_font().style(FontStyle::Bold).color(&BLACK);
    root.draw(&Text::new(results.title.clone(), (24, 16), bold(24)))?;
    let subtitle = format!(
        "{} · {} · speed of Keylane (bar) and each rival (dot) over the best rival's",
        results.cpu, results.date
    );
    root.draw(&Text::new(subtitle, (24, 44), font(16, FAINT)))?;
    let mut chart = ChartBuilder::on(&root)
        .margin_top(TOP - 2)
        .margin_right(WIDTH / 5)
        .set_label_area_size(LabelAreaPosition::Left, LEFT)
        .set_label_area_size(LabelAreaPosition::Bottom, ROW)
        .build_cartesian_2d(0.0..most, 0.0..rows.len() as f64)?;
    let times = |speed: &f64| format!("{speed}×");
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .label_style(font(15, FAINT))
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&times)
        .draw()?;
    chart.plotting_area().draw(&PathElement::new([(1.0, 0.0), (1.0, rows.len() as f64)], BLACK))?;
    for (i, row) in rows.iter().enumerate() {
        let y = (rows.len() - i) as f64 - 0.5;
        let left = |text: &str, x, style: TextStyle<'_>, at| {
            let (_, y) = chart.backend_coord(&(0.0, y));
            root.draw(&Text::new(text.to_string(), (x, y), style.pos(Pos::new(at, VPos::Center))))
        };
        let Row::Bar(line, best, ratio) = row else {
            let Row::Heading(heading) = row else { unreachable!() };
            left(heading, 24, bold(18), HPos::Left)?;
            continue;
        };
        let colour = if *ratio >= LEVEL.1 { BEHIND } else { AHEAD };
        left(&line.case, LEFT - 10, font(15, BLACK), HPos::Right)?;
        let (area, speed) = (chart.plotting_area(), 1.0 / ratio);
        area.draw(&Rectangle::new([(0.0, y - 0.33), (speed, y + 0.33)], colour.filled()))?;
        for figure in line.figures.iter().filter(|figure| !is_ours(&figure.library)) {
            let at = (line.speed(&figure.library, best).unwrap_or(0.0), y);
            area.draw(&Circle::new(at, 3, WHITE.filled()))?;
            area.draw(&Circle::new(at, 3, BLACK))?;
        }
        let (end, _) = chart.backend_coord(&(speed.max(1.0), y));
        left(&format!("{speed:.2}× {best}"), end + 8, font(15, colour), HPos::Left)?;
    }
    root.present()?;
    drop((chart, root));
    Ok(svg)
}
