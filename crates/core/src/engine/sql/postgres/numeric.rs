//! PostgreSQL's binary NUMERIC: base-10,000 digits, a weight, a sign and a scale.

use std::fmt::Write;

use bytes::{BufMut, BytesMut};

/// The maximum number of base-10,000 digits of 64 bits and a scale's padding.
const MOST_DIGITS: usize = 8;

/// Writes `units` / 10^`scale`.
pub fn write(units: i64, scale: u8, out: &mut BytesMut) {
    let pad = (4 - u32::from(scale) % 4) % 4;
    let mut rest = u128::from(units.unsigned_abs()) * 10u128.pow(pad);
    let (mut digits, mut count) = ([0i16; MOST_DIGITS], 0);
    while rest > 0 {
        digits[count] = (rest % 10_000) as i16;
        (rest, count) = (rest / 10_000, count + 1);
    }
    let after = i16::from(scale.div_ceil(4));
    out.put_i16(count as i16);
    out.put_i16(count as i16 - after - 1);
    out.put_i16(if units < 0 { 0x4000 } else { 0 });
    out.put_i16(i16::from(scale));
    digits[..count].iter().rev().for_each(|&digit| out.put_i16(digit));
}

/// A NUMERIC in decimal notation, "12.34", in a reused string: nothing is allocated under load.
pub fn read(raw: &[u8], text: &mut String) -> Result<(), String> {
    text.clear();
    let word = |i: usize| raw.get(2 * i..2 * i + 2).map(|b| i16::from_be_bytes([b[0], b[1]]));
    let (Some(count), Some(weight), Some(sign), Some(scale)) = (word(0), word(1), word(2), word(3))
    else {
        return Err("a NUMERIC of fewer than eight bytes".to_string());
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
    let _ = write!(text, "{}", if weight < 0 { 0 } else { digit(first) });
    for at in first.max(0) + 1..=weight {
        let _ = write!(text, "{:04}", digit(at));
    }
    if scale > 0 {
        text.push('.');
        let end = text.len() + scale as usize;
        for group in 0..(scale + 3) / 4 {
            let _ = write!(text, "{:04}", digit(weight + 1 + group));
        }
        text.truncate(end);
    }
    Ok(())
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
            let (mut out, mut seen) = (BytesMut::new(), String::new());
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
            let mut out = BytesMut::new();
            write(units, scale, &mut out);
            let mut text = String::new();
            read(&out, &mut text).unwrap();
            prop_assert_eq!(text, Decimal { units, scale }.to_string());
        }
    }
}
