//! A number as it is stated, with what is stated of it.

use crate::Bound;
use crate::lexicon::Relation;

/// The unit of a number.
#[derive(Clone, Debug, PartialEq)]
pub enum StatedUnit {
    /// A percent sign.
    Percent,
    /// A factor: "×", "x", "times".
    Times,
    /// The unit as written; empty if there is none.
    Of(String),
}

/// A stated number.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedNumber {
    /// Its interpretation.
    pub bound: Bound,
    /// The number, with its magnitude (k, M) applied.
    pub value: f64,
    /// One unit of its last digit.
    pub last: f64,
    /// Its unit.
    pub unit: StatedUnit,
    /// It has a sign, or is preceded by the formula: (new − old) ÷ old.
    pub is_change: bool,
    /// How it relates to a rival's figure.
    pub relation: Relation,
    /// Whether it is stated as exact.
    pub nearness: Nearness,
    /// The upper end, if it is a range.
    pub high: Option<f64>,
    /// "up to": a maximum.
    pub up_to: bool,
    /// "only": a limit from above.
    pub only: bool,
    /// "on average": over the points.
    pub average: bool,
}

/// Whether a number is stated as exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// Rounded at its last digit.
    Exact,
    /// "about".
    About,
    /// "nearly".
    Nearly,
}

/// "892,202", "0.5", "0,5" or "1.234,5", with one unit of its last digit. A comma before exactly
/// three digits separates thousands, unless a zero is before it; otherwise it is the decimal
/// comma. A point is the decimal point unless a comma follows or there are several.
pub fn number(digits: &str) -> Option<(f64, f64)> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let grouped = |whole: &str, mark: char| {
        let groups: Vec<&str> = whole.split(mark).collect();
        let first = groups[0].len() <= 3 && groups[0] != "0";
        let fits = groups.len() == 1 || (first && groups[1..].iter().all(|g| g.len() == 3));
        (fits && groups.iter().all(|g| is_digits(g))).then(|| groups.concat())
    };
    let points = digits.matches('.').count();
    let (whole, after) = match (digits.rfind(','), digits.rfind('.')) {
        (Some(comma), point) if point.is_none_or(|point| point < comma) => {
            match (points == 0).then(|| grouped(digits, ',')).flatten() {
                Some(whole) => (whole, ""),
                None => (grouped(&digits[..comma], '.')?, &digits[comma + 1..]),
            }
        }
        (_, Some(_)) if points > 1 => (grouped(digits, '.')?, ""),
        (_, Some(point)) => (grouped(&digits[..point], ',')?, &digits[point + 1..]),
        _ => (digits.to_string(), ""),
    };
    let has_mark = digits.ends_with([',', '.']);
    if !is_digits(&whole) || !(after.is_empty() || is_digits(after)) || has_mark {
        return None;
    }
    if digits.len() > 20 {
        return None;
    }
    let value: f64 = format!("{whole}.{after}0").parse().ok()?;
    Some((value, 0.1f64.powi(after.len() as i32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_english_or_continental() {
        for (text, value, last) in [
            ("1,234", 1234.0, 1.0),
            ("1,234.5", 1234.5, 0.1),
            ("1.234,5", 1234.5, 0.1),
            ("1.234.567", 1_234_567.0, 1.0),
            ("1.234", 1.234, 0.001),
            ("0,123", 0.123, 0.001),
            ("850,5", 850.5, 0.1),
            ("13,18", 13.18, 0.01),
        ] {
            let (found, digit) = number(text).expect(text);
            assert!((found - value).abs() < 1e-9 && (digit / last - 1.0).abs() < 1e-9, "{text}");
        }
        for text in ["", ",", "1,23,4", "12,34.5", "1,2345,678", "1.2,3.4"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
