//! Welch's t-test, over all times and over those below some bounds.

/// The shares of the times, in thousandths, that are looked at: the longest are interrupts, and hide what is small.
const SHARES: [usize; 7] = [1000, 999, 990, 950, 900, 750, 500];

/// The largest |t| of any share.
pub(crate) fn largest_t(times: &[(bool, u64)]) -> f64 {
    let mut sorted: Vec<_> = times.iter().map(|(_, time)| *time).collect();
    sorted.sort_unstable();
    let bounds = SHARES.iter().filter_map(|share| sorted.get((sorted.len() * share / 1000).checked_sub(1)?));
    bounds.map(|&bound| t(times, bound).abs()).fold(0.0, f64::max)
}

/// Of the times up to `bound`: positive if random secrets took longer. 0 if there are too few of a kind.
fn t(times: &[(bool, u64)], bound: u64) -> f64 {
    let kind = |kind| times.iter().filter(move |(is_random, time)| *is_random == kind && *time <= bound);
    let [fixed, random] = [false, true].map(|is_random| {
        let times = || kind(is_random).map(|(_, time)| *time as f64);
        let count = times().count() as f64;
        let mean = times().sum::<f64>() / count;
        let variance = times().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, variance / count)
    });
    let t = (random.0 - fixed.0) / (random.1 + fixed.1).sqrt();
    if t.is_nan() { 0.0 } else { t }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: means 2 and 4, variances 1 and 1, three of each: 2 / sqrt(1/3 + 1/3).
    #[test]
    fn t_is_welchs() {
        let times = [(false, 1), (false, 2), (false, 3), (true, 3), (true, 4), (true, 5)];
        assert!((t(&times, 5) - 2.449_489_742_783_178).abs() < 1e-12);
        let swapped = times.map(|(kind, time)| (!kind, time));
        assert!((t(&swapped, 5) + 2.449_489_742_783_178).abs() < 1e-12);
        assert_eq!(t(&times, 2), 0.0);
    }

    /// A difference of one part in a hundred, under interrupts that take a thousand times as long.
    #[test]
    fn what_is_small_is_seen_below_what_is_long() {
        let times = |slower: u64| -> Vec<_> {
            (0..10_000_u64)
                .map(|i| {
                    let (is_random, noise) = (i * 7919 % 13 < 6, i * 104_729 % 17);
                    let interrupt = if i % 997 == 5 { 1_000_000 + i } else { 0 };
                    (is_random, 1000 + noise + interrupt + if is_random { slower } else { 0 })
                })
                .collect()
        };
        assert!(largest_t(&times(10)) > 50.0);
        assert!(largest_t(&times(0)) < 4.0, "{}", largest_t(&times(0)));
    }
}
