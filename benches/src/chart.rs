//! The chart of a report: speed relative to the best rival, as bars.

use crate::{OURS, case::Case, case::Hash, report, results::Results};
use std::fmt::Write as _;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 240.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 112.0;
const ROW: f64 = 21.0;
const BAR: f64 = 14.0;
const HEADING: f64 = 34.0;

// Blue and vermilion of Okabe and Ito's palette: apart for every kind of colour vision.
const AHEAD: &str = "#0072B2";
const BEHIND: &str = "#D55E00";
const INK: &str = "#1f2328";
const FAINT: &str = "#6a737d";
const LINE: &str = "#d8dee4";

/// Cases that say what the others say too are left to the tables.
fn charted(case: &Case) -> bool {
    match *case {
        Case::HmacKeyed { h, len } => h != Hash::Sha384 && [32, 64, 1024, 16384].contains(&len),
        Case::HmacNew { h, len } => h != Hash::Sha384 && len == 64,
        Case::Digest { h, len } => h != Hash::Sha384 && [64, 16384].contains(&len),
        Case::DigestBatch { h, len, .. } => h != Hash::Sha384 && len == 64,
        Case::HmacBatch { h, .. } | Case::Pbkdf2 { h, .. } => h != Hash::Sha384,
        Case::HmacKey { .. } | Case::AeadKey { .. } | Case::Memcpy { .. } | Case::Open { .. } => false,
        _ => true,
    }
}

fn title(group: &str) -> &str {
    match group {
        "hmac" => "HMAC",
        "hash" => "Hash",
        "pbkdf2" => "PBKDF2",
        "hkdf" => "HKDF",
        "aes-ctr" => "AES-CTR",
        "aes-gcm" => "AES-GCM",
        "chacha20" => "ChaCha20",
        "chacha20-poly1305" => "ChaCha20-Poly1305",
        "poly1305" => "Poly1305",
        other => other,
    }
}

/// Bars in groups.
pub struct Chart {
    pub title: String,
    /// Under the title.
    pub subtitle: String,
    pub groups: Vec<Group>,
    /// `YYYY-MM-DD`.
    pub date: String,
}

/// Bars under a heading.
pub struct Group {
    pub title: String,
    pub bars: Vec<Bar>,
}

/// A row of the chart. Speeds are relative to the best rival's.
pub struct Bar {
    pub label: String,
    /// Ours.
    pub speed: f64,
    /// Who the best rival is.
    pub best: String,
    /// All rivals, by name.
    pub rivals: Vec<(String, f64)>,
}

/// The chart of all cases that Keylane and a rival have.
pub fn chart(results: &Results) -> Chart {
    let mut cases = results.cases();
    // Whatever is behind is shown.
    cases.retain(|case| results.ratio(case).is_some_and(|ratio| charted(case) || ratio >= report::LEVEL.1));
    let bar = |case: &Case| {
        let best = results.best_rival(case).expect("charted cases have a rival");
        let rivals = results.all(case).into_iter().filter(|row| row.rival != OURS);
        Bar {
            label: report::label(case),
            speed: 1.0 / results.ratio(case).expect("charted cases have a rival"),
            best: best.rival.clone(),
            rivals: rivals.map(|row| (row.rival.clone(), best.cycles / row.cycles)).collect(),
        }
    };
    let groups = cases.chunk_by(|a, b| a.group() == b.group());
    Chart {
        title: "Keylane against the best rival of each row".into(),
        subtitle: format!("{} · one thread · speed, from core cycles · longer is faster", results.cpu),
        groups: groups
            .map(|group| Group {
                title: title(group[0].group()).into(),
                bars: group.iter().map(bar).collect(),
            })
            .collect(),
        date: results.date[..10].into(),
    }
}

/// The picture.
pub fn svg(chart: &Chart) -> String {
    let count: usize = chart.groups.iter().map(|group| group.bars.len()).sum();
    let height = TOP + chart.groups.len() as f64 * HEADING + count as f64 * ROW + 64.0;
    let speeds = chart.groups.iter().flat_map(|group| &group.bars).map(|bar| bar.speed);
    let most = speeds.fold(1.5, f64::max);
    let scale = (WIDTH - LEFT - RIGHT) / most;

    let mut s = String::new();
    write!(
        s,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\" \
         font-size=\"13\" fill=\"{INK}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
    .unwrap();
    let mut text = |x: f64, y: f64, style: &str, text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(s, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>").unwrap();
    };
    text(24.0, 36.0, "font-size=\"20\" font-weight=\"bold\"", &chart.title);
    let faint = format!("fill=\"{FAINT}\"");
    text(24.0, 58.0, &faint, &chart.subtitle);

    // The scale: a line at each whole multiple.
    let bottom = height - 52.0;
    let step = (most / 8.0).ceil().max(1.0);
    let mut at = 0.0;
    while at <= most {
        let x = LEFT + at * scale;
        let (colour, width) = if at == 1.0 { (INK, 1.5) } else { (LINE, 1.0) };
        let dash = if at == 1.0 { " stroke-dasharray=\"4 3\"" } else { "" };
        writeln!(
            s,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"{dash}/>"
        )
        .unwrap();
        let label = if at == 1.0 { "best rival = 1" } else { &format!("{at}×") };
        let weight = if at == 1.0 { " font-weight=\"bold\"" } else { "" };
        let fill = if at == 1.0 { INK } else { FAINT };
        writeln!(
            s,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\" fill=\"{fill}\"{weight}>{label}</text>",
            TOP - 8.0
        )
        .unwrap();
        at = if at == 0.0 && step > 1.0 { 1.0 } else { (at / step).floor() * step + step };
    }

    let mut y = TOP;
    for group in &chart.groups {
        writeln!(
            s,
            "<text x=\"24\" y=\"{:.1}\" font-size=\"15\" font-weight=\"bold\">{}</text>",
            y + HEADING - 10.0,
            group.title
        )
        .unwrap();
        y += HEADING;
        for bar in &group.bars {
            row(&mut s, bar, y, scale);
            y += ROW;
        }
    }
    legend(&mut s, height, &chart.date);
    s.push_str("</svg>\n");
    s
}

fn row(s: &mut String, bar: &Bar, y: f64, scale: f64) {
    let speed = bar.speed;
    let (middle, text) = (y + ROW / 2.0, y + ROW / 2.0 + 4.5);
    let colour = if 1.0 / speed >= report::LEVEL.1 { BEHIND } else { AHEAD };
    writeln!(s, "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{}</text>", LEFT - 10.0, bar.label)
        .unwrap();
    writeln!(
        s,
        "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\" fill=\"{colour}\"/>",
        middle - BAR / 2.0,
        speed * scale
    )
    .unwrap();
    for (name, speed) in &bar.rivals {
        writeln!(
            s,
            "<circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"3.2\" fill=\"#ffffff\" stroke=\"{INK}\" stroke-width=\"1.2\">\
             <title>{name}: {speed:.2}</title></circle>",
            LEFT + speed * scale
        )
        .unwrap();
    }
    writeln!(
        s,
        "<text x=\"{:.1}\" y=\"{text:.1}\" paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"4\"><tspan font-weight=\"bold\" fill=\"{colour}\">{speed:.2}×</tspan>\
         <tspan dx=\"6\" fill=\"{FAINT}\" font-size=\"12\">{}</tspan></text>",
        LEFT + speed.max(1.0) * scale + 8.0,
        bar.best
    )
    .unwrap();
}

fn legend(s: &mut String, height: f64, date: &str) {
    let y = height - 20.0;
    writeln!(
        s,
        "<g font-size=\"12\"><rect x=\"24\" y=\"{:.1}\" width=\"22\" height=\"11\" rx=\"2\" fill=\"{AHEAD}\"/>\
         <text x=\"52\" y=\"{y}\">Keylane, ahead or within 1 %</text>\
         <rect x=\"290\" y=\"{:.1}\" width=\"22\" height=\"11\" rx=\"2\" fill=\"{BEHIND}\"/>\
         <text x=\"318\" y=\"{y}\">Keylane, behind</text>\
         <circle cx=\"452\" cy=\"{:.1}\" r=\"3.2\" fill=\"#ffffff\" stroke=\"{INK}\" stroke-width=\"1.2\"/>\
         <text x=\"462\" y=\"{y}\">each rival (the best is named)</text>\
         <text x=\"{:.1}\" y=\"{y}\" text-anchor=\"end\" fill=\"{FAINT}\">{}</text></g>",
        y - 10.0,
        y - 10.0,
        y - 4.5,
        WIDTH - 24.0,
        date
    )
    .unwrap();
}
