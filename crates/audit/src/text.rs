//! Verdicts on published statements as text, with their calculation.

pub use crate::audit_data::{AuditMetric, PublishedFigures};
use crate::{
    Amount, AuditVerdict, CLOSE_PERCENT, ComputedKind, FigureCell, Formula, GivenFrom, Judgement,
    Missing, PublishedFigure, PublishedStatement, Trend, TrendFinding, Wording, says,
};
use dyno_core::base::units;
use dyno_core::stats::Better;
use dyno_core::stats::percent::{cut_off, rounded_out};
use dyno_report::brief::block::Block;

/// Maximum number of cells listed for a reader.
const MOST_LISTED: usize = 8;

/// A narrower range of percentages is not worth a line.
const NARROW_PERCENT: f64 = 0.3;

/// A judged statement, to be expressed as text.
pub struct AuditFinding<'a> {
    /// The stated value.
    pub stated: &'a PublishedStatement,
    /// Its judgement.
    pub judged: &'a Judgement,
    /// Its metric.
    pub metric: AuditMetric<'a>,
    /// The kind of point, such as "threads".
    pub at_label: &'a str,
    /// The missing data, if nothing can be computed.
    pub lacking: String,
    /// The words of a statement of the document, by index.
    pub words: &'a dyn Fn(usize) -> String,
}

/// A statement by number, with its verdict and a line for each finding.
pub fn statement(number: usize, words: &str, verdict: &str, lines: Vec<String>) -> Vec<Block> {
    let heading = Block::chapter(format!("{number}. “{words}”"));
    let mut blocks = vec![heading, Block::lead(verdict.to_uppercase())];
    if !lines.is_empty() {
        blocks.push(Block::list(lines));
    }
    blocks
}

/// The judgement's verdict, and a line for each finding.
pub fn describe(finding: &AuditFinding<'_>) -> (String, Vec<String>) {
    let (stated, judged) = (finding.stated, finding.judged);
    let verdicts: Vec<&str> = judged.verdicts.iter().map(|v| v.words()).collect();
    let mut lines = finding.about();
    lines.extend(finding.off_by());
    lines.extend(finding.convention());
    lines.extend(judged.trend.iter().flat_map(|trend| finding.course(trend)));
    if let Some(maximum) = &judged.maximum {
        lines.push(format!("the maximum is elsewhere: {}", finding.sum(maximum, finding.kind())));
    }
    let occurs = judged.occurs.iter().map(|(cell, kind)| finding.sum(cell, *kind));
    lines.extend(listed("the stated value occurs: ", occurs.collect()));
    lines.extend(finding.by_the_other_formula());
    let short = if judged.verdict() == AuditVerdict::Tie { "the same: " } else { "not reached: " };
    lines.extend(listed(short, judged.short.iter().map(|c| finding.side_by_side(c)).collect()));
    let worse = format!("elsewhere {} is worse: ", stated.subject);
    lines.extend(listed(&worse, judged.worse.iter().map(|c| finding.side_by_side(c)).collect()));
    lines.extend(finding.not_in_the_data());
    lines.extend(finding.derived());
    for other in &judged.elsewhere {
        lines.push(format!(
            "statement {} has the same figure at another point: “{}”",
            other + 1,
            (finding.words)(*other)
        ));
    }
    for other in &judged.others {
        lines.push(format!(
            "statement {} says otherwise: “{}”",
            other + 1,
            (finding.words)(*other)
        ));
    }
    (verdicts.join("; "), lines)
}

fn listed(begin: &str, mut items: Vec<String>) -> Vec<String> {
    let more = items.len().saturating_sub(MOST_LISTED);
    items.truncate(MOST_LISTED);
    let mut lines: Vec<String> = items.into_iter().map(|item| format!("{begin}{item}")).collect();
    if more > 0 {
        lines.push(format!("{begin}{more} more"));
    }
    lines
}

impl AuditFinding<'_> {
    fn kind(&self) -> ComputedKind {
        self.stated.amount.map_or(ComputedKind::Difference, |a| a.kind)
    }

    /// The deciding cell, and its uncertainty.
    fn about(&self) -> Vec<String> {
        let Some(cell) = &self.judged.about else {
            if self.judged.trend.is_some()
                && self.judged.verdict() != AuditVerdict::CannotBeVerified
            {
                return Vec::new();
            }
            let is_said = self.judged.verdicts.contains(&AuditVerdict::Incomplete);
            return if is_said { Vec::new() } else { vec![self.lacking.clone()] };
        };
        let Some(amount) = self.stated.amount else {
            return if self.judged.short.contains(cell) {
                Vec::new()
            } else {
                vec![self.side_by_side(cell)]
            };
        };
        let mut lines = vec![self.sum(cell, amount.kind)];
        let verdict = self.judged.verdict();
        if verdict == AuditVerdict::RoundedUp {
            lines.push(self.weaker(cell, amount));
        }
        if !verdict.is_fine() && cell.is_worse() && amount.kind != ComputedKind::Value {
            let how = if self.stated.says_worse() { "better" } else { "worse" };
            lines.push(format!("opposite in direction: {} is {how} there", self.stated.subject));
        }
        if verdict == AuditVerdict::Inflated
            && self.stated.of_a_rival
            && amount.kind == ComputedKind::Value
        {
            lines.push(format!("{} is stated as worse than it is", self.stated.subject));
        }
        if verdict == AuditVerdict::Inflated && self.stated.must_equal {
            let value = cell.value(amount.kind).unwrap_or(amount.value);
            if (value < amount.value) == (self.stated.towards == Better::Lower) {
                lines.push(format!("{} is stated as better than it is", self.stated.subject));
            }
        }
        lines.extend(self.open(cell, amount, verdict));
        lines
    }

    /// The power of ten between the stated and the computed value.
    fn off_by(&self) -> Option<String> {
        let power = self.judged.power?;
        let times = units::grouped(10u64.pow(power.unsigned_abs()));
        Some(match power > 0 {
            true => format!("the stated value times {times} is the computed one"),
            false => format!("the stated value divided by {times} is the computed one"),
        })
    }

    /// The convention by which "similar" and "slightly" are judged.
    fn convention(&self) -> Option<String> {
        let cell = self.judged.about.as_ref()?;
        let apart = cell.times().map(|times| Formula::Gain.of(times.max(1.0 / times)));
        let here = apart.map(|p| format!("; here {} %", cut_off(p, 2))).unwrap_or_default();
        match (self.stated.amount, self.stated.wording) {
            (None, Wording::Similar) => Some(format!(
                "rule: the greater is at most {CLOSE_PERCENT} % above the lesser{here}"
            )),
            (None, Wording::Slight) => Some(format!(
                "rule: in the stated direction, the greater at most {CLOSE_PERCENT} % above the \
                 lesser{here}"
            )),
            _ => None,
        }
    }

    /// The values of a trend, its rule, and where it is not so.
    fn course(&self, trend: &TrendFinding) -> Vec<String> {
        let unit = |kind: ComputedKind| self.unit(kind);
        let mut lines = Vec::new();
        for (name, values) in trend.series.iter().filter(|(_, values)| !values.is_empty()) {
            let kind = trend.kind.unwrap_or(ComputedKind::Value);
            let value = |(at, figure): &(String, PublishedFigure)| {
                let printed = match kind {
                    ComputedKind::Value | ComputedKind::Difference => self::figure(*figure),
                    _ => cut_off(figure.value, 2),
                };
                let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
                format!("{printed}{}{at}", unit(kind))
            };
            let values: Vec<String> = values.iter().map(value).collect();
            let own = *name == self.stated.subject;
            let of = if own { format!("of {name}") } else { format!("over {name}") };
            let of = match trend.stated.trend {
                Trend::AdvantageGrows if kind == ComputedKind::Difference => {
                    format!("difference {of}")
                }
                Trend::AdvantageGrows => format!("gain {of}"),
                Trend::Grows => format!("{} of {name}", self.metric.name),
                Trend::MoreLinear => format!("deviation of {name} from its line"),
                Trend::Flatter => format!("greatest ÷ least of {name}"),
                Trend::ScalesBetter => format!("improvement of {name}"),
            };
            lines.push(format!("{of}: {}", values.join(", ")));
        }
        if !lines.is_empty() {
            lines.push(trend.stated.trend.rule(trend.stated.is_opposite).to_string());
            lines.extend(trend.only_as_difference.then(|| "as a gain it is not so".to_string()));
        }
        let broken = trend.broken.iter().map(|(name, at, from)| match at.is_empty() {
            true => format!("not so against {name}"),
            false => {
                let how = if trend.stated.is_opposite { "rises" } else { "falls" };
                let against = match *name == self.stated.subject {
                    true => String::new(),
                    false => format!(" against {name}"),
                };
                format!("not so{against}: it {how} from {from} to {at} {}", self.at_label)
            }
        });
        lines.extend(listed("", broken.collect()));
        lines
    }

    /// The range of the printed figures' rounding.
    fn open(&self, cell: &FigureCell, amount: Amount, verdict: AuditVerdict) -> Option<String> {
        let (low, high) = cell.range(amount.kind)?;
        let is_percent = matches!(
            amount.kind,
            ComputedKind::Relative(Formula::Gain | Formula::Reduction) | ComputedKind::Share(true)
        );
        let is_wide =
            (is_percent && high - low > NARROW_PERCENT) || verdict == AuditVerdict::MayHold;
        let is_wide = is_wide && verdict != AuditVerdict::Units;
        let decimals = if is_percent { 1 } else { decimals_of(amount.unit) + 1 };
        let (low, high) = match self.is_fall(amount.kind) {
            false => (cut_off(low, decimals), rounded_out(high, decimals)),
            true => (
                format!("−{}", rounded_out(high, decimals)),
                format!("−{}", cut_off(low, decimals)),
            ),
        };
        let unit = self.unit(amount.kind);
        is_wide.then(|| {
            format!(
                "the printed figures are rounded themselves: anything from {low} to \
                     {high}{unit} fits them"
            )
        })
    }

    /// Rounded towards the weaker claim.
    fn weaker(&self, cell: &FigureCell, amount: Amount) -> String {
        let Some(value) = cell.value(amount.kind) else { return String::new() };
        let (unit, decimals) = (amount.unit, decimals_of(amount.unit));
        let weaker = match self.stated.is_bolder_upwards() {
            true => (value / unit + 1e-9).floor() * unit,
            false => (value / unit - 1e-9).ceil() * unit,
        };
        let sign = if self.is_fall(amount.kind) { "−" } else { "" };
        let weaker = number(weaker, decimals);
        format!("rounded towards the weaker claim it is {sign}{weaker}{}", self.unit(amount.kind))
    }

    /// Stated with its sign, for a metric that is better when lower.
    fn is_fall(&self, kind: ComputedKind) -> bool {
        self.stated.as_change && kind == ComputedKind::Relative(Formula::Reduction)
    }

    /// A percentage of a latency by the other formula, because the two differ widely.
    fn by_the_other_formula(&self) -> Option<String> {
        let cell = self.judged.about.as_ref()?;
        let other = match self.stated.amount?.kind {
            ComputedKind::Relative(Formula::Gain) => Formula::Reduction,
            ComputedKind::Relative(_) => Formula::Gain,
            _ => return None,
        };
        let is_said = self.judged.verdicts.contains(&AuditVerdict::WrongFormula);
        let is_given = cell.given.is_some() || self.stated.says_worse();
        if is_said || is_given || self.stated.better == Better::Higher || cell.is_worse() {
            return None;
        }
        Some(format!(
            "by the other formula: {} = {}",
            other.name(),
            self.calculation(cell, ComputedKind::Relative(other))
        ))
    }

    /// "96 threads against Kioxia CD8P-R, gain = 892,202 ÷ 735,861 − 1 = 21.24 %".
    fn sum(&self, cell: &FigureCell, kind: ComputedKind) -> String {
        let is_stated = self.stated.amount.is_some_and(|a| a.kind == kind);
        if let (true, true, Some((_, other))) = (self.stated.as_change, is_stated, &cell.against) {
            let (own, old) = (figure(cell.own), figure(*other));
            let percent = (cell.own.value / other.value - 1.0) * 100.0;
            let sign = if percent < 0.0 { "−" } else { "" };
            let result = cut_off(percent.abs(), 2);
            return format!(
                "{}, change = ({own} − {old}) ÷ {old} = {sign}{result} %",
                self.place(cell)
            );
        }
        let how = match kind {
            ComputedKind::Share(true) => "share",
            ComputedKind::Share(false) => "multiple",
            ComputedKind::Relative(formula) => formula.name(),
            ComputedKind::Difference => "difference",
            ComputedKind::Value => self.metric.name,
        };
        format!("{}, {how} = {}", self.place(cell), self.calculation(cell, kind))
    }

    fn calculation(&self, cell: &FigureCell, kind: ComputedKind) -> String {
        if let Some(given) = cell.given {
            let unit = self.unit(kind);
            return match given.from {
                GivenFrom::Published => {
                    format!("{}{unit}, published as a difference", figure(given.figure))
                }
                GivenFrom::MeanOf(n) => {
                    let value = cut_off(given.figure.value, 2);
                    format!("{value}{unit}, the mean of the results at {n} points")
                }
            };
        }
        let own = figure(cell.own);
        let Some((_, other)) = &cell.against else { return format!("{own}{}", self.unit(kind)) };
        let other = figure(*other);
        match kind {
            ComputedKind::Relative(formula) => {
                let result =
                    cell.times().map_or("not defined".to_string(), |times| formula.result(times));
                format!("{} = {result}", formula.calculation(cell.better, &own, &other))
            }
            ComputedKind::Share(percent) => {
                let value = cell.value(kind).unwrap_or(f64::NAN);
                let unit = if percent { "%" } else { "×" };
                format!("{own} ÷ {other} = {} {unit}", cut_off(value, 2))
            }
            _ => {
                let (from, less) =
                    if cell.better == Better::Higher { (own, other) } else { (other, own) };
                let decimals =
                    cell.against.as_ref().map_or(Some(0), |a| cell.own.decimals.max(a.1.decimals));
                let difference = number(
                    cell.value(ComputedKind::Difference).unwrap_or(0.0),
                    decimals.unwrap_or(3),
                );
                format!("{from} − {less} = {difference}{}", self.unit(ComputedKind::Difference))
            }
        }
    }

    /// "128 threads against Kioxia CD8P-R, p99_us 417 against 399".
    fn side_by_side(&self, cell: &FigureCell) -> String {
        let own = figure(cell.own);
        if let Some(given) = cell.given {
            let unit = self.unit(ComputedKind::Difference);
            let what = format!("{} by {}{unit}", self.metric.name, figure(given.figure));
            return format!("{}, better in {what}, published as a difference", self.place(cell));
        }
        match &cell.against {
            Some((_, other)) => {
                format!(
                    "{}, {} {own} against {}",
                    self.place(cell),
                    self.metric.name,
                    figure(*other)
                )
            }
            None => format!("{}, {} {own}", self.place(cell), self.metric.name),
        }
    }

    fn place(&self, cell: &FigureCell) -> String {
        let at = match cell.at.is_empty() {
            true => String::new(),
            false => format!("{} {} ", cell.at, self.at_label),
        };
        match &cell.against {
            Some((rival, _)) => format!("{at}against {rival}"),
            None => format!("{at}of {}", cell.subject),
        }
    }

    /// "energy = power × time = 0.73 ÷ 1.15 = 0.635, from statements 3 and 4".
    fn derived(&self) -> Option<String> {
        let derived = self.judged.derived.as_ref()?;
        let [over, under] = derived.times;
        let quotient = over.over(under)?;
        let is_energy = self.metric.ratio.is_some_and(|[over, under]| {
            unit_of(over, None) == "W" && unit_of(under, None).ends_with("/s")
        });
        let what = if is_energy { "energy = power × time" } else { self.metric.name };
        let [a, b] = derived.statements.map(|index| index + 1);
        Some(format!(
            "{what} = {} ÷ {} = {} times the rival's, by statements {a} and {b}",
            figure(over),
            figure(under),
            figure(quotient)
        ))
    }

    /// The number of claimed points in the data, and the missing ones: one line.
    fn not_in_the_data(&self) -> Option<String> {
        let (label, judged) = (self.at_label, self.judged);
        if !judged.verdicts.contains(&AuditVerdict::Incomplete) {
            return None;
        }
        let points = &self.stated.points;
        if let (true, [only]) = (self.stated.several_points, points.as_slice()) {
            return Some(format!("1 of the points claimed is in the data: {only} {label}"));
        }
        let all = self.lacking_of_each().join("; ");
        let lacks = |at: &&String| self.missing_of_those_there().any(|m| m.at == **at);
        let there = points.len() - points.iter().filter(lacks).count();
        match (there == points.len() || points.len() < 2, there) {
            (true, _) => Some(format!("not in the data: {all}")),
            (false, 1) => {
                let of = points.len();
                Some(format!("1 of the {of} points claimed is in the data; it lacks {all}"))
            }
            (false, n) => {
                let of = points.len();
                Some(format!("{n} of the {of} points claimed are in the data; it lacks {all}"))
            }
        }
    }

    /// Points that the table lacks for rivals that it has.
    fn missing_of_those_there(&self) -> impl Iterator<Item = &Missing> {
        let absent = &self.judged.absent;
        let is_absent = |m: &&Missing| m.rival.as_ref().is_some_and(|r| absent.contains(r));
        self.judged.missing.iter().filter(move |m| !is_absent(m))
    }

    /// Rivals that are missing completely, and for each other one the missing points.
    fn lacking_of_each(&self) -> Vec<String> {
        let (label, metric, own) = (self.at_label, self.metric.name, &self.stated.subject);
        let judged = self.judged;
        let absent = judged.absent.iter().map(|rival| format!("{metric} of {rival}"));
        let mut by_rival: Vec<(Option<&String>, Vec<&str>)> = Vec::new();
        for missing in self.missing_of_those_there() {
            let rival = missing.rival.as_ref();
            match by_rival.iter_mut().find(|(of, _)| *of == rival) {
                Some((_, points)) => points.push(&missing.at),
                None => by_rival.push((rival, vec![&missing.at])),
            }
        }
        let each = by_rival.iter().map(|(rival, points)| {
            let of = rival.map_or(own.clone(), |rival| format!("{own} and {rival}"));
            format!("{metric} of {of} at {}", labelled(&some_of(points), label))
        });
        absent.chain(each).collect()
    }

    fn unit(&self, kind: ComputedKind) -> String {
        match kind {
            ComputedKind::Relative(formula) => format!(" {}", formula.unit()),
            ComputedKind::Share(true) => " %".to_string(),
            ComputedKind::Share(false) => " ×".to_string(),
            _ if self.metric.unit.is_empty() => String::new(),
            _ => format!(" {}", self.metric.unit),
        }
    }
}

/// Points with their label, unless a place that is not in the table names its own.
pub fn labelled(points: &str, label: &str) -> String {
    let is_named = points.chars().any(|c| c.is_alphabetic() || c == '%');
    if is_named && points.contains(' ') { points.to_string() } else { format!("{points} {label}") }
}

/// A list of limited length.
fn some_of(points: &[&str]) -> String {
    let more = points.len().saturating_sub(MOST_LISTED);
    let listed = points[..points.len() - more].join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

/// The unit of a metric: as given, or from its name.
pub fn unit_of<'a>(name: &'a str, given: Option<&'a str>) -> &'a str {
    given.unwrap_or_else(|| says::unit_of_column(name))
}

fn decimals_of(unit: f64) -> usize {
    (-unit.log10()).round().max(0.0) as usize
}

/// A figure as printed in a table; a computed one with at least four digits.
fn figure(figure: PublishedFigure) -> String {
    let by_size = match figure.value.abs() {
        v if v >= 1e4 || v.fract() == 0.0 => 0,
        v if v >= 100.0 => 1,
        v if v < 0.1 && v > 0.0 => (3.0 - v.log10().floor()) as usize,
        _ => 3,
    };
    number(figure.value, figure.decimals.unwrap_or(by_size))
}

/// A number with grouped thousands.
fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, after) = text.split_once('.').unwrap_or((&text, ""));
    let grouped = whole.parse().map_or(whole.to_string(), units::grouped);
    let sign = if value < 0.0 { "−" } else { "" };
    if after.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{after}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_with_the_digits_that_they_have() {
        let of = |text| figure(PublishedFigure::printed(text).unwrap());
        assert_eq!(
            (of("892202"), of("7.70"), of("-5")),
            ("892,202".into(), "7.70".into(), "−5".into())
        );
        assert_eq!(figure(PublishedFigure::exact(84_971.6)), "84,972");
    }
}
