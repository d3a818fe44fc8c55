//! Parsers of a line's fields: unsigned numbers, and times as decimal seconds.

/// Parses a whole number. The error is the reason.
pub fn whole(field: &str, what: &str) -> Result<u64, String> {
    let field = trimmed(field);
    match field.parse() {
        // `parse` accepts this sign.
        Ok(number) if !field.starts_with('+') => Ok(number),
        _ if !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("the {what} '{field}' is beyond 2^64"))
        }
        _ => Err(format!("the {what} '{field}' is not a whole number from 0 on")),
    }
}

/// Removes spaces around a field. Almost no field has any, so its first and last bytes are checked
/// first.
fn trimmed(field: &str) -> &str {
    let is_bare = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let bytes = field.as_bytes();
    if is_bare(bytes.first()) && is_bare(bytes.last()) { field } else { field.trim() }
}

/// Parses a number of units of `unit` and multiplies it.
pub fn in_units(field: &str, unit: u64, what: &str) -> Result<u64, String> {
    let number = whole(field, what)?;
    number.checked_mul(unit).ok_or_else(|| format!("the {what} '{field}' is too large"))
}

/// Parses seconds with up to nine decimals; returns ns.
pub fn seconds(field: &str, what: &str) -> Result<u64, String> {
    let field = field.trim();
    let (whole_part, decimals) = field.split_once('.').unwrap_or((field, "0"));
    if decimals.is_empty() || decimals.len() > 9 {
        return Err(format!("the {what} '{field}' is not a number of seconds"));
    }
    let seconds = in_units(whole_part, 1_000_000_000, what)?;
    let scale = 10u64.pow(9 - decimals.len() as u32);
    let fraction = in_units(decimals, scale, what)?;
    seconds.checked_add(fraction).ok_or_else(|| format!("the {what} '{field}' is too large"))
}

/// Splits a line into exactly `N` fields at commas.
pub fn columns<const N: usize>(line: &str) -> Result<[&str; N], String> {
    let (mut columns, mut number, mut from) = ([""; N], 0, 0);
    let commas = line.bytes().enumerate().filter(|(_, byte)| *byte == b',').map(|(at, _)| at);
    for end in commas.chain([line.len()]) {
        let column = columns.get_mut(number);
        *column.ok_or_else(|| format!("it has more than {N} columns"))? = trimmed(&line[from..end]);
        (number, from) = (number + 1, end + 1);
    }
    match number == N {
        true => Ok(columns),
        false => Err(format!("it has fewer than {N} columns")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_have_no_signs() {
        assert_eq!(whole("18446744073709551615", "n"), Ok(u64::MAX));
        assert_eq!(seconds("12.000000345", "time"), Ok(12_000_000_345));
        assert_eq!(seconds("1538326800", "time"), Ok(1_538_326_800_000_000_000));
        assert_eq!(seconds("0.5", "time"), Ok(500_000_000));
        for wrong in ["-1", "+1", "", "1e3", "0x10", "1.5", "١"] {
            assert!(whole(wrong, "n").is_err(), "{wrong}");
        }
        for wrong in ["-1.0", "1.", ".5", "1.0000000001", "1.-5", "99999999999999"] {
            assert!(seconds(wrong, "time").is_err(), "{wrong}");
        }
        assert!(whole("18446744073709551616", "n").unwrap_err().contains("beyond 2^64"));
    }
}
