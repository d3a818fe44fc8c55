//! A drive's endurance as stated in data sheets: drive writes per day, or total bytes written, over
//! a number of years.

/// A rating. At least one of the first two is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Endurance {
    /// Drive writes per day.
    pub per_day: Option<f64>,
    /// Total bytes written.
    pub total_bytes: Option<f64>,
    /// The period of the rating, years.
    pub years: Option<f64>,
}

/// The accepted forms, for the message about another one.
pub const FORMS: &str = "write it as \"1 DWPD\", \"3DWPD over 5 years\", \"14,016 TBW\", \
                         \"28 PBW\" or \"7008 TB written\"";

/// Units of a number. A unit that starts with another one precedes it.
const UNITS: [(&str, Unit); 22] = [
    ("drive writes per day", Unit::PerDay),
    ("drive write per day", Unit::PerDay),
    ("dwpd", Unit::PerDay),
    ("terabytes written", Unit::Bytes(1e12)),
    ("petabytes written", Unit::Bytes(1e15)),
    ("gb written", Unit::Bytes(1e9)),
    ("tb written", Unit::Bytes(1e12)),
    ("pb written", Unit::Bytes(1e15)),
    ("gbw", Unit::Bytes(1e9)),
    ("tbw", Unit::Bytes(1e12)),
    ("pbw", Unit::Bytes(1e15)),
    ("ebw", Unit::Bytes(1e18)),
    ("tb", Unit::Bytes(1e12)),
    ("pb", Unit::Bytes(1e15)),
    ("eb", Unit::Bytes(1e18)),
    ("years", Unit::Years(1.0)),
    ("year", Unit::Years(1.0)),
    ("yrs", Unit::Years(1.0)),
    ("yr", Unit::Years(1.0)),
    ("y", Unit::Years(1.0)),
    ("months", Unit::Years(1.0 / 12.0)),
    ("month", Unit::Years(1.0 / 12.0)),
];

#[derive(Clone, Copy)]
enum Unit {
    PerDay,
    Bytes(f64),
    Years(f64),
}

/// Words without a meaning of their own between the numbers.
const FILLERS: [&str; 9] =
    ["over", "for", "in", "within", "and", "or", "of", "warranty", "limited"];

impl Endurance {
    /// None if anything in the text is not understood, or stated twice.
    pub fn read(text: &str) -> Option<Endurance> {
        let mut found = Endurance::default();
        if text.trim_start().starts_with('-') {
            return None;
        }
        for part in parts(text) {
            let Part::Quantity(number, unit) = part? else { continue };
            let (place, value) = match unit {
                Unit::PerDay => (&mut found.per_day, number),
                Unit::Bytes(bytes) => (&mut found.total_bytes, number * bytes),
                Unit::Years(years) => (&mut found.years, number * years),
            };
            if place.replace(value).is_some() {
                return None;
            }
        }
        (found.per_day.is_some() || found.total_bytes.is_some()).then_some(found)
    }
}

/// The years of "5 years", "5-year limited warranty" or "60 months"; other words are ignored.
pub fn years(text: &str) -> Option<f64> {
    parts(text).flatten().find_map(|part| match part {
        Part::Quantity(number, Unit::Years(years)) => Some(number * years),
        _ => None,
    })
}

enum Part {
    Quantity(f64, Unit),
    Filler,
}

/// The parts of a text, in order; None for one that is not understood.
fn parts(text: &str) -> impl Iterator<Item = Option<Part>> {
    let mut rest = text.to_ascii_lowercase();
    std::iter::from_fn(move || {
        let separator = |c: char| c.is_whitespace() || "()[]/;:,-–".contains(c);
        rest = rest.trim_start_matches(separator).to_string();
        let first = rest.chars().next()?;
        let end =
            |of: &str, inside: fn(char) -> bool| of.find(|c: char| !inside(c)).unwrap_or(of.len());
        if !first.is_ascii_digit() {
            let word: String = rest.drain(..end(&rest, char::is_alphabetic)).collect();
            if word.is_empty() {
                rest.clear();
                return Some(None);
            }
            return Some(FILLERS.contains(&word.as_str()).then_some(Part::Filler));
        }
        let digits = end(&rest, |c| c.is_ascii_digit() || c == '.' || c == ',');
        let written: String = rest.drain(..digits).collect();
        rest = rest.trim_start_matches([' ', '-']).to_string();
        let follows = |(unit, _): &&(&str, Unit)| {
            let after = rest.strip_prefix(unit);
            after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        };
        let unit = UNITS.iter().find(follows);
        unit.inspect(|(unit, _)| _ = rest.drain(..unit.len()));
        Some(number(&written).zip(unit).map(|(number, (_, unit))| Part::Quantity(number, *unit)))
    })
}

/// A positive number; a comma before groups of three digits separates thousands, any other one is
/// a decimal comma.
fn number(written: &str) -> Option<f64> {
    let groups: Vec<&str> = written.split(',').collect();
    let (whole, last) = (groups[0], groups.last()?.split('.').next()?);
    let is_thousands = groups.len() > 1
        && (1..=3).contains(&whole.len())
        && !whole.starts_with('0')
        && !whole.contains('.')
        && groups[1..groups.len() - 1].iter().all(|group| group.len() == 3)
        && last.len() == 3;
    let plain = match groups.len() {
        1 => written.to_string(),
        _ if is_thousands => groups.concat(),
        2 if !written.contains('.') => written.replace(',', "."),
        _ => return None,
    };
    plain.parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endurance_is_read_as_data_sheets_write_it_or_not_at_all() {
        let of = |per_day: f64, tb: f64, years: f64| {
            let known = |value: f64| (value > 0.0).then_some(value);
            let total_bytes = known(tb).map(|tb| tb * 1e12);
            Some(Endurance { per_day: known(per_day), total_bytes, years: known(years) })
        };
        for (text, expected) in [
            ("1 DWPD", of(1.0, 0.0, 0.0)),
            ("3DWPD", of(3.0, 0.0, 0.0)),
            ("0.3 dwpd over 5 years", of(0.3, 0.0, 5.0)),
            ("0,3 DWPD", of(0.3, 0.0, 0.0)),
            ("1.0 DWPD (5Y)", of(1.0, 0.0, 5.0)),
            ("1 DWPD/5yr", of(1.0, 0.0, 5.0)),
            ("1 drive write per day for 5 years", of(1.0, 0.0, 5.0)),
            ("14,016 TBW", of(0.0, 14_016.0, 0.0)),
            ("1,401,600 TBW", of(0.0, 1_401_600.0, 0.0)),
            ("7008 TB written", of(0.0, 7_008.0, 0.0)),
            ("28 PB", of(0.0, 28_000.0, 0.0)),
            ("28PBW", of(0.0, 28_000.0, 0.0)),
            ("14.016 PBW, 5-year limited warranty", of(0.0, 14_016.0, 5.0)),
            ("1 DWPD or 14,016 TBW", of(1.0, 14_016.0, 0.0)),
        ] {
            assert_eq!(Endurance::read(text), expected, "{text}");
        }
        for text in [
            "",
            "good",
            "5 years",
            "0 DWPD",
            "1",
            "DWPD",
            "1 DWPDs",
            "1 DWPD 2 DWPD",
            "-1 DWPD x",
            "up to 3 DWPD",
            "14.016.000 TBW",
            "1,40 1 TBW",
            "14 TiBW",
            "≥ 1 DWPD",
        ] {
            assert_eq!(Endurance::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_warranty_is_read_in_years() {
        for (text, expected) in [
            ("5 years", Some(5.0)),
            ("5-year limited warranty", Some(5.0)),
            ("5Y", Some(5.0)),
            ("60 months", Some(5.0)),
            ("3 years, or the rated endurance", Some(3.0)),
            ("lifetime", None),
        ] {
            assert_eq!(years(text), expected, "{text}");
        }
    }
}
