//! Life and cost at a load: pure arithmetic on measurements and data sheets.

use crate::analysis::facts::Life;
use dyno_core::plan::specification::Specification;

/// Seconds of a day.
pub const DAY_S: f64 = 86_400.0;
/// Days of a year in endurance ratings (365).
pub const YEAR_DAYS: f64 = 365.0;

impl Life {
    /// The life of a drive at a load without pauses.
    pub fn at(
        host_bytes_per_s: f64,
        capacity_bytes: Option<f64>,
        rated_bytes: Option<f64>,
    ) -> Option<Life> {
        if !(host_bytes_per_s.is_finite() && host_bytes_per_s > 0.0) {
            return None;
        }
        let per_day = host_bytes_per_s * DAY_S;
        Some(Life {
            host_bytes_per_s,
            drive_writes_per_day: capacity_bytes.map(|capacity| per_day / capacity),
            rated_bytes,
            years: rated_bytes.map(|rated| rated / (per_day * YEAR_DAYS)),
        })
    }
}

/// Bytes that may be written to one drive over its life, by the maker's rating: the stated total,
/// or drive writes per day × capacity × 365 × years.
pub fn rated_bytes(own: &Specification) -> Option<f64> {
    own.total_written_bytes().or_else(|| {
        let (per_day, years) = (own.drive_writes_per_day()?, own.warranty_years()?);
        Some(per_day * own.bytes()? * YEAR_DAYS * years)
    })
}

/// The price of a terabyte written over the life of a drive.
pub fn price_per_tb_written(own: &Specification) -> Option<f64> {
    Some(own.price.as_ref()?.amount / (rated_bytes(own)? / 1e12))
}

/// Joules per terabyte moved.
pub fn joules_per_tb(watts: f64, bytes_per_s: f64) -> Option<f64> {
    (bytes_per_s > 0.0).then(|| watts / bytes_per_s * 1e12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::plan::specification::Price;

    #[test]
    fn life_at_a_load_is_rated_bytes_over_bytes_a_year() {
        let drive = Specification {
            capacity: Some("7.68TB".into()),
            endurance: Some("1 DWPD".into()),
            warranty: Some("5 years".into()),
            price: Some(Price {
                amount: 800.0,
                currency: "EUR".into(),
                date: "2026-11-22".into(),
                source: "a shop".into(),
            }),
            ..Specification::default()
        };
        let rated = rated_bytes(&drive).unwrap();
        assert_eq!(rated, 7.68e12 * 365.0 * 5.0);
        // One drive write per day is the rating of this drive.
        let life = Life::at(7.68e12 / DAY_S, drive.bytes(), Some(rated)).unwrap();
        assert!((life.drive_writes_per_day.unwrap() - 1.0).abs() < 1e-12);
        assert!((life.years.unwrap() - 5.0).abs() < 1e-12);
        let twice = Life::at(2.0 * 7.68e12 / DAY_S, drive.bytes(), Some(rated)).unwrap();
        assert!((twice.years.unwrap() - 2.5).abs() < 1e-12);
        assert_eq!(Life::at(0.0, drive.bytes(), Some(rated)), None, "a load that writes nothing");
        let per_tb = price_per_tb_written(&drive).unwrap();
        assert!((per_tb - 800.0 / 14_016.0).abs() < 1e-9, "{per_tb}");
    }

    #[test]
    fn a_total_that_is_stated_counts_as_it_stands() {
        let of = |text: &str| {
            let own = Specification { endurance: Some(text.into()), ..Specification::default() };
            rated_bytes(&own)
        };
        assert_eq!(of("14 PBW"), Some(14e15));
        assert_eq!(of("14016 TBW over 5 years"), Some(14_016e12));
        assert_eq!(of("1 DWPD"), None, "for how long is not stated");
        assert_eq!(of("good"), None);
    }

    #[test]
    fn joules_per_terabyte_are_watts_over_bytes_a_second() {
        assert_eq!(joules_per_tb(10.0, 2e9), Some(5_000.0));
        assert_eq!(joules_per_tb(10.0, 0.0), None);
    }
}
