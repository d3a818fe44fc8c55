//! Repeats and points that are not independent, because a subject's state lasts (cleaning, fill,
//! temperature, layout).

use std::collections::{BTreeMap, BTreeSet};

use super::Sheet;
use super::pair::PairCell;

/// The correlation between a subject's consecutive measurements up to which the promise holds.
const KEPT: f64 = 0.5;

/// How much the means of points scatter from repeat to repeat, compared with independent points.
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// The factor of the variance; 1 or less if nothing lasts.
    factor: f64,
    /// Its degrees of freedom.
    degrees: f64,
}

impl Dependence {
    /// A mean with its variance and degrees of freedom, with what lasts added: the part of the
    /// variance that it explains has few degrees of freedom.
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

/// Over the whole brief, because a few repeats of one step show little: the mean over all pairs and
/// sheets with several points.
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

/// The dependence that a brief's repeats typically show by chance where none is.
pub fn by_chance(degrees: f64) -> Dependence {
    // The excess of a mean of squares over its expected value, of two correlated figures.
    Dependence { factor: 1.0 + 0.1 * (2.0 / degrees).sqrt(), degrees }
}

/// The factor by which the variance of a mean over repeats exceeds what their scatter shows, if a
/// subject's consecutive measurements are correlated by `KEPT` and its repeats of a point are `lag`
/// measurements apart. With other points between the repeats it is close to 1.
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
