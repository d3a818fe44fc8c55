//! One field of all requests of a block. Values are stored as multiples of their greatest common
//! divisor above their minimum, in at most four bit widths chosen to minimise the size of the
//! column. A constant field takes no bits.

use arrayvec::ArrayVec;

use dyno_core::base::error::{Result, ensure};

/// Number of width classes that a column may have, and the bits per value that select the class.
const CLASSES: [(usize, u32); 3] = [(1, 0), (2, 1), (4, 2)];
/// Widths of a value: 0 to 64 bits.
const WIDTHS: usize = 65;

pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor of the values; 1 if all are 0.
pub fn common_divisor(values: impl Iterator<Item = u64>) -> u64 {
    let mut divisor = 0;
    for value in values {
        divisor = gcd(value, divisor);
        if divisor == 1 {
            break;
        }
    }
    divisor.max(1)
}

/// Appends a column. Replaces each value by its encoded form.
pub fn encode(values: &mut [u64], out: &mut Vec<u8>) {
    let least = values.iter().copied().min().unwrap_or(0);
    values.iter_mut().for_each(|value| *value -= least);
    let unit = common_divisor(values.iter().copied());
    match unit {
        1 => {}
        _ if unit.is_power_of_two() => {
            let shift = unit.trailing_zeros();
            values.iter_mut().for_each(|value| *value >>= shift);
        }
        _ => values.iter_mut().for_each(|value| *value /= unit),
    }
    let mut counts = [0u64; WIDTHS];
    values.iter().for_each(|value| counts[width(*value)] += 1);
    let widths = shortest(&counts);
    let class_bits = CLASSES.iter().find(|(n, _)| *n == widths.len()).map_or(0, |(_, bits)| *bits);
    put_varint(out, least);
    put_varint(out, unit);
    out.push(widths.len() as u8);
    out.extend(&widths);
    let mut bits = BitWriter { out, pending: 0, filled: 0 };
    if widths != [0] {
        let class = |width| widths.iter().position(|w| width <= usize::from(*w)).unwrap_or(0);
        let class_of: [usize; WIDTHS] = std::array::from_fn(class);
        for value in values.iter() {
            let class = class_of[width(*value)];
            bits.put(class as u64, class_bits);
            bits.put(*value, u32::from(widths[class]));
        }
    }
    bits.end();
}

fn width(value: u64) -> usize {
    (u64::BITS - value.leading_zeros()) as usize
}

/// The widths, in ascending order, that encode values of these widths in the fewest bits.
fn shortest(counts: &[u64; WIDTHS]) -> Vec<u8> {
    let widest = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    let all: u64 = counts.iter().sum();
    let mut best = (u64::MAX, Vec::new());
    for (classes, bits) in CLASSES {
        let (cost, widths) = partition(counts, widest, classes);
        let cost = cost + all * u64::from(bits);
        if widths.len() == classes && cost < best.0 {
            best = (cost, widths);
        }
    }
    best.1
}

/// Divides the widths up to `widest` into `classes` classes, each as wide as its widest member
/// (fewer classes if there are fewer widths). Returns the bits of all values, and the classes.
fn partition(counts: &[u64; WIDTHS], widest: usize, classes: usize) -> (u64, Vec<u8>) {
    // best[w]: the minimum number of bits of the values of at most w bits, and the classes that
    // achieve it.
    type Best = (u64, ArrayVec<u8, 4>);
    let sum = |from: usize, to: usize| counts[from..=to].iter().sum::<u64>();
    let mut best: ArrayVec<Best, WIDTHS> =
        (0..=widest).map(|w| (sum(0, w) * w as u64, [w as u8].into_iter().collect())).collect();
    for _ in 1..classes {
        let mut next = best.clone();
        for (w, next) in next.iter_mut().enumerate().skip(1) {
            let mut above = 0;
            for below in (0..w).rev() {
                above += counts[below + 1];
                let cost = best[below].0 + above * w as u64;
                if cost < next.0 {
                    let mut widths = best[below].1.clone();
                    widths.push(w as u8);
                    *next = (cost, widths);
                }
            }
        }
        best = next;
    }
    let (cost, mut widths) = best.swap_remove(widest);
    // A column has 1, 2 or 4 classes: three classes are stored as four, one of them empty.
    if widths.len() == 3 {
        widths.push(widths[2]);
    }
    (cost, widths.to_vec())
}

struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u128,
    filled: u32,
}

impl BitWriter<'_> {
    fn put(&mut self, value: u64, width: u32) {
        self.pending |= u128::from(value) << self.filled;
        self.filled += width;
        if self.filled >= u64::BITS {
            self.out.extend((self.pending as u64).to_le_bytes());
            self.pending >>= u64::BITS;
            self.filled -= u64::BITS;
        }
    }

    fn end(self) {
        let bytes = self.filled.div_ceil(u8::BITS) as usize;
        self.out.extend(&self.pending.to_le_bytes()[..bytes]);
    }
}

/// Decodes consecutive columns.
pub struct ColumnReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ColumnReader<'a> {
    pub fn new(bytes: &'a [u8]) -> ColumnReader<'a> {
        ColumnReader { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.bytes.split_first().ok_or_else(ends_early)?;
        self.bytes = rest;
        Ok(*first)
    }

    pub fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ends_early())
    }

    /// Decodes the next column, of `count` values.
    pub fn column(&mut self, count: usize, values: &mut Vec<u64>) -> Result<()> {
        let (least, unit) = (self.varint()?, self.varint()?);
        let classes = usize::from(self.byte()?);
        let class = CLASSES.iter().find(|(n, _)| *n == classes);
        let class_bits = class.map(|(_, bits)| *bits);
        let class_bits = class_bits.ok_or_else(|| damaged("widths that do not exist"))?;
        let mut widths = [0u32; 4];
        for width in &mut widths[..classes] {
            *width = u32::from(self.byte()?);
            ensure!(*width <= u64::BITS, damaged("widths that do not exist"));
        }
        values.clear();
        if (classes, widths[0]) == (1, 0) {
            values.resize(count, least);
            return Ok(());
        }
        let mut at = 0;
        for _ in 0..count {
            let width = widths[self.bits(&mut at, class_bits)? as usize];
            let multiple = self.bits(&mut at, width)?;
            let value = multiple.checked_mul(unit).and_then(|value| value.checked_add(least));
            values.push(value.ok_or_else(|| damaged("a value beyond 64 bits"))?);
        }
        self.bytes = &self.bytes[at.div_ceil(8)..];
        Ok(())
    }

    /// Reads `width` bits at position `at` and advances it.
    fn bits(&self, at: &mut usize, width: u32) -> Result<u64> {
        if width == 0 {
            return Ok(0);
        }
        let (first, shift) = (*at / 8, *at % 8);
        *at += width as usize;
        ensure!(at.div_ceil(8) <= self.bytes.len(), ends_early());
        let value = match self.bytes.get(first..first + 16) {
            Some(word) => u128::from_le_bytes(word.try_into()?),
            None => {
                let mut word = [0; 16];
                let rest = &self.bytes[first..];
                word[..rest.len()].copy_from_slice(rest);
                u128::from_le_bytes(word)
            }
        };
        Ok((value >> shift) as u64 & (u64::MAX >> (u64::BITS - width)))
    }
}

fn ends_early() -> anyhow::Error {
    damaged("fewer values than it announces")
}

fn damaged(with: &str) -> anyhow::Error {
    anyhow::anyhow!("a column has {with}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(values: &[u64]) -> usize {
        let mut bytes = Vec::new();
        encode(&mut values.to_vec(), &mut bytes);
        let (mut columns, mut back) = (ColumnReader::new(&bytes), Vec::new());
        columns.column(values.len(), &mut back).unwrap();
        assert_eq!(back, values);
        assert!(columns.is_empty());
        bytes.len()
    }

    #[test]
    fn constants_take_no_room_and_units_none_of_their_own() {
        assert!(round_trip(&[4096; 4000]) < 10);
        let microseconds: Vec<u64> = (0..4000).map(|n| n % 16 * 1000).collect();
        assert!(round_trip(&microseconds) < 4000 / 2 + 10, "four bits each");
    }

    #[test]
    fn one_far_value_does_not_widen_the_others() {
        let mut values: Vec<u64> = (0..4000).map(|n| n % 16).collect();
        values[17] = u64::MAX;
        assert!(round_trip(&values) < 4000 * 5 / 8 + 30, "a bit for the class, and four");
    }

    proptest! {
        #[test]
        fn any_column_comes_back(
            values in proptest::collection::vec((any::<u64>(), 0u32..64), 0..300),
        ) {
            round_trip(&values.into_iter().map(|(v, shift)| v >> shift).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_a_column_or_an_error(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            count in 0usize..5000,
        ) {
            let mut values = Vec::new();
            if ColumnReader::new(&bytes).column(count, &mut values).is_ok() {
                prop_assert_eq!(values.len(), count);
            }
        }
    }
}
