//! TPC-C's random values: non-uniform numbers, last names, strings, zip codes, permutations.

use dyno_core::base::rng::Rng;

/// The constant C of last names during the load (clause 2.1.6.1). Any value of 0 … 255 is allowed.
pub const C_LAST_LOAD: u64 = 157;

/// Clause 4.3.2.3: a last name is three of these, one for each digit.
const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

const LETTERS_AND_DIGITS: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The constants C of a run (clause 2.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    pub last: u64,
    pub customer: u64,
    pub item: u64,
}

impl Constants {
    /// Clause 2.1.6.1: the run's C for last names differs from the load's by 65 … 119, and not by
    /// 96 or 112.
    pub fn of_run(rng: &mut Rng) -> Constants {
        let allowed = |c: &u64| {
            matches!(c.abs_diff(C_LAST_LOAD), 65..=119)
                && !matches!(c.abs_diff(C_LAST_LOAD), 96 | 112)
        };
        let choices: Vec<u64> = (0..=255).filter(allowed).collect();
        let last = choices[rng.below(choices.len() as u64) as usize];
        Constants { last, customer: rng.below(1024), item: rng.below(8192) }
    }
}

/// Uniform over `low..=high` (clause 2.1.4).
pub fn between(rng: &mut Rng, low: u64, high: u64) -> u64 {
    low + rng.below(high - low + 1)
}

/// Clause 2.1.6: NURand(A, x, y) = (((random(0, A) | random(x, y)) + C) mod (y − x + 1)) + x.
pub fn nurand(rng: &mut Rng, a: u64, c: u64, x: u64, y: u64) -> u64 {
    let (first, second) = (between(rng, 0, a), between(rng, x, y));
    ((first | second) + c) % (y - x + 1) + x
}

/// Clause 4.3.2.3.
pub fn last_name(number: u64) -> [&'static str; 3] {
    [number / 100 % 10, number / 10 % 10, number % 10].map(|digit| SYLLABLES[digit as usize])
}

/// Clause 4.3.2.2: an a-string of `low..=high` letters and digits.
pub fn push_a_string(rng: &mut Rng, low: u64, high: u64, out: &mut String) {
    let (mut left, mut bits, mut have) = (between(rng, low, high), 0, 0);
    while left > 0 {
        if have == 0 {
            (bits, have) = (rng.draw(), 10);
        }
        // Six bits per character; the two values above 61 are skipped, so that all characters are
        // equally likely.
        if let Some(&letter) = LETTERS_AND_DIGITS.get((bits & 63) as usize) {
            out.push(char::from(letter));
            left -= 1;
        }
        (bits, have) = (bits >> 6, have - 1);
    }
}

/// Clause 4.3.2.2: an n-string of digits.
pub fn push_digits(rng: &mut Rng, count: u32, out: &mut String) {
    (0..count).for_each(|_| out.push(char::from(b'0' + rng.below(10) as u8)));
}

/// Clause 4.3.2.7: four random digits and 11111.
pub fn push_zip(rng: &mut Rng, out: &mut String) {
    push_digits(rng, 4, out);
    out.push_str("11111");
}

/// Clause 4.3.3.1, I_DATA and S_DATA: 26 … 50 letters; a tenth contain ORIGINAL at a random
/// position.
pub fn push_data(rng: &mut Rng, out: &mut String) {
    let from = out.len();
    push_a_string(rng, 26, 50, out);
    if rng.below(10) == 0 {
        let length = out.len() - from;
        let at = from + rng.below((length - 8 + 1) as u64) as usize;
        out.replace_range(at..at + 8, "ORIGINAL");
    }
}

/// Clause 4.3.2.5: the numbers 1 … n in random order.
pub fn permutation(rng: &mut Rng, n: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (1..=n).collect();
    for i in (1..numbers.len()).rev() {
        numbers.swap(i, rng.below(i as u64 + 1) as usize);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    #[test]
    fn the_runs_constant_keeps_its_distance_from_the_loads() {
        for n in 0..10_000 {
            let apart = Constants::of_run(&mut Seed::new(1, 2, 3).at(n)).last.abs_diff(C_LAST_LOAD);
            assert!((65..=119).contains(&apart) && apart != 96 && apart != 112, "{apart}");
        }
    }

    #[test]
    fn nurand_stays_in_its_range_and_is_not_uniform() {
        let mut rng = Seed::new(1, 2, 3).at(0);
        let mut seen = vec![0u32; 3001];
        for _ in 0..300_000 {
            seen[nurand(&mut rng, 1023, 259, 1, 3000) as usize] += 1;
        }
        assert_eq!(seen[0], 0);
        assert!(
            seen.iter().max().unwrap() > &300,
            "the most frequent customer is drawn far more often than 1 in 3,000"
        );
    }

    #[test]
    fn last_names_are_the_specifications() {
        let name = |n| last_name(n).concat();
        assert_eq!(name(371), "PRICALLYOUGHT"); // clause 4.3.2.3's own example
        assert_eq!(name(0), "BARBARBAR");
        assert_eq!(name(999), "EINGEINGEING");
    }

    #[test]
    fn a_tenth_of_the_data_says_original() {
        let mut rng = Seed::new(1, 2, 3).at(0);
        let mut original = 0;
        for _ in 0..20_000 {
            let mut data = String::new();
            push_data(&mut rng, &mut data);
            assert!((26..=50).contains(&data.len()));
            original += u32::from(data.contains("ORIGINAL"));
        }
        assert!((1800..2200).contains(&original), "{original} of 20,000");
    }

    #[test]
    fn a_permutation_has_every_number_once() {
        let mut numbers = permutation(&mut Seed::new(1, 2, 3).at(0), 3000);
        assert_ne!(numbers[..5], [1, 2, 3, 4, 5]);
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=3000).collect::<Vec<_>>());
    }
}
