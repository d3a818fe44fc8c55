//! Parses the value of a statement: "21 %", "more than 2 ×", "151 µs", "1.3 M", and its points:
//! "96", "all", "from 32".

use super::Bound;

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
}

/// The points for which a statement is made.
#[derive(Clone, Debug, PartialEq)]
pub enum StatedPoint {
    /// All points of the table.
    Every,
    /// The points with these names.
    Named(Vec<String>),
    /// A range from one number to another, inclusive.
    Between(f64, f64),
}

const BOUNDS: &[(&str, Bound)] = &[
    ("more than ", Bound::MoreThan),
    ("over ", Bound::MoreThan),
    ("above ", Bound::MoreThan),
    (">", Bound::MoreThan),
    ("at least ", Bound::AtLeast),
    ("≥", Bound::AtLeast),
    ("less than ", Bound::LessThan),
    ("under ", Bound::LessThan),
    ("below ", Bound::LessThan),
    ("<", Bound::LessThan),
    ("at most ", Bound::AtMost),
    ("≤", Bound::AtMost),
];

const MAGNITUDES: &[(&str, f64)] = &[
    ("K", 1e3),
    ("k", 1e3),
    ("thousand", 1e3),
    ("M", 1e6),
    ("million", 1e6),
    ("G", 1e9),
    ("billion", 1e9),
];

/// Units of one kind, each as a multiple of the first.
const UNITS: &[&[(&str, f64)]] = &[
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9)],
    &[
        ("B/s", 1.0),
        ("KB/s", 1e3),
        ("MB/s", 1e6),
        ("GB/s", 1e9),
        ("KiB/s", 1024.0),
        ("MiB/s", 1048576.0),
        ("GiB/s", 1073741824.0),
    ],
    &[("W", 1.0), ("watts", 1.0), ("mW", 1e-3), ("kW", 1e3)],
    &[
        ("J", 1.0),
        ("nJ", 1e-9),
        ("uJ", 1e-6),
        ("µJ", 1e-6),
        ("μJ", 1e-6),
        ("mJ", 1e-3),
        ("kJ", 1e3),
        ("MJ", 1e6),
    ],
    &[("MB/s/W", 1.0), ("GB/s/W", 1e3)],
];

/// Units of counts, which may be omitted.
const COUNTS: &[&[&str]] =
    &[&["ops/s", "IOPS"], &["ops/s/W", "IOPS/W"], &["a minute", "per minute", "/min"]];

/// Suffixes of column names that state the unit.
const ENDINGS: &[(&str, &str)] = &[
    ("_ns", "ns"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("mb_s", "MB/s"),
    ("mb_per_s", "MB/s"),
    ("watts", "W"),
    ("mb_per_s_per_watt", "MB/s/W"),
    ("ops_per_s_per_watt", "ops/s/W"),
    ("joules_per_op", "J"),
    ("_per_min", "a minute"),
    ("ops_per_s", "ops/s"),
    ("iops", "ops/s"),
];

/// A number with its prefix and suffix.
pub fn quantity(text: &str) -> Result<StatedNumber, String> {
    let text = text.trim();
    let bound = BOUNDS.iter().find(|(words, _)| text.to_lowercase().starts_with(words));
    let rest = bound.map_or(text, |(words, _)| text[words.len()..].trim_start());
    let (is_formula, rest) = after_the_formula(rest);
    let (sign, rest) = signed(rest);
    let end =
        rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(rest.len());
    let (digits, behind) = (&rest[..end], rest[end..].trim());
    let (value, last) = number(digits).ok_or_else(|| match digits.is_empty() {
        true => format!("'{text}' does not begin with a number"),
        false => format!("'{digits}' is not a number"),
    })?;
    let first = behind.split_whitespace().next().unwrap_or("");
    let magnitude = MAGNITUDES.iter().find(|(name, _)| *name == first);
    let unit = magnitude.map_or(behind, |(name, _)| behind[name.len()..].trim());
    let scale = magnitude.map_or(1.0, |(_, scale)| *scale);
    let unit = match unit {
        "%" | "percent" => StatedUnit::Percent,
        "×" | "x" | "times" => StatedUnit::Times,
        other => StatedUnit::Of(other.to_string()),
    };
    let bound = bound.map_or(Bound::Plain, |(_, bound)| *bound);
    let is_change = is_formula || sign.is_some();
    let value = value * scale * sign.unwrap_or(1.0);
    Ok(StatedNumber { bound, value, last: last * scale, unit, is_change })
}

/// The text after "(new − old) ÷ old =", which published footnotes write out.
fn after_the_formula(text: &str) -> (bool, &str) {
    let Some((formula, after)) = text.split_once('=') else { return (false, text) };
    let plain: String = formula.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.to_lowercase().replace(['−', '–'], "-").replace('÷', "/");
    match plain.as_str() {
        "(new-old)/old" | "(new-old)/old*100" | "(new-old)/old×100" | "new/old-1" => {
            (true, after.trim_start())
        }
        _ => (false, text),
    }
}

/// A sign, including typographical minus signs.
fn signed(text: &str) -> (Option<f64>, &str) {
    for (signs, sign) in [(['-', '−', '–'].as_slice(), -1.0), (['+'].as_slice(), 1.0)] {
        if let Some(rest) = text.strip_prefix(signs) {
            return (Some(sign), rest.trim_start());
        }
    }
    (None, text)
}

/// "892,202" or "0.5", with one unit of its last digit; commas only as thousands separators.
fn number(digits: &str) -> Option<(f64, f64)> {
    let (whole, after) = digits.split_once('.').unwrap_or((digits, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped =
        groups.len() == 1 || (groups[0].len() <= 3 && groups[1..].iter().all(|g| g.len() == 3));
    let plain = !groups[0].is_empty() && (digits.contains('.') != after.is_empty());
    if !grouped || !plain || !after.bytes().all(|b| b.is_ascii_digit()) || digits.len() > 20 {
        return None;
    }
    let value: f64 = digits.replace(',', "").parse().ok()?;
    Some((value, 0.1f64.powi(after.len() as i32)))
}

/// The unit in a column's name.
pub fn unit_of_column(name: &str) -> &'static str {
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map_or("", |(_, unit)| unit)
}

/// The number of a metric's units in one stated unit.
pub fn scale(stated: &str, metric: &str) -> Option<f64> {
    let of = |unit: &str, family: &[(&str, f64)]| {
        family.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale)
    };
    let alike = |all: &&[&str]| {
        let of = |unit: &str| unit.is_empty() || all.contains(&unit);
        of(stated) && of(metric)
    };
    if stated == metric || COUNTS.iter().any(alike) {
        return Some(1.0);
    }
    UNITS.iter().find_map(|family| Some(of(stated, family)? / of(metric, family)?))
}

/// "all", "from 32", "to 64", "from 32 to 96", or a point's name.
pub fn place(text: &str, points: &[String]) -> StatedPoint {
    let text = text.trim();
    let named = StatedPoint::Named(vec![text.to_string()]);
    if points.iter().any(|p| p == text) {
        return named;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| word.parse::<f64>().ok().filter(|v| v.is_finite());
    let range = match words.as_slice() {
        ["all" | "every"] => return StatedPoint::Every,
        ["from", low] | ["from", low, "on"] => number(low).map(|low| (low, f64::INFINITY)),
        ["to", high] | ["up", "to", high] => number(high).map(|high| (f64::NEG_INFINITY, high)),
        ["from", low, "to", high] => number(low).zip(number(high)),
        _ => None,
    };
    range.map_or(named, |(low, high)| StatedPoint::Between(low, high))
}

impl StatedPoint {
    /// The selected points, and named ones that do not exist.
    pub fn points(&self, points: &[String]) -> Vec<String> {
        match self {
            StatedPoint::Every => points.to_vec(),
            StatedPoint::Named(names) => names.clone(),
            StatedPoint::Between(low, high) => {
                let within = |p: &&String| p.parse::<f64>().is_ok_and(|v| *low <= v && v <= *high);
                points.iter().filter(within).cloned().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str, bound: Bound, value: f64, last: f64, unit: StatedUnit) {
        let found = quantity(text).unwrap();
        assert_eq!((found.bound, found.value, found.unit), (bound, value, unit), "{text}");
        assert!((found.last / last - 1.0).abs() < 1e-9, "{text}: last digit {}", found.last);
    }

    #[test]
    fn numbers_are_read_as_they_are_published() {
        let of = |unit: &str| StatedUnit::Of(unit.to_string());
        read("21 %", Bound::Plain, 21.0, 1.0, StatedUnit::Percent);
        read("20.5%", Bound::Plain, 20.5, 0.1, StatedUnit::Percent);
        read("1.8x", Bound::Plain, 1.8, 0.1, StatedUnit::Times);
        read("more than 2 ×", Bound::MoreThan, 2.0, 1.0, StatedUnit::Times);
        read("Over 50 percent", Bound::MoreThan, 50.0, 1.0, StatedUnit::Percent);
        read("151 µs", Bound::Plain, 151.0, 1.0, of("µs"));
        read("1.3 M", Bound::Plain, 1.3e6, 1e5, of(""));
        read("1.3M IOPS", Bound::Plain, 1.3e6, 1e5, of("IOPS"));
        read("892,202 ops/s", Bound::Plain, 892_202.0, 1.0, of("ops/s"));
        read("under 0.2 ms", Bound::LessThan, 0.2, 0.1, of("ms"));
        read("≥ 5 GB/s", Bound::AtLeast, 5.0, 1.0, of("GB/s"));
        read("−54 %", Bound::Plain, -54.0, 1.0, StatedUnit::Percent);
        read("(new − old) ÷ old = −54 %", Bound::Plain, -54.0, 1.0, StatedUnit::Percent);
        read("(New - Old) / Old = +15%", Bound::Plain, 15.0, 1.0, StatedUnit::Percent);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "",
            "much",
            "%",
            "nearly 2 ×",
            "1,5 %",
            "12,34",
            "1.2.3",
            "--5 %",
            "(old − new) ÷ old = 5 %",
            ".5 %",
            "5. %",
            "NaN",
            "inf %",
        ] {
            assert!(quantity(text).is_err(), "{text}");
        }
    }

    #[test]
    fn units_of_one_kind_are_converted_and_others_are_not() {
        assert_eq!(
            (scale("ms", "µs"), scale("IOPS", ""), scale("", "ops/s")),
            (Some(1e3), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (scale("GB/s", "MB/s"), scale("W", "W"), scale("°C", "°C")),
            (Some(1e3), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (scale("µs", "ops/s"), scale("", "µs"), scale("MB", "MB/s")),
            (None, None, None)
        );
        assert_eq!(
            (scale("µJ", "J"), scale("", "ops/s/W"), scale("/min", "a minute")),
            (Some(1e-6), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (scale("IOPS", "ops/s/W"), scale("ops/s", "a minute"), scale("J", "W")),
            (None, None, None)
        );
        let of = ["ops_per_s_per_watt", "reader-4:mb_per_s", "new_orders_per_min", "joules_per_op"]
            .map(unit_of_column);
        assert_eq!(of, ["ops/s/W", "MB/s", "a minute", "J"]);
        assert_eq!(
            (unit_of_column("p99_us"), unit_of_column("ops_per_s"), unit_of_column("x")),
            ("µs", "ops/s", "")
        );
    }

    #[test]
    fn places_are_points_or_ranges_of_them() {
        let points = ["16", "32", "64", "all"].map(String::from);
        let at = |text: &str| place(text, &points).points(&points).join(" ");
        assert_eq!(
            (at("from 32"), at("to 32"), at("from 20 to 40")),
            ("32 64".into(), "16 32".into(), "32".into())
        );
        assert_eq!(
            (at("32"), at("all"), at("every")),
            ("32".into(), "all".into(), "16 32 64 all".into())
        );
        assert_eq!((at("128"), at("from many")), ("128".into(), "from many".into()));
    }
}
