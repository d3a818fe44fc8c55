//! The value of a statement, as published: "21 %", "only 65 % of", "more than double", "151 µs",
//! "1.3 M", and the units of numbers.

use crate::phrase;
use crate::stated::StatedNumber;

/// Units of one kind, each as a multiple of the first.
const UNITS: &[&[(&str, f64)]] = &[
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9)],
    &[
        ("B/s", 1.0),
        ("KB/s", 1e3),
        ("MB/s", 1e6),
        ("GB/s", 1e9),
        ("KiB/s", 1024.0),
        ("MiB/s", 1048576.0),
        ("GiB/s", 1073741824.0),
    ],
    &[("W", 1.0), ("watts", 1.0), ("mW", 1e-3), ("kW", 1e3)],
    &[
        ("J", 1.0),
        ("nJ", 1e-9),
        ("uJ", 1e-6),
        ("µJ", 1e-6),
        ("μJ", 1e-6),
        ("mJ", 1e-3),
        ("kJ", 1e3),
        ("MJ", 1e6),
    ],
    &[("MB/s/W", 1.0), ("GB/s/W", 1e3)],
    &[("%", 1.0), ("pp", 1.0)],
];

/// Units of counts, which may be omitted.
const COUNTS: &[&[&str]] =
    &[&["ops/s", "IOPS"], &["ops/s/W", "IOPS/W"], &["a minute", "per minute", "/min"], &["TPS"]];

/// Suffixes of column names that state the unit.
const ENDINGS: &[(&str, &str)] = &[
    ("_ns", "ns"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("mb_s", "MB/s"),
    ("mb_per_s", "MB/s"),
    ("watts", "W"),
    ("mb_per_s_per_watt", "MB/s/W"),
    ("ops_per_s_per_watt", "ops/s/W"),
    ("joules_per_op", "J"),
    ("_per_min", "a minute"),
    ("ops_per_s", "ops/s"),
    ("iops", "ops/s"),
    ("tps", "TPS"),
    ("percent", "%"),
];

/// A number with what is stated of it; words of `names` have no meaning of their own.
pub fn quantity(text: &str, names: &[&str]) -> Result<StatedNumber, String> {
    let (is_formula, rest) = after_the_formula(text.trim());
    let number = phrase::one(rest, names)?;
    Ok(StatedNumber { is_change: number.is_change || is_formula, ..number })
}

/// The text after "(new − old) ÷ old =", which published footnotes write out.
fn after_the_formula(text: &str) -> (bool, &str) {
    let Some((formula, after)) = text.split_once('=') else { return (false, text) };
    let plain: String = formula.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.to_lowercase().replace(['−', '–'], "-").replace('÷', "/");
    match plain.as_str() {
        "(new-old)/old" | "(new-old)/old*100" | "(new-old)/old×100" | "new/old-1" => {
            (true, after.trim_start())
        }
        _ => (false, text),
    }
}

/// The unit in a column's name.
pub fn unit_of_column(name: &str) -> &'static str {
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map_or("", |(_, unit)| unit)
}

/// The number of a metric's units in one stated unit.
pub fn scale(stated: &str, metric: &str) -> Option<f64> {
    let of = |unit: &str, family: &[(&str, f64)]| {
        family.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale)
    };
    let alike = |all: &&[&str]| {
        let of = |unit: &str| unit.is_empty() || all.contains(&unit);
        of(stated) && of(metric)
    };
    if stated == metric || COUNTS.iter().any(alike) {
        return Some(1.0);
    }
    UNITS.iter().find_map(|family| Some(of(stated, family)? / of(metric, family)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bound;
    use crate::lexicon::Relation;
    use crate::stated::{Nearness, StatedUnit};

    /// The reading of a text: bound, number, unit, relation and what else is stated.
    fn read(text: &str) -> String {
        let found = match quantity(text, &["Drive B"]) {
            Ok(found) => found,
            Err(what) => return what,
        };
        let bound = match found.bound {
            Bound::Plain => "",
            Bound::AtLeast => "≥",
            Bound::AtMost => "≤",
            Bound::MoreThan => ">",
            Bound::LessThan => "<",
        };
        let unit = match &found.unit {
            StatedUnit::Percent => "%".to_string(),
            StatedUnit::Times => "×".to_string(),
            StatedUnit::Of(unit) => unit.clone(),
        };
        let value = (found.value * 1e6).round() / 1e6;
        let high = found.high.map(|high| format!("..{high}")).unwrap_or_default();
        let relation = match found.relation {
            Relation::Open => String::new(),
            relation => format!(" {relation:?}").to_lowercase(),
        };
        let flag = |is: bool, word: &str| if is { format!(" {word}") } else { String::new() };
        format!(
            "{bound}{value}{high} {unit}{relation}{}{}{}{}{}",
            flag(found.nearness != Nearness::Exact, "about"),
            flag(found.up_to, "up to"),
            flag(found.only, "only"),
            flag(found.average, "average"),
            flag(found.is_change, "change"),
        )
        .trim()
        .to_string()
    }

    #[test]
    fn statements_are_read_as_they_are_published() {
        let readings = [
            // English.
            ("21 %", "21 %"),
            ("20.5%", "20.5 %"),
            ("1.8x", "1.8 ×"),
            ("more than 2 ×", ">2 ×"),
            ("Over 50 percent", ">50 %"),
            ("151 µs", "151 µs"),
            ("1.3 M", "1300000"),
            ("1.3M IOPS", "1300000 ops/s"),
            ("892,202 ops/s", "892202 ops/s"),
            ("under 0.2 ms", "<0.2 ms"),
            ("≥ 5 GB/s", "≥5 GB/s"),
            ("−54 %", "-54 % change"),
            ("(new − old) ÷ old = −54 %", "-54 % change"),
            ("(New - Old) / Old = +15%", "15 % change"),
            ("only 65% of", "65 % share only"),
            ("reaches only 65 % of", "65 % share only"),
            ("a maximum ops/s that is only 65% of the other SSDs", "65 % share only"),
            ("65 % of Drive B's", "65 % share"),
            ("30 % lower", "30 % less"),
            ("30% lower performance (ops/s)", "30 % less"),
            ("30 percent less than Drive B", "30 % less"),
            ("lower by 30 %", "30 % less"),
            ("a 30 % reduction", "30 % less"),
            ("reduced by half", "50 % less"),
            ("a third lower", "33.333333 % less"),
            ("30 % higher", "30 % more"),
            ("30 % more than", "30 % more"),
            ("20 % above Drive B", "20 % more"),
            ("59 % better", "59 % better"),
            ("an improvement of 59 %", "59 % better"),
            ("30 % slower", "30 % worse"),
            ("more than double", ">2 × share"),
            ("more than double the 99% read latency", ">2 × share"),
            ("more than double the p99", ">2 × share"),
            ("1.5x the read latency", "1.5 × share"),
            ("1.5 × the latency", "1.5 × share"),
            ("up to 1.8x the read latency", "1.8 × share up to"),
            ("twice the latency", "2 × share"),
            ("twice as high", "2 × share"),
            ("2 times the p99.9 latency", "2 × share"),
            ("two times the 99th percentile latency", "2 × share"),
            ("twice as fast", "2 × better"),
            ("half the latency", "0.5 × share"),
            ("less than half the latency of Drive B", "<0.5 × share"),
            ("a third of the latency", "0.333333 × share"),
            ("two thirds of", "0.666667 × share"),
            ("two-thirds of", "0.666667 × share"),
            ("three-quarters of the ops/s", "0.75 × share"),
            ("2/3 of", "0.666667 × share"),
            ("2x lower", "2 × less"),
            ("1.5x higher", "1.5 × more"),
            ("3x faster", "3 × better"),
            ("a factor of 2 lower", "2 × less"),
            ("108 µs lower", "108 µs less"),
            ("a 108 µs advantage", "108 µs better"),
            ("an advantage of 108 microseconds", "108 µs better"),
            ("196 us higher", "196 µs more"),
            ("at least 20 %", "≥20 %"),
            ("50 % or more", "≥50 %"),
            ("50+ %", "≥50 %"),
            ("no more than 5 % lower", "≤5 % less"),
            ("about 30 % lower", "30 % less about"),
            ("~30 % lower", "30 % less about"),
            ("nearly 2 ×", "2 × about"),
            ("almost twice the ops/s", "2 × share about"),
            ("20 to 30 % lower", "20..30 % less"),
            ("20–30 %", "20..30 %"),
            ("between 20 and 30 % more", "20..30 % more"),
            ("30 % lower on average", "30 % less average"),
            ("on average 30 % lower", "30 % less average"),
            ("3 pp", "3 pp"),
            ("3 percentage points lower", "3 pp less"),
            ("1,5 %", "1.5 %"),
            ("1.234,5 µs", "1234.5 µs"),
            ("616,344", "616344"),
            ("0,24 ms", "0.24 ms"),
            ("６５％ of", "65 % share"),
            // Japanese.
            ("他のSSDの65%にすぎません", "65 % share only"),
            ("最大ops/sに達しますが、これは他のSSDの65%にすぎません", "65 % share only"),
            ("65%しかありません", "65 % only"),
            ("99%の読み取りレイテンシーの2倍以上", "≥2 × share"),
            ("読み取りレイテンシーが1.5倍", "1.5 × share"),
            ("読み取りレイテンシーが最大1.8倍", "1.8 × share up to"),
            ("パフォーマンス(ops/s)は30%低下します", "30 % less"),
            ("30%低い", "30 % less"),
            ("３０％高い", "30 % more"),
            ("59%優れています", "59 % better"),
            ("30%遅い", "30 % worse"),
            ("2倍速い", "2 × better"),
            ("半分のレイテンシー", "0.5 × share"),
            ("半分以下", "≤0.5 × share"),
            ("3分の1", "0.333333 × share"),
            ("3割低い", "30 % less"),
            ("108マイクロ秒の優位", "108 µs better"),
            ("108マイクロ秒低い", "108 µs less"),
            ("約30%低い", "30 % less about"),
            ("20〜30%低い", "20..30 % less"),
            ("20から30%低い", "20..30 % less"),
            ("少なくとも20%高い", "≥20 % more"),
            ("30%未満", "<30 %"),
            ("2倍を超える", ">2 × share"),
            ("平均で30%低い", "30 % less average"),
            ("130万IOPS", "1300000 ops/s"),
            ("3ポイント低い", "3 pp less"),
            // Portuguese.
            ("apenas 65 % do desempenho", "65 % share only"),
            ("65 % dos outros SSDs", "65 % share"),
            ("30 % menor", "30 % less"),
            ("30% mais baixa", "30 % less"),
            ("30 % a menos", "30 % less"),
            ("uma redução de 30 %", "30 % less"),
            ("30 % maior", "30 % more"),
            ("30 % superior ao Drive B", "30 % more"),
            ("59 % melhor", "59 % better"),
            ("30 % mais lento", "30 % worse"),
            ("mais que o dobro da latência", ">2 × share"),
            ("mais do que o dobro", ">2 × share"),
            ("o dobro da latência", "2 × share"),
            ("1,5 vezes a latência", "1.5 × share"),
            ("até 1,8 vezes a latência", "1.8 × share up to"),
            ("duas vezes a latência", "2 × share"),
            ("2 vezes mais rápido", "2 × better"),
            ("metade da latência", "0.5 × share"),
            ("menos da metade", "<0.5 × share"),
            ("um terço da latência", "0.333333 × share"),
            ("dois terços da latência", "0.666667 × share"),
            ("uma vantagem de 108 microssegundos", "108 µs better"),
            ("uma melhoria de 196 microssegundos", "196 µs better"),
            ("pelo menos 20 % maior", "≥20 % more"),
            ("cerca de 30 % menor", "30 % less about"),
            ("quase o dobro", "2 × share about"),
            ("de 20 a 30 % menor", "20..30 % less"),
            ("entre 20 e 30 %", "20..30 %"),
            ("em média 30 % menor", "30 % less average"),
            ("13,18 ms", "13.18 ms"),
            ("3 pontos percentuais", "3 pp"),
        ];
        let wrong = readings.iter().map(|(text, expected)| (*text, *expected, read(text)));
        let wrong: Vec<_> = wrong.filter(|(_, expected, read)| expected != read).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "",
            "much",
            "%",
            "1.2.3",
            "1,2,3",
            "--5 %",
            "(old − new) ÷ old = 5 %",
            ".5 %",
            "5. %",
            "NaN",
            "inf %",
            "not 30 % lower",
            "30 % blue",
            "59 % better and 21 % more",
        ] {
            assert!(quantity(text, &[]).is_err(), "{text}: {}", read(text));
        }
    }

    #[test]
    fn units_of_one_kind_are_converted_and_others_are_not() {
        assert_eq!(
            (scale("ms", "µs"), scale("IOPS", ""), scale("", "ops/s")),
            (Some(1e3), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (scale("GB/s", "MB/s"), scale("W", "W"), scale("°C", "°C")),
            (Some(1e3), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (scale("µs", "ops/s"), scale("", "µs"), scale("MB", "MB/s")),
            (None, None, None)
        );
        assert_eq!(
            (scale("µJ", "J"), scale("", "ops/s/W"), scale("/min", "a minute")),
            (Some(1e-6), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (scale("IOPS", "ops/s/W"), scale("ops/s", "a minute"), scale("J", "W")),
            (None, None, None)
        );
        let of = ["ops_per_s_per_watt", "reader-4:mb_per_s", "new_orders_per_min", "joules_per_op"]
            .map(unit_of_column);
        assert_eq!(of, ["ops/s/W", "MB/s", "a minute", "J"]);
        assert_eq!(
            (unit_of_column("p99_us"), unit_of_column("ops_per_s"), unit_of_column("x")),
            ("µs", "ops/s", "")
        );
    }
}
