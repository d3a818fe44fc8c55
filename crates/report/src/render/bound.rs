//! No-break spaces: between a number and its sign for percent or times, and within an interval.

/// The text with no-break spaces in "64 %", "31 ×" and "[40, 1,010]"; in Portuguese "[40; 1.010]".
pub fn bound(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let (mut before, mut depth) = (' ', 0u32);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            '[' if is_of_number(next) => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let inside = depth > 0 && matches!(before, ',' | ';') && is_of_number(next);
        let sign = before.is_ascii_digit() && matches!(next, '%' | '×' | '倍');
        out.push(if c == ' ' && (inside || sign) { '\u{a0}' } else { c });
        before = c;
    }
    out
}

fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '−' | '-' | '+')
}

#[cfg(test)]
mod tests {
    use super::bound;

    #[test]
    fn a_number_stays_with_its_sign_and_an_interval_in_one_piece() {
        let said = bound("A delivers 64 % [−4, 1,010] more, of 3 drives [see 1, 2].");
        assert_eq!(said, "A delivers 64\u{a0}% [−4,\u{a0}1,010] more, of 3 drives [see 1, 2].");
        assert_eq!(bound("[−4; 1.010]"), "[−4;\u{a0}1.010]");
        assert_eq!(bound("up to 31 × and 2 % × 3"), "up to 31\u{a0}× and 2\u{a0}% × 3");
    }
}
