//! Correction for repeats and points that are not independent, because a subject's state persists
//! (cleaning, fill, temperature, layout).

use std::collections::{BTreeMap, BTreeSet};

use super::Sheet;
use super::pair::PairCell;

/// Maximum correlation between consecutive measurements of a subject for which the error
/// probability is guaranteed.
const KEPT: f64 = 0.5;

/// Scatter of the means over points from repeat to repeat, relative to that of independent points.
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// Factor of the variance; 1 or less without dependence.
    factor: f64,
    /// Degrees of freedom of the factor.
    degrees: f64,
}

impl Dependence {
    /// Adds the dependence to a mean with its variance and degrees of freedom. The part of the
    /// variance that the dependence explains has few degrees of freedom.
    pub fn applied(&self, mean: f64, variance: f64, degrees: f64) -> (f64, f64, f64) {
        match self.factor > 1.0 {
            false => (mean, variance, degrees),
            true => {
                let excess = 1.0 - 1.0 / self.factor;
                let both = 1.0 / (1.0 / degrees + excess.powf(1.5) / self.degrees);
                (mean, variance * self.factor, both)
            }
        }
    }
}

/// Estimates the dependence over the whole brief, because a few repeats of one step are not
/// sufficient: the mean over all pairs and sheets with several points.
pub fn dependence<'c>(
    pairs: impl Iterator<Item = &'c Vec<&'c PairCell>>,
    sheets: &[Sheet],
) -> Dependence {
    let (mut sum, mut count) = (0.0, 0.0);
    let mut steps: BTreeMap<usize, (BTreeSet<usize>, usize)> = BTreeMap::new();
    for own in pairs.filter(|own| own.len() > 1) {
        let mut blocks: BTreeMap<u32, f64> = BTreeMap::new();
        let mut squares = 0.0;
        for (block, residual) in own.iter().flat_map(|c| &c.residuals) {
            *blocks.entry(*block).or_default() += residual;
            squares += residual * residual;
        }
        let step = steps.entry(sheets[own[0].sheet].step).or_default();
        step.0.extend([own[0].a, own[0].b]);
        step.1 = step.1.max(blocks.len());
        if squares > 1e-18 {
            sum += blocks.values().map(|of_block| of_block * of_block).sum::<f64>() / squares;
            count += 1.0;
        }
    }
    let of_step = |(subjects, blocks): &(BTreeSet<usize>, usize)| {
        (subjects.len() as f64 - 1.0) * (*blocks as f64 - 1.0)
    };
    let degrees = steps.values().map(of_step).sum::<f64>().max(1.0);
    Dependence { factor: if count > 0.0 { sum / count } else { 1.0 }, degrees }
}

/// The dependence that a brief's independent repeats typically show by chance.
pub fn by_chance(degrees: f64) -> Dependence {
    // The excess of a mean of squares over its expected value, for two correlated figures.
    Dependence { factor: 1.0 + 0.1 * (2.0 / degrees).sqrt(), degrees }
}

/// The factor by which the variance of a mean over repeats exceeds the estimate from their scatter,
/// if a subject's consecutive measurements are correlated by `KEPT` and its repeats of a point are
/// `lag` measurements apart. With other points between the repeats it is close to 1.
pub fn consecutive(repeats: usize, lag: usize) -> f64 {
    let (n, kept) = (repeats as f64, KEPT.powf(lag.max(1) as f64));
    let term = |k: usize| 2.0 * (1.0 - k as f64 / n) * kept.powf(k as f64);
    let excess: f64 = (1..repeats).map(term).sum();
    (1.0 + excess) / (1.0 - excess / (n - 1.0).max(1.0)).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_of_one_point_in_succession_count_less_and_those_with_others_between_as_they_are() {
        // AR(1) 0.5, five repeats: 2.225 ÷ (1 − 1.225 ÷ 4).
        assert!((consecutive(5, 1) - 3.2072).abs() < 1e-3, "{}", consecutive(5, 1));
        assert!((consecutive(3, 0) - consecutive(3, 1)).abs() < 1e-12);
        assert!(consecutive(5, 10) < 1.01 && consecutive(5, 3) < consecutive(5, 2));
    }
}
