//! How a report writes numbers: one place, so that the terminal and the page say the same.

use crate::base::units;
use crate::stats::Estimate;

/// Shown where something was not measured.
pub const NONE: &str = "–";

/// Ops per second, in as many digits as the interval leaves.
pub fn ops(estimate: &Estimate) -> String {
    count(estimate.value)
}

/// Behind a rate: how many transactions are not in it; nothing where none was given up.
pub fn given_up(n: u64) -> String {
    if n == 0 { String::new() } else { format!(" ({} given up)", units::grouped(n)) }
}

/// A count that keeps decimals only where it is small.
pub fn count(value: f64) -> String {
    if value.abs() < 10.0 {
        format!("{value:.2}")
    } else {
        units::grouped(value.round().max(0.0) as u64)
    }
}

/// Megabytes (1,000,000 bytes) per second; ops that moved no bytes, as far as is known, have no
/// such rate.
pub fn megabytes(bytes_per_s: f64) -> String {
    if bytes_per_s == 0.0 {
        return NONE.to_string();
    }
    let mb = bytes_per_s / 1e6;
    match mb {
        _ if mb < 9.995 => format!("{mb:.2}"),
        _ if mb < 99.95 => format!("{mb:.1}"),
        _ => units::grouped(mb.round() as u64),
    }
}

/// Watts, with one decimal or more where they are few.
pub fn watts(watts: f64) -> String {
    if watts < 99.95 { format!("{watts:.2}") } else { format!("{watts:.1}") }
}

/// With the unit in which it reads best.
pub fn joules(joules: f64) -> String {
    let (by, unit) = match joules.abs() {
        j if j >= 1e6 => (1e-6, "MJ"),
        j if j >= 1e3 => (1e-3, "kJ"),
        j if j >= 1.0 => (1.0, "J"),
        j if j >= 1e-3 => (1e3, "mJ"),
        j if j >= 1e-6 => (1e6, "µJ"),
        _ => (1e9, "nJ"),
    };
    format!("{:.3} {unit}", joules * by)
}

/// A latency in ns, µs, ms or s; [`NONE`] where it was not measured.
pub fn latency(estimate: Option<&Estimate>) -> String {
    estimate.map_or(NONE.to_string(), |e| units::latency(e.value))
}

/// Half the interval's width in percent of the value: "±1.2 %"; without an interval the least and
/// the most, "980 to 1,020"; of a single value nothing.
pub fn spread(estimate: &Estimate) -> String {
    match estimate.relative_percent() {
        None if estimate.n > 1 => format!("{} to {}", count(estimate.low), count(estimate.high)),
        None => NONE.to_string(),
        Some(half) if half < 9.95 => format!("±{half:.1} %"),
        Some(half) => format!("±{half:.0} %"),
    }
}

/// "+3.1 %", "−12.4 %", with a true minus.
pub fn signed_percent(percent: f64) -> String {
    format!("{} %", signed(percent))
}

/// A percentage with its sign.
pub fn signed(percent: f64) -> String {
    let sign = if percent < 0.0 { '−' } else { '+' };
    let size = percent.abs();
    match size {
        _ if size < 9.95 => format!("{sign}{size:.1}"),
        _ => format!("{sign}{}", units::grouped(size.round() as u64)),
    }
}

/// "a", "a and b", "a, b and c".
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

pub use crate::base::units::moment;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_a_brief() {
        assert_eq!((count(892_202.4).as_str(), count(2.5049).as_str()), ("892,202", "2.50"));
        assert_eq!((megabytes(7_012e6).as_str(), megabytes(12.34e6).as_str()), ("7,012", "12.3"));
        assert_eq!(
            (signed_percent(-12.4), signed_percent(1240.0)),
            ("−12 %".into(), "+1,240 %".into())
        );
        assert_eq!((joules(1_234.0), joules(7.5e-5)), ("1.234 kJ".into(), "75.000 µJ".into()));
        let two =
            crate::stats::estimate::from_repeats(&[980.0, 1020.0], "ops/s").expect("an estimate");
        assert_eq!(
            (spread(&two), spread(&Estimate::single(7.0, "W"))),
            ("980 to 1,020".into(), NONE.into())
        );
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(moment(1_770_127_500_000_000_000), "2026-02-03 14:05 UTC");
    }
}
