//! Variances of few repeats, moderated by those of the other points (Smyth, 2004), with one prior
//! weight for the whole brief and an upper limit for it.

use std::collections::BTreeMap;

use statrs::function::gamma::digamma;

use super::pair::PairCell;
use crate::stats::moments::t_reach;

/// Number of standard errors above which the spread of variances counts as real: few cells may look
/// alike by chance, and their typical variance would then get too much weight.
const DOUBT: f64 = 0.5;

/// An unlimited weight.
const UNLIMITED: f64 = 1e4;

/// Sets every cell's moderated variance and its degrees of freedom. `miss`: the error probability
/// of one cell's interval.
pub fn moderate(cells: &mut [PairCell], resolutions: &[f64], miss: f64) {
    let mut strata: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, cell) in cells.iter().enumerate() {
        strata.entry(cell.sheet).or_default().push(i);
    }
    let logs: Vec<Option<f64>> =
        cells.iter().map(|c| log_variance(c, resolutions[c.sheet])).collect();
    let prior = prior_degrees(cells, &logs, &strata);
    let mut limits = BTreeMap::new();
    for members in strata.values() {
        let weights: Vec<f64> = members
            .iter()
            .map(|&i| {
                let tenths = (cells[i].own_degrees * 10.0) as u64;
                let limit = || limit(tenths as f64 / 10.0, miss);
                prior.min(*limits.entry(tenths).or_insert_with(limit))
            })
            .collect();
        let own: Vec<&PairCell> = members.iter().map(|&i| &cells[i]).collect();
        let typical = typical(&own, &weights).max(geometric(members, &logs));
        let subjects = subjects(&own);
        // Of S subjects there are S (S − 1) ÷ 2 pairs, of which S − 1 are independent.
        let all: f64 =
            own.iter().map(|c| c.own_degrees).sum::<f64>() * 2.0 / subjects.max(2) as f64;
        for (&i, weight) in members.iter().zip(&weights) {
            let (variance, degrees) = (cells[i].variance, cells[i].own_degrees);
            let both = weight + degrees;
            cells[i].moderated = (weight * typical + degrees * variance) / both;
            cells[i].degrees = 1.0 / (1.0 / both + (weight / both).powi(2) / all);
        }
    }
}

/// Bias-corrected (the mean of a logarithm is less than the logarithm of the mean). A scatter below
/// the measurement's resolution is replaced by the resolution; a scatter of 0 is skipped.
fn log_variance(cell: &PairCell, resolution: f64) -> Option<f64> {
    let variance = cell.variance.max(resolution * resolution / 12.0);
    let half = cell.own_degrees / 2.0;
    (variance > 1e-18).then(|| variance.ln() - digamma(half) + half.ln())
}

/// The weight of the typical variance in degrees of freedom, from the spread of the variances of
/// each stratum beyond chance.
fn prior_degrees(
    cells: &[PairCell],
    logs: &[Option<f64>],
    strata: &BTreeMap<usize, Vec<usize>>,
) -> f64 {
    let (mut squares, mut degrees, mut chance, mut count) = (0.0, 0.0, 0.0, 0.0);
    for members in strata.values() {
        let own: Vec<f64> = members.iter().filter_map(|&i| logs[i]).collect();
        let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
        squares += own.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>();
        degrees += own.len().saturating_sub(1) as f64;
        let known = members.iter().filter(|&&i| logs[i].is_some());
        chance += known.clone().map(|&i| trigamma(cells[i].own_degrees / 2.0)).sum::<f64>();
        count += known.count() as f64;
    }
    if degrees == 0.0 {
        return 0.0;
    }
    worth(squares / degrees - chance / count, chance / count, degrees)
}

/// The weight of a typical variance if the logarithms of variances spread by `beyond` more than
/// `chance`, estimated with `degrees` degrees of freedom.
fn worth(beyond: f64, chance: f64, degrees: f64) -> f64 {
    let beyond = beyond + DOUBT * chance * (2.0 / degrees).sqrt();
    if beyond <= 0.0 { UNLIMITED } else { (2.0 * trigamma_inverse(beyond)).min(UNLIMITED) }
}

/// The expected weight if all points scatter alike: for `cells` in this many strata.
pub fn expected(own_degrees: f64, cells: usize, strata: usize, miss: f64) -> f64 {
    match cells.saturating_sub(strata) {
        0 => 0.0,
        degrees => {
            worth(0.0, trigamma(own_degrees / 2.0), degrees as f64).min(limit(own_degrees, miss))
        }
    }
}

/// The largest weight with which a single outlying run cannot produce a claim: if it is the only
/// scatter, its own t must stay inside the interval.
fn limit(degrees: f64, miss: f64) -> f64 {
    let mut weight = UNLIMITED;
    for _ in 0..30 {
        let t = t_reach(weight + degrees, miss);
        let next = (degrees * (t * t - 1.0)).clamp(0.0, UNLIMITED);
        if (next - weight).abs() < 1e-3 * next {
            break;
        }
        weight = next;
    }
    weight
}

/// The typical variance x with mean[(d + f) x ÷ (d x + f s²)] = 1, which increases with x.
fn typical(cells: &[&PairCell], weights: &[f64]) -> f64 {
    let highest = cells.iter().map(|c| c.variance).fold(0.0, f64::max);
    let excess = |x: f64| {
        let term = |(c, d): (&&PairCell, &f64)| {
            (d + c.own_degrees) * x / (d * x + c.own_degrees * c.variance).max(f64::MIN_POSITIVE)
                - 1.0
        };
        cells.iter().zip(weights).map(term).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, highest);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if excess(middle) > 0.0 { high = middle } else { low = middle }
    }
    high
}

fn geometric(members: &[usize], logs: &[Option<f64>]) -> f64 {
    let own: Vec<f64> = members.iter().filter_map(|&i| logs[i]).collect();
    if own.is_empty() { 0.0 } else { (own.iter().sum::<f64>() / own.len() as f64).exp() }
}

fn subjects(cells: &[&PairCell]) -> usize {
    let mut all: Vec<usize> = cells.iter().flat_map(|c| [c.a, c.b]).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// The derivative of digamma, by its recurrence and asymptotic series.
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + 1.0 / x + y / 2.0 + y / x * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y / 30.0)))
}

/// Trigamma decreases from infinity to 0, so bisection on logarithms finds it.
fn trigamma_inverse(value: f64) -> f64 {
    let (mut low, mut high) = (1e-4f64, 1e5f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > value { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigamma_is_that_of_the_tables() {
        let pi = std::f64::consts::PI;
        for (x, table) in [(1.0, pi * pi / 6.0), (0.5, pi * pi / 2.0), (2.0, pi * pi / 6.0 - 1.0)] {
            assert!((trigamma(x) - table).abs() < 1e-10, "{x}: {}", trigamma(x));
            assert!((trigamma_inverse(table) - x).abs() < 1e-6);
        }
    }

    #[test]
    fn the_limit_is_where_one_outlying_run_stays_inside() {
        for (degrees, miss) in [(1.9, 0.004), (3.9, 0.002), (1.0, 0.025)] {
            let d = limit(degrees, miss);
            let t = t_reach(d + degrees, miss);
            let outlier = ((d + degrees) / degrees).sqrt();
            assert!(
                (outlier / t - 1.0).abs() < 0.01,
                "{degrees}, {miss}: {d}: {outlier} against {t}"
            );
        }
    }
}
