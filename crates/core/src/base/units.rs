//! Sizes, rates and times as people write them ("4k", "4KiB", "10MB/s", "20m") and as briefs print
//! them.
//!
//! Decimal and binary units are distinct: 1 KB is 1,000 bytes and 1 KiB is 1,024. Without a B, a
//! size is binary, as in fio: 4k, 4K and 4Ki are 4,096. A bare number of bytes is allowed; a bare
//! number of seconds is not, because "20" in a plan is more often a mistake than a time.

/// "1 task", "12 tasks", "1,200 tasks".
pub fn plural(n: usize, what: &str) -> String {
    let end = if n == 1 { "" } else { "s" };
    format!("{} {what}{end}", grouped(n as u64))
}

/// A target rate: requests or bytes per second.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Requests per second.
    OpsPerSec(f64),
    /// Bytes per second.
    BytesPerSec(f64),
}

impl Rate {
    /// This multiple of the rate.
    pub fn times(self, factor: f64) -> Rate {
        match self {
            Rate::OpsPerSec(ops) => Rate::OpsPerSec(ops * factor),
            Rate::BytesPerSec(bytes) => Rate::BytesPerSec(bytes * factor),
        }
    }
}

const BYTES: &[(&str, f64)] = &[
    ("", 1.0),
    ("B", 1.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1048576.0),
    ("GiB", 1073741824.0),
    ("TiB", 1099511627776.0),
];

const TIMES: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
    ("d", 86400e9),
];

const COUNTS: &[(&str, f64)] = &[("", 1.0), ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9)];

/// Splits "10.5MB" into (10.5, "MB"). Underscores and commas may group digits.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | ',')))
        .unwrap_or(text.len());
    let digits: String = text[..end].chars().filter(|c| !matches!(c, '_' | ',')).collect();
    let value: f64 = digits.parse().ok()?;
    Some((value, text[end..].trim()))
}

fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (value, unit) = number_and_unit(text.trim())?;
    units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| value * scale)
}

/// Bytes of one unit of a size: k, ki and kib are 1,024, kb is 1,000, in upper or lower case.
fn unit_bytes(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    let (prefix, base) = match unit.strip_suffix('b') {
        Some(rest) => rest.strip_suffix('i').map_or((rest, 1000.0), |prefix| (prefix, 1024.0)),
        None => (unit.strip_suffix('i').unwrap_or(&unit), 1024.0),
    };
    let power = match prefix {
        "" if unit.is_empty() || unit == "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    Some(f64::powi(base, power))
}

fn scaled_bytes(text: &str) -> Option<f64> {
    let (value, unit) = number_and_unit(text.trim())?;
    unit_bytes(unit).map(|scale| value * scale)
}

/// A size in bytes: "4k", "4KiB", "1.92TB", "4096".
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    scaled_bytes(text).map(|b| b.round() as u64).ok_or_else(|| {
        format!(
            "'{text}' is not a size; write a number with k, M, G, T or KiB, MiB, GiB, TiB \
             (1,024s), or with KB, MB, GB, TB (1,000s)"
        )
    })
}

/// The size of a block in bytes: a size, but none in decimal units that no device has.
pub fn parse_block(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text)?;
    match number_and_unit(text.trim()) {
        Some((value, unit)) if !unit.is_empty() && !bytes.is_multiple_of(512) => {
            let prefix = unit.trim_end_matches(['B', 'b', 'i']);
            let binary = format!("{value}{prefix}");
            let means = match parse_bytes(&binary) {
                Ok(other) if other.is_multiple_of(512) => {
                    format!("; {binary} is {} bytes", grouped(other))
                }
                _ => String::new(),
            };
            Err(format!("{} bytes are not a multiple of 512{means}", grouped(bytes)))
        }
        _ => Ok(bytes),
    }
}

/// A time in nanoseconds: "20m", "1h30m", "1.5s", "250ms".
pub fn parse_duration_ns(text: &str) -> Result<u64, String> {
    let bad = || {
        format!("'{text}' is not a time; write a number with ns, us, ms, s, m, h or d, as in 1h30m")
    };
    let (mut rest, mut total_ns) = (text.trim(), 0.0);
    if rest.is_empty() {
        return Err(bad());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_alphabetic()).ok_or_else(bad)?;
        let tail = &rest[digits..];
        let letters = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        total_ns += scaled(&rest[..digits + letters], TIMES).ok_or_else(bad)?;
        rest = tail[letters..].trim_start();
    }
    Ok(total_ns.round() as u64)
}

/// A rate: "10MB/s", "300k/s", "5000 ops/s". The "/s" is required, so that a size is not mistaken
/// for a rate.
pub fn parse_rate(text: &str) -> Result<Rate, String> {
    let bad = || {
        format!(
            "'{text}' is not a rate; write bytes as in 10MB/s or 64MiB/s, or requests as in 5000/s \
             or 300k/s"
        )
    };
    let amount = text.trim().strip_suffix("/s").ok_or_else(bad)?.trim_end();
    let ops = amount
        .strip_suffix("ops")
        .or_else(|| amount.strip_suffix("op"))
        .map(str::trim_end)
        .unwrap_or(amount);
    let rate = match scaled(ops, COUNTS) {
        Some(ops) => Rate::OpsPerSec(ops),
        None => Rate::BytesPerSec(scaled_bytes(amount).ok_or_else(bad)?),
    };
    match rate {
        Rate::OpsPerSec(v) | Rate::BytesPerSec(v) if v > 0.0 => Ok(rate),
        _ => Err(format!("'{text}' is not a rate above zero")),
    }
}

/// 4096 as "4 KiB", 10000000 as "10 MB": exact in the unit with the fewest digits, if four suffice;
/// otherwise three digits: "1.92 TB".
pub fn bytes(n: u64) -> String {
    let units = BYTES
        .iter()
        .skip(2)
        .filter(|(_, scale)| n >= *scale as u64 && n.is_multiple_of(*scale as u64));
    let exact =
        units.map(|(unit, scale)| (n / *scale as u64, *unit)).min_by_key(|(count, _)| *count);
    match exact {
        Some((count, unit)) if count < 10_000 => format!("{count} {unit}"),
        _ => about(n as f64, 1000.0, &["B", "KB", "MB", "GB", "TB", "PB"]),
    }
}

/// Sizes for a comparison, in one unit of 1,000s: with three digits or, if these are the same,
/// whole bytes. If one is a thousand times another, each has its own unit.
pub fn bytes_alike<const N: usize>(all: [u64; N]) -> [String; N] {
    let largest = all.iter().copied().max().unwrap_or(0) as f64;
    let smallest = all.iter().copied().min().unwrap_or(0).max(1) as f64;
    if N > 1 && largest >= 1e3 * smallest {
        return all.map(|n| bytes_alike([n]).concat());
    }
    let units = BYTES.iter().filter(|(name, _)| !name.contains('i') && name.len() == 2);
    let unit = units.rev().find(|(_, scale)| largest >= *scale);
    let in_unit = |n: u64| match unit {
        Some((unit, scale)) => format!("{} {unit}", significant(n as f64 / scale, 3)),
        None => format!("{n} B"),
    };
    let texts = all.map(in_unit);
    let same =
        |(i, n): (usize, &u64)| all[..i].iter().zip(&texts).any(|(m, t)| m != n && *t == texts[i]);
    match all.iter().enumerate().any(same) {
        true => all.map(|n| format!("{} bytes", grouped(n))),
        false => texts,
    }
}

/// Nanoseconds in a readable unit: "85.2 µs", "1.30 ms", "2.00 s".
pub fn latency(ns: f64) -> String {
    if ns < 1e12 {
        about(ns, 1000.0, &["ns", "µs", "ms", "s"])
    } else {
        format!("{:.0} s", ns / 1e9)
    }
}

/// A time span: "20 m", "1 h 30 m", "45 s", "250 ms".
pub fn duration(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let (d, h, m, s) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let parts = [(d, "d"), (h, "h"), (m, "m"), (s, "s")];
    let shown: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).take(2).map(|(n, u)| format!("{n} {u}")).collect();
    if shown.is_empty() { latency(ns as f64) } else { shown.join(" ") }
}

/// A date and time in UTC, from nanoseconds since 1970: "2026-02-03 14:05 UTC".
pub fn moment(unix_ns: u64) -> String {
    if unix_ns == 0 {
        return "date unknown".to_string();
    }
    match jiff::Timestamp::from_second((unix_ns / 1_000_000_000) as i64) {
        Ok(time) => format!("{} UTC", time.strftime("%Y-%m-%d %H:%M")),
        Err(_) => "date unknown".to_string(),
    }
}

/// A count with grouped thousands: 892202 as "892,202".
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Rounded to this many significant digits: 29,633 to two is "30,000", 7.7 is "7.7" and 14 to three
/// "14.0".
pub fn significant(value: f64, digits: u32) -> String {
    let after_first = digits.max(1) as usize - 1;
    let (rounded, power) = match format!("{value:.after_first$e}").split_once('e') {
        Some((digits, power)) => {
            let power: i32 = power.parse().unwrap_or(0);
            (digits.parse::<f64>().unwrap_or(0.0) * 10f64.powi(power), power)
        }
        // Not a finite number.
        None => return value.to_string(),
    };
    let decimals = usize::try_from(after_first as i32 - power).unwrap_or(0);
    let text = format!("{:.decimals$}", rounded.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or(whole.to_string(), grouped);
    let sign = if rounded < 0.0 { "−" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{rest}")
}

/// The number of significant digits as written: two for "7.7", three for "14.0", six for "892,202",
/// one for "0.5". Trailing zeros of a whole number count.
pub fn digits_of(text: &str) -> u32 {
    let mantissa = text.trim().split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.chars().filter(char::is_ascii_digit);
    (digits.skip_while(|digit| *digit == '0').count() as u32).max(1)
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Rate::OpsPerSec(v) if v < 1000.0 => write!(f, "{} ops/s", (v * 100.0).round() / 100.0),
            Rate::OpsPerSec(v) => write!(f, "{} ops/s", grouped(v.round() as u64)),
            Rate::BytesPerSec(v) => write!(f, "{}/s", bytes(v.round() as u64)),
        }
    }
}

/// Three significant digits in the largest unit that keeps the number at one or more.
fn about(value: f64, base: f64, units: &[&str]) -> String {
    let (mut v, mut unit) = (value, 0);
    while v.abs() >= base * 0.9995 && unit + 1 < units.len() {
        v /= base;
        unit += 1;
    }
    let decimals = match v.abs() {
        _ if unit == 0 => 0,
        a if a < 9.995 => 2,
        a if a < 99.95 => 1,
        _ => 0,
    };
    format!("{v:.decimals$} {}", units[unit])
}

/// A number that JSON can represent, without infinity.
pub fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_are_compared_have_one_unit_unless_they_are_far_apart() {
        assert_eq!(bytes_alike([64 << 20, 67_000_000]), ["67.1 MB", "67.0 MB"]);
        assert_eq!(bytes_alike([67_000_001, 67_000_000]), ["67,000,001 bytes", "67,000,000 bytes"]);
        assert_eq!(bytes_alike([1 << 40, 1 << 20]), ["1.10 TB", "1.05 MB"]);
        assert_eq!(bytes_alike([5, 7]), ["5 B", "7 B"]);
    }

    #[test]
    fn a_number_is_printed_with_the_digits_that_its_source_has() {
        let cases = [
            (29_633.2, 2, "30,000"),
            (84_971.6, 3, "85,000"),
            (7.7, 2, "7.7"),
            (14.0, 3, "14.0"),
            (9.96, 2, "10"),
            (892_202.0, 6, "892,202"),
            (0.0346, 2, "0.035"),
            (-4.31, 2, "−4.3"),
            (0.0, 2, "0.0"),
        ];
        for (value, digits, text) in cases {
            assert_eq!(significant(value, digits), text, "{value} to {digits}");
        }
        let written = ["7.7", "14.0", "892,202", "0.50", "1.10e3", "0"].map(digits_of);
        assert_eq!(written, [2, 3, 6, 2, 3, 1]);
    }

    #[test]
    fn sizes_keep_decimal_and_binary_apart() {
        for (text, n) in [
            ("4KiB", 4096),
            ("4KB", 4000),
            ("1.92TB", 1_920_000_000_000),
            ("2_000", 2000),
            ("512 B", 512),
            ("4k", 4096),
            ("4K", 4096),
            ("4Ki", 4096),
            ("4kib", 4096),
            ("4kb", 4000),
            ("1m", 1 << 20),
            ("2g", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(parse_bytes(text), Ok(n), "{text}");
        }
        for bad in ["", "GiB", "-1MB", "1..2MB", "4 kilo", "4i", "4ib", "4x"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_block_in_decimal_units_is_refused_with_the_binary_one() {
        for (text, bytes) in [("4k", 4096), ("4KiB", 4096), ("4096", 4096), ("512KB", 512_000)] {
            assert_eq!(parse_block(text), Ok(bytes), "{text}");
        }
        for text in ["4KB", "4kB"] {
            let refused = parse_block(text).expect_err("4,000 bytes");
            assert!(refused.contains("4,000 bytes are not a multiple of 512; 4"), "{refused}");
            assert!(refused.ends_with(" is 4,096 bytes"), "{refused}");
        }
    }

    #[test]
    fn times_need_a_unit() {
        for (text, ns) in [
            ("20m", 1_200_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1.5s", 1_500_000_000),
            ("250ms", 250_000_000),
        ] {
            assert_eq!(parse_duration_ns(text), Ok(ns), "{text}");
        }
        for bad in ["20", "", "m", "20 minutes", "5x"] {
            assert!(parse_duration_ns(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rates_are_of_bytes_or_of_requests() {
        assert_eq!(parse_rate("10MB/s"), Ok(Rate::BytesPerSec(1e7)));
        assert_eq!(parse_rate("64MiB/s"), Ok(Rate::BytesPerSec(67_108_864.0)));
        assert_eq!(parse_rate("300k/s"), Ok(Rate::OpsPerSec(3e5)));
        assert_eq!(parse_rate("5000 ops/s"), Ok(Rate::OpsPerSec(5000.0)));
        for bad in ["10MB", "0/s", "fast", "MB/s"] {
            assert!(parse_rate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_printed_is_what_a_brief_prints() {
        assert_eq!(bytes(4096), "4 KiB");
        assert_eq!(bytes(10_000_000), "10 MB");
        assert_eq!(bytes(1_920_383_410_176), "1.92 TB");
        assert_eq!(latency(85_230.0), "85.2 µs");
        assert_eq!(latency(999_700.0), "1.00 ms");
        assert_eq!(duration(5_400_000_000_000), "1 h 30 m");
        assert_eq!(grouped(892_202), "892,202");
        assert_eq!(Rate::BytesPerSec(850e6).to_string(), "850 MB/s");
    }
}
