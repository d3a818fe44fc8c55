//! Lines of instruments: an optional time, a number, an optional unit. Ambiguous lines are refused,
//! because a value that is wrong by a factor is not noticed.
//!
//! A comma is a decimal comma, or the separator of time and value if nothing else separates them; a
//! number such as "1,234" on its own is refused, because it has two meanings.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::{Reading, ReadingTime};
use crate::base::error::{Result, anyhow, failed};
use crate::record::gauge::WATTS;

/// How lines are converted to readings.
pub struct Lines {
    /// The readings' name, unit included.
    pub name: String,
    /// Whether a line starts with the reading's time.
    pub timestamps: bool,
    /// The offset of timestamps without a time zone, seconds east of UTC; None: such timestamps are
    /// refused.
    pub zone_s: Option<i32>,
    /// Seconds added to that time to convert it to this host's clock.
    pub offset_s: f64,
    /// Time of the last reading; times must not decrease.
    pub last_ns: i64,
}

/// Maximum difference from this host's clock, seconds: a log with other times is not from this run.
const FAR_S: f64 = 3_600.0;

impl Lines {
    /// One line: a number with an optional unit, optionally preceded by a time.
    pub fn reading(&mut self, line: &str, now: ReadingTime) -> Result<Reading> {
        let line = line.trim();
        // The line itself is not shown: a failing command may print its arguments.
        let wrong = |why: &str| anyhow!("a line of {} bytes is not a reading{why}", line.len());
        let (time, value) = match self.timestamps {
            true => {
                let (time, value) = split(line).ok_or_else(|| {
                    wrong(": it is not a time and a value, separated by ';', a tab, ',' or spaces")
                })?;
                (Some(time), value)
            }
            false => (None, Field { text: line, is_alone: true }),
        };
        let number = value.quantity(&self.name).map_err(|why| wrong(&why))?;
        let at_ns = match time {
            None => now.ns as i64,
            Some(time) => {
                let unix_s = unix_seconds(&time, self.zone_s).map_err(|why| wrong(&why))?;
                let ahead_s = unix_s + self.offset_s - now.unix_ns as f64 / 1e9;
                if ahead_s.abs() > FAR_S {
                    let (hours, way) = (
                        ahead_s.abs() / 3_600.0,
                        if ahead_s > 0.0 { "ahead of" } else { "behind" },
                    );
                    return Err(failed(
                        format!("its times are {hours:.1} hours {way} this host's clock"),
                        "set clock_offset, or time_zone if its times have no zone",
                    ));
                }
                now.at_unix(unix_s + self.offset_s)
            }
        };
        if at_ns < self.last_ns {
            return Err(anyhow!(
                "a reading from {:.1} s before the last",
                (self.last_ns - at_ns) as f64 / 1e9
            ));
        }
        self.last_ns = at_ns;
        Ok(Reading { at_ns, name: self.name.clone(), value: number })
    }
}

/// A part of a line.
struct Field<'a> {
    text: &'a str,
    /// Whether a comma in it may be a thousands separator.
    is_alone: bool,
}

/// Time and value; None if the line has fewer parts, or more.
fn split(line: &str) -> Option<(Field<'_>, Field<'_>)> {
    let pair = |separator: char| {
        let mut parts = line.split(separator).map(str::trim).filter(|part| !part.is_empty());
        let pair = (parts.next()?, parts.next()?);
        parts.next().is_none().then_some(pair)
    };
    let fields = |(time, value), is_alone| {
        Some((Field { text: time, is_alone: false }, Field { text: value, is_alone }))
    };
    for separator in [';', '\t'] {
        if line.contains(separator) {
            return fields(pair(separator)?, false);
        }
    }
    // A decimal comma of the value or of the time, if spaces separate them.
    let by_spaces = || {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_unit =
            |word: &str| !word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let end = words.len() - usize::from(words.len() > 2 && is_unit(words[words.len() - 1]));
        let is_date = end == 3 && words[0].contains('-');
        if end != 2 && !is_date {
            return None;
        }
        let value = line.rfind(words[end - 1]).filter(|at| *at > 0)?;
        let (time, value) = (line[..value].trim(), line[value..].trim());
        fields((time, value), true)
    };
    // One comma is the separator if it is between a time and a value, with or without a unit.
    let by_comma = || {
        let (time, value) = pair(',')?;
        let is_time = unix_seconds(&Field { text: time, is_alone: false }, Some(0)).is_ok();
        let starts = value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
        let rest = value.split_once(' ').map_or("", |(_, rest)| rest);
        (is_time && starts && !digits(rest)).then_some((time, value))
    };
    let commas = line.matches(',').count();
    match if commas == 1 { by_comma() } else { None } {
        Some(pair) => fields(pair, false),
        None if line.contains(", ") => None,
        None => by_spaces(),
    }
}

impl Field<'_> {
    /// A number and its unit, in the unit of a gauge.
    fn quantity(&self, gauge: &str) -> Result<f64, String> {
        let is_number = |c: char| c.is_ascii_digit() || "+-.,eE".contains(c);
        let text = self.text.trim();
        let mut end = text.find(|c: char| !is_number(c)).unwrap_or(text.len());
        // An E that does not start an exponent.
        while end > 0 && text[..end].ends_with(['e', 'E']) {
            end -= 1;
        }
        let value = decimal(&text[..end], self.is_alone)?;
        let unit = text[end..].trim();
        match unit.is_empty() {
            true => Ok(value),
            false => scale(gauge, unit).map(|scale| value * scale),
        }
    }
}

/// A number with a decimal point or a decimal comma.
fn decimal(text: &str, is_alone: bool) -> Result<f64, String> {
    let parsed =
        |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(String::new);
    let Some((whole, decimals)) = text.split_once(',') else { return parsed(text) };
    if decimals.contains([',', '.']) || whole.contains('.') {
        return Err(": it has more than one decimal separator".to_string());
    }
    let leading = whole.trim_start_matches(['+', '-']);
    if is_alone && decimals.len() == 3 && (1..=3).contains(&leading.len()) && leading != "0" {
        return Err(": its comma may be a decimal comma or separate thousands".to_string());
    }
    parsed(&format!("{whole}.{decimals}"))
}

/// The factor from a line's own unit to that of a gauge.
fn scale(gauge: &str, unit: &str) -> Result<f64, String> {
    const POWER: [(&str, f64); 8] = [
        ("W", 1.0),
        ("kW", 1e3),
        ("mW", 1e-3),
        ("µW", 1e-6),
        ("μW", 1e-6),
        ("uW", 1e-6),
        ("watts", 1.0),
        ("Watts", 1.0),
    ];
    const CURRENT: [(&str, f64); 3] = [("A", 1.0), ("mA", 1e-3), ("µA", 1e-6)];
    const VOLTAGE: [(&str, f64); 3] = [("V", 1.0), ("mV", 1e-3), ("kV", 1e3)];
    const TEMPERATURE: [(&str, f64); 2] = [("C", 1.0), ("°C", 1.0)];
    const BYTES: [(&str, f64); 9] = [
        ("B", 1.0),
        ("kB", 1e3),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];
    let own = gauge.rsplit('_').next().unwrap_or_default();
    let units: &[(&str, f64)] = match own {
        _ if gauge.ends_with(WATTS) => &POWER,
        "amps" => &CURRENT,
        "volts" => &VOLTAGE,
        "celsius" => &TEMPERATURE,
        "bytes" => &BYTES,
        _ => &[],
    };
    let found = units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
    let known: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    found.or((unit == own).then_some(1.0)).ok_or_else(|| match known.is_empty() {
        true => format!(": it has a unit, which is not one of {own}"),
        false => format!(": its unit is not one of {}", known.join(", ")),
    })
}

/// Seconds since 1970 of a number of seconds, milliseconds, microseconds or nanoseconds (by its
/// size), or of a date and time (ISO 8601, with a space or a T).
fn unix_seconds(field: &Field<'_>, zone_s: Option<i32>) -> Result<f64, String> {
    let text = field.text.trim().trim_matches('"');
    if let Ok(number) = decimal(text, false) {
        // 10^11 s are in the year 5138; 10^11 ms are in 1973.
        let per_second = match number.abs() {
            ..1e11 => 1.0,
            ..1e14 => 1e3,
            ..1e17 => 1e6,
            _ => 1e9,
        };
        return Ok(number / per_second);
    }
    let text = text.replace(',', ".");
    if let Ok(at) = text.replacen(' ', "T", 1).parse::<Timestamp>() {
        return Ok(at.as_nanosecond() as f64 / 1e9);
    }
    let local: DateTime = text
        .replacen(' ', "T", 1)
        .parse()
        .map_err(|_| ": its time is neither seconds since 1970 nor a date and time".to_string())?;
    let zone_s = zone_s.ok_or_else(|| {
        ": its time has no zone; set time_zone = \"UTC\" or \"+01:00\"".to_string()
    })?;
    let offset = Offset::from_seconds(zone_s).map_err(|_| ": no such zone".to_string())?;
    let at = offset.to_timestamp(local).map_err(|_| ": no such time".to_string())?;
    Ok(at.as_nanosecond() as f64 / 1e9)
}

/// Seconds east of UTC of "UTC" or "+01:00"; None of an empty text.
pub fn zone(text: &str) -> Result<Option<i32>> {
    let wrong = || failed(format!("'{text}' is not a time zone"), "use \"UTC\" or \"+01:00\"");
    match text {
        "" => return Ok(None),
        "UTC" | "Z" => return Ok(Some(0)),
        _ => {}
    }
    let (sign, rest) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let (hours, minutes) = rest.split_once(':').ok_or_else(wrong)?;
    let part = |text: &str, most: i32| {
        text.parse::<i32>().ok().filter(|n| text.len() == 2 && (0..=most).contains(n))
    };
    let (hours, minutes) = part(hours, 14).zip(part(minutes, 59)).ok_or_else(wrong)?;
    Ok(Some(sign * (hours * 3_600 + minutes * 60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: ReadingTime =
        ReadingTime { ns: 100_000_000_000, unix_ns: 1_764_295_200_000_000_000 };

    fn lines(name: &str, timestamps: bool) -> Lines {
        Lines { name: name.into(), timestamps, zone_s: None, offset_s: 0.0, last_ns: i64::MIN }
    }

    #[test]
    fn a_value_is_read_with_its_unit_and_a_decimal_comma_and_refused_where_it_has_two_meanings() {
        for (name, line, expected) in [
            ("drive_watts", "12.75", Some(12.75)),
            ("drive_watts", " 12,75 \n", Some(12.75)),
            ("drive_watts", "12.75 W", Some(12.75)),
            ("drive_watts", "9500 mW", Some(9.5)),
            ("drive_watts", "9500mW", Some(9.5)),
            ("drive_watts", "9500000 µW", Some(9.5)),
            ("drive_watts", "0.344 kW", Some(344.0)),
            ("drive_watts", "1.2e1", Some(12.0)),
            ("drive_watts", "0,344 kW", Some(344.0)),
            ("drive_watts", "-8.5", Some(-8.5)),
            ("drive_watts", "1,234", None),
            ("drive_watts", "1,234.5", None),
            ("drive_watts", "12.75 3.3", None),
            ("drive_watts", "12 V", None),
            ("drive_watts", "9500 MW", None),
            ("drive_watts", "watts", None),
            ("drive_watts", "", None),
            ("drive_watts", "nan", None),
            ("drive_amps", "950 mA", Some(0.95)),
            ("media_written_bytes", "12 GB", Some(12e9)),
            ("media_written_data_units", "12 GB", None),
        ] {
            let read = lines(name, false).reading(line, NOW).ok().map(|r| r.value);
            let is_right = match (read, expected) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9 * b.abs(),
                (a, b) => a == b,
            };
            assert!(is_right, "{name} {line:?}: {read:?}");
        }
    }

    #[test]
    fn a_time_is_read_in_seconds_or_parts_of_them_or_as_a_date_and_separated_in_each_way() {
        for (line, seconds, watts) in [
            ("1764295201.5,12.75", 101.5, 12.75),
            ("1764295201.5, 12.75", 101.5, 12.75),
            ("1764295201.5 12.75", 101.5, 12.75),
            ("1764295201.5 12,75", 101.5, 12.75),
            ("1764295201.5\t12.75 W", 101.5, 12.75),
            ("1764295201,500;12,750", 101.5, 12.75),
            ("1764295201,500 12,75", 101.5, 12.75),
            ("1764295201500,12.75", 101.5, 12.75),
            ("1764295201500000;12.75", 101.5, 12.75),
            ("1764295201500000000 12.75", 101.5, 12.75),
            ("1764295201,12", 101.0, 12.0),
            ("2025-11-28T02:00:01.5Z,12.75", 101.5, 12.75),
            ("2025-11-28T03:00:01.5+01:00,12.75", 101.5, 12.75),
            ("2025-11-28 02:00:01,5Z;12,75", 101.5, 12.75),
            ("\"2025-11-28T02:00:01.5Z\";12,75", 101.5, 12.75),
        ] {
            let read = lines("drive_watts", true).reading(line, NOW);
            let read = read.unwrap_or_else(|error| panic!("{line}: {error}"));
            assert!((read.at_ns as f64 / 1e9 - seconds).abs() < 1e-3, "{line}: {read:?}");
            assert_eq!(read.value, watts, "{line}");
        }
        for line in [
            "time,watts",
            "1764295201,500,12,75",
            "1764295201.5,12.75,3.3",
            "1764295201.5 12.75 3.3",
            "1764295201.5",
            "2025-11-28T02:00:01.5,12.75",
            "17642952,12.75",
        ] {
            assert!(lines("drive_watts", true).reading(line, NOW).is_err(), "{line}");
        }
    }

    #[test]
    fn a_date_without_a_zone_has_that_of_the_plan() {
        let mut own = Lines { zone_s: zone("+01:00").unwrap(), ..lines("drive_watts", true) };
        let read = own.reading("2025-11-28 03:00:01.5,12.75", NOW).unwrap();
        assert_eq!((read.at_ns, read.value), (101_500_000_000, 12.75));
        assert_eq!(zone("UTC").unwrap(), Some(0));
        assert_eq!(zone("-05:30").unwrap(), Some(-19_800));
        assert!(zone("CET").is_err() && zone("+1").is_err() && zone("").unwrap().is_none());
    }
}
