//! Decimals: money and rates, without rounding.

use std::fmt::{Display, Formatter};

/// `units` / 10^`scale` in decimal notation: 1234 with a scale of 2 is "12.34".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimal {
    /// The digits, as a signed whole number.
    pub units: i64,
    /// Digits after the point.
    pub scale: u8,
}

/// A sign, a zero, the point, and 255 digits after it.
pub const LONGEST_DECIMAL: usize = 258;

impl Decimal {
    /// Parses decimal notation; None if the text is something else, or too large for 64 bits.
    /// Digits after the point that 64 bits do not hold are dropped.
    pub fn of_text(text: &[u8]) -> Option<Decimal> {
        let (sign, digits) = match text {
            [b'-', digits @ ..] => (-1, digits),
            digits => (1, digits),
        };
        let point = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
        let part = digits.get(point + 1..).unwrap_or_default();
        let append = |units: i64, byte: &u8| {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            units.checked_mul(10)?.checked_add(digit)
        };
        let mut units = digits[..point].iter().try_fold(0, append)?;
        if !part.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut scale = 0;
        for byte in part.iter().take(usize::from(u8::MAX)) {
            let Some(more) = append(units, byte) else { break };
            (units, scale) = (more, scale + 1);
        }
        Some(Decimal { units: sign * units, scale })
    }

    /// Its units at another scale, without rounding: further digits are dropped. None if they are
    /// too large for 64 bits.
    pub fn at_scale(self, scale: u8) -> Option<i64> {
        let power = |places: u8| 10i64.checked_pow(u32::from(places));
        match scale.checked_sub(self.scale) {
            Some(more) => self.units.checked_mul(power(more)?),
            // A divisor beyond 64 bits leaves nothing.
            None => Some(power(self.scale - scale).map_or(0, |divisor| self.units / divisor)),
        }
    }

    /// The nearest floating-point number.
    pub fn float(self) -> f64 {
        self.units as f64 / 10f64.powi(i32::from(self.scale))
    }

    /// The decimal notation. With `Display` alone, a dozen of them per order took 3 % of TPC-C's
    /// client CPU time.
    pub fn written(self, buffer: &mut [u8; LONGEST_DECIMAL]) -> &str {
        let (mut at, mut place, mut rest) = (buffer.len(), 0, self.units.unsigned_abs());
        let mut push = |byte| {
            at -= 1;
            buffer[at] = byte;
        };
        while rest > 0 || place <= self.scale as usize {
            if place == self.scale as usize && place > 0 {
                push(b'.');
            }
            push(b'0' + (rest % 10) as u8);
            (rest, place) = (rest / 10, place + 1);
        }
        if self.units < 0 {
            push(b'-');
        }
        std::str::from_utf8(&buffer[at..]).unwrap_or_default()
    }
}

impl Display for Decimal {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.written(&mut [0; LONGEST_DECIMAL]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::answers::SqlValue;
    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        let long = "0.0000000000000000000000042";
        let longest = format!("0.{:0>255}", i64::MAX);
        for (units, scale, text) in [
            (-i64::MAX, 2, "-92233720368547758.07"),
            (i64::MAX, 255, &longest),
            (0, 0, "0"),
            (0, 2, "0.00"),
            (1234, 2, "12.34"),
            (-5, 2, "-0.05"),
            (7, 4, "0.0007"),
            (42, 0, "42"),
            (42, 25, long),
        ] {
            let decimal = Decimal { units, scale };
            assert_eq!(decimal.to_string(), text);
            assert_eq!(Decimal::of_text(text.as_bytes()), Some(decimal));
            assert_eq!(SqlValue::Text(text).units(scale).unwrap(), units);
        }
    }

    #[test]
    fn digits_beyond_64_bits_are_dropped_after_the_point_and_refused_before_it() {
        for (text, units, scale) in [
            ("5.0000000000000000000001", 5_000_000_000_000_000_000, 18),
            // The second nine does not fit, so the one after it does not count either.
            ("0.9223372036854775808991", 922_337_203_685_477_580, 18),
        ] {
            assert_eq!(Decimal::of_text(text.as_bytes()), Some(Decimal { units, scale }), "{text}");
        }
        assert_eq!(Decimal::of_text(b"9223372036854775808"), None);
        assert_eq!(Decimal::of_text(b"0.92233720368547758089x"), None);
    }

    #[test]
    fn another_scale_drops_digits_and_rounds_none() {
        for (units, scale, wanted, found) in [
            (1999, 3, 2, Some(199)),
            (-1999, 3, 0, Some(-1)),
            (7, 0, 3, Some(7000)),
            (7, 255, 2, Some(0)),
            (i64::MAX, 0, 1, None),
            (1, 0, 255, None),
        ] {
            assert_eq!(Decimal { units, scale }.at_scale(wanted), found, "{units} {scale}");
        }
    }
}
