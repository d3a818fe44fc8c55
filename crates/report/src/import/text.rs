//! Numbers in text from other tools, and errors with their position.

use std::fmt::Display;

use serde_json::Value;

use super::{Input, Written};
use dyno_core::base::error::{Error, Result, failed};
use dyno_core::base::units;

/// An error at a line (from 1) of a file.
pub fn wrong(file: &str, line: usize, what: impl Display, next: impl Display) -> Error {
    failed(format!("{file}, line {line}: {what}"), next)
}

/// A finite, non-negative number. A comma is a thousands separator, and only before three digits.
pub fn number(file: &str, line: usize, what: &str, text: &str) -> Result<f64> {
    plain(text, ',').ok_or_else(|| {
        let next = match text.contains(',') {
            true => {
                "a comma separates thousands, before three digits; in a CSV table with decimal \
                 commas, say decimal = \",\" in the mapping"
            }
            false => "repair the line, or leave it out",
        };
        wrong(file, line, format!("'{}' is not a valid {what}", text.trim()), next)
    })
}

/// A number whose decimals follow a point and whose thousands are separated by `separator`.
pub fn plain(text: &str, separator: char) -> Option<f64> {
    let text = text.trim();
    let plain = match text.contains(separator) {
        true => ungrouped(text, separator)?,
        false => text.to_string(),
    };
    plain.parse::<f64>().ok().filter(is_plausible)
}

fn is_plausible(value: &f64) -> bool {
    value.is_finite() && *value >= 0.0 && *value < 1e15
}

/// The text without separators of thousands; None if one is not before exactly three digits.
fn ungrouped(text: &str, separator: char) -> Option<String> {
    let (whole, rest) = match text.split_once('.') {
        Some((whole, rest)) => (whole, Some(rest)),
        None => (text, None),
    };
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let digits = |group: &str| group.bytes().all(|c| c.is_ascii_digit());
    let right = (1..=3).contains(&first.len()) && digits(first);
    if !right || !groups.all(|group| group.len() == 3 && digits(group)) {
        return None;
    }
    if rest.is_some_and(|rest| rest.contains(separator)) {
        return None;
    }
    Some(text.replace(separator, ""))
}

/// A number whose decimals follow a comma: "1.234,5".
pub fn decimal_comma(text: &str) -> Option<f64> {
    let swapped: String = text
        .trim()
        .chars()
        .map(|c| match c {
            ',' => '.',
            '.' => ',',
            c => c,
        })
        .collect();
    plain(&swapped, ',')
}

/// The same with its significant digits.
pub fn written(file: &str, line: usize, what: &str, text: &str) -> Result<Written> {
    Ok(Written { value: number(file, line, what, text)?, digits: Some(units::digits_of(text)) })
}

/// The word after `key` in a line: `after("Count: 5 Avg: 6", "Avg:")` is "6".
pub fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_once(key)?.1.split_whitespace().next()
}

/// The number at the start of a text, and the rest: "12.5ms" is 12.5 and "ms".
pub fn leading(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The length of a window; None if it is zero.
pub fn window_ns(ns: f64) -> Option<u64> {
    Some(ns.min(1e18) as u64).filter(|ns| *ns > 0)
}

/// The name of a percentile's figure, such as "p99.9_ns"; None if it is 0 or 100, which are not
/// percentiles.
pub fn percentile(p: f64) -> Option<String> {
    (p > 0.0 && p < 100.0).then(|| format!("p{p}_ns"))
}

/// "Takes(s): 10.0, Count: 500, Avg(us): 1000": the pairs printed by go-tpc and go-ycsb.
pub fn pairs(line: &str) -> Vec<(&str, &str)> {
    let pairs = line.split(',').filter_map(|part| part.split_once(':'));
    pairs.map(|(key, value)| (key.trim(), value.trim())).collect()
}

/// The figure of a latency among such pairs, and the nanoseconds of its unit: "Avg(us)",
/// "99.9th(ms)".
pub fn latency_of_pair(key: &str) -> Option<(String, f64)> {
    let (name, unit) = key.strip_suffix(')')?.split_once('(')?;
    let figure = match name {
        "Avg" => "mean_ns".to_string(),
        "Max" => "max_ns".to_string(),
        _ => percentile(name.strip_suffix("th")?.parse().ok()?)?,
    };
    Some((figure, time_unit(unit)?))
}

/// The JSON document of a file.
pub fn json(input: &Input<'_>, next: &str) -> Result<Value> {
    serde_json::from_str(input.text)
        .map_err(|e| wrong(input.file, e.line(), format!("not JSON: {e}"), next))
}

/// A number in JSON, which some tools write as text.
pub fn json_number(value: &Value) -> Option<f64> {
    let text = || value.as_str()?.trim().parse().ok();
    value.as_f64().or_else(text).filter(is_plausible)
}

/// Nanoseconds of a unit of time.
pub fn time_unit(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "ns" | "nsec" => 1.0,
        "us" | "µs" | "usec" => 1e3,
        "ms" | "msec" => 1e6,
        "s" | "sec" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3600e9,
        "d" => 86_400e9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_separates_thousands_only_before_three_digits() {
        let cases = [
            ("850.5", Some(850.5)),
            ("892,202", Some(892_202.0)),
            ("1,234,567.25", Some(1_234_567.25)),
            ("850,5", None),
            ("1.234,5", None),
            ("1,23", None),
            ("1234,567", None),
            (",5", None),
            ("1,2345", None),
            ("", None),
            ("inf", None),
            ("-1", None),
        ];
        for (text, value) in cases {
            assert_eq!(number("f", 1, "x", text).ok(), value, "{text}");
        }
        for (text, value) in [("850,5", Some(850.5)), ("1.234,5", Some(1234.5)), ("1.5", None)] {
            assert_eq!(decimal_comma(text), value, "{text}");
        }
    }
}
