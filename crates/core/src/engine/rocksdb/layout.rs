//! db_bench's layout of keys and values (tools/db_bench_tool.cc, `GenerateKeyFromInt` and
//! `RandomGenerator`), so that each tool can use a database created by the other.

use crate::base::rng::Seed;

/// Writes key number `v` into `key`: its lowest bytes in big-endian order, padded with '0'.
#[inline(always)]
pub fn write_key(v: u64, key: &mut [u8]) {
    let number = key.len().min(8);
    key[..number].copy_from_slice(&v.to_be_bytes()[8 - number..]);
    key[number..].fill(b'0');
}

/// Random bytes that compress to `ratio` of their length, from which values are taken: each piece
/// of 100 bytes is a random part, repeated to fill it.
pub fn value_pool(ratio: f64, seed: Seed) -> Vec<u8> {
    const POOL: usize = 1 << 20;
    const PIECE: usize = 100;
    let raw = ((PIECE as f64 * ratio) as usize).clamp(1, PIECE);
    let mut rng = seed.at(0);
    let mut pool = Vec::with_capacity(POOL + PIECE);
    while pool.len() < POOL {
        let part: Vec<u8> = (0..raw).map(|_| b' ' + rng.below(95) as u8).collect();
        pool.extend(part.iter().cycle().take(PIECE));
    }
    pool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_db_bench() {
        let key = |v, size| {
            let mut key = vec![0; size];
            write_key(v, &mut key);
            key
        };
        assert_eq!(key(0x0102_0304, 16), b"\0\0\0\0\x01\x02\x03\x0400000000");
        assert_eq!(key(258, 8), [0, 0, 0, 0, 0, 0, 1, 2]);
        // db_bench shifts a number into the available bytes, so the lowest ones remain.
        assert_eq!(key(0x0102_0304, 3), [2, 3, 4]);
    }

    #[test]
    fn values_compress_as_far_as_asked() {
        let pool = value_pool(0.5, Seed::new(1, 0, 0));
        assert!(pool.chunks_exact(100).all(|piece| piece[..50] == piece[50..]));
    }
}
