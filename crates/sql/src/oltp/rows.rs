//! The contents of sbtest rows: groups of eleven random digits separated by hyphens.

use dyno_core::base::rng::Rng;

/// Groups of the column `c`: 119 characters.
pub const C_GROUPS: usize = 10;
/// Groups of the column `pad`: 59 characters.
pub const PAD_GROUPS: usize = 5;

const GROUP: usize = 11;

/// Appends this many groups.
pub fn push_groups(groups: usize, rng: &mut Rng, text: &mut String) {
    for group in 0..groups {
        if group > 0 {
            text.push('-');
        }
        // 10^11 is below 2^64, so one draw gives eleven digits.
        let mut rest = rng.below(100_000_000_000);
        let mut digits = [b'0'; GROUP];
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        text.extend(digits.iter().map(|&digit| char::from(digit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    #[test]
    fn values_have_sysbench_s_pattern() {
        let mut text = String::new();
        push_groups(C_GROUPS, &mut Seed::new(1, 0, 0).at(0), &mut text);
        assert_eq!(text.len(), 119);
        assert!(
            text.split('-').all(|g| g.len() == 11 && g.bytes().all(|b| b.is_ascii_digit())),
            "{text}"
        );
    }
}
