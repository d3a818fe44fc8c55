//! How far the members of a group lie apart: the least, the middle one and the most.

/// Of at least one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// Of an even count, the mean of the middle two.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

/// Nothing where there is nothing.
pub fn spread(values: &[f64]) -> Option<Spread> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let middle = sorted.len() / 2;
    let even = sorted.len().is_multiple_of(2);
    let median = if even { (sorted[middle - 1] + sorted[middle]) / 2.0 } else { sorted[middle] };
    Some(Spread { min, median, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        assert_eq!(
            spread(&[4.0, 1.0, 3.0, 10.0]),
            Some(Spread { min: 1.0, median: 3.5, max: 10.0 })
        );
        assert_eq!(spread(&[7.0]), Some(Spread { min: 7.0, median: 7.0, max: 7.0 }));
        assert_eq!(spread(&[]), None);
    }
}
