//! PostgreSQL's binary NUMERIC: base-10,000 digits, a weight, a sign and a scale.

use dyno_core::measure::sql::answers::SqlValue;
use dyno_core::measure::sql::{Decimal, SqlError, SqlResult};

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

/// A NUMERIC's value: a floating-point number if 64 bits do not hold its digits.
pub fn read(raw: &[u8]) -> SqlResult<SqlValue<'static>> {
    let word = |i: usize| raw.get(2 * i..2 * i + 2).map(|b| i16::from_be_bytes([b[0], b[1]]));
    let (Some(count), Some(weight), Some(sign), Some(scale)) = (word(0), word(1), word(2), word(3))
    else {
        return Err(SqlError::wrong("a NUMERIC of fewer than eight bytes"));
    };
    // Not a number, and infinities.
    if sign as u16 & 0xC000 == 0xC000 {
        return Ok(SqlValue::Float(f64::NAN));
    }
    let sign = if sign == 0x4000 { -1 } else { 1 };
    let (weight, after) = (i32::from(weight), (i32::from(scale) + 3) / 4);
    let digits = (0..=weight + after).map(|at| match at {
        _ if at < i32::from(count) => word(4 + at as usize).unwrap_or(0),
        _ => 0,
    });
    let units = digits
        .clone()
        .try_fold(0i64, |units, digit| units.checked_mul(10_000)?.checked_add(i64::from(digit)));
    match (units, u8::try_from(scale)) {
        (Some(units), Ok(scale)) => {
            let pad = (4 - u32::from(scale) % 4) % 4;
            Ok(SqlValue::Decimal(Decimal { units: sign * (units / 10i64.pow(pad)), scale }))
        }
        _ => {
            let units = digits.fold(0.0, |units, digit| units * 1e4 + f64::from(digit));
            Ok(SqlValue::Float(sign as f64 * units / 1e4f64.powi(after)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_and_numbers_below_one_have_their_scale() {
        for (units, scale) in [(12, 2), (-5, 4), (0, 0), (0, 2), (10_000, 0)] {
            let mut out = Vec::new();
            write(units, scale, &mut out);
            assert_eq!(read(&out).unwrap(), SqlValue::Decimal(Decimal { units, scale }));
        }
    }

    #[test]
    fn what_64_bits_do_not_hold_is_a_floating_point_number() {
        let words = |words: &[u16]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<_>>();
        let large = words(&[1, 5, 0, 0, 7]);
        assert_eq!(read(&large).unwrap(), SqlValue::Float(7e20));
        assert!(read(&words(&[0, 0, 0xC000, 0])).unwrap().float().unwrap().is_nan());
        assert!(read(&large[..6]).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            units in -1_000_000_000_000_000i64..1_000_000_000_000_000, scale in 0u8..6,
        ) {
            let mut out = Vec::new();
            write(units, scale, &mut out);
            prop_assert_eq!(read(&out).unwrap(), SqlValue::Decimal(Decimal { units, scale }));
        }

        #[test]
        fn rubbish_is_an_error_or_a_value_and_never_a_panic(
            raw in proptest::collection::vec(any::<u8>(), 0..24),
        ) {
            let _ = read(&raw);
        }
    }
}
