//! Draws the measurements as an SVG chart, one bar per operation on messages.

use super::measure::Row;
use super::report::{Machine, number};
use std::fmt::Write;

const WIDTH: usize = 900;
const HEAD: usize = 80;
const LINE: usize = 28;
/// The left end of the bars, and the length of the longest.
const LEFT: usize = 300;
const LONGEST: f64 = 400.0;

pub(crate) fn chart(machine: &Machine, rows: &[Row]) -> String {
    let rates: Vec<_> = rows.iter().filter_map(|row| Some((row, row.bytes_per_second? / 1e9))).collect();
    let most = rates.iter().map(|(_, rate)| *rate).fold(f64::MIN_POSITIVE, f64::max);
    let clock = machine.gigahertz.map_or_else(String::new, |clock| format!(" at {clock:.1} GHz"));
    let cpu = machine.name().replace('&', "&amp;").replace('<', "&lt;");
    let height = HEAD + LINE * rates.len() + LINE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"20\" y=\"34\" font-size=\"20\" font-weight=\"bold\">Keylane on {cpu}{clock}</text>\n\
         <text x=\"20\" y=\"58\" fill=\"#6b7075\">Throughput in GB/s: higher is better</text>\n"
    );
    for ((row, rate), y) in rates.iter().zip((HEAD..).step_by(LINE)) {
        let (length, text) = (rate / most * LONGEST, y + 15);
        let (end, rate, of) = (LEFT as f64 + length + 8.0, number(*rate), row.of());
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}, {of}</text>\n\
             <rect x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"20\" fill=\"#0072b2\"/>\n\
             <text x=\"{end:.1}\" y=\"{text}\">{rate} <tspan fill=\"#6b7075\">{}</tspan></text>",
            LEFT - 8,
            row.operation,
            row.implementation,
        );
    }
    svg + "</svg>\n"
}
