//! The points for which a statement is made, as people write them: "96", "at 10 % load",
//! "from 32", "at 10 MB/s", "1 VM per SSD", "all", "at higher thread counts".

use crate::lexicon::{CASED, Sense, WORDS};
use crate::phrase::{longest, plain};
use crate::says::{scale, unit_of_column};
use crate::stated::number;

/// The points of a table.
pub struct Axis<'a> {
    /// Their names, in the order published.
    pub points: &'a [String],
    /// The column's name, such as "threads".
    pub label: &'a str,
    /// Number of drives, for "per drive".
    pub drives: Option<f64>,
}

/// The points for which a statement is made.
#[derive(Clone, Debug, PartialEq)]
pub enum StatedPoint {
    /// All points of the table.
    Every,
    /// These points, of which the table may lack some.
    Each(Vec<String>),
}

/// Words by which points are counted or measured; the first of each list names the kind.
const KINDS: &[&[&str]] = &[
    &["thread", "スレッド"],
    &["vm", "virtual machine", "仮想マシン", "máquina"],
    &["depth", "qd", "キュー", "profundidade", "fila"],
    &["load", "負荷", "carga"],
    &["job", "ジョブ"],
    &["client", "terminal", "user", "クライアント", "cliente", "usuário"],
    &["warehouse", "倉庫"],
];

const ALL: &[&str] = &[
    "all",
    "every",
    "each",
    "any",
    "across",
    "throughout",
    "todos",
    "todas",
    "cada",
    "すべて",
    "全",
    "各",
];
const FIRST: &[&str] =
    &["lowest", "first", "start", "beginning", "início", "inicio", "menor", "最小", "最初"];
const LAST: &[&str] = &[
    "highest",
    "last",
    "top end",
    "top-end",
    "upper end",
    "high end",
    "maior",
    "最大",
    "最後",
    "上位",
    "topo",
];
const LOWER: &[&str] = &["lower", "low", "fewer", "few", "少な", "低", "baix", "menos", "poucas"];
const UPPER: &[&str] =
    &["higher", "high", "upper", "more", "many", "多", "高", "alt", "mais", "muitas"];
const ABOVE: &[&str] = &["above", "over", "beyond", "more than", "acima de", "mais de", "超"];
const FROM: &[&str] = &[
    "from",
    "and up",
    "and above",
    "and more",
    "or more",
    "onward",
    "starting at",
    "at least",
    "a partir de",
    "desde",
    "から",
    "以上",
    "以降",
];
const BELOW: &[&str] =
    &["below", "under", "less than", "fewer than", "abaixo de", "menos de", "未満"];
const TO: &[&str] = &[
    "up to",
    "to ",
    "until",
    "or fewer",
    "or less",
    "and below",
    "at most",
    "até",
    "まで",
    "以下",
];
const PER_DRIVE: &[&str] =
    &["per ssd", "per drive", "por ssd", "por unidade", "/ssd", "each ssd", "あたり", "ごと"];

/// The points of a text.
pub fn place(text: &str, axis: &Axis<'_>) -> StatedPoint {
    let text = text.trim();
    let each = |points: Vec<String>| StatedPoint::Each(points);
    let unknown = || each(vec![text.to_string()]);
    if axis.points.iter().any(|p| p == text) {
        return unknown();
    }
    let lower = format!("{} ", plain(text).to_lowercase());
    let has = |words: &[&str]| words.iter().any(|w| is_in(&lower, w));
    let named = |p: &&String| p.parse::<f64>().is_err() && is_in(&lower, &p.to_lowercase());
    let names: Vec<String> = axis.points.iter().filter(named).cloned().collect();
    if !names.is_empty() {
        return each(names);
    }
    if let (Some(a), Some(b)) = (kind_of(&lower), kind_of(&axis.label.to_lowercase()))
        && a != b
    {
        return unknown();
    }
    let numbers = numbers(&plain(text));
    let in_order = in_order(axis.points);
    let within = |fits: &dyn Fn(f64) -> bool| {
        let points = axis.points.iter().filter(|p| p.parse().is_ok_and(fits));
        each(points.cloned().collect())
    };
    let value = |stated: &Stated| {
        let found = point_of(stated, axis, has(PER_DRIVE));
        found.and_then(|p| p.parse().ok()).unwrap_or(stated.value)
    };
    match numbers.as_slice() {
        [] if has(ALL) => StatedPoint::Every,
        [] if in_order.is_empty() => unknown(),
        [] if has(FIRST) => each(in_order[..1].to_vec()),
        [] if has(LAST) => each(in_order[in_order.len() - 1..].to_vec()),
        // The middle one of an odd number is in neither half.
        [] if has(LOWER) => each(in_order[..in_order.len() / 2].to_vec()),
        [] if has(UPPER) => each(in_order[in_order.len().div_ceil(2)..].to_vec()),
        [] => unknown(),
        [low, high] if is_range(&lower, low, high) => {
            // "8 to 128 threads": the unit is the second's.
            let low = Stated { unit: low.unit.or(high.unit), ..low.clone() };
            let (low, high) = (value(&low), value(high));
            within(&|v| low <= v && v <= high)
        }
        [only] => {
            let at = value(only);
            match () {
                _ if has(TO) && !has(FROM) => within(&|v| v <= at),
                _ if has(FROM) => within(&|v| v >= at),
                _ if has(ABOVE) => within(&|v| v > at),
                _ if has(BELOW) => within(&|v| v < at),
                _ => match point_of(only, axis, has(PER_DRIVE)) {
                    Some(point) => each(vec![point]),
                    None => unknown(),
                },
            }
        }
        several => {
            let last = several.last().and_then(|s| s.unit);
            let of = |stated: &Stated| {
                let stated = Stated { unit: stated.unit.or(last), ..stated.clone() };
                point_of(&stated, axis, has(PER_DRIVE)).unwrap_or(stated.text)
            };
            each(several.iter().map(of).collect())
        }
    }
}

/// As a whole word, if it is written in letters with spaces between words.
fn is_in(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(i, _)| {
        let is_latin = |c: char| c.is_alphabetic() && (c as u32) < 0x2000;
        let before = text[..i].chars().next_back();
        !word.starts_with(is_latin) || !before.is_some_and(is_latin)
    })
}

fn kind_of(text: &str) -> Option<usize> {
    KINDS.iter().position(|words| words.iter().any(|w| is_in(text, w)))
}

/// By value if all are numbers, otherwise as published.
fn in_order(points: &[String]) -> Vec<String> {
    let mut all = points.to_vec();
    let value = |p: &String| p.parse::<f64>().ok();
    if all.iter().all(|p| value(p).is_some()) {
        all.sort_by(|a, b| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0)));
    }
    all
}

/// A number of a text, with its unit.
#[derive(Clone)]
struct Stated {
    value: f64,
    unit: Option<&'static str>,
    text: String,
    begin: usize,
    end: usize,
}

fn numbers(text: &str) -> Vec<Stated> {
    let chars: Vec<char> = text.chars().collect();
    let lower: Vec<char> = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        if !chars[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let begin = i;
        let is_digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
        while is_digit(i) || (matches!(chars.get(i), Some('.' | ',')) && is_digit(i + 1)) {
            i += 1;
        }
        let text: String = chars[begin..i].iter().collect();
        let Some((mut value, _)) = number(&text) else { continue };
        let mut unit = None;
        loop {
            let blank = chars[i..].iter().take_while(|c| c.is_whitespace()).count();
            let cased = longest(&chars, i + blank, CASED.iter().copied());
            let word = longest(&lower, i + blank, WORDS.iter().copied());
            match cased.or(word) {
                Some((n, Sense::Magnitude(by))) => {
                    value *= by;
                    i += blank + n;
                }
                Some((n, Sense::Percent)) => {
                    unit = Some("%");
                    i += blank + n;
                    break;
                }
                Some((n, Sense::Unit(name))) => {
                    unit = Some(name);
                    i += blank + n;
                    break;
                }
                _ => break,
            }
        }
        found.push(Stated { value, unit, text, begin, end: i });
    }
    found
}

/// "32 to 96", "32–96", "between 32 and 96", "32から96", "de 8 a 128".
fn is_range(lower: &str, low: &Stated, high: &Stated) -> bool {
    let between: String = lower.chars().skip(low.end).take(high.begin - low.end).collect();
    let between = between.trim();
    let ends = ["to", "-", "~", "から", "up to", "a", "até", "through"];
    let is_to = ends.iter().any(|e| between == *e || between.ends_with(&format!(" {e}")))
        || between.contains("から");
    is_to || ["between", "entre"].iter().any(|w| is_in(lower, w))
}

/// The point with the stated value: in its own unit, or in the base unit of the stated one.
fn point_of(stated: &Stated, axis: &Axis<'_>, per_drive: bool) -> Option<String> {
    let drives = if per_drive { axis.drives.unwrap_or(1.0) } else { 1.0 };
    let value = stated.value * drives;
    let own = match unit_of_column(axis.label) {
        "" if axis.label.contains("bytes_per_s") => "B/s",
        unit => unit,
    };
    let scaled = |to: &str| stated.unit.and_then(|unit| scale(unit, to)).map(|by| value * by);
    let candidates: Vec<f64> = match (stated.unit, own) {
        (Some(_), own) if !own.is_empty() && scaled(own).is_some() => {
            scaled(own).into_iter().collect()
        }
        (Some("%"), _) => vec![value, value / 100.0],
        (Some(_), _) => {
            let base = ["B/s", "ns"].iter().find_map(|base| scaled(base));
            std::iter::once(value).chain(base).collect()
        }
        _ => vec![value],
    };
    candidates.into_iter().find_map(|value| {
        let is = |p: &&String| {
            p.parse::<f64>().is_ok_and(|v| (v - value).abs() <= 1e-9 * value.abs().max(1e-9))
        };
        axis.points.iter().find(is).cloned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, label: &str, points: &str) -> String {
        let points: Vec<String> = points.split(' ').map(String::from).collect();
        let axis = Axis { points: &points, label, drives: Some(8.0) };
        match place(text, &axis) {
            StatedPoint::Every => "every".to_string(),
            StatedPoint::Each(points) => points.join(" "),
        }
    }

    #[test]
    fn places_are_read_as_people_write_them() {
        let threads = "8 16 32 64 96 128";
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("96", "96"),
            ("at 96 threads", "96"),
            ("96スレッドで", "96"),
            ("com 96 threads", "96"),
            ("thread count = 64", "64"),
            ("９６スレッド", "96"),
            ("all", "every"),
            ("at all thread counts", "every"),
            ("すべてのスレッド数", "every"),
            ("em todas as contagens de threads", "every"),
            ("from 32", "32 64 96 128"),
            ("from 32 on", "32 64 96 128"),
            ("32スレッド以上", "32 64 96 128"),
            ("a partir de 32 threads", "32 64 96 128"),
            ("to 32", "8 16 32"),
            ("up to 32 threads", "8 16 32"),
            ("até 32 threads", "8 16 32"),
            ("32スレッドまで", "8 16 32"),
            ("from 32 to 96", "32 64 96"),
            ("from 8 to 128 threads", threads),
            ("8–32 threads", "8 16 32"),
            ("between 16 and 64 threads", "16 32 64"),
            ("8から32スレッド", "8 16 32"),
            ("de 8 a 32 threads", "8 16 32"),
            ("above 64 threads", "96 128"),
            ("below 32", "8 16"),
            ("16, 32, and 64 threads", "16 32 64"),
            ("96 and 128 threads", "96 128"),
            ("at lower thread counts", "8 16 32"),
            ("at higher thread counts", "64 96 128"),
            ("スレッド数が多い場合", "64 96 128"),
            ("スレッド数が少ないとき", "8 16 32"),
            ("at the top end", "128"),
            ("the lowest thread count", "8"),
            ("at 8 VMs", "at 8 VMs"),
            ("256 threads", "256 threads"),
        ] {
            wrong.extend((at(text, "threads", threads) != expected).then_some(text));
        }
        for (text, label, points, expected) in [
            ("at 10 % load", "load_percent", "10 100", "10"),
            ("10%の負荷", "load_percent", "10 100", "10"),
            ("com 10 % de carga", "load_percent", "10 100", "10"),
            ("at 10 % load", "load", "0.1 1", "0.1"),
            ("at 10 MB/s", "write_rate", "10000000 700000000", "10000000"),
            ("a 700 MB/s", "write_rate", "10000000 700000000", "700000000"),
            ("700MB/sで", "write_rate", "10 700", "700"),
            ("at 0.7 GB/s", "write_mb_s", "10 700", "700"),
            ("from 10 to 700 MB/s", "write_rate", "10000000 700000000", "10000000 700000000"),
            ("at 1 VM", "vms", "1 8", "1"),
            ("1 VM per SSD", "vms", "8 16", "8"),
            ("2 VMs por SSD", "vms", "8 16", "16"),
            ("8VMs", "vms", "8 16", "8"),
            ("8 virtual machines", "vms", "8 16", "8"),
            ("QD32", "depth", "1 32", "32"),
            ("queue depth 32", "depth", "1 32", "32"),
            ("at 669K IOPS", "iops", "669000 6670000", "669000"),
            ("NS4", "ns", "ns4 ns5", "ns4"),
            ("ns4 and ns5", "ns", "ns4 ns5 ns6", "ns4 ns5"),
        ] {
            wrong.extend((at(text, label, points) != expected).then_some(text));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
