//! Verdicts on published statements in words, with their calculation.

use std::collections::BTreeMap;

use super::block::Block;
use crate::base::units;
use crate::stats::Better;
use crate::stats::audit::says::{self, Quantity};
use crate::stats::audit::{
    Amount, Bound, Cell, Figure, Formula, Judgement, Kind, Missing, Statement, Table, Verdict,
};
use crate::stats::percent::{cut_off, rounded_out};

/// Of a list of places, as many as a reader takes in.
const MOST_LISTED: usize = 8;

/// A range of percentages narrower than this is not worth a line.
const NARROW_PERCENT: f64 = 0.3;

/// What statements are compared with: the figures of one published table, or of one step of a
/// bundle.
pub struct Dataset {
    /// The table's name.
    pub name: String,
    /// What a row's place counts, such as "threads".
    pub at_label: String,
    /// All points, in the order published; one figure or another may lack some.
    pub points: Vec<String>,
    /// The figures of each metric, by its name.
    pub metrics: BTreeMap<String, Table>,
    /// Of a bundle's figures, which way is better; a table's are described in the claims file.
    pub better: BTreeMap<String, Better>,
}

/// A column, or one column divided by another.
pub struct Metric<'a> {
    /// The column's name.
    pub name: &'a str,
    /// The two columns whose quotient it is, where it is one.
    pub ratio: Option<&'a [String; 2]>,
    /// The unit of its figures.
    pub unit: &'a str,
}

impl Dataset {
    /// The metric's figures by subject and point.
    pub fn table(&self, metric: &Metric<'_>) -> Table {
        let of = |name: &str| self.metrics.get(name).map(|t| t.figures.clone()).unwrap_or_default();
        let mut figures = of(metric.ratio.map_or(metric.name, |r| &r[0]));
        if let Some([_, under]) = metric.ratio {
            let under = of(under);
            for (subject, points) in &mut figures {
                let divided = std::mem::take(points).into_iter().filter_map(|(at, figure)| {
                    let under = under.get(subject)?.get(&at)?;
                    Some((at, figure.over(*under)?))
                });
                *points = divided.collect();
            }
        }
        figures.retain(|_, points| !points.is_empty());
        Table { figures, points: self.points.clone() }
    }

    /// The points at which the subject's figure may be the one stated.
    pub fn points_where(
        &self,
        subject: &str,
        metric: &Metric<'_>,
        is: &Quantity,
        scale: f64,
    ) -> Vec<String> {
        let table = self.table(metric);
        let (value, last) = (is.value * scale, is.last * scale);
        let fits = |figure: Figure| match is.bound {
            Bound::Plain => figure.high >= value - last / 2.0 && figure.low < value + last,
            Bound::AtLeast => figure.high >= value,
            Bound::AtMost => figure.low <= value,
            Bound::MoreThan => figure.high > value,
            Bound::LessThan => figure.low < value,
        };
        let points = self.points.iter().filter(|at| table.figure(subject, at).is_some_and(fits));
        points.cloned().collect()
    }
}

/// One statement with its judgement, to be put into words.
pub struct Finding<'a> {
    /// What is stated.
    pub stated: &'a Statement,
    /// How it was judged.
    pub judged: &'a Judgement,
    /// What it is about.
    pub metric: Metric<'a>,
    /// What a point is called, such as "threads".
    pub at_label: &'a str,
    /// Where the data are not there at all, what is lacking.
    pub lacking: Option<String>,
    /// The words of a statement of the document, by its index.
    pub words: &'a dyn Fn(usize) -> String,
}

/// A statement by its number, with its verdict and a line for each thing found.
pub fn statement(number: usize, words: &str, verdict: &str, lines: Vec<String>) -> Vec<Block> {
    let heading = Block::chapter(format!("{number}. “{words}”"));
    let mut blocks = vec![heading, Block::lead(verdict.to_uppercase())];
    if !lines.is_empty() {
        blocks.push(Block::list(lines));
    }
    blocks
}

/// The judgement's verdict, and a line for each thing found.
pub fn describe(finding: &Finding<'_>) -> (String, Vec<String>) {
    let (stated, judged) = (finding.stated, finding.judged);
    let verdicts: Vec<&str> = judged.verdicts.iter().map(|v| v.words()).collect();
    let mut lines = finding.about();
    if let Some(maximum) = &judged.maximum {
        lines.push(format!("the maximum is elsewhere: {}", finding.sum(maximum, finding.kind())));
    }
    let occurs = judged.occurs.iter().map(|(cell, kind)| finding.sum(cell, *kind));
    lines.extend(listed("the stated value occurs: ", occurs.collect()));
    lines.extend(finding.by_the_other_formula());
    let short = if judged.verdict() == Verdict::Tie { "the same: " } else { "not reached: " };
    lines.extend(listed(short, judged.short.iter().map(|c| finding.side_by_side(c)).collect()));
    let worse = format!("elsewhere {} is worse: ", stated.subject);
    lines.extend(listed(&worse, judged.worse.iter().map(|c| finding.side_by_side(c)).collect()));
    lines.extend(listed("not in the data: ", finding.not_in_the_data()));
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

impl Finding<'_> {
    fn kind(&self) -> Kind {
        self.stated.amount.map_or(Kind::Difference, |a| a.kind)
    }

    /// The cell that decided, and how closely it is known.
    fn about(&self) -> Vec<String> {
        let Some(cell) = &self.judged.about else {
            return self.lacking.iter().cloned().collect();
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
        if verdict == Verdict::RoundedUp {
            lines.push(self.weaker(cell, amount));
        }
        if !verdict.is_fine() && cell.is_worse() && amount.kind != Kind::Value {
            lines.push(format!("opposite in direction: {} is worse there", self.stated.subject));
        }
        if verdict == Verdict::Inflated && self.stated.of_a_rival && amount.kind == Kind::Value {
            lines.push(format!("{} is said to be worse than it is", self.stated.subject));
        }
        lines.extend(self.open(cell, amount, verdict));
        lines
    }

    /// What the rounding of the printed figures leaves open.
    fn open(&self, cell: &Cell, amount: Amount, verdict: Verdict) -> Option<String> {
        let (low, high) = cell.range(amount.kind)?;
        let is_percent = matches!(amount.kind, Kind::Relative(Formula::Gain | Formula::Reduction));
        let is_wide = (is_percent && high - low > NARROW_PERCENT) || verdict == Verdict::MayHold;
        let decimals = if is_percent { 1 } else { decimals_of(amount.unit) + 1 };
        let (low, high) = (cut_off(low, decimals), rounded_out(high, decimals));
        let unit = self.unit(amount.kind);
        is_wide.then(|| {
            format!(
                "the printed figures are rounded themselves: anything from {low} to \
                     {high}{unit} fits them"
            )
        })
    }

    /// Rounded towards the weaker claim.
    fn weaker(&self, cell: &Cell, amount: Amount) -> String {
        let Some(value) = cell.value(amount.kind) else { return String::new() };
        let (unit, decimals) = (amount.unit, decimals_of(amount.unit));
        let weaker = match self.stated.is_bolder_upwards() {
            true => (value / unit + 1e-9).floor() * unit,
            false => (value / unit - 1e-9).ceil() * unit,
        };
        let weaker = number(weaker, decimals);
        format!("rounded towards the weaker claim it is {weaker}{}", self.unit(amount.kind))
    }

    /// A percentage of a latency by the formula that was not meant, since the two differ widely.
    fn by_the_other_formula(&self) -> Option<String> {
        let cell = self.judged.about.as_ref()?;
        let other = match self.stated.amount?.kind {
            Kind::Relative(Formula::Gain) => Formula::Reduction,
            Kind::Relative(_) => Formula::Gain,
            _ => return None,
        };
        let is_said = self.judged.verdicts.contains(&Verdict::WrongFormula);
        if is_said || self.stated.better == Better::Higher || cell.is_worse() {
            return None;
        }
        Some(format!(
            "by the other formula: {} = {}",
            other.name(),
            self.calculation(cell, Kind::Relative(other))
        ))
    }

    /// "96 threads against Kioxia CD8P-R, gain = 892,202 ÷ 735,861 − 1 = 21.24 %".
    fn sum(&self, cell: &Cell, kind: Kind) -> String {
        let how = match kind {
            Kind::Relative(formula) => formula.name(),
            Kind::Difference => "difference",
            Kind::Value => self.metric.name,
        };
        format!("{}, {how} = {}", self.place(cell), self.calculation(cell, kind))
    }

    fn calculation(&self, cell: &Cell, kind: Kind) -> String {
        let own = figure(cell.own);
        let Some((_, other)) = &cell.against else { return format!("{own}{}", self.unit(kind)) };
        let other = figure(*other);
        match kind {
            Kind::Relative(formula) => {
                let result =
                    cell.times().map_or("not defined".to_string(), |times| formula.result(times));
                format!("{} = {result}", formula.calculation(cell.better, &own, &other))
            }
            _ => {
                let (from, less) =
                    if cell.better == Better::Higher { (own, other) } else { (other, own) };
                let decimals =
                    cell.against.as_ref().map_or(Some(0), |a| cell.own.decimals.max(a.1.decimals));
                let difference =
                    number(cell.value(Kind::Difference).unwrap_or(0.0), decimals.unwrap_or(3));
                format!("{from} − {less} = {difference}{}", self.unit(Kind::Difference))
            }
        }
    }

    /// "128 threads against Kioxia CD8P-R, p99_us 417 against 399".
    fn side_by_side(&self, cell: &Cell) -> String {
        let own = figure(cell.own);
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

    fn place(&self, cell: &Cell) -> String {
        match &cell.against {
            Some((rival, _)) => format!("{} {} against {rival}", cell.at, self.at_label),
            None => format!("{} {} of {}", cell.at, self.at_label, cell.subject),
        }
    }

    /// Rivals that are not there at all, and places that the table lacks of the others.
    fn not_in_the_data(&self) -> Vec<String> {
        let (label, metric, own) = (self.at_label, self.metric.name, &self.stated.subject);
        let judged = self.judged;
        if !matches!(judged.verdict(), Verdict::Incomplete) {
            return Vec::new();
        }
        let mut found: Vec<String> =
            judged.absent.iter().map(|rival| format!("{metric} of {rival}")).collect();
        let is_absent = |m: &&Missing| m.rival.as_ref().is_some_and(|r| judged.absent.contains(r));
        found.extend(judged.missing.iter().filter(|m| !is_absent(m)).map(|m| match &m.rival {
            Some(rival) => format!("{metric} of {own} and {rival} at {} {label}", m.at),
            None => format!("{metric} of {own} at {} {label}", m.at),
        }));
        found
    }

    fn unit(&self, kind: Kind) -> String {
        match kind {
            Kind::Relative(formula) => format!(" {}", formula.unit()),
            _ if self.metric.unit.is_empty() => String::new(),
            _ => format!(" {}", self.metric.unit),
        }
    }
}

/// The unit of a metric: as given, or as its name says.
pub fn unit_of<'a>(name: &'a str, given: Option<&'a str>) -> &'a str {
    given.unwrap_or_else(|| says::unit_of_column(name))
}

fn decimals_of(unit: f64) -> usize {
    (-unit.log10()).round().max(0.0) as usize
}

/// A figure as a table prints it; one that was computed with four digits at least.
fn figure(figure: Figure) -> String {
    let by_size = match figure.value.abs() {
        v if v >= 1e4 || v.fract() == 0.0 => 0,
        v if v >= 100.0 => 1,
        v if v < 0.1 && v > 0.0 => (3.0 - v.log10().floor()) as usize,
        _ => 3,
    };
    number(figure.value, figure.decimals.unwrap_or(by_size))
}

/// With its thousands grouped.
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
        let of = |text| figure(Figure::printed(text).unwrap());
        assert_eq!(
            (of("892202"), of("7.70"), of("-5")),
            ("892,202".into(), "7.70".into(), "−5".into())
        );
        assert_eq!(figure(Figure::exact(84_971.6)), "84,972");
    }
}
