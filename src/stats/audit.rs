//! Published claims held against the numbers that they were made from: each is computed again and judged.
//!
//! A claim says that its subject is better by so much, perhaps at a point of the sweep, perhaps against one rival. What
//! it leaves open is searched: without a rival all rivals count, without a point all points.

use super::Better;
use super::compare::{gain_percent, reduction_percent};

/// One published figure, with what its own rounding leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub value: f64,
    /// Half a unit of the last digit printed.
    pub rounding: f64,
}

/// One figure of every subject at every point.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// (subject, point, figure), in the order published.
    pub rows: Vec<(String, String, Figure)>,
}

/// How "by how much" is computed.
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
    pub const ALL: [Formula; 3] = [Formula::Gain, Formula::Reduction, Formula::Factor];

    pub fn name(self) -> &'static str {
        match self {
            Formula::Gain => "gain",
            Formula::Reduction => "reduction",
            Formula::Factor => "factor",
        }
    }

    /// Of a pair, where the subject is `ratio` times as good as its rival.
    fn of(self, ratio: f64) -> f64 {
        match self {
            Formula::Gain => gain_percent(ratio, 1.0),
            Formula::Reduction => reduction_percent(1.0, ratio),
            Formula::Factor => ratio,
        }
    }
}

/// What is claimed of `subject`.
#[derive(Clone, Debug)]
pub struct Stated {
    pub subject: String,
    /// Nothing where the claim is only that it is better.
    pub value: Option<f64>,
    /// Digits after the point, as printed.
    pub decimals: u32,
    pub formula: Formula,
    /// Where, if the claim says.
    pub at: Option<String>,
    /// Against whom, if the claim says.
    pub against: Option<String>,
    /// The claim is of a maximum.
    pub up_to: bool,
    pub better: Better,
}

/// One subject against one rival at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub rival: String,
    pub at: String,
    pub own: Figure,
    pub other: Figure,
    /// How many times as good the subject is; below 1 it is worse.
    pub ratio: f64,
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    RoundsUp,
    WrongPoint,
    WrongRival,
    WrongFormula,
    /// The stated value is nowhere, or the subject is worse where it should be better.
    Contradicted,
    CannotBeVerified,
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::RoundsUp => "rounds up",
            Verdict::WrongPoint => "wrong point",
            Verdict::WrongRival => "wrong rival",
            Verdict::WrongFormula => "wrong formula",
            Verdict::Contradicted => "contradicted",
            Verdict::CannotBeVerified => "can't be verified from the data given",
        }
    }
}

/// A claim, computed again. The verdicts are all that apply, the gravest first.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub verdicts: Vec<Verdict>,
    /// The pair that the claim is about.
    pub about: Option<Pair>,
    /// The best pair, where the claim is of a maximum and has another.
    pub maximum: Option<Pair>,
    /// Where, and by which formula, the stated value does occur, if not where stated.
    pub occurs: Vec<(Pair, Formula)>,
    /// Where the subject is worse.
    pub worse: Vec<Pair>,
}

impl Pair {
    pub fn by(&self, formula: Formula) -> f64 {
        formula.of(self.ratio)
    }

    /// What the rounding of the two printed figures leaves open.
    pub fn range(&self, formula: Formula, better: Better) -> (f64, f64) {
        let at = |own: f64, other: f64| match better {
            Better::Higher => formula.of(own / other),
            Better::Lower => formula.of(other / own),
        };
        let (up, down) = (self.own.rounding, self.other.rounding);
        let ends = [at(self.own.value + up, self.other.value - down), at(self.own.value - up, self.other.value + down)];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    }
}

/// Every pair of the subject with a rival at a point that both have.
pub fn pairs(table: &Table, subject: &str, better: Better) -> Vec<Pair> {
    let own = |at: &str| table.rows.iter().find(|(name, point, _)| name == subject && point == at).map(|r| r.2);
    let rivals = table.rows.iter().filter(|(name, ..)| name != subject);
    let pair = |(rival, at, other): &(String, String, Figure)| {
        let own = own(at).filter(|f| f.value > 0.0 && other.value > 0.0)?;
        let ratio = match better {
            Better::Higher => own.value / other.value,
            Better::Lower => other.value / own.value,
        };
        Some(Pair { rival: rival.clone(), at: at.clone(), own, other: *other, ratio })
    };
    rivals.filter_map(pair).collect()
}

pub fn judge(table: &Table, stated: &Stated) -> Judgement {
    let all = pairs(table, &stated.subject, stated.better);
    let fits_rival = |p: &&Pair| stated.against.as_ref().is_none_or(|r| *r == p.rival);
    let fits_point = |p: &&Pair| stated.at.as_ref().is_none_or(|at| *at == p.at);
    let best = |pairs: &mut dyn Iterator<Item = &Pair>| pairs.max_by(|a, b| a.ratio.total_cmp(&b.ratio)).cloned();
    let about = best(&mut all.iter().filter(fits_rival).filter(fits_point));
    let Some(about) = about else {
        let verdicts = vec![Verdict::CannotBeVerified];
        return Judgement { verdicts, about: None, maximum: None, occurs: Vec::new(), worse: Vec::new() };
    };
    // A claim without a number is of every point and rival that it does not rule out.
    let in_scope: Vec<Pair> = match stated.value {
        None => all.iter().filter(fits_rival).filter(fits_point).cloned().collect(),
        Some(_) => all.clone(),
    };
    let worse: Vec<Pair> = in_scope.into_iter().filter(|p| p.ratio < 1.0).collect();
    let Some(value) = stated.value else {
        let verdict = if worse.is_empty() { Verdict::Holds } else { Verdict::Contradicted };
        return Judgement { verdicts: vec![verdict], about: Some(about), maximum: None, occurs: Vec::new(), worse };
    };
    let reading = read(value, stated.decimals, about.by(stated.formula));
    let elsewhere = |p: &Pair| read(value, stated.decimals, p.by(stated.formula)) == Reading::Same;
    let maximum = best(&mut all.iter().filter(fits_rival)).filter(|m| stated.up_to && *m != about);
    let mut verdicts = Vec::new();
    let mut occurs = Vec::new();
    if reading == Reading::Above {
        let other_formula = Formula::ALL.into_iter().find(|f| {
            *f != stated.formula
                && read(value, stated.decimals, about.by(*f)) != Reading::Above
                && about.ratio > 1.0
                && near(value, stated.decimals, about.by(*f))
        });
        occurs.extend(other_formula.map(|f| (about.clone(), f)));
        occurs.extend(all.iter().filter(|p| elsewhere(p)).map(|p| (p.clone(), stated.formula)));
        verdicts.push(match occurs.first() {
            Some((_, formula)) if *formula != stated.formula => Verdict::WrongFormula,
            Some((p, _)) if p.rival == about.rival || stated.against.is_none() => Verdict::WrongPoint,
            Some(_) => Verdict::WrongRival,
            None => Verdict::Contradicted,
        });
    } else if maximum.is_some() {
        verdicts.push(Verdict::WrongPoint);
    }
    if near(value, stated.decimals, about.by(stated.formula)) && value > about.by(stated.formula) + 1e-9 {
        verdicts.push(Verdict::RoundsUp);
    }
    if verdicts.is_empty() {
        verdicts.push(Verdict::Holds);
    }
    Judgement { verdicts, about: Some(about), maximum, occurs, worse }
}

/// How a stated value reads beside the computed one.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    /// Rounded, up or down, they are the same.
    Same,
    Below,
    Above,
}

/// Half a unit of the last digit stated.
fn near(stated: f64, decimals: u32, computed: f64) -> bool {
    (stated - computed).abs() <= 0.5 * 0.1f64.powi(decimals as i32) + 1e-9
}

/// A claim may be cut off rather than rounded: 58 for 58.6 understates, and stands.
fn read(stated: f64, decimals: u32, computed: f64) -> Reading {
    let unit = 0.1f64.powi(decimals as i32);
    match stated {
        _ if near(stated, decimals, computed) => Reading::Same,
        _ if stated < computed && computed - stated < unit => Reading::Same,
        _ if stated < computed => Reading::Below,
        _ => Reading::Above,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, &str, f64)]) -> Table {
        let figure = |value| Figure { value, rounding: 0.5 };
        Table { rows: rows.iter().map(|(s, at, v)| (s.to_string(), at.to_string(), figure(*v))).collect() }
    }

    fn stated(value: f64, formula: Formula) -> Stated {
        Stated {
            subject: "A".into(),
            value: Some(value),
            decimals: 0,
            formula,
            at: Some("96".into()),
            against: Some("B".into()),
            up_to: false,
            better: Better::Lower,
        }
    }

    /// Latencies: A is 58.6 % (or, the other way round, 36.9 %) better than B at 96, and worse than C at 128.
    fn latencies() -> Table {
        table(&[
            ("A", "96", 169.0),
            ("B", "96", 268.0),
            ("C", "96", 249.0),
            ("A", "128", 417.0),
            ("B", "128", 454.0),
            ("C", "128", 399.0),
        ])
    }

    #[track_caller]
    fn verdicts(stated: &Stated) -> Vec<Verdict> {
        judge(&latencies(), stated).verdicts
    }

    #[test]
    fn one_pair_of_latencies_is_59_percent_by_one_formula_and_37_by_the_other() {
        assert_eq!(verdicts(&stated(58.0, Formula::Gain)), [Verdict::Holds]);
        assert_eq!(verdicts(&stated(59.0, Formula::Gain)), [Verdict::RoundsUp]);
        assert_eq!(verdicts(&stated(36.0, Formula::Reduction)), [Verdict::Holds]);
        assert_eq!(verdicts(&stated(59.0, Formula::Reduction)), [Verdict::WrongFormula]);
    }

    #[test]
    fn a_value_of_another_point_or_rival_is_found_there() {
        let of_c = stated(47.0, Formula::Gain);
        assert_eq!(verdicts(&of_c), [Verdict::Holds]);
        let at_128 = Stated { at: Some("128".into()), ..stated(58.0, Formula::Gain) };
        assert_eq!(verdicts(&at_128), [Verdict::WrongPoint]);
        let against_c = Stated { against: Some("C".into()), ..stated(58.0, Formula::Gain) };
        let judged = judge(&latencies(), &against_c);
        assert_eq!((&judged.verdicts[..], judged.occurs[0].0.rival.as_str()), (&[Verdict::WrongRival][..], "B"));
        assert_eq!(verdicts(&stated(90.0, Formula::Gain)), [Verdict::Contradicted]);
    }

    #[test]
    fn that_it_is_better_everywhere_is_contradicted_where_it_is_worse() {
        let everywhere = Stated { value: None, at: None, against: None, ..stated(0.0, Formula::Gain) };
        let judged = judge(&latencies(), &everywhere);
        assert_eq!(judged.verdicts, [Verdict::Contradicted]);
        assert_eq!((judged.worse[0].rival.as_str(), judged.worse[0].at.as_str()), ("C", "128"));
        assert_eq!(verdicts(&Stated { at: Some("96".into()), ..everywhere.clone() }), [Verdict::Holds]);
        assert_eq!(verdicts(&Stated { at: Some("7".into()), ..everywhere }), [Verdict::CannotBeVerified]);
    }

    #[test]
    fn a_maximum_elsewhere_is_the_wrong_point() {
        let rates = table(&[("A", "96", 754.0), ("B", "96", 626.0), ("A", "128", 886.0), ("B", "128", 721.0)]);
        let at_96 = Stated { better: Better::Higher, up_to: true, ..stated(20.0, Formula::Gain) };
        let judged = judge(&rates, &at_96);
        assert_eq!(judged.verdicts, [Verdict::WrongPoint]);
        assert_eq!(judged.maximum.map(|p| p.at), Some("128".into()));
        let at_128 = Stated { at: Some("128".into()), value: Some(22.0), ..at_96 };
        assert_eq!(judge(&rates, &at_128).verdicts, [Verdict::Holds]);
    }

    #[test]
    fn what_printed_figures_leave_open_is_known() {
        let pair = &pairs(&latencies(), "A", Better::Lower)[0];
        let (low, high) = pair.range(Formula::Gain, Better::Lower);
        assert!(low < 58.0 && (58.5..59.5).contains(&high), "{low} to {high}");
    }
}
