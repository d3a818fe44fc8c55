//! Reads the numbers of a sentence with what is stated of them: bound, relation, precision.

use crate::Bound;
use crate::lexicon::{CASED, FILLERS, PARTICLES, Relation, Sense, WORDS};
use crate::stated::{Nearness, StatedNumber, StatedUnit, number};

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A number with one unit of its last digit, and its sign.
    Number(f64, f64, Option<f64>),
    Sense(Sense),
    Unknown(String),
}

use Token::{Number, Unknown};

const fn sense(sense: Sense) -> Token {
    Token::Sense(sense)
}

/// A text without numbers: its direction and other senses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direction {
    /// Its relation, if it has one.
    pub relation: Option<Relation>,
    /// Its other senses.
    pub senses: Vec<Sense>,
}

/// Width and typographical variants of characters.
pub fn plain(text: &str) -> String {
    let of = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' | '\u{a0}' | '\u{2009}' | '\u{202f}' => ' ',
        '−' | '–' | '—' | '‒' => '-',
        '〜' => '~',
        'μ' => 'µ',
        '’' => '\'',
        other => other,
    };
    text.chars().map(of).collect()
}

/// Chinese characters and kana, which have no spaces between words.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '々')
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() && !is_cjk(c)
}

/// The longest entry of a list at a position, as a whole word.
pub fn longest<'a, T>(
    chars: &[char],
    i: usize,
    list: impl Iterator<Item = (&'a str, T)>,
) -> Option<(usize, T)> {
    let mut found: Option<(usize, T)> = None;
    for (name, value) in list {
        let n = name.chars().count();
        let fits = i + n <= chars.len() && name.chars().zip(&chars[i..]).all(|(a, b)| a == *b);
        if !fits || found.as_ref().is_some_and(|(longest, _)| *longest >= n) {
            continue;
        }
        let (first, last) = (chars[i], chars[i + n - 1]);
        let begins = i == 0
            || !is_of_word(first)
            || !is_of_word(chars[i - 1])
            || chars[i - 1].is_ascii_digit();
        let ends = i + n == chars.len() || !is_of_word(last) || !is_of_word(chars[i + n]);
        if begins && ends {
            found = Some((n, value));
        }
    }
    found
}

/// Splits a text; words of `names` have no meaning.
fn tokens(text: &str, names: &[&str]) -> Vec<Token> {
    let text = plain(text);
    let cased: Vec<char> = text.chars().collect();
    let lower: Vec<char> = cased.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let names: Vec<String> = names.iter().map(|n| plain(n).to_lowercase()).collect();
    let mut found: Vec<Token> = Vec::new();
    let mut i = 0;
    while i < cased.len() {
        let c = cased[i];
        if c.is_whitespace() || "()\"“”「」'*".contains(c) {
            i += 1;
            continue;
        }
        let name = names.iter().filter(|n| !n.is_empty()).map(|n| (n.as_str(), ()));
        if let Some((n, ())) = longest(&lower, i, name) {
            found.push(sense(Sense::Filler));
            i += n;
            continue;
        }
        let follows = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
        let after_number = matches!(found.last(), Some(Number(..) | Token::Sense(Sense::Percent)));
        let is_sign = matches!(c, '-' | '+')
            && !after_number
            && cased[i + 1..].iter().find(|c| !c.is_whitespace()).is_some_and(char::is_ascii_digit);
        if c.is_ascii_digit() || is_sign {
            let mut begin = i;
            let mut sign = None;
            if is_sign {
                sign = Some(if c == '-' { -1.0 } else { 1.0 });
                begin = i + 1 + cased[i + 1..].iter().take_while(|c| c.is_whitespace()).count();
            }
            let mut end = begin;
            while cased.get(end).is_some_and(char::is_ascii_digit)
                || (matches!(cased.get(end), Some('.' | ',')) && follows(cased.get(end + 1)))
            {
                end += 1;
            }
            let digits: String = cased[begin..end].iter().collect();
            let is_name = cased.get(end).is_some_and(|c| is_of_word(*c))
                && longest(&cased, end, CASED.iter().copied()).is_none()
                && longest(&lower, end, WORDS.iter().copied()).is_none()
                && !["th", "st", "nd", "rd", "º", "ª"]
                    .iter()
                    .any(|o| longest(&lower, end, [(*o, ())].into_iter()).is_some());
            match number(&digits) {
                Some((value, last)) if !is_name => {
                    found.push(Number(value, last, sign));
                    i = end;
                    continue;
                }
                _ => {
                    let more = cased[end..].iter().take_while(|c| is_of_word(**c)).count();
                    found.push(Unknown(cased[i..end + more].iter().collect()));
                    i = end + more;
                    continue;
                }
            }
        }
        if c == '~' && follows(cased[i + 1..].iter().find(|c| !c.is_whitespace())) && !after_number
        {
            found.push(sense(Sense::About));
            i += 1;
            continue;
        }
        let by_case = longest(&cased, i, CASED.iter().copied());
        let by_word = longest(&lower, i, WORDS.iter().copied());
        let best = match (by_case, by_word) {
            (Some(a), Some(b)) => Some(if b.0 > a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
        let filler =
            longest(&lower, i, FILLERS.iter().chain(PARTICLES).map(|f| (*f, Sense::Filler)));
        let best = match (best, filler) {
            (Some(a), Some(b)) => Some(if b.0 > a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
        if let Some((n, meaning)) = best {
            found.push(sense(meaning));
            i += n;
            continue;
        }
        if matches!(c, ',' | ';' | '.' | ':' | '、' | '。') && !follows(cased.get(i + 1)) {
            found.push(sense(Sense::Clause));
            i += 1;
            continue;
        }
        if c == '-' {
            found.push(sense(Sense::Dash));
            i += 1;
            continue;
        }
        // "p99" and "p99.9" are metrics, and "99th" an ordinal.
        let n = if is_of_word(c) {
            cased[i..].iter().take_while(|c| is_of_word(**c) || matches!(c, '_' | '/')).count()
        } else {
            1
        };
        let word: String = lower[i..i + n].iter().collect();
        let is_percentile = word
            .strip_prefix('p')
            .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
        if is_percentile {
            i += n;
            if cased.get(i) == Some(&'.') && follows(cased.get(i + 1)) {
                i += 1 + cased[i + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
            }
            found.push(sense(Sense::Latency));
            continue;
        }
        match word.as_str() {
            "th" | "st" | "º" | "ª" => found.push(sense(Sense::Percentile)),
            _ => found.push(Unknown(cased[i..i + n].iter().collect())),
        }
        i += n;
    }
    without_percentiles(found)
}

/// "99th percentile" and "99 % read latency" are metrics.
fn without_percentiles(tokens: Vec<Token>) -> Vec<Token> {
    const PERCENTILES: [f64; 7] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999];
    let is_amount = |t: &Token| matches!(t, Number(..) | Token::Sense(Sense::Multiple(..)));
    let others = |i: usize| tokens.iter().enumerate().any(|(j, t)| j != i && is_amount(t));
    let mut left = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let of = |j: usize| match tokens.get(j) {
            Some(Token::Sense(sense)) => Some(*sense),
            _ => None,
        };
        if let Number(value, ..) = tokens[i]
            && PERCENTILES.contains(&value)
        {
            let named = of(i + 1) == Some(Sense::Percentile)
                || (of(i + 1) == Some(Sense::Percent) && of(i + 2) == Some(Sense::Percentile))
                || (i > 0 && of(i - 1) == Some(Sense::Percentile) && others(i));
            let passed = |j: usize| matches!(of(j), Some(Sense::Filler | Sense::OfBefore));
            let mut j = i + 2;
            while passed(j) && j < i + 5 {
                j += 1;
            }
            let of_latency = of(i + 1) == Some(Sense::Percent) && of(j) == Some(Sense::Latency);
            if named || (of_latency && others(i)) {
                left.push(sense(Sense::Latency));
                i += if of(i + 1) == Some(Sense::Percent) { 2 } else { 1 };
                continue;
            }
        }
        left.push(tokens[i].clone());
        i += 1;
    }
    left.retain(|t| *t != sense(Sense::Percentile));
    left
}

/// Where a quantity is in the tokens: first, behind the last.
struct Found {
    number: StatedNumber,
    begin: usize,
    end: usize,
}

/// "one third", "two thirds": before an ordinal.
fn counted(token: Option<&Token>) -> Option<f64> {
    match token? {
        Number(value, 1.0, None) => Some(*value),
        Unknown(word) => {
            let word = word.to_lowercase();
            let words: [&[&str]; 4] =
                [&["one", "um"], &["two", "dois", "duas"], &["three", "três"], &["four", "quatro"]];
            words.iter().position(|w| w.contains(&word.as_str())).map(|n| n as f64 + 1.0)
        }
        Token::Sense(Sense::Of | Sense::Filler) => Some(1.0),
        _ => None,
    }
}

/// The amounts of a text, in order.
fn amounts(tokens: &[Token]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let of = |j: usize| match tokens.get(j) {
            Some(Token::Sense(sense)) => Some(*sense),
            _ => None,
        };
        let unit = |value: f64, last: f64, unit: StatedUnit| StatedNumber {
            bound: Bound::Plain,
            value,
            last,
            unit,
            is_change: false,
            relation: Relation::Open,
            nearness: Nearness::Exact,
            high: None,
            up_to: false,
            only: false,
            average: false,
        };
        let made = match &tokens[i] {
            Number(value, last, sign) => {
                if let (Some(Sense::DividedInto), Some(Number(over, ..))) =
                    (of(i + 1), tokens.get(i + 2))
                {
                    let number = unit(over / value, 0.05, StatedUnit::Times);
                    let number = StatedNumber { relation: Relation::Share, ..number };
                    found.push(Found { number, begin: i, end: i + 3 });
                    i += 3;
                    continue;
                }
                if let (Some(Sense::Slash), Some(Number(over, 1.0, None))) =
                    (of(i + 1), tokens.get(i + 2))
                    && value < over
                {
                    let number = unit(value / over, 0.05, StatedUnit::Times);
                    let number = StatedNumber { relation: Relation::Share, ..number };
                    found.push(Found { number, begin: i, end: i + 3 });
                    i += 3;
                    continue;
                }
                let mut end = i + 1;
                let mut scale = 1.0;
                while let Some(Sense::Magnitude(by)) = of(end) {
                    scale *= by;
                    end += 1;
                }
                let (value, last) = (value * scale * sign.unwrap_or(1.0), last * scale);
                let mut bound = Bound::Plain;
                if let Some(Sense::BoundAfter(of_number)) = of(end) {
                    let has_unit = matches!(
                        of(end + 1),
                        Some(Sense::Percent | Sense::Times(_) | Sense::Unit(_))
                    );
                    if has_unit {
                        bound = of_number;
                        end += 1;
                    }
                }
                let next = of(end);
                if let Some(Sense::Part(parts)) = next {
                    let number = unit(value / parts, 0.05, StatedUnit::Times);
                    let number = StatedNumber { relation: Relation::Share, ..number };
                    found.push(Found { number, begin: i, end: end + 1 });
                    i = end + 1;
                    continue;
                }
                let mut number = match next {
                    Some(Sense::Percent) => unit(value, last, StatedUnit::Percent),
                    Some(Sense::Tenths) => unit(value * 10.0, last * 10.0, StatedUnit::Percent),
                    Some(Sense::Times(share)) => {
                        let relation = if share { Relation::Share } else { Relation::Open };
                        StatedNumber { relation, ..unit(value, last, StatedUnit::Times) }
                    }
                    Some(Sense::Unit(name)) => unit(value, last, StatedUnit::Of(name.into())),
                    _ if i > 0 && of(i - 1) == Some(Sense::Factor) => {
                        unit(value, last, StatedUnit::Times)
                    }
                    _ => unit(value, last, StatedUnit::Of(String::new())),
                };
                number.is_change = sign.is_some();
                number.bound = bound;
                if !matches!(
                    next,
                    Some(Sense::Percent | Sense::Tenths | Sense::Times(_) | Sense::Unit(_))
                ) {
                    end -= 1;
                }
                Some((number, end + 1))
            }
            Token::Sense(Sense::Multiple(value, last)) => {
                let number = unit(*value, *last, StatedUnit::Times);
                Some((StatedNumber { relation: Relation::Share, ..number }, i + 1))
            }
            Token::Sense(Sense::Times(true)) => {
                let number = unit(2.0, 0.1, StatedUnit::Times);
                Some((StatedNumber { relation: Relation::Share, ..number }, i + 1))
            }
            Token::Sense(Sense::Part(parts)) => {
                let before = |n: usize| i.checked_sub(n).and_then(|j| tokens.get(j));
                let back = if before(1) == Some(&sense(Sense::Dash)) { 2 } else { 1 };
                let count = counted(before(back));
                let number = unit(count.unwrap_or(1.0) / parts, 0.05, StatedUnit::Times);
                let number = StatedNumber { relation: Relation::Share, ..number };
                let begin = if count.is_some() { i - back } else { i };
                found.push(Found { number, begin, end: i + 1 });
                i += 1;
                continue;
            }
            Unknown(word) => {
                let count = match word.to_lowercase().as_str() {
                    "two" | "duas" | "dois" => 2.0,
                    "three" | "três" => 3.0,
                    "four" | "quatro" => 4.0,
                    "five" | "cinco" => 5.0,
                    "ten" | "dez" => 10.0,
                    _ => 0.0,
                };
                let is_times = matches!(of(i + 1), Some(Sense::Times(_)));
                (count > 0.0 && is_times).then(|| (unit(count, 0.1, StatedUnit::Times), i + 2))
            }
            _ => None,
        };
        match made {
            Some((number, end)) => {
                found.push(Found { number, begin: i, end });
                i = end;
            }
            None => i += 1,
        }
    }
    ranges(tokens, found)
}

/// "20 to 30 %", "between 20 and 30 %".
fn ranges(tokens: &[Token], found: Vec<Found>) -> Vec<Found> {
    let mut left: Vec<Found> = Vec::new();
    for next in found {
        if let Some(low) = left.last_mut() {
            let between = &tokens[low.end..next.begin];
            let before = low.begin.checked_sub(1).and_then(|i| tokens.get(i));
            let is_to = matches!(between, [Token::Sense(Sense::To | Sense::Dash | Sense::UpTo)])
                || (matches!(between, [Token::Sense(Sense::Clause)])
                    && before == Some(&sense(Sense::Between)))
                || (between == [sense(Sense::Of)] && before == Some(&sense(Sense::Of)));
            let bare = low.number.unit == StatedUnit::Of(String::new());
            let same = low.number.unit == next.number.unit;
            if is_to && (bare || same) && low.number.high.is_none() {
                let last = low.number.last.max(next.number.last);
                low.number = StatedNumber {
                    high: Some(next.number.value),
                    value: low.number.value,
                    last,
                    ..next.number
                };
                low.end = next.end;
                continue;
            }
        }
        left.push(next);
    }
    left
}

/// The amount with what the tokens around it state.
fn qualified(tokens: &[Token], found: &Found, others: &[(usize, usize)]) -> StatedNumber {
    let mut number = found.number.clone();
    let of = |j: usize| match tokens.get(j) {
        Some(Token::Sense(sense)) => Some(*sense),
        _ => None,
    };
    // What is directly before and behind the amount.
    let mut j = found.begin;
    while j > 0 {
        j -= 1;
        match of(j) {
            Some(Sense::BoundBefore(bound) | Sense::Than(bound, _)) => number.bound = bound,
            Some(Sense::About) => number.nearness = Nearness::About,
            Some(Sense::Nearly) => number.nearness = Nearness::Nearly,
            Some(Sense::Only) => number.only = true,
            Some(Sense::UpTo) => number.up_to = true,
            Some(Sense::Average) => number.average = true,
            Some(Sense::Of | Sense::Filler) => {}
            Some(Sense::OfBefore) => {
                let is_open = number.relation == Relation::Open;
                if is_open && number.unit == StatedUnit::Percent {
                    number.relation = Relation::Share;
                }
                break;
            }
            _ => break,
        }
    }
    let mut j = found.end;
    loop {
        match of(j) {
            Some(Sense::BoundAfter(bound)) => number.bound = bound,
            Some(Sense::About) => number.nearness = Nearness::About,
            Some(Sense::Nearly) => number.nearness = Nearness::Nearly,
            Some(Sense::Only) => number.only = true,
            _ => break,
        }
        j += 1;
    }
    let behind = of(j);
    let is_share = matches!(
        (&number.unit, behind),
        (StatedUnit::Percent, Some(Sense::Of))
            | (
                StatedUnit::Times,
                Some(Sense::Of | Sense::Latency | Sense::Filler | Sense::Unit(_))
            )
    );
    // A relation further away, in the same part of the sentence.
    let is_end =
        |j: usize| of(j) == Some(Sense::Clause) || others.iter().any(|(begin, _)| *begin == j);
    let starts =
        |j: usize| of(j) == Some(Sense::Clause) || others.iter().any(|(_, end)| *end == j + 1);
    let relation = |sense: Option<Sense>, after: bool| match sense {
        Some(Sense::Stated(relation)) => Some(relation),
        Some(Sense::Than(_, relation)) if after => Some(relation),
        Some(Sense::Advantage) => Some(Relation::Better),
        _ => None,
    };
    let after = (j..tokens.len()).take_while(|j| !is_end(*j)).find_map(|j| relation(of(j), true));
    let before =
        (0..found.begin).rev().take_while(|j| !starts(*j)).find_map(|j| relation(of(j), false));
    let in_part = || {
        let back = (0..found.begin).rev().take_while(|j| !starts(*j));
        let on = (j..tokens.len()).take_while(|j| !is_end(*j));
        back.chain(on)
    };
    number.only |= in_part().any(|j| of(j) == Some(Sense::Only));
    number.average |= in_part().any(|j| of(j) == Some(Sense::Average));
    // "65 % of the lower" is a share: what directly follows decides.
    let weak = matches!(behind, Some(Sense::Of));
    let nearest = |j: usize| {
        let on = (j..tokens.len()).take_while(|j| !is_end(*j));
        on.take(2).find_map(|j| relation(of(j), true))
    };
    number.relation = match number.relation {
        _ if weak && is_share && nearest(j + 1).is_none() => Relation::Share,
        Relation::Open if is_share && !weak && after.is_none() => Relation::Share,
        own => after.or(before).unwrap_or(own),
    };
    part_as_percent(number)
}

/// "a third lower" and "reduced by half" are percentages; "half the" and "twice as high" are not.
fn part_as_percent(number: StatedNumber) -> StatedNumber {
    let below = number.unit == StatedUnit::Times && number.value < 1.0;
    let is_less = matches!(
        number.relation,
        Relation::Less | Relation::More | Relation::Better | Relation::Worse
    );
    match below && is_less {
        true => StatedNumber {
            value: number.value * 100.0,
            last: number.last * 100.0,
            unit: StatedUnit::Percent,
            ..number
        },
        false => number,
    }
}

/// Every amount of a text; words that are not understood are passed over.
pub fn all(text: &str, names: &[&str]) -> Vec<StatedNumber> {
    let tokens = tokens(text, names);
    let found = amounts(&tokens);
    let spans: Vec<(usize, usize)> = found.iter().map(|f| (f.begin, f.end)).collect();
    let is_denied = tokens.contains(&sense(Sense::Denial));
    let of = |(index, found): (usize, &Found)| {
        let mut others = spans.clone();
        others.remove(index);
        let number = qualified(&tokens, found, &others);
        if is_denied { found.number.clone() } else { number }
    };
    found.iter().enumerate().map(of).collect()
}

/// The only amount of a text, all of which must be understood.
pub fn one(text: &str, names: &[&str]) -> Result<StatedNumber, String> {
    let tokens = tokens(text, names);
    let found = amounts(&tokens);
    let [only] = found.as_slice() else {
        return Err(match found.len() {
            0 => format!("'{text}' does not contain a number"),
            n => format!("'{text}' contains {n} numbers"),
        });
    };
    if tokens.contains(&sense(Sense::Denial)) {
        return Err(format!("'{text}' is a denial"));
    }
    let mut number = qualified(&tokens, only, &[]);
    let outside = tokens.iter().enumerate().filter(|(i, _)| !(only.begin..only.end).contains(i));
    let strange = |(i, token): (usize, &Token)| match token {
        Unknown(word) if !word.starts_with(is_cjk) => Some((i, word.clone())),
        Token::Sense(Sense::Percent | Sense::Times(_)) => Some((i, "a second unit".to_string())),
        Token::Sense(Sense::Dash) if i + 1 == only.begin => Some((i, "-".to_string())),
        _ => None,
    };
    let strange: Vec<(usize, String)> = outside.filter_map(strange).collect();
    let Some((first, word)) = strange.first() else { return Ok(number) };
    let is_bare = number.unit == StatedUnit::Of(String::new())
        && *first == only.end
        && number.relation == Relation::Open;
    if is_bare {
        let words: Vec<&str> = strange.iter().map(|(_, word)| word.as_str()).collect();
        number.unit = StatedUnit::Of(words.concat());
        return Ok(number);
    }
    Err(format!("'{word}' in '{text}' is not understood"))
}

/// A text without a number: "better", "slightly lower", "the advantage grows".
pub fn direction(text: &str, names: &[&str]) -> Result<Direction, String> {
    let tokens = tokens(text, names);
    let mut direction = Direction::default();
    for token in &tokens {
        match token {
            Token::Sense(Sense::Stated(relation)) => {
                direction.relation = Some(match (direction.relation, *relation) {
                    // "least performant", "more linear": the first word grades the second.
                    (Some(Relation::Less), Relation::Better) => Relation::Worse,
                    (None | Some(_), relation) => relation,
                });
            }
            Token::Sense(Sense::Than(_, relation)) => direction.relation = Some(*relation),
            Token::Sense(Sense::Denial) => return Err(format!("'{text}' is a denial")),
            Token::Sense(Sense::Filler | Sense::Of | Sense::OfBefore | Sense::Latency) => {}
            Token::Sense(sense) => direction.senses.push(*sense),
            Number(..) => return Err(format!("'{text}' contains a number")),
            Unknown(word) if word.starts_with(is_cjk) => {}
            Unknown(word) => return Err(format!("'{word}' in '{text}' is not understood")),
        }
    }
    Ok(direction)
}
