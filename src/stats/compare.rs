//! Two subjects held against each other.
//!
//! Drives differ by factors, so all is done on logarithms: the ratio's interval is then the same whichever subject is
//! put first. Published reports use two formulas for "by how much", and both are given, by name: the *gain* is superior
//! ÷ inferior − 1, the *reduction* 1 − new ÷ old.

pub use super::percent::{gain_percent, reduction_percent};

use super::estimate::{Estimate, Method, mean, t_95, t_reach, t_tail, variance};

/// Degrees of freedom taken for intervals from within one run.
const FEW_DEGREES: f64 = 8.0;

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Throughput.
    Higher,
    /// Latency, energy for each op.
    Lower,
}

/// What a comparison shows of its first subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Better,
    Worse,
    /// The interval holds the ratio 1, or there is no interval.
    NoDifferenceShown,
    /// Something is missing, zero or below.
    NotComparable,
}

/// The first subject's figure over the second's.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// a ÷ b. Where the two are not comparable it has no observations (`n` is 0).
    pub ratio: Estimate,
    /// The greater over the smaller, less one, in percent: never negative.
    pub gain_percent: f64,
    /// One less the smaller over the greater, in percent: never negative.
    pub reduction_percent: f64,
    pub verdict: Verdict,
    /// Of the t distribution that the interval was made with; what a correction for many comparisons needs.
    pub degrees: f64,
}

/// Verdicts of many comparisons made at once, at 95 % for all of them together (Holm, 1979): of m, the clearest must be
/// as clear as 1 in 20·m, the next as 1 in 20·(m − 1), and with the first that is not, all less clear ones fall.
pub fn holm(family: &[Comparison], better: Better) -> Vec<Verdict> {
    let mut order: Vec<usize> = (0..family.len()).filter(|&i| family[i].ratio.has_interval()).collect();
    let mut verdicts: Vec<Verdict> = family
        .iter()
        .map(|c| if c.ratio.n == 0 { Verdict::NotComparable } else { Verdict::NoDifferenceShown })
        .collect();
    let chance: Vec<f64> = family.iter().map(Comparison::chance).collect();
    order.sort_by(|&a, &b| chance[a].total_cmp(&chance[b]));
    for (rank, &i) in order.iter().enumerate() {
        if chance[i] * (order.len() - rank) as f64 > 0.05 {
            break;
        }
        verdicts[i] = match (family[i].ratio.value > 1.0, better) {
            (true, Better::Higher) | (false, Better::Lower) => Verdict::Better,
            _ => Verdict::Worse,
        };
    }
    verdicts
}

/// The largest of many ratios: which it is, and the interval of the largest true one. Choosing the largest favours luck,
/// so every cell's interval is widened until all that were `searched` hold together (Bonferroni), and the largest ends
/// are taken.
pub fn maximum(family: &[Comparison], searched: usize) -> Option<(usize, f64, f64)> {
    let fit: Vec<usize> = (0..family.len()).filter(|&i| family[i].ratio.has_interval()).collect();
    let best = *fit.iter().max_by(|&&a, &&b| family[a].ratio.value.total_cmp(&family[b].ratio.value))?;
    let wide = |i: &usize| family[*i].widened(0.05 / searched.max(fit.len()) as f64);
    let low = fit.iter().map(|i| wide(i).0).fold(f64::MIN, f64::max);
    let high = fit.iter().map(|i| wide(i).1).fold(f64::MIN, f64::max);
    Some((best, low, high))
}

impl Comparison {
    /// Half the interval's width on logarithms, over what t gives it.
    fn error(&self) -> f64 {
        (self.ratio.high / self.ratio.low).ln() / 2.0 / t_95(self.degrees)
    }

    /// How likely so large a difference is where there is none.
    fn chance(&self) -> f64 {
        let (difference, error) = (self.ratio.value.ln(), self.error());
        match difference == 0.0 {
            true => 1.0,
            false => t_tail(difference / error.max(f64::MIN_POSITIVE), self.degrees),
        }
    }

    /// The interval that misses the truth with probability `miss`.
    fn widened(&self, miss: f64) -> (f64, f64) {
        let reach = (t_reach(self.degrees, miss) * self.error()).exp();
        (self.ratio.value / reach, self.ratio.value * reach)
    }
}

/// Repeats of a figure that is better when higher. `paired`: repeat i of both was measured in turn.
pub fn throughput(a: &[f64], b: &[f64], paired: bool) -> Comparison {
    repeats(a, b, paired, Better::Higher)
}

/// Repeats of a figure that is better when lower.
pub fn latency(a: &[f64], b: &[f64], paired: bool) -> Comparison {
    repeats(a, b, paired, Better::Lower)
}

/// Repeats of any figure. Pairs need as many repeats of one as of the other; otherwise they are compared unpaired.
pub fn repeats(a: &[f64], b: &[f64], paired: bool, better: Better) -> Comparison {
    let (Some(a), Some(b)) = (logs(a), logs(b)) else { return not_comparable() };
    let difference = mean(&a) - mean(&b);
    let n = a.len().min(b.len());
    if n < 2 {
        return judge(difference, None, n, Method::Single, better);
    }
    let (error, degrees) = if paired && a.len() == b.len() {
        let each: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        ((variance(&each) / n as f64).sqrt(), (n - 1) as f64)
    } else {
        welch(&a, &b)
    };
    judge(difference, Some((t_95(degrees) * error, degrees)), n, Method::Repeats, better)
}

/// Two estimates, such as of one repeat each: their intervals' half widths add up as squares, on logarithms.
pub fn estimates(a: &Estimate, b: &Estimate, better: Better) -> Comparison {
    let (Some(log_a), Some(log_b)) = (logs(&[a.value]), logs(&[b.value])) else { return not_comparable() };
    let difference = log_a[0] - log_b[0];
    let n = a.n.min(b.n);
    if !(a.has_interval() && b.has_interval()) {
        return judge(difference, None, n, Method::Single, better);
    }
    let half = log_half_width(a).hypot(log_half_width(b));
    let method = if a.method == Method::Repeats { b.method } else { a.method };
    // An estimate does not say how many degrees of freedom it had; few are assumed, which asks for more.
    judge(difference, Some((half, FEW_DEGREES)), n, method, better)
}

/// Half the interval's width on logarithms. One that reaches down to zero is taken by its upper half.
fn log_half_width(e: &Estimate) -> f64 {
    if e.low > 0.0 { (e.high / e.low).ln() / 2.0 } else { (e.high / e.value).ln() }
}

/// The standard error of the difference of two means, and Welch's degrees of freedom.
fn welch(a: &[f64], b: &[f64]) -> (f64, f64) {
    let share = |x: &[f64]| variance(x) / x.len() as f64;
    let (of_a, of_b) = (share(a), share(b));
    let whole = of_a + of_b;
    if whole == 0.0 {
        return (0.0, 1.0);
    }
    let part = |of: f64, n: usize| of * of / (n - 1) as f64;
    (whole.sqrt(), whole * whole / (part(of_a, a.len()) + part(of_b, b.len())))
}

/// `None` unless there are values and all are finite and above zero.
fn logs(values: &[f64]) -> Option<Vec<f64>> {
    let fit = |v: &&f64| v.is_finite() && **v > 0.0;
    (!values.is_empty() && values.iter().filter(fit).count() == values.len())
        .then(|| values.iter().map(|v| v.ln()).collect())
}

/// `half`: half the interval's width, and the degrees of freedom that it was made with.
fn judge(difference: f64, half: Option<(f64, f64)>, n: usize, method: Method, better: Better) -> Comparison {
    let at = |log: f64| log.exp().clamp(f64::MIN_POSITIVE, f64::MAX);
    let (reach, degrees) = half.unwrap_or((0.0, 1.0));
    let (low, high) = (difference - reach, difference + reach);
    let verdict = match (half, better) {
        (Some(_), Better::Higher) if low > 0.0 => Verdict::Better,
        (Some(_), Better::Higher) if high < 0.0 => Verdict::Worse,
        (Some(_), Better::Lower) if high < 0.0 => Verdict::Better,
        (Some(_), Better::Lower) if low > 0.0 => Verdict::Worse,
        _ => Verdict::NoDifferenceShown,
    };
    Comparison {
        ratio: Estimate { value: at(difference), low: at(low), high: at(high), n, unit: "×", method },
        gain_percent: gain_percent(at(difference.abs()), 1.0),
        reduction_percent: reduction_percent(1.0, at(difference.abs())),
        verdict,
        degrees,
    }
}

fn not_comparable() -> Comparison {
    let ratio = Estimate { value: 0.0, low: 0.0, high: 0.0, n: 0, unit: "×", method: Method::Single };
    Comparison { ratio, gain_percent: 0.0, reduction_percent: 0.0, verdict: Verdict::NotComparable, degrees: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_formulas_are_those_of_the_published_briefs() {
        assert_eq!((gain_percent(150.0, 100.0), reduction_percent(50.0, 100.0)), (50.0, 50.0));
        let c = throughput(&[200.0, 202.0, 198.0], &[100.0, 101.0, 99.0], true);
        assert_eq!((c.gain_percent.round(), c.reduction_percent.round(), c.verdict), (100.0, 50.0, Verdict::Better));
    }

    #[test]
    fn pairing_shows_a_difference_that_drift_hides() {
        let (a, b) = ([105.0, 126.0, 147.5], [100.0, 120.0, 140.0]);
        assert_eq!(throughput(&a, &b, true).verdict, Verdict::Better);
        assert_eq!(throughput(&a, &b, false).verdict, Verdict::NoDifferenceShown);
        assert_eq!(latency(&a, &b, true).verdict, Verdict::Worse);
    }

    #[test]
    fn welch_is_right_on_logarithms() {
        let a = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9].map(|x: f64| (x / 10.0).exp());
        let b = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5].map(|x: f64| (x / 10.0).exp());
        let c = throughput(&a, &b, false);
        // By hand: difference −2.3667, standard error 1.8351, 7.64 degrees of freedom.
        let (low, high) = (c.ratio.low.ln() * 10.0, c.ratio.high.ln() * 10.0);
        assert!((low + 6.634).abs() < 0.002 && (high - 1.901).abs() < 0.002, "{low} to {high}");
    }

    #[test]
    fn what_cannot_be_judged_is_not() {
        assert_eq!(throughput(&[], &[1.0], false).verdict, Verdict::NotComparable);
        assert_eq!(throughput(&[0.0, 1.0], &[1.0, 1.0], true).verdict, Verdict::NotComparable);
        let one = throughput(&[2.0], &[1.0], true);
        assert_eq!((one.verdict, one.ratio.has_interval()), (Verdict::NoDifferenceShown, false));
    }

    #[test]
    fn two_estimates_are_compared_by_their_intervals() {
        let of = |value: f64, half: f64| Estimate {
            low: value - half,
            high: value + half,
            n: 60,
            method: Method::Intervals,
            ..Estimate::single(value, "ops/s")
        };
        assert_eq!(estimates(&of(110.0, 1.0), &of(100.0, 1.0), Better::Higher).verdict, Verdict::Better);
        assert_eq!(estimates(&of(110.0, 9.0), &of(100.0, 9.0), Better::Higher).verdict, Verdict::NoDifferenceShown);
    }

    fn figures() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(1e-3f64..1e9, 1..6)
    }

    proptest! {
        #[test]
        fn swapping_the_subjects_inverts_the_ratio_and_the_verdict(a in figures(), b in figures(), paired: bool) {
            let (there, back) = (throughput(&a, &b, paired), throughput(&b, &a, paired));
            let near = |x: f64, y: f64| (x.ln() - y.ln()).abs() < 1e-6 || x <= f64::MIN_POSITIVE || x >= f64::MAX;
            prop_assert!(near(there.ratio.value, 1.0 / back.ratio.value));
            prop_assert!(near(there.ratio.low, 1.0 / back.ratio.high));
            prop_assert!((there.verdict == Verdict::Better) == (back.verdict == Verdict::Worse));
        }

        #[test]
        fn gain_and_reduction_say_the_same(a in 1e-3f64..1e6, b in 1e-3f64..1e6) {
            let (superior, inferior) = (a.max(b), a.min(b));
            let gain = gain_percent(superior, inferior) / 100.0;
            let reduction = reduction_percent(inferior, superior) / 100.0;
            prop_assert!(((1.0 + gain) * (1.0 - reduction) - 1.0).abs() < 1e-9);
            prop_assert!(gain >= 0.0 && (0.0..1.0).contains(&reduction));
        }

        #[test]
        fn an_interval_holds_its_value_and_is_never_nan(a in figures(), b in figures(), paired: bool) {
            let ratio = throughput(&a, &b, paired).ratio;
            prop_assert!(ratio.low <= ratio.value && ratio.value <= ratio.high);
        }
    }
}
