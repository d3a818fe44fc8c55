//! The spread of a group: minimum, median and maximum; and the coefficient of variation.

use super::moments::{mean, variance};

/// The dispersion of at least one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dispersion {
    /// The minimum.
    pub min: f64,
    /// The median; for an even count, the mean of the middle two.
    pub median: f64,
    /// The maximum.
    pub max: f64,
}

/// None for an empty group.
pub fn spread(values: &[f64]) -> Option<Dispersion> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let middle = sorted.len() / 2;
    let even = sorted.len().is_multiple_of(2);
    let median = if even { (sorted[middle - 1] + sorted[middle]) / 2.0 } else { sorted[middle] };
    Some(Dispersion { min, median, max })
}

/// The coefficient of variation: the sample standard deviation (with n − 1) divided by the mean.
/// None for fewer than two values, or if the mean is zero.
pub fn variation(values: &[f64]) -> Option<f64> {
    let middle = mean(values);
    (values.len() > 1 && middle != 0.0).then(|| variance(values).sqrt() / middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        assert_eq!(
            spread(&[4.0, 1.0, 3.0, 10.0]),
            Some(Dispersion { min: 1.0, median: 3.5, max: 10.0 })
        );
        assert_eq!(spread(&[7.0]), Some(Dispersion { min: 7.0, median: 7.0, max: 7.0 }));
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn the_coefficient_of_variation_is_that_of_a_sample() {
        // Deviations 2, 0, 2 from 10: a variance of 4.
        assert_eq!(variation(&[8.0, 10.0, 12.0]), Some(0.2));
        assert_eq!(variation(&[5.0]), None);
        assert_eq!(variation(&[0.0, 0.0]), None);
    }
}
