//! Statements about the course over the points: "the advantage grows", "more linear".

use crate::table::{FigureTable, PublishedFigure};
use crate::{AuditVerdict, ComputedKind, Formula, Judgement, Missing, PublishedStatement};
use dyno_core::stats::Better;

/// The quantity of a trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// The advantage over each rival does not fall from one point to the next, and is greater at
    /// the last than at the first.
    AdvantageGrows,
    /// The same of the subject's own figure.
    Grows,
    /// The deviations from the straight line of least squares, relative to the mean, are smaller
    /// than each rival's.
    MoreLinear,
    /// The greatest figure divided by the least is smaller than each rival's.
    Flatter,
    /// The figure's improvement from the first point to the last is greater than each rival's.
    ScalesBetter,
}

/// A stated trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedTrend {
    /// Its quantity.
    pub trend: Trend,
    /// The opposite is stated: it shrinks, it is less linear.
    pub is_opposite: bool,
    /// The formula of an advantage; if there is none, any for which it is true.
    pub formula: Option<ComputedKind>,
}

impl Trend {
    /// The rule by which it is judged.
    pub fn rule(self, is_opposite: bool) -> &'static str {
        match (self, is_opposite) {
            (Trend::AdvantageGrows | Trend::Grows, false) => {
                "rule: it falls from no point to the next, and is greater at the last than at the \
                 first"
            }
            (Trend::AdvantageGrows | Trend::Grows, true) => {
                "rule: it rises from no point to the next, and is less at the last than at the \
                 first"
            }
            (Trend::MoreLinear, _) => {
                "rule: root mean square of the deviations from the straight line of least \
                 squares, divided by the mean; the smaller the more linear"
            }
            (Trend::Flatter, _) => {
                "rule: the greatest figure divided by the least; the smaller the flatter"
            }
            (Trend::ScalesBetter, _) => {
                "rule: the better of the figures at the first and the last point divided by the \
                 other, as a gain; the greater the better"
            }
        }
    }
}

/// The computation of a trend.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendFinding {
    /// The trend.
    pub stated: StatedTrend,
    /// Each series by its name, with its values by point; a single value has no point.
    pub series: Vec<(String, Vec<(String, PublishedFigure)>)>,
    /// The quantity of the values; None if they have no unit.
    pub kind: Option<ComputedKind>,
    /// True only of the difference, and not of the gain.
    pub only_as_difference: bool,
    /// The points at which it is not so: the rival's name, the point and the one before it.
    pub broken: Vec<(String, String, String)>,
}

/// One series' relation to a trend, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Opposite at every step.
    Opposite,
    /// Opposite at some.
    Broken,
    /// Within the rounding of the figures.
    Open,
    Reached,
}

/// Judges a trend over the statement's points.
pub fn judge(table: &FigureTable, stated: &PublishedStatement, trend: StatedTrend) -> Judgement {
    let points = in_order(&stated.points);
    match trend.trend {
        Trend::AdvantageGrows => {
            let kinds = match trend.formula {
                Some(kind) => vec![kind],
                None => vec![ComputedKind::Relative(Formula::Gain), ComputedKind::Difference],
            };
            let found = kinds.into_iter().map(|kind| grows(table, stated, trend, kind, &points));
            // In favour of the statement: the formula for which it is true.
            let pick = |gain: Judgement, mut difference: Judgement| {
                if difference.verdict() >= gain.verdict() {
                    return gain;
                }
                if let Some(trend) = &mut difference.trend {
                    trend.only_as_difference = true;
                }
                difference
            };
            found.reduce(pick).unwrap_or_default()
        }
        Trend::Grows => grows(table, stated, trend, ComputedKind::Value, &points),
        Trend::MoreLinear | Trend::Flatter | Trend::ScalesBetter => {
            compared(table, stated, trend, &points)
        }
    }
}

/// By value if all are numbers.
fn in_order(points: &[String]) -> Vec<String> {
    let mut all = points.to_vec();
    let value = |p: &String| p.parse::<f64>().unwrap_or(f64::NAN);
    if all.iter().all(|p| value(p).is_finite()) {
        all.sort_by(|a, b| value(a).total_cmp(&value(b)));
    }
    all
}

fn grows(
    table: &FigureTable,
    stated: &PublishedStatement,
    trend: StatedTrend,
    kind: ComputedKind,
    points: &[String],
) -> Judgement {
    let rivals: Vec<Option<&String>> = match kind {
        ComputedKind::Value => vec![None],
        _ => stated.rivals.iter().map(Some).collect(),
    };
    let mut finding = TrendFinding {
        stated: trend,
        series: Vec::new(),
        kind: Some(kind),
        broken: Vec::new(),
        only_as_difference: false,
    };
    let mut missing = Vec::new();
    let mut worst: Option<Standing> = None;
    for rival in rivals {
        let mut series = Vec::new();
        for at in points {
            let rival_name = rival.map(String::as_str);
            let cell = table.cell(&stated.subject, rival_name, at, kind, stated.better);
            match cell.and_then(|c| Some((c.value(kind)?, c.range(kind)?))) {
                Some((value, (low, high))) => {
                    let decimals = table.figure(&stated.subject, at).and_then(|f| f.decimals);
                    let decimals = decimals.filter(|_| kind == ComputedKind::Value);
                    series.push((at.clone(), PublishedFigure { value, low, high, decimals }));
                }
                None => missing.push(Missing { at: at.clone(), rival: rival.cloned() }),
            }
        }
        let name = rival.cloned().unwrap_or_else(|| stated.subject.clone());
        if series.len() > 1 {
            let (standing, broken) = course(&series, trend.is_opposite);
            let of = |(at, from): (String, String)| (name.clone(), at, from);
            finding.broken.extend(broken.into_iter().map(of));
            worst = Some(worst.map_or(standing, |w| w.min(standing)));
        }
        finding.series.push((name, series));
    }
    concluded(table, stated, finding, worst, missing)
}

/// The steps against the stated direction.
fn course(
    series: &[(String, PublishedFigure)],
    is_opposite: bool,
) -> (Standing, Vec<(String, String)>) {
    let turned = |f: PublishedFigure| if is_opposite { f.negated() } else { f };
    let figures: Vec<PublishedFigure> = series.iter().map(|(_, f)| turned(*f)).collect();
    let steps = figures.windows(2).zip(series.windows(2));
    let (mut open, mut broken) = (false, Vec::new());
    for (pair, names) in steps {
        let tolerance = 1e-9 * pair[0].value.abs();
        if pair[1].value >= pair[0].value - tolerance {
            continue;
        }
        match pair[1].high >= pair[0].low {
            true => open = true,
            false => broken.push((names[1].0.clone(), names[0].0.clone())),
        }
    }
    let (first, last) = (figures[0], figures[figures.len() - 1]);
    let standing = match () {
        _ if broken.len() == figures.len() - 1 => Standing::Opposite,
        _ if !broken.is_empty() => Standing::Broken,
        _ if last.value <= first.value && last.high <= first.low => Standing::Opposite,
        _ if open || last.value <= first.value => Standing::Open,
        _ => Standing::Reached,
    };
    (standing, broken)
}

/// One value of each subject, compared.
fn compared(
    table: &FigureTable,
    stated: &PublishedStatement,
    trend: StatedTrend,
    points: &[String],
) -> Judgement {
    let kind = match trend.trend {
        Trend::MoreLinear => Some(ComputedKind::Share(true)),
        Trend::Flatter => Some(ComputedKind::Share(false)),
        _ => Some(ComputedKind::Relative(Formula::Gain)),
    };
    let mut finding = TrendFinding {
        stated: trend,
        series: Vec::new(),
        kind,
        broken: Vec::new(),
        only_as_difference: false,
    };
    let mut missing = Vec::new();
    let all_needed = if trend.trend == Trend::MoreLinear { 3 } else { 2 };
    let mut own = None;
    let mut standings = Vec::new();
    for name in std::iter::once(&stated.subject).chain(&stated.rivals) {
        let figures: Vec<(f64, f64)> = points
            .iter()
            .enumerate()
            .filter_map(|(i, at)| {
                let x = at.parse().unwrap_or(i as f64);
                Some((x, table.figure(name, at)?.value))
            })
            .collect();
        for at in points.iter().filter(|at| table.figure(name, at).is_none()) {
            let rival = (*name != stated.subject).then(|| name.clone());
            missing.push(Missing { at: at.clone(), rival });
        }
        let value = match trend.trend {
            _ if figures.len() < all_needed => None,
            Trend::MoreLinear => deviation(&figures).map(|d| d * 100.0),
            Trend::Flatter => spread(&figures),
            _ => improvement(&figures, stated.better),
        };
        let Some(value) = value else { continue };
        finding.series.push((name.clone(), vec![(String::new(), PublishedFigure::exact(value))]));
        let Some(own_value) = own else {
            if *name == stated.subject {
                own = Some(value);
            }
            continue;
        };
        let less_is_more = trend.trend != Trend::ScalesBetter;
        let is_so = if less_is_more { own_value < value } else { own_value > value };
        standings.push(if is_so != trend.is_opposite {
            Standing::Reached
        } else {
            Standing::Opposite
        });
        if is_so == trend.is_opposite {
            finding.broken.push((name.clone(), String::new(), String::new()));
        }
    }
    let reached = standings.iter().filter(|s| **s == Standing::Reached).count();
    let worst = match reached {
        _ if standings.is_empty() => None,
        n if n == standings.len() => Some(Standing::Reached),
        0 => Some(Standing::Opposite),
        _ => Some(Standing::Broken),
    };
    concluded(table, stated, finding, worst, missing)
}

fn concluded(
    table: &FigureTable,
    stated: &PublishedStatement,
    finding: TrendFinding,
    worst: Option<Standing>,
    missing: Vec<Missing>,
) -> Judgement {
    let absent: Vec<String> = stated.rivals.iter().filter(|r| !table.has(r)).cloned().collect();
    let absent = if finding.kind == Some(ComputedKind::Value) { Vec::new() } else { absent };
    let has_any = stated.points.iter().any(|at| table.figure(&stated.subject, at).is_some());
    let verdict = match worst {
        Some(Standing::Broken) => AuditVerdict::Contradicted,
        Some(Standing::Opposite) => AuditVerdict::Inflated,
        None if has_any => AuditVerdict::Incomplete,
        None => AuditVerdict::CannotBeVerified,
        _ if !missing.is_empty() || !absent.is_empty() => AuditVerdict::Incomplete,
        Some(Standing::Open) => AuditVerdict::MayHold,
        Some(Standing::Reached) => AuditVerdict::Holds,
    };
    let is_incomplete = verdict == AuditVerdict::Incomplete;
    Judgement {
        verdicts: vec![verdict],
        exact: true,
        trend: Some(finding),
        missing: if is_incomplete { missing } else { Vec::new() },
        absent: if is_incomplete { absent } else { Vec::new() },
        ..Judgement::default()
    }
}

/// Root mean square of the deviations from the line of least squares ÷ mean.
fn deviation(figures: &[(f64, f64)]) -> Option<f64> {
    let n = figures.len() as f64;
    let mean = |part: &dyn Fn(&(f64, f64)) -> f64| figures.iter().map(part).sum::<f64>() / n;
    let (x, y) = (mean(&|f| f.0), mean(&|f| f.1));
    let square = mean(&|f| (f.0 - x).powi(2));
    if square == 0.0 || y == 0.0 {
        return None;
    }
    let slope = mean(&|f| (f.0 - x) * (f.1 - y)) / square;
    let residue = mean(&|f| (f.1 - y - slope * (f.0 - x)).powi(2));
    Some(residue.sqrt() / y.abs())
}

fn spread(figures: &[(f64, f64)]) -> Option<f64> {
    let least = figures.iter().map(|f| f.1).fold(f64::INFINITY, f64::min);
    let most = figures.iter().map(|f| f.1).fold(f64::NEG_INFINITY, f64::max);
    (least > 0.0).then(|| most / least)
}

fn improvement(figures: &[(f64, f64)], better: Better) -> Option<f64> {
    let (first, last) = (figures.first()?.1, figures.last()?.1);
    let times = if better == Better::Higher { last / first } else { first / last };
    (first > 0.0 && last > 0.0).then(|| Formula::Gain.of(times))
}
