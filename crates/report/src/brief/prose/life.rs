//! The total bytes that may be written to a drive, from the maker's figures: drive writes per day ×
//! years of warranty × capacity.

use crate::brief::number_format;
use crate::language::Language;
use crate::say;
use dyno_core::plan::specification::Specification;

const DAYS_PER_YEAR: f64 = 365.0;

/// "A: 1 DWPD × 5 years × 365 days × 7.68 TB = 14.0 PB", if all three are stated.
pub fn total_writes(l: Language, subject: &str, own: &Specification) -> Option<String> {
    let (writes, years) = (own.drive_writes_per_day()?, own.warranty_years()?);
    let capacity = own.bytes()?;
    let total = writes * years * DAYS_PER_YEAR * capacity;
    let plain = |number: f64| l.number(&number.to_string());
    Some(say!(
        l,
        "total-writes",
        subject = subject,
        writes = plain(writes),
        years = plain(years),
        count = years.round() as u64,
        capacity = number_format::large_bytes(l, capacity),
        total = number_format::large_bytes(l, total)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(capacity: &str, endurance: &str, warranty: Option<&str>) -> Option<String> {
        let own = Specification {
            capacity: Some(capacity.into()),
            endurance: Some(endurance.into()),
            warranty: warranty.map(String::from),
            ..Specification::default()
        };
        total_writes(Language::ENGLISH, "A", &own)
    }

    #[test]
    fn drive_writes_per_day_times_warranty_is_what_may_be_written_in_all() {
        let said = "A: 1 DWPD × 5 years × 365 days × 7.68 TB = 14.0 PB in total";
        assert_eq!(of("7.68TB", "1 DWPD", Some("5 years")).as_deref(), Some(said));
        assert_eq!(of("7.68TB", "1 DWPD over 5 years", None).as_deref(), Some(said));
        let said = "A: 1 DWPD × 1 year × 365 days × 7.68 TB = 2.80 PB in total";
        assert_eq!(of("7.68TB", "1 DWPD", Some("1 year")).as_deref(), Some(said));
        let said = "A: 3 DWPD × 5 years × 365 days × 960 GB = 5.26 PB in total";
        assert_eq!(of("960GB", "3 DWPD", Some("5 years")).as_deref(), Some(said));
        assert_eq!(of("7.68TB", "14 PBW", Some("5 years")), None, "stated in all already");
        assert_eq!(of("7.68TB", "1 DWPD", None), None, "for how long is not stated");
    }
}
