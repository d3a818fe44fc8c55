//! A quotient that no table has, computed from the document's own statements about its two parts:
//! energy follows from power and speed, because energy is power × time.

use super::table::{FigureTable, PublishedFigure};
use super::{AuditVerdict, ComputedKind, Filed, Judgement, PublishedStatement, judge};
use dyno_core::stats::Better;

/// The basis of a judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The indices of the statements about dividend and divisor.
    pub statements: [usize; 2],
    /// The subject's figure divided by the rival's, for each of the two.
    pub times: [PublishedFigure; 2],
}

/// Judges each statement about a quotient without data by the document's statements about its
/// parts. `parts` returns a quotient's two metrics.
pub fn from_statements<'a>(
    filed: &[Filed<'a>],
    judged: &mut [Judgement],
    parts: &dyn Fn(&str) -> Option<[&'a str; 2]>,
) {
    for index in 0..filed.len() {
        let Some([over, under]) = parts(filed[index].metric) else { continue };
        if judged[index].verdict() != AuditVerdict::CannotBeVerified {
            continue;
        }
        let part = |metric: &str| {
            let fits =
                |other: &Filed<'_>| other.metric == metric && is_of_the_same(filed, index, other);
            let found = filed.iter().position(fits)?;
            Some((found, times(filed[found].stated)?))
        };
        let (Some((over, a)), Some((under, b))) = (part(over), part(under)) else { continue };
        let derived = Derived { statements: [over, under], times: [a, b] };
        if let Some(found) = by(filed[index].stated, derived) {
            judged[index] = found;
        }
    }
}

fn is_of_the_same(filed: &[Filed<'_>], index: usize, other: &Filed<'_>) -> bool {
    let (a, b) = (filed[index].stated, other.stated);
    let anywhere = !a.names_points || !b.names_points;
    filed[index].data == other.data
        && (&a.subject, &a.rivals) == (&b.subject, &b.rivals)
        && a.rivals.len() == 1
        && (anywhere || a.points == b.points)
}

fn by(stated: &PublishedStatement, derived: Derived) -> Option<Judgement> {
    let quotient = derived.times[0].over(derived.times[1])?;
    let at = stated.points.first().cloned().unwrap_or_default();
    let rival = stated.rivals.first()?;
    let mut table = FigureTable { points: vec![at.clone()], ..FigureTable::default() };
    for (subject, figure) in [(&stated.subject, quotient), (rival, PublishedFigure::exact(1.0))] {
        table.figures.insert(subject.clone(), [(at.clone(), figure)].into());
    }
    let judged = judge(&table, &PublishedStatement { points: vec![at], ..stated.clone() });
    Some(Judgement { derived: Some(derived), ..judged })
}

/// The subject's figure divided by the rival's, with the tolerance of the stated digits.
fn times(stated: &PublishedStatement) -> Option<PublishedFigure> {
    let amount = stated.amount?;
    let (low, high) = amount.range();
    let of = |value: f64| match (amount.kind, stated.towards) {
        (ComputedKind::Relative(formula), Better::Higher) => Some(formula.times(value)),
        (ComputedKind::Relative(formula), Better::Lower) => Some(1.0 / formula.times(value)),
        (ComputedKind::Share(percent), _) => Some(if percent { value / 100.0 } else { value }),
        _ => None,
    };
    let (one, two) = (of(low)?, of(high)?);
    let figure = PublishedFigure {
        value: of(amount.value)?,
        low: one.min(two),
        high: one.max(two),
        decimals: None,
    };
    (figure.low > 0.0 && figure.high.is_finite()).then_some(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, Formula, Wording};

    fn stated(value: f64, unit: f64, formula: Formula, better: Better) -> PublishedStatement {
        let kind = ComputedKind::Relative(formula);
        PublishedStatement {
            subject: "A".into(),
            amount: Some(Amount::plain(value, unit, kind)),
            wording: Wording::Direction,
            towards: better,
            must_equal: false,
            average: false,
            points: Vec::new(),
            names_points: false,
            every_point: false,
            several_points: false,
            rivals: vec!["B".into()],
            names_rivals: true,
            every_rival: true,
            up_to: false,
            better,
            of_a_rival: false,
            as_change: false,
        }
    }

    /// The verdict on an energy stated together with 27 % less power and 15 % more speed.
    fn energy(percent: f64) -> (AuditVerdict, f64) {
        let all = [
            ("watts", stated(27.0, 1.0, Formula::Reduction, Better::Lower)),
            ("ops_per_s", stated(15.0, 1.0, Formula::Gain, Better::Higher)),
            ("energy", stated(percent, 0.1, Formula::Reduction, Better::Lower)),
        ];
        let filed: Vec<Filed<'_>> =
            all.iter().map(|(metric, stated)| Filed { data: "d", metric, stated }).collect();
        let unknown =
            || Judgement { verdicts: vec![AuditVerdict::CannotBeVerified], ..Default::default() };
        let mut judged = vec![unknown(), unknown(), unknown()];
        let parts = |metric: &str| (metric == "energy").then_some(["watts", "ops_per_s"]);
        from_statements(&filed, &mut judged, &parts);
        assert_eq!(judged[0].verdict(), AuditVerdict::CannotBeVerified, "a part is not derived");
        let about = judged[2].about.as_ref().expect("computed");
        (judged[2].verdict(), about.value(ComputedKind::Relative(Formula::Reduction)).unwrap())
    }

    #[test]
    fn energy_is_power_times_time() {
        let (verdict, computed) = energy(36.5);
        assert_eq!((verdict, (computed * 100.0).round()), (AuditVerdict::Holds, 3652.0));
        assert_eq!(energy(37.5).0, AuditVerdict::MayHold, "27 and 15 % are rounded themselves");
        assert_eq!(energy(42.0).0, AuditVerdict::Inflated, "27 and 15 are not added");
    }
}
