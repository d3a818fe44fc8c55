//! Number formatting for all reports, so that terminal and page print the same.

use crate::language::Language;
use crate::say;
use dyno_core::base::units;
use dyno_core::stats::Estimate;

/// Shown for values that were not measured.
pub const NONE: &str = "–";

/// A rate, such as ops/s or ops/s per watt, with no more digits than its source; [`NONE`] if the
/// source of imported figures does not give it.
pub fn ops(l: Language, estimate: Option<&Estimate>) -> String {
    let Some(estimate) = estimate else { return NONE.to_string() };
    written(l, estimate).unwrap_or_else(|| count(l, estimate.value))
}

/// A figure read as text, or derived from one, with the digits of its source.
fn written(l: Language, estimate: &Estimate) -> Option<String> {
    Some(l.number(&units::significant(estimate.value, estimate.digits?)))
}

/// Appended to a rate: the number of transactions not in it; empty if none were abandoned.
pub fn given_up(l: Language, n: u64) -> String {
    if n == 0 { String::new() } else { say!(l, "given-up", count = grouped(l, n)) }
}

/// A count with decimals only if it is small.
pub fn count(l: Language, value: f64) -> String {
    let text = if value.abs() < 10.0 {
        format!("{value:.2}")
    } else {
        units::grouped(value.round().max(0.0) as u64)
    };
    l.number(&text)
}

/// Megabytes (1,000,000 bytes) per second; ops without known bytes have no such rate.
pub fn megabytes(l: Language, bytes_per_s: f64) -> String {
    if bytes_per_s == 0.0 {
        return NONE.to_string();
    }
    let mb = bytes_per_s / 1e6;
    l.number(&match mb {
        _ if mb < 9.995 => format!("{mb:.2}"),
        _ if mb < 99.95 => format!("{mb:.1}"),
        _ => units::grouped(mb.round() as u64),
    })
}

/// The same for an estimate, if there is one.
pub fn megabytes_of(l: Language, bytes_per_s: Option<&Estimate>) -> String {
    let Some(estimate) = bytes_per_s else { return NONE.to_string() };
    let written = written(l, &estimate.scaled(1e-6, "MB/s"));
    written.unwrap_or_else(|| megabytes(l, estimate.value))
}

/// An estimate in watts.
pub fn watts_of(l: Language, estimate: &Estimate) -> String {
    written(l, estimate).unwrap_or_else(|| watts(l, estimate.value))
}

/// A size in the unit that suits it: "4 KiB", "12.9 KB", "1.92 TB".
pub fn size(l: Language, bytes: f64) -> String {
    l.number(&units::bytes(bytes.round() as u64))
}

/// Capacities and total bytes written, in decimal units with three digits: "7.68 TB".
pub fn large_bytes(l: Language, bytes: f64) -> String {
    let (by, unit) = match bytes {
        b if b >= 1e15 => (1e15, "PB"),
        b if b >= 1e12 => (1e12, "TB"),
        _ => (1e9, "GB"),
    };
    let number = bytes / by;
    let decimals = match number {
        _ if number < 9.995 => 2,
        _ if number < 99.95 => 1,
        _ => 0,
    };
    l.number(&format!("{number:.decimals$} {unit}"))
}

/// Watts, with one decimal, or more for small values.
pub fn watts(l: Language, watts: f64) -> String {
    l.number(&if watts < 99.95 { format!("{watts:.2}") } else { format!("{watts:.1}") })
}

/// Joules in the most readable unit.
pub fn joules(l: Language, joules: f64) -> String {
    let (by, unit) = joules_unit(joules);
    l.number(&format!("{:.3} {unit}", joules * by))
}

/// An estimate in joules.
pub fn joules_of(l: Language, estimate: &Estimate) -> String {
    match estimate.digits {
        Some(digits) => joules_in(l, estimate.value, digits),
        None => joules(l, estimate.value),
    }
}

/// Joules with this many significant digits.
pub fn joules_in(l: Language, joules: f64, digits: u32) -> String {
    let (by, unit) = joules_unit(joules);
    l.number(&format!("{} {unit}", units::significant(joules * by, digits)))
}

fn joules_unit(joules: f64) -> (f64, &'static str) {
    match joules.abs() {
        j if j >= 1e6 => (1e-6, "MJ"),
        j if j >= 1e3 => (1e-3, "kJ"),
        j if j >= 1.0 => (1.0, "J"),
        j if j >= 1e-3 => (1e3, "mJ"),
        j if j >= 1e-6 => (1e6, "µJ"),
        _ => (1e9, "nJ"),
    }
}

/// Nanoseconds in the most readable unit.
pub fn time(l: Language, ns: f64) -> String {
    l.number(&units::latency(ns))
}

/// The same with this many significant digits.
pub fn time_in(l: Language, ns: f64, digits: u32) -> String {
    let (by, unit) = match ns.abs() {
        ns if ns < 1e3 => (1.0, "ns"),
        ns if ns < 1e6 => (1e-3, "µs"),
        ns if ns < 1e9 => (1e-6, "ms"),
        _ => (1e-9, "s"),
    };
    l.number(&format!("{} {unit}", units::significant(ns * by, digits)))
}

/// A number as printed, with "≥" before it if it is a lower bound.
pub fn at_least(is_bound: bool, text: String) -> String {
    if is_bound { format!("≥ {text}") } else { text }
}

/// A count with grouped thousands.
pub fn grouped(l: Language, n: u64) -> String {
    l.number(&units::grouped(n))
}

/// A non-negative number with this many decimals and grouped thousands.
pub fn decimal(l: Language, value: f64, decimals: usize) -> String {
    let printed = format!("{value:.decimals$}");
    let (whole, fraction) = printed.split_once('.').unwrap_or((&printed, ""));
    // Nothing to group.
    if whole.len() <= 3 && whole.bytes().all(|b| b.is_ascii_digit()) {
        return l.number(&printed);
    }
    let whole = units::grouped(whole.parse().unwrap_or(0));
    l.number(&if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") })
}

/// A share of one, in percent: "98.7 %".
pub fn share(l: Language, share: f64) -> String {
    percent(l, share * 100.0, 1)
}

/// The same within a sentence, in which all and nothing have no decimals: "100 %", "≈ 0 %".
pub fn share_in_words(l: Language, share: f64) -> String {
    match (share * 1e3).round() {
        0.0 if share > 0.0 => l.number("≈ 0 %"),
        1000.0 if share < 1.0 => l.number("≈ 100 %"),
        0.0 | 1000.0 => percent(l, share * 100.0, 0),
        _ => self::share(l, share),
    }
}

/// "1.23 %", with this many decimals.
pub fn percent(l: Language, percent: f64, decimals: usize) -> String {
    l.number(&format!("{percent:.decimals$} %"))
}

/// Half the interval's width in percent of the value: "±1.2 %"; without an interval the minimum and
/// maximum, "980 to 1,020"; empty for a single value.
pub fn spread(l: Language, estimate: Option<&Estimate>) -> String {
    let Some(estimate) = estimate else { return NONE.to_string() };
    match estimate.relative_percent() {
        None if estimate.n > 1 => {
            say!(l, "range", low = count(l, estimate.low), high = count(l, estimate.high))
        }
        None => NONE.to_string(),
        Some(half) if half < 9.95 => l.number(&format!("±{half:.1} %")),
        Some(half) => format!("±{half:.0} %"),
    }
}

/// "+3.1 %", "−12.4 %", with a typographical minus sign; from a tenfold increase on, the factor, as
/// for gains: "31 ×".
pub fn signed_percent(l: Language, percent: f64) -> String {
    if percent >= 900.0 {
        return say!(l, "times", factor = decimal(l, 1.0 + percent / 100.0, 0));
    }
    l.number(&format!("{} %", signed(percent)))
}

/// A percentage with its sign.
fn signed(percent: f64) -> String {
    let sign = if percent < 0.0 { '−' } else { '+' };
    let size = percent.abs();
    match size {
        _ if size < 9.95 => format!("{sign}{size:.1}"),
        _ => format!("{sign}{}", units::grouped(size.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_a_brief() {
        let l = Language::ENGLISH;
        assert_eq!((count(l, 892_202.4).as_str(), count(l, 2.5049).as_str()), ("892,202", "2.50"));
        assert_eq!(
            (megabytes(l, 7_012e6).as_str(), megabytes(l, 12.34e6).as_str()),
            ("7,012", "12.3")
        );
        assert_eq!(
            (signed_percent(l, -12.4), signed_percent(l, 1240.0)),
            ("−12 %".into(), "13 ×".into())
        );
        assert_eq!(
            (signed_percent(l, 899.0), signed_percent(l, 3_011.0)),
            ("+899 %".into(), "31 ×".into())
        );
        let shares = [0.0, 0.000_4, 0.871, 0.999_96, 1.0].map(|share| share_in_words(l, share));
        assert_eq!(shares, ["0 %", "≈ 0 %", "87.1 %", "≈ 100 %", "100 %"]);
        assert_eq!(
            (joules(l, 1_234.0), joules(l, 7.5e-5)),
            ("1.234 kJ".into(), "75.000 µJ".into())
        );
        let two = dyno_core::stats::estimate::from_repeats(&[980.0, 1020.0], "ops/s")
            .expect("an estimate");
        assert_eq!(
            (spread(l, Some(&two)), spread(l, Some(&Estimate::single(7.0, "W")))),
            ("980 to 1,020".into(), NONE.into())
        );
        assert_eq!(l.moment(1_770_127_500_000_000_000), "2026-02-03 14:05 UTC");
    }
}
