//! The tables of the note.

use crate::{BITS, LENGTHS, kernel, variants::Variant};
use kernel::{Counters, Data, RoundKeys};
use std::fmt::Write as _;

/// How many of the best variants are named.
const BEST: usize = 4;

/// All tables, vector by vector.
pub(crate) fn all(variants: &[Variant]) -> String {
    let mut s = String::new();
    for group in variants.chunk_by(|a, b| a.vector_bits == b.vector_bits) {
        table(&mut s, group);
    }
    s
}

/// Cycles per byte. In every row but the last ones, each cell is the best of all variants that have the row's choice.
fn table(s: &mut String, variants: &[Variant]) {
    let columns: Vec<_> =
        (BITS.iter()).flat_map(|bits| LENGTHS.map(|len| format!("AES-{bits}, {len} B"))).collect();
    writeln!(s, "### {} bits ({})\n", variants[0].vector_bits, variants[0].instruction_set).unwrap();
    writeln!(s, "| the best with | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()))
        .unwrap();
    let best = best_with(variants, |_| true);
    let mut choice = |name: String, has: &dyn Fn(&Variant) -> bool| {
        row(s, &name, &best_with(variants, has), &best);
    };
    for vectors in [2, 4, 8, 12, 16] {
        choice(format!("{vectors} vectors in flight"), &|variant| variant.vectors == vectors);
    }
    for counters in Counters::ALL {
        choice(format!("counters {}", counters.name()), &|variant| variant.counters == counters);
    }
    for data in Data::ALL {
        choice(format!("data {}", data.name()), &|variant| variant.data == data);
    }
    for round_keys in RoundKeys::ALL {
        choice(format!("round keys {}", round_keys.name()), &|variant| variant.round_keys == round_keys);
    }
    writeln!(s, "\n| one variant for all columns | {} | over the best |", columns.join(" | ")).unwrap();
    writeln!(s, "|---|{}---|", "---|".repeat(columns.len())).unwrap();
    // The factor by which a variant is slower than the best of each column, on average.
    let factor = |variant: &Variant| {
        let logarithms = variant.figures.iter().zip(&best).map(|(figure, best)| (figure / best).ln());
        (logarithms.sum::<f64>() / best.len() as f64).exp()
    };
    let mut order: Vec<_> = variants.iter().collect();
    order.sort_by(|a, b| factor(a).total_cmp(&factor(b)));
    for variant in &order[..BEST] {
        let cells: Vec<_> = variant.figures.iter().map(|figure| format!("{figure:.3}")).collect();
        let over = (factor(variant) - 1.0) * 100.0;
        writeln!(s, "| {variant} | {} | {over:.1} % |", cells.join(" | ")).unwrap();
    }
    s.push('\n');
}

/// The lowest figure of each column.
fn best_with(variants: &[Variant], has: impl Fn(&Variant) -> bool) -> Vec<f64> {
    let mut best = vec![f64::MAX; variants[0].figures.len()];
    for variant in variants.iter().filter(|variant| has(variant)) {
        for (best, &figure) in best.iter_mut().zip(&variant.figures) {
            *best = best.min(figure);
        }
    }
    best
}

/// A row; what is within 1 % of the best of the table is bold.
fn row(s: &mut String, name: &str, figures: &[f64], best: &[f64]) {
    write!(s, "| {name} |").unwrap();
    for (&figure, &best) in figures.iter().zip(best) {
        let mark = if figure <= best * 1.01 { "**" } else { "" };
        write!(s, " {mark}{figure:.3}{mark} |").unwrap();
    }
    s.push('\n');
}
