//! The measurements as an SVG chart: throughput by message size, a panel an operation, a line an
//! implementation.
//!
//! Panels of one primitive stand side by side and share their scale, so that what a batch gains is seen.

use super::json::Machine;
use super::measure::Row;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// Okabe and Ito's colours, which the colour-blind can tell apart, darkened where white would swallow them as
/// text. Used up, they come again, paler.
const COLOURS: [u32; 6] = [0x0072b2, 0xc4500a, 0x00805c, 0xa8478a, 0xb07800, 0x2b8fc7];
/// The portable implementation, which every other is compared with; the last on each list.
const GREY: RGBColor = RGBColor(0x6b, 0x70, 0x75);

/// More would be unreadable where a page shrinks the chart to its width.
const MAX_COLUMNS: usize = 3;
const MARGIN: i32 = 28;
const HEAD: i32 = 70;
const PANEL: (i32, i32) = (400, 270);
/// Right of each panel's lines, for their names.
const NAMES: i32 = 110;
/// Names closer than this would touch.
const NAME_HEIGHT: i32 = 14;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(crate) fn chart(machine: &Machine, rows: &[Row]) -> Result<String, Box<dyn Error>> {
    let sized: Vec<&Row> = rows.iter().filter(|row| row.bytes_per_second.is_some()).collect();
    let panels: Vec<&[&Row]> =
        sized.chunk_by(|a, b| a.operation == b.operation && a.primitive == b.primitive).collect();
    let primitives: Vec<_> = panels.chunk_by(|a, b| a[0].primitive == b[0].primitive).collect();
    let columns = primitives.iter().map(|panels| panels.len()).max().unwrap_or(1).min(MAX_COLUMNS);
    let lines: usize = primitives.iter().map(|panels| panels.len().div_ceil(columns)).sum();
    // All but the last of each panel.
    let coloured: Vec<&Row> = panels
        .iter()
        .flat_map(|rows| {
            rows.iter().copied().filter(|row| Some(&row.implementation) != implementations(rows).last())
        })
        .collect();
    let colours = implementations(&coloured);

    let mut svg = String::new();
    let (width, height) = (2 * MARGIN + columns as i32 * PANEL.0, HEAD + lines as i32 * PANEL.1 + MARGIN);
    let root = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let clock = machine.gigahertz.map_or_else(String::new, |clock| format!(" at {clock:.1} GHz"));
    let title = format!("Keylane on {}{clock}", machine.name());
    root.draw(&Text::new(title, (MARGIN, 18), bold(24, &BLACK)))?;
    let subtitle =
        "Throughput in GB/s by message size in bytes: higher is better. Bold is what runs by default.";
    root.draw(&Text::new(subtitle, (MARGIN, 45), plain(15, &GREY)))?;
    let mut line = 0;
    for panels in primitives {
        let most = panels.iter().flat_map(|rows| rows.iter().copied()).map(gigabytes).fold(0.0, f64::max);
        for (place, rows) in panels.iter().enumerate() {
            let (column, row) = ((place % columns) as i32, (line + place / columns) as i32);
            let corner = (MARGIN + column * PANEL.0, HEAD + row * PANEL.1);
            panel(root.clone().shrink(corner, PANEL), rows, most * 1.05, &colours)?;
        }
        line += panels.len().div_ceil(columns);
    }
    root.present()?;
    drop(root);
    Ok(svg)
}

fn panel(area: Area<'_>, rows: &[&Row], most: f64, colours: &[&str]) -> Result<(), Box<dyn Error>> {
    let title = match rows[0].messages {
        1 => rows[0].operation.to_owned(),
        messages => format!("{}: {messages} at once", rows[0].operation),
    };
    area.draw(&Text::new(title, (0, 8), bold(16, &BLACK)))?;
    let sizes = rows.iter().filter_map(|row| row.size);
    let log = |size: Option<usize>| size.map_or(0.0, |size| (size as f64).log2());
    // A single size stands in the middle.
    let (mut least, mut largest) = (log(sizes.clone().min()), log(sizes.max()));
    if largest - least < 1.0 {
        (least, largest) = (least - 1.0, largest + 1.0);
    }
    let mut chart = ChartBuilder::on(&area)
        .margin_top(28)
        .margin_right(NAMES)
        .set_label_area_size(LabelAreaPosition::Left, 34)
        .set_label_area_size(LabelAreaPosition::Bottom, 32)
        .build_cartesian_2d(least..largest, 0.0..most)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&|power| {
            if power.fract() == 0.0 { short(power.exp2() as usize) } else { String::new() }
        })
        .y_label_formatter(&|rate| rounded(*rate))
        .y_labels(6)
        .axis_style(GREY.mix(0.5))
        .label_style(plain(14, &GREY))
        .draw()?;
    let mut names = Vec::new();
    // The first on the list is drawn last, on top.
    for name in implementations(rows).into_iter().rev() {
        let mut rows: Vec<_> = rows.iter().filter(|row| row.implementation == name).collect();
        rows.sort_by_key(|row| row.size);
        let Some(last) = rows.last() else { continue };
        let colour = match colours.iter().position(|known| *known == name) {
            Some(place) => {
                let [_, r, g, b] = COLOURS[place % COLOURS.len()].to_be_bytes();
                RGBColor(r, g, b).mix(if place < COLOURS.len() { 1.0 } else { 0.5 })
            }
            None => GREY.to_rgba(),
        };
        let chosen = rows.iter().any(|row| row.chosen);
        let points: Vec<_> = rows.iter().map(|row| (log(row.size), gigabytes(row))).collect();
        let lines = chart.plotting_area();
        lines.draw(&PathElement::new(points.clone(), colour.stroke_width(if chosen { 3 } else { 1 })))?;
        for point in &points {
            lines.draw(&Circle::new(*point, 2 + i32::from(chosen), colour.filled()))?;
        }
        let text = format!("{name} {}", rounded(gigabytes(last)));
        names.push((chart.backend_coord(points.last().unwrap_or(&(0.0, 0.0))), text, colour, chosen));
    }
    // Each is moved down as far as it must not to cover another, and all up again if the last would leave the
    // panel.
    names.sort_by_key(|((_, y), ..)| *y);
    let mut heights: Vec<i32> = names.iter().map(|((_, y), ..)| *y).collect();
    for i in 1..heights.len() {
        heights[i] = heights[i].max(heights[i - 1] + NAME_HEIGHT);
    }
    let (_, mut lowest) = chart.backend_coord(&(least, 0.0));
    for height in heights.iter_mut().rev() {
        *height = lowest.min(*height);
        lowest = *height - NAME_HEIGHT;
    }
    let (left, top) = area.get_base_pixel();
    for (((x, _), text, colour, chosen), y) in names.into_iter().zip(heights) {
        let style = if chosen { bold(14, &colour) } else { plain(14, &colour) };
        let style = style.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(text, (x - left + 8, y - top), style))?;
    }
    Ok(())
}

/// In the list's order.
fn implementations(rows: &[&Row]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for row in rows {
        if !names.contains(&row.implementation) {
            names.push(row.implementation);
        }
    }
    names
}

// Plotters' sizes are 1.24 times those of SVG.
fn plain(size: i32, colour: &impl Color) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(colour)
}

fn bold(size: i32, colour: &impl Color) -> TextStyle<'static> {
    ("sans-serif", size).into_font().style(FontStyle::Bold).color(colour)
}

fn gigabytes(row: &Row) -> f64 {
    row.bytes_per_second.unwrap_or(0.0) / 1e9
}

fn rounded(rate: f64) -> String {
    if rate < 9.95 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

fn short(size: usize) -> String {
    match size {
        0x10_0000.. => format!("{}M", size >> 20),
        0x400.. => format!("{}K", size >> 10),
        _ => size.to_string(),
    }
}
