//! Differences: the formulas by name, the calculation as text, and its result rounded towards the
//! weaker claim.
//!
//! Shared by claims and audits, so that both print the same number for the same division.

use super::Better;

/// superior ÷ inferior − 1, in percent: 1.5 times as much is a gain of 50 %.
pub fn gain_percent(superior: f64, inferior: f64) -> f64 {
    (superior / inferior - 1.0) * 100.0
}

/// 1 − new ÷ old, in percent: half as much is a reduction of 50 %.
pub fn reduction_percent(new: f64, old: f64) -> f64 {
    (1.0 - new / old) * 100.0
}

/// The formula of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// superior ÷ inferior − 1, in percent.
    Gain,
    /// 1 − new ÷ old, in percent.
    Reduction,
    /// superior ÷ inferior, a factor.
    Factor,
}

impl Formula {
    /// All formulas, in display order.
    pub const ALL: [Formula; 3] = [Formula::Gain, Formula::Reduction, Formula::Factor];

    /// The formula's name in a document: "gain", "reduction", "factor".
    pub fn name(self) -> &'static str {
        match self {
            Formula::Gain => "gain",
            Formula::Reduction => "reduction",
            Formula::Factor => "factor",
        }
    }

    /// For a pair whose first member is `times` as good as the second.
    pub fn of(self, times: f64) -> f64 {
        match self {
            Formula::Gain => gain_percent(times, 1.0),
            Formula::Reduction => reduction_percent(1.0, times),
            Formula::Factor => times,
        }
    }

    /// The ratio of a pair for which this formula gives `value`.
    pub fn times(self, value: f64) -> f64 {
        match self {
            Formula::Gain => 1.0 + value / 100.0,
            Formula::Reduction if value >= 100.0 => f64::INFINITY,
            Formula::Reduction => 1.0 / (1.0 - value / 100.0),
            Formula::Factor => value,
        }
    }

    /// "892,202 ÷ 735,861 − 1", from the printed figures.
    pub fn calculation(self, better: Better, own: &str, other: &str) -> String {
        let (superior, inferior) = match better {
            Better::Higher => (own, other),
            Better::Lower => (other, own),
        };
        match self {
            Formula::Gain => format!("{superior} ÷ {inferior} − 1"),
            Formula::Reduction => format!("1 − {inferior} ÷ {superior}"),
            Formula::Factor => format!("{superior} ÷ {inferior}"),
        }
    }

    /// "21.24 %" or "1.21 ×": the result, truncated after two decimals.
    pub fn result(self, times: f64) -> String {
        format!("{} {}", cut_off(self.of(times), 2), self.unit())
    }

    /// The same for figures with this many significant digits; a non-zero result too small to be
    /// printed is described as such.
    pub fn result_in(self, times: f64, digits: Option<u32>) -> String {
        let (value, unit) = (self.of(times), self.unit());
        let size = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
        let decimals = digits.map_or(2, |digits| (digits as i32 - 1 - size).min(2));
        let text = match decimals {
            0.. => cut_off(value, decimals as usize),
            _ => coarse(value, decimals, false),
        };
        let shows = text.chars().any(|c| ('1'..='9').contains(&c));
        if shows || value <= 0.0 { format!("{text} {unit}") } else { format!("< 0.01 {unit}") }
    }

    /// "%" or "×", the unit of the result.
    pub fn unit(self) -> &'static str {
        if self == Formula::Factor { "×" } else { "%" }
    }
}

/// `own` relative to `other`, above 1 if better; None unless both are positive.
pub fn times_as_good(own: f64, other: f64, better: Better) -> Option<f64> {
    let times = match better {
        Better::Higher => own / other,
        Better::Lower => other / own,
    };
    (own > 0.0 && other > 0.0 && times.is_finite()).then_some(times)
}

/// Truncated to this many decimals: a printed value never exceeds the computed one.
pub fn cut_off(value: f64, decimals: usize) -> String {
    printed(scaled(value, decimals).floor(), decimals)
}

/// The upper limit of an interval, which printing may widen but not narrow.
pub fn rounded_out(value: f64, decimals: usize) -> String {
    printed(-scaled(-value, decimals).floor(), decimals)
}

/// A value and its interval limits as printed: the value rounded towards the weaker claim, the
/// limits outwards, to two digits of the interval's half-width. A positive limit is never printed
/// as zero.
pub fn in_interval(value: f64, low: f64, high: f64) -> [String; 3] {
    let digits = digits(low, high);
    let number = |decimals: i32, value: f64, up: bool| match (decimals < 0, up) {
        (true, _) => coarse(value, decimals, up),
        (false, true) => rounded_out(value, decimals as usize),
        (false, false) => cut_off(value, decimals as usize),
    };
    let low_digits = (digits..digits + 4)
        .find(|d| low <= 0.0 || number(*d, low, false) != number(*d, 0.0, false));
    [
        number(digits, value, false),
        number(low_digits.unwrap_or(digits), low, false),
        number(digits, high, true),
    ]
}

/// Decimals that show two digits of half the interval's width; negative if even whole numbers are
/// too fine.
fn digits(low: f64, high: f64) -> i32 {
    let half = (high - low) / 2.0;
    if half.is_finite() && half > 0.0 { (1 - half.log10().floor() as i32).clamp(-6, 2) } else { 2 }
}

/// Rounded to tens, hundreds and so on.
fn coarse(value: f64, decimals: i32, up: bool) -> String {
    let unit = 10f64.powi(-decimals);
    let rounded = if up { (value / unit).ceil() } else { (value / unit).floor() } * unit;
    let sign = if rounded < 0.0 { "−" } else { "" };
    format!("{sign}{}", crate::base::units::grouped(rounded.abs() as u64))
}

/// A percentage in a claim: whole from ten on, with one decimal below.
pub fn said(percent: f64) -> String {
    cut_off(percent, if percent + 1e-9 < 10.0 { 1 } else { 0 })
}

/// In units of the last decimal, with a tolerance for binary rounding: 10 % is not truncated to 9.9
/// %.
fn scaled(value: f64, decimals: usize) -> f64 {
    let scaled = value * 10f64.powi(decimals as i32);
    scaled + 1e-7_f64.max(scaled.abs() * 1e-12)
}

fn printed(units: f64, decimals: usize) -> String {
    let value = units / 10f64.powi(decimals as i32);
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{:.decimals$}", value.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_pairs_come_to_the_same_by_every_way_of_asking() {
        let ops = times_as_good(892_202.0, 735_861.0, Better::Higher).unwrap();
        assert_eq!(Formula::ALL.map(|f| f.result(ops)), ["21.24 %", "17.52 %", "1.21 ×"]);
        let p99 = times_as_good(169.0, 268.0, Better::Lower).unwrap();
        assert_eq!(Formula::ALL.map(|f| f.result(p99)), ["58.57 %", "36.94 %", "1.58 ×"]);
        assert_eq!(Formula::Gain.calculation(Better::Lower, "169", "268"), "268 ÷ 169 − 1");
        assert_eq!(Formula::Reduction.calculation(Better::Lower, "169", "268"), "1 − 169 ÷ 268");
        assert_eq!(
            Formula::Factor.calculation(Better::Higher, "892,202", "735,861"),
            "892,202 ÷ 735,861"
        );
    }

    #[test]
    fn a_result_has_no_more_digits_than_the_figures_that_it_comes_from() {
        let gain = |times: f64, digits| Formula::Gain.result_in(times, digits);
        let per_watt = (228_176.0 / 7.7) / (199_319.0 / 7.1);
        assert_eq!(
            (gain(per_watt, None), gain(per_watt, Some(2))),
            ("5.55 %".into(), "5.5 %".into())
        );
        assert_eq!((gain(2.474, Some(2)), gain(2.474, Some(1))), ("140 %".into(), "100 %".into()));
        let p99 = times_as_good(169.0, 268.0, Better::Lower).unwrap();
        assert_eq!(Formula::Reduction.result_in(p99, Some(3)), "36.9 %");
        assert_eq!(gain(735_914.0 / 735_861.0, Some(6)), "< 0.01 %");
        assert_eq!((gain(1.0, Some(3)), gain(1.0, None)), ("0.00 %".into(), "0.00 %".into()));
    }

    #[test]
    fn rounding_is_towards_the_weaker_claim_and_no_further() {
        assert_eq!(
            (cut_off(58.99, 0), cut_off(58.579, 2), cut_off(1.2999, 1)),
            ("58".into(), "58.57".into(), "1.2".into())
        );
        assert_eq!((cut_off(-4.21, 1), rounded_out(-4.29, 1)), ("−4.3".into(), "−4.2".into()));
        assert_eq!((rounded_out(23.01, 0), rounded_out(23.0, 0)), ("24".into(), "23".into()));
        assert_eq!(
            (said(gain_percent(1.1, 1.0)), said(reduction_percent(50.0, 100.0))),
            ("10".into(), "50".into())
        );
        assert_eq!(
            (said(9.99), said(0.04), cut_off(-0.0, 1)),
            ("9.9".into(), "0.0".into(), "0.0".into())
        );
    }

    #[test]
    fn what_is_zero_or_below_has_no_ratio() {
        for (own, other) in [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (f64::NAN, 1.0), (1e300, 1e-300)]
        {
            assert_eq!(times_as_good(own, other, Better::Higher), None, "{own} ÷ {other}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cut_off_is_at_most_the_value_and_within_a_unit_of_it(
            value in -1e6f64..1e6, decimals in 0usize..4,
        ) {
            let printed: f64 = cut_off(value, decimals).replace('−', "-").parse().unwrap();
            let unit = 0.1f64.powi(decimals as i32);
            let within = printed <= value + 2e-6 && value - printed < unit + 1e-6;
            prop_assert!(within, "{value} as {printed}");
        }

        #[test]
        fn every_formula_can_be_turned_round(times in 0.01f64..100.0) {
            for formula in Formula::ALL {
                prop_assert!((formula.times(formula.of(times)) / times - 1.0).abs() < 1e-9);
            }
        }
    }
}
