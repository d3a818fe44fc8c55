//! PostgreSQL's binary NUMERIC: base-10,000 digits, a weight, a sign and a scale.

use crate::measure::sql::{SqlError, SqlResult};

/// The maximum number of base-10,000 digits of 64 bits and a scale's padding.
const MOST_DIGITS: usize = 8;

/// Writes `units` / 10^`scale`.
pub fn write(units: i64, scale: u8, out: &mut Vec<u8>) {
    // The last digit may have fewer decimal places than the others.
    let pad = (4 - u32::from(scale) % 4) % 4;
    let (mut base, mut step) = (10u64.pow(4 - pad), 10u64.pow(pad));
    let mut rest = units.unsigned_abs();
    let (mut digits, mut count) = ([0i16; MOST_DIGITS], 0);
    while rest > 0 {
        digits[count] = (rest % base * step) as i16;
        (rest, count) = (rest / base, count + 1);
        (base, step) = (10_000, 1);
    }
    let after = i16::from(scale.div_ceil(4));
    let sign = if units < 0 { 0x4000 } else { 0 };
    for word in [count as i16, count as i16 - after - 1, sign, i16::from(scale)] {
        out.extend_from_slice(&word.to_be_bytes());
    }
    digits[..count].iter().rev().for_each(|digit| out.extend_from_slice(&digit.to_be_bytes()));
}

/// A NUMERIC in decimal notation, "12.34", in a reused string: nothing is allocated under load.
pub fn read(raw: &[u8], text: &mut String) -> SqlResult<()> {
    text.clear();
    let word = |i: usize| raw.get(2 * i..2 * i + 2).map(|b| i16::from_be_bytes([b[0], b[1]]));
    let (Some(count), Some(weight), Some(sign), Some(scale)) = (word(0), word(1), word(2), word(3))
    else {
        return Err(SqlError::wrong("a NUMERIC of fewer than eight bytes"));
    };
    if sign as u16 & 0xC000 == 0xC000 {
        text.push_str("NaN");
        return Ok(());
    }
    let digit = |at: i16| match at {
        0.. if at < count => word(4 + at as usize).unwrap_or(0),
        _ => 0,
    };
    if sign == 0x4000 {
        text.push('-');
    }
    // Below one there are no digits before the point.
    let first = (0..=weight).find(|&at| digit(at) != 0).unwrap_or(weight);
    let places = decimal(if weight < 0 { 0 } else { digit(first) });
    let zeros = places.iter().take(3).take_while(|place| **place == '0').count();
    text.extend(&places[zeros..]);
    for at in first.max(0) + 1..=weight {
        text.extend(decimal(digit(at)));
    }
    if scale > 0 {
        text.push('.');
        let end = text.len() + scale as usize;
        for group in 0..(scale + 3) / 4 {
            text.extend(decimal(digit(weight + 1 + group)));
        }
        text.truncate(end);
    }
    Ok(())
}

/// The four decimal places of a base-10,000 digit.
fn decimal(digit: i16) -> [char; 4] {
    let digit = digit.unsigned_abs();
    [1000, 100, 10, 1].map(|place| char::from(b'0' + (digit / place % 10) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::sql::Decimal;
    use proptest::prelude::*;

    #[test]
    fn numbers_below_one_and_zero_have_a_zero_before_the_point() {
        for (units, scale, text) in
            [(12, 2, "0.12"), (-5, 4, "-0.0005"), (0, 0, "0"), (0, 2, "0.00"), (10_000, 0, "10000")]
        {
            let (mut out, mut seen) = (Vec::new(), String::new());
            write(units, scale, &mut out);
            read(&out, &mut seen).unwrap();
            assert_eq!(seen, text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            units in -1_000_000_000_000_000i64..1_000_000_000_000_000, scale in 0u8..6,
        ) {
            let mut out = Vec::new();
            write(units, scale, &mut out);
            let mut text = String::new();
            read(&out, &mut text).unwrap();
            prop_assert_eq!(text, Decimal { units, scale }.to_string());
        }
    }
}
