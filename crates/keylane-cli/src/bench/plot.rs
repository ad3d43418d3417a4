//! The measurements as an SVG chart: throughput by message size, a panel an operation, a line an
//! implementation.
//!
//! Panels of one primitive stand side by side and share their scale, so that what a batch gains is seen.

use super::json::Machine;
use super::measure::Row;
use std::fmt::Write;

/// Okabe and Ito's colours, which the colour-blind can tell apart, darkened where white would swallow them as
/// text.
const COLOURS: [&str; 6] = ["#0072b2", "#c4500a", "#00805c", "#a8478a", "#b07800", "#2b8fc7"];
/// The portable implementation, which every other is compared with.
const GREY: &str = "#6b7075";
const INK: &str = "#1c2024";
const FAINT: &str = "#5f666d";
const GRID: &str = "#e6e8ea";

const MARGIN: f64 = 28.0;
/// The title above all panels.
const HEAD: f64 = 74.0;
/// Left of a row's first panel, for the scale.
const SCALE: f64 = 34.0;
/// Right of each panel's lines, for their names.
const NAMES: f64 = 104.0;
/// Above and below each panel's lines, for its title and its sizes.
const ABOVE: f64 = 34.0;
const BELOW: f64 = 40.0;
/// What is still readable where a page shrinks the chart to its width.
const MOST_COLUMNS: usize = 3;
/// Names closer than this would touch.
const NAME_HEIGHT: f64 = 14.0;

/// One operation's measurements.
struct Panel<'a> {
    rows: &'a [Row],
    /// The implementations, in the list's order.
    names: Vec<&'static str>,
}

/// Where a panel's lines are drawn, and what its axes show.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Base-2 logarithms of the smallest and the largest size.
    sizes: (f64, f64),
    /// GB/s at the top.
    most: f64,
}

pub(crate) fn chart(machine: &Machine, rows: &[Row]) -> String {
    let panels: Vec<Panel<'_>> = rows
        .chunk_by(|a, b| a.operation == b.operation && a.primitive == b.primitive)
        .filter(|rows| rows[0].bytes_per_second.is_some())
        .map(Panel::new)
        .collect();
    let primitives: Vec<&[Panel<'_>]> =
        panels.chunk_by(|a, b| a.rows[0].primitive == b.rows[0].primitive).collect();
    let columns = primitives.iter().map(|panels| panels.len()).max().unwrap_or(1).min(MOST_COLUMNS);
    let lines: usize = primitives.iter().map(|panels| panels.len().div_ceil(columns)).sum();
    let (width, height) = match columns {
        1 => (560.0, 300.0),
        2 => (380.0, 240.0),
        _ => (290.0, 190.0),
    };
    let total_width = 2.0 * MARGIN + SCALE + columns as f64 * (width + NAMES);
    let total_height = MARGIN + HEAD + lines as f64 * (ABOVE + height + BELOW);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total_width:.0}\" height=\"{total_height:.0}\" \
         viewBox=\"0 0 {total_width:.0} {total_height:.0}\" \
         font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    heading(&mut svg, machine);
    let palette = Palette::new(&panels);
    let mut line = 0;
    for panels in &primitives {
        let most = panels.iter().flat_map(|panel| panel.rows).filter_map(gigabytes).fold(0.0, f64::max);
        for (place, panel) in panels.iter().enumerate() {
            let (column, row) = (place % columns, line + place / columns);
            let frame = Frame {
                left: MARGIN + SCALE + column as f64 * (width + NAMES),
                top: HEAD + ABOVE + row as f64 * (ABOVE + height + BELOW),
                width,
                height,
                sizes: panel.sizes(),
                most: most * 1.05,
            };
            panel.draw(&mut svg, &frame, &palette, column == 0);
        }
        line += panels.len().div_ceil(columns);
    }
    svg.push_str("</svg>\n");
    svg
}

fn heading(svg: &mut String, machine: &Machine) {
    let clock = machine.gigahertz.map_or_else(String::new, |clock| format!(" at {clock:.1} GHz"));
    let title = format!("Keylane on {}{clock}", machine.name());
    text(svg, (MARGIN, 36.0), &title, &format!("font-size=\"19\" font-weight=\"600\" fill=\"{INK}\""));
    let subtitle =
        "Throughput in GB/s by message size in bytes: higher is better. Bold is what runs by default.";
    text(svg, (MARGIN, 57.0), subtitle, &format!("font-size=\"12.5\" fill=\"{FAINT}\""));
}

impl<'a> Panel<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let mut names = Vec::new();
        for row in rows {
            if !names.contains(&row.implementation) {
                names.push(row.implementation);
            }
        }
        Self { rows, names }
    }

    fn sizes(&self) -> (f64, f64) {
        let sizes = self.rows.iter().filter_map(|row| row.size).map(|size| (size as f64).log2());
        let (least, most) =
            sizes.fold((f64::MAX, f64::MIN), |(least, most), size| (least.min(size), most.max(size)));
        // A single size stands in the middle.
        if most - least < 1.0 { (least - 1.0, most + 1.0) } else { (least, most) }
    }

    fn draw(&self, svg: &mut String, frame: &Frame, palette: &Palette, first: bool) {
        let _ = writeln!(svg, "<g>");
        let operation = self.rows[0].operation;
        let title = match self.rows[0].messages {
            1 => operation.to_owned(),
            messages => format!("{operation}: {messages} at once"),
        };
        let at = (frame.left, frame.top - 13.0);
        text(svg, at, &title, &format!("font-size=\"13\" font-weight=\"600\" fill=\"{INK}\""));
        frame.grid(svg, first);
        let mut names = Vec::new();
        // The first on the list is drawn last, on top.
        for name in self.names.iter().rev() {
            let rows: Vec<_> = self.rows.iter().filter(|row| row.implementation == *name).collect();
            let mut points: Vec<_> =
                rows.iter().filter_map(|row| Some((frame.x(row.size?), frame.y(gigabytes(row)?)))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let chosen = rows.iter().any(|row| row.chosen);
            let stroke = palette.stroke(name);
            curve(svg, name, &points, &stroke, chosen);
            let largest = rows.iter().max_by_key(|row| row.size);
            if let Some((&(x, y), rate)) = points.last().zip(largest.and_then(|row| gigabytes(row))) {
                names.push(Name {
                    x,
                    y,
                    text: format!("{name} {}", rounded(rate)),
                    colour: stroke.colour,
                    chosen,
                });
            }
        }
        write_names(svg, names, frame);
        let _ = writeln!(svg, "</g>");
    }
}

impl Frame {
    fn x(&self, size: usize) -> f64 {
        let (least, most) = self.sizes;
        self.left + self.width * ((size as f64).log2() - least) / (most - least)
    }

    fn y(&self, gigabytes: f64) -> f64 {
        self.top + self.height * (1.0 - gigabytes / self.most.max(f64::MIN_POSITIVE))
    }

    /// Light lines at round numbers; the scale is written once a row.
    fn grid(&self, svg: &mut String, scale: bool) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        let step = round_step(self.most / 5.0);
        for i in 0..=(self.most / step) as u32 {
            let rate = f64::from(i) * step;
            let y = self.y(rate);
            let colour = if i == 0 { "#b8bdc2" } else { GRID };
            let _ = writeln!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"/>",
                self.left
            );
            if scale {
                let decimals = if step < 0.1 { 2 } else { usize::from(step < 1.0) };
                let at = (self.left - 7.0, y + 4.0);
                text(
                    svg,
                    at,
                    &format!("{rate:.decimals$}"),
                    &format!("text-anchor=\"end\" fill=\"{FAINT}\""),
                );
            }
        }
        // A mark at every second power of four is as dense as its label allows.
        for power in (0..=30).step_by(if self.sizes.1 - self.sizes.0 > 12.0 { 4 } else { 2 }) {
            if (self.sizes.0..=self.sizes.1).contains(&f64::from(power)) {
                let size = 1usize << power;
                let x = self.x(size);
                let _ = writeln!(
                    svg,
                    "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"{GRID}\"/>",
                    self.top
                );
                let style = format!("text-anchor=\"middle\" fill=\"{FAINT}\"");
                text(svg, (x, bottom + 16.0), &short(size), &style);
            }
        }
    }
}

/// How an implementation is drawn, in every panel the same.
struct Palette(Vec<&'static str>);

struct Stroke {
    colour: &'static str,
    dash: &'static str,
}

impl Palette {
    fn new(panels: &[Panel<'_>]) -> Self {
        let mut names: Vec<&'static str> = Vec::new();
        for panel in panels {
            // The last on a list is the portable one, and grey.
            for name in &panel.names[..panel.names.len().saturating_sub(1)] {
                if !names.contains(name) {
                    names.push(name);
                }
            }
        }
        Self(names)
    }

    fn stroke(&self, name: &str) -> Stroke {
        match self.0.iter().position(|known| *known == name) {
            Some(place) => Stroke {
                colour: COLOURS[place % COLOURS.len()],
                // When the colours are used up, they come again, dashed.
                dash: if place < COLOURS.len() { "" } else { " stroke-dasharray=\"6 3\"" },
            },
            None => Stroke { colour: GREY, dash: "" },
        }
    }
}

fn curve(svg: &mut String, name: &str, points: &[(f64, f64)], stroke: &Stroke, chosen: bool) {
    let path: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let (width, radius) = if chosen { (2.8, 3.0) } else { (1.5, 2.2) };
    let Stroke { colour, dash } = stroke;
    let _ = writeln!(
        svg,
        "<polyline data-implementation=\"{}\" points=\"{}\" fill=\"none\" stroke=\"{colour}\" \
         stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{dash}/>",
        escaped(name),
        path.join(" ")
    );
    for (x, y) in points {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>");
    }
}

/// A line's name, beside its end.
struct Name {
    x: f64,
    y: f64,
    text: String,
    colour: &'static str,
    chosen: bool,
}

/// Writes the names so that none covers another: each is moved down as far as it must, and all up again if
/// the last would leave the panel.
fn write_names(svg: &mut String, mut names: Vec<Name>, frame: &Frame) {
    names.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut heights: Vec<f64> = names.iter().map(|name| name.y).collect();
    for i in 1..heights.len() {
        heights[i] = heights[i].max(heights[i - 1] + NAME_HEIGHT);
    }
    let mut lowest = frame.top + frame.height;
    for height in heights.iter_mut().rev() {
        *height = height.min(lowest);
        lowest = *height - NAME_HEIGHT;
    }
    for (name, y) in names.iter().zip(heights) {
        let weight = if name.chosen { " font-weight=\"600\"" } else { "" };
        text(
            svg,
            (name.x + 8.0, y + 4.0),
            &name.text,
            &format!("font-size=\"11.5\" fill=\"{}\"{weight}", name.colour),
        );
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), content: &str, attributes: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>", escaped(content));
}

/// Safe in text and in attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML 1.0 has no place for these.
            control if control.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

fn gigabytes(row: &Row) -> Option<f64> {
    row.bytes_per_second.map(|rate| rate / 1e9)
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

/// 1, 2 or 5 times a power of ten: the smallest that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-6).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= least)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> & \"c\"\0"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}");
    }

    #[test]
    fn steps_are_round() {
        for (least, step) in [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (2.2, 5.0), (7.0, 10.0), (30.0, 50.0)] {
            assert!((round_step(least) - step).abs() < 1e-9, "{least}");
        }
    }

    #[test]
    fn names_do_not_touch_and_stay_inside() {
        let frame = Frame { left: 0.0, top: 0.0, width: 100.0, height: 60.0, sizes: (0.0, 1.0), most: 1.0 };
        let names = [59.0, 58.0, 10.0, 57.0].map(|y| Name {
            x: 0.0,
            y,
            text: String::new(),
            colour: "",
            chosen: false,
        });
        let mut svg = String::new();
        write_names(&mut svg, names.into(), &frame);
        let heights: Vec<f64> = svg
            .lines()
            .map(|line| line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 4);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= NAME_HEIGHT - 0.1), "{heights:?}");
        assert!(heights[3] <= 60.0 + 4.0);
    }
}
