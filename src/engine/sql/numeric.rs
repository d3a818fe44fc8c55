//! PostgreSQL's binary form of NUMERIC: digits to the base 10,000, a weight, a sign and a scale.

use bytes::{BufMut, BytesMut};

/// Writes `units` / 10^`scale`.
pub fn write(units: i64, scale: u8, out: &mut BytesMut) {
    let negative = units < 0;
    let pad = (4 - u32::from(scale) % 4) % 4;
    let mut rest = u128::from(units.unsigned_abs()) * 10u128.pow(pad);
    let mut digits = Vec::with_capacity(8);
    while rest > 0 {
        digits.push((rest % 10_000) as i16);
        rest /= 10_000;
    }
    digits.reverse();
    let after = i16::from(scale.div_ceil(4));
    out.put_i16(digits.len() as i16);
    out.put_i16(digits.len() as i16 - after - 1);
    out.put_i16(if negative { 0x4000 } else { 0 });
    out.put_i16(i16::from(scale));
    digits.iter().for_each(|&digit| out.put_i16(digit));
}

/// A NUMERIC as it is written: "12.34".
pub fn read(raw: &[u8]) -> Result<String, String> {
    let word = |i: usize| raw.get(2 * i..2 * i + 2).map(|b| i16::from_be_bytes([b[0], b[1]]));
    let (Some(count), Some(weight), Some(sign), Some(scale)) = (word(0), word(1), word(2), word(3)) else {
        return Err("a NUMERIC of fewer than eight bytes".to_string());
    };
    if sign as u16 & 0xC000 == 0xC000 {
        return Ok("NaN".to_string());
    }
    let digit = |at: i16| match at {
        0.. if at < count => word(4 + at as usize).unwrap_or(0),
        _ => 0,
    };
    let mut text = String::new();
    if sign == 0x4000 {
        text.push('-');
    }
    let whole: String = (0..=weight).map(|at| format!("{:04}", digit(at))).collect();
    let whole = whole.trim_start_matches('0');
    text.push_str(if whole.is_empty() { "0" } else { whole });
    if scale > 0 {
        let groups = (scale + 3) / 4;
        let part: String = (0..groups).map(|i| format!("{:04}", digit(weight + 1 + i))).collect();
        text.push('.');
        text.push_str(&part[..scale as usize]);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sql::Decimal;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(units in -1_000_000_000_000_000i64..1_000_000_000_000_000, scale in 0u8..6) {
            let mut out = BytesMut::new();
            write(units, scale, &mut out);
            prop_assert_eq!(read(&out).unwrap(), Decimal { units, scale }.to_string());
        }
    }
}
