//! One statement against one table.

use super::table::{FigureCell, FigureTable, Missing, SAME};
use super::{
    Amount, AuditVerdict, Bound, CLOSE_PERCENT, ComputedKind, Formula, GivenFrom, GivenResult,
    Judgement, PublishedFigure, PublishedStatement, Wording, trend,
};

/// The relation of a cell to the stated value, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellStanding {
    /// Not reached by any value within the rounding of the printed figures.
    Short,
    /// Stated as better, but printed as equal.
    Tie,
    /// Reached by some values within the rounding of the printed figures.
    Open,
    /// Reached by rounding half up at the last stated digit.
    Rounded,
    Reached,
}

impl CellStanding {
    fn is_fine(self) -> bool {
        self >= CellStanding::Open
    }
}

/// A cell as read by the statement, with its degree of support.
#[derive(Clone)]
struct ReadCell {
    reading: CellStanding,
    strength: f64,
    cell: FigureCell,
}

/// A statement, the table by which it is judged, and the statement's formula.
#[derive(Clone, Copy)]
struct JudgedStatement<'a> {
    table: &'a FigureTable,
    stated: &'a PublishedStatement,
    kind: ComputedKind,
}

/// Recomputes the statement from the table and returns all applicable verdicts. No I/O and no
/// errors: a value that cannot be computed is a verdict.
pub fn judge(table: &FigureTable, stated: &PublishedStatement) -> Judgement {
    if let (None, Wording::Trend(stated_trend)) = (stated.amount, stated.wording) {
        return trend::judge(table, stated, stated_trend);
    }
    let kind = stated.amount.map_or(ComputedKind::Difference, |a| a.kind);
    let judged = JudgedStatement { table, stated, kind };
    let rivals = judged.rivals();
    let (cells, missing) = judged.scope(&stated.points, &rivals);
    let cells = if stated.average { averaged(&cells, kind, &rivals) } else { cells };
    let absent = stated
        .rivals
        .iter()
        .filter(|r| kind != ComputedKind::Value && !table.has(r))
        .cloned()
        .collect();
    let judgement = Judgement { missing, absent, ..Judgement::default() };
    let Some(decides) = combined(stated, &cells, stated.amount) else {
        let rival_absent = table.has(&stated.subject) && !judgement.absent.is_empty();
        let verdict =
            if rival_absent { AuditVerdict::Incomplete } else { AuditVerdict::CannotBeVerified };
        return Judgement { verdicts: vec![verdict], ..judgement };
    };
    let about = Some(decides.cell.clone());
    let exact = stated.amount.is_none_or(|a| {
        a.bound != Bound::Plain || a.high.is_some() || is_the_value(stated, &decides.cell, a)
    });
    let judgement = Judgement { about, exact, ..judgement };
    match decides.reading {
        CellStanding::Short => short(judged, &cells, &decides, judgement),
        reading => fine(judged, &cells, &rivals, reading, judgement),
    }
    .by_units(stated, &cells)
    .with_worse(judged)
}

/// It is reached by all cells present.
fn fine(
    judged: JudgedStatement<'_>,
    cells: &[Vec<FigureCell>],
    rivals: &[Option<String>],
    reading: CellStanding,
    mut found: Judgement,
) -> Judgement {
    let JudgedStatement { table, stated, kind } = judged;
    if reading == CellStanding::Tie {
        let ties =
            cells.iter().flatten().filter(|c| read(stated, c, None).reading == CellStanding::Tie);
        found.short = ties.cloned().collect();
    }
    if stated.up_to {
        let (everywhere, missing) = judged.scope(&table.points, rivals);
        let beyond = |cell: &FigureCell| {
            let range = |c: &FigureCell| c.range(kind).map(|r| oriented(stated, r));
            let about = found.about.as_ref().and_then(range);
            matches!((range(cell), about), (Some(there), Some(here)) if there.0 > here.1)
        };
        found.maximum = strongest(stated, &everywhere)
            .map(|r| r.cell)
            .filter(|c| stated.of_one_point() && beyond(c));
        if stated.of_one_point() || !stated.names_points {
            found.missing = missing;
        }
    }
    if !stated.up_to && !stated.every_rival {
        // Any rival suffices, so a point counts as missing only if all rivals lack it.
        found.missing.retain(|m| !cells.iter().flatten().any(|c| c.at == m.at));
    }
    let is_of_all = stated.every_point || stated.every_rival || stated.up_to;
    found.verdicts = match reading {
        CellStanding::Tie => vec![AuditVerdict::Tie],
        _ if is_of_all && !found.missing.is_empty() => vec![AuditVerdict::Incomplete],
        _ if stated.several_points && stated.points.len() < 2 => vec![AuditVerdict::Incomplete],
        _ if found.maximum.is_some() => vec![AuditVerdict::WrongPoint],
        CellStanding::Reached => vec![AuditVerdict::Holds],
        CellStanding::Rounded => vec![AuditVerdict::RoundedUp],
        _ => vec![AuditVerdict::MayHold],
    };
    if found.verdicts[0] != AuditVerdict::Incomplete {
        found.missing.clear();
    }
    found
}

/// The statement does not hold: the verdict depends on where the stated value occurs.
fn short(
    JudgedStatement { table, stated, kind }: JudgedStatement<'_>,
    cells: &[Vec<FigureCell>],
    decides: &ReadCell,
    mut found: Judgement,
) -> Judgement {
    if let Some(amount) = stated.amount {
        found.occurs.extend(by_another_formula(stated, cells, decides, amount));
        if found.occurs.is_empty() {
            found.occurs = elsewhere(table, stated, amount);
        }
    }
    let is_elsewhere =
        |(cell, how): &(FigureCell, ComputedKind)| *how == kind && cell.subject == stated.subject;
    let at_another_point =
        |o: &(FigureCell, ComputedKind)| is_elsewhere(o) && !stated.points.contains(&o.0.at);
    let of_another = |o: &(FigureCell, ComputedKind)| {
        let rival = o.0.against.as_ref().map(|(name, _)| name);
        o.0.subject != stated.subject || rival.is_some_and(|r| !stated.rivals.contains(r))
    };
    let each: Vec<ReadCell> =
        cells.iter().flatten().map(|c| read(stated, c, stated.amount)).collect();
    let some_reach = each.iter().any(|r| r.reading.is_fine());
    let of_all = stated.every_point || stated.every_rival;
    let of_several_rivals = stated.every_rival && stated.rivals.len() > 1;
    if (stated.every_point && stated.points.len() > 1) || of_several_rivals {
        found.short = each
            .iter()
            .filter(|r| r.reading == CellStanding::Short)
            .map(|r| r.cell.clone())
            .collect();
    }
    let may_be_where_nothing_is = match (stated.every_point, stated.every_rival) {
        (false, _) => !found.missing.is_empty(),
        (true, false) => found.missing.iter().any(|m| m.at == decides.cell.at),
        (true, true) => false,
    };
    let only = |o: &(FigureCell, ComputedKind), a: bool, b: bool| {
        at_another_point(o) == a && of_another(o) == b
    };
    let any = |a, b| found.occurs.iter().any(|o| only(o, a, b));
    found.verdicts = match () {
        _ if found.occurs.first().is_some_and(|o| o.1 != kind) => vec![AuditVerdict::WrongFormula],
        _ if any(true, false) => vec![AuditVerdict::WrongPoint],
        _ if any(false, true) => vec![AuditVerdict::WrongRival],
        _ if any(true, true) => vec![AuditVerdict::WrongPoint, AuditVerdict::WrongRival],
        _ if of_all && some_reach => vec![AuditVerdict::Contradicted],
        _ if may_be_where_nothing_is => vec![AuditVerdict::Incomplete],
        _ => vec![AuditVerdict::Inflated],
    };
    if found.verdicts[0] != AuditVerdict::Incomplete {
        found.missing.clear();
    }
    found
}

/// The mean of the results at the points, for each rival.
fn averaged(
    cells: &[Vec<FigureCell>],
    kind: ComputedKind,
    rivals: &[Option<String>],
) -> Vec<Vec<FigureCell>> {
    let of_rival = |rival: &Option<String>| {
        let is_of = |c: &&FigureCell| c.against.as_ref().map(|(name, _)| name) == rival.as_ref();
        let of: Vec<&FigureCell> = cells.iter().flatten().filter(is_of).collect();
        let n = of.len() as f64;
        let sum = |part: &dyn Fn(&FigureCell) -> Option<f64>| {
            of.iter().map(|c| part(c)).sum::<Option<f64>>().map(|sum| sum / n)
        };
        let figure = PublishedFigure {
            value: sum(&|c| c.value(kind))?,
            low: sum(&|c| Some(c.range(kind)?.0))?,
            high: sum(&|c| Some(c.range(kind)?.1))?,
            decimals: None,
        };
        let from = GivenFrom::MeanOf(of.len());
        let given = Some(GivenResult { kind, figure, from });
        let first = of.first()?;
        Some(FigureCell { at: String::new(), given, ..(*first).clone() })
    };
    vec![rivals.iter().filter_map(of_rival).collect()]
}

/// Powers of ten by which a value may be off.
const POWERS: i32 = 9;

impl Judgement {
    /// A value that differs from the computed one by a power of ten has other units, whether or
    /// not it would be reached.
    fn by_units(mut self, stated: &PublishedStatement, cells: &[Vec<FigureCell>]) -> Judgement {
        let plain = |a: &Amount| a.about == 0.0 && a.high.is_none() && a.value != 0.0;
        let Some(amount) = stated.amount.filter(plain) else { return self };
        let can_be = match self.verdict() {
            AuditVerdict::Holds => amount.bound != Bound::Plain || !self.exact,
            AuditVerdict::Inflated | AuditVerdict::Contradicted | AuditVerdict::Incomplete => true,
            _ => false,
        };
        let is_bound = amount.bound != Bound::Plain;
        if !can_be || (is_bound && amount.kind != ComputedKind::Value) {
            return self;
        }
        // A figure of its own may be of any of its points; a difference is judged where it is
        // greatest.
        let places: Vec<&FigureCell> = match amount.kind {
            ComputedKind::Value => cells.iter().flatten().collect(),
            _ => self.about.iter().collect(),
        };
        if !is_bound && places.iter().any(|c| is_the_value(stated, c, amount)) {
            return self;
        }
        // Beyond a bound by a factor of a thousand is another prefix; by ten it may be meant.
        let step = if is_bound { 3 } else { 1 };
        let powers = (1..=POWERS).filter(|p| p % step == 0).flat_map(|p| [p, -p]);
        let found = powers.into_iter().find_map(|power| {
            let cell = places.iter().find(|c| is_off_by(stated, c, amount, power))?;
            Some(((*cell).clone(), power))
        });
        if let Some((cell, power)) = found {
            self.verdicts = vec![AuditVerdict::Units];
            (self.about, self.power) = (Some(cell), Some(power));
            self.short.clear();
            self.missing.clear();
        }
        self
    }

    /// Cells in which the subject is worse, although the statement does not cover them: "up to"
    /// omits these.
    fn with_worse(mut self, judged: JudgedStatement<'_>) -> Judgement {
        let JudgedStatement { table, stated, kind } = judged;
        let is_of_another_kind = matches!(kind, ComputedKind::Value | ComputedKind::Share(_));
        if is_of_another_kind || stated.says_worse() || stated.wording == Wording::Similar {
            return self;
        }
        for rival in table.subjects().filter(|s| **s != stated.subject) {
            for at in &table.points {
                let cell = table.cell(
                    &stated.subject,
                    Some(rival),
                    at,
                    ComputedKind::Difference,
                    stated.towards,
                );
                self.worse.extend(cell.filter(|c| {
                    c.is_clearly_worse()
                        && Some(c) != self.about.as_ref()
                        && !self.short.contains(c)
                }));
            }
        }
        self
    }
}

impl JudgedStatement<'_> {
    /// The rivals; none for the subject's own figure.
    fn rivals(&self) -> Vec<Option<String>> {
        match self.kind {
            ComputedKind::Value => vec![None],
            _ => self.stated.rivals.iter().cloned().map(Some).collect(),
        }
    }

    /// The cells at each point, and the missing ones.
    fn scope(
        &self,
        points: &[String],
        rivals: &[Option<String>],
    ) -> (Vec<Vec<FigureCell>>, Vec<Missing>) {
        let JudgedStatement { table, stated, kind } = *self;
        let mut missing = Vec::new();
        let mut at_point = |at: &String| {
            let mut cells = Vec::new();
            for rival in rivals {
                match table.cell(&stated.subject, rival.as_deref(), at, kind, stated.towards) {
                    Some(cell) => cells.push(cell),
                    None => missing.push(Missing { at: at.clone(), rival: rival.clone() }),
                }
            }
            cells
        };
        let cells = points.iter().map(&mut at_point).collect();
        (cells, missing)
    }
}

/// The deciding cell: the weakest if each must reach the stated value, otherwise the strongest.
fn combined(
    stated: &PublishedStatement,
    cells: &[Vec<FigureCell>],
    amount: Option<Amount>,
) -> Option<ReadCell> {
    let at_point = |cells: &Vec<FigureCell>| {
        pick(cells.iter().map(|c| read(stated, c, amount)), stated.every_rival)
    };
    pick(cells.iter().filter_map(at_point), stated.every_point)
}

fn strongest(stated: &PublishedStatement, cells: &[Vec<FigureCell>]) -> Option<ReadCell> {
    pick(cells.iter().flatten().map(|c| read(stated, c, stated.amount)), false)
}

fn pick(mut reads: impl Iterator<Item = ReadCell>, weakest: bool) -> Option<ReadCell> {
    let first = reads.next()?;
    let before = |a: &ReadCell, b: &ReadCell| {
        let order = a.reading.cmp(&b.reading).then(a.strength.total_cmp(&b.strength));
        if weakest { order.is_lt() } else { order.is_gt() }
    };
    Some(reads.fold(first, |best, next| if before(&next, &best) { next } else { best }))
}

fn read(stated: &PublishedStatement, cell: &FigureCell, amount: Option<Amount>) -> ReadCell {
    let kind = amount.map_or(ComputedKind::Difference, |a| a.kind);
    let (Some(value), Some(range)) = (cell.value(kind), cell.range(kind)) else {
        return ReadCell {
            reading: CellStanding::Short,
            strength: f64::NEG_INFINITY,
            cell: cell.clone(),
        };
    };
    let strength = oriented(stated, (value, value)).0;
    let (reading, strength) = match amount {
        None => worded(stated, cell, value, range),
        Some(Amount { high: Some(high), .. }) => {
            within(amount.map_or(0.0, |a| a.value), high, amount, value, range)
        }
        Some(amount) => (reached(stated, cell, amount, value), strength),
    };
    ReadCell { reading, strength, cell: cell.clone() }
}

/// A statement without a number. A tie is not "better", even if rounding may hide a difference.
fn worded(
    stated: &PublishedStatement,
    cell: &FigureCell,
    difference: f64,
    (_, most): (f64, f64),
) -> (CellStanding, f64) {
    let gain = ComputedKind::Relative(Formula::Gain);
    // Of the greater of the two, whichever it is.
    let apart = cell.value(gain).map(|g| if g < 0.0 { -g / (100.0 + g) * 100.0 } else { g });
    let ends = cell
        .range(gain)
        .map(|(low, high)| if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) });
    let is_close = |percent: Option<f64>| percent.is_some_and(|p| p <= CLOSE_PERCENT + SAME);
    let better = match difference {
        d if d > 0.0 => CellStanding::Reached,
        0.0 => CellStanding::Tie,
        _ if most > 0.0 => CellStanding::Open,
        _ => CellStanding::Short,
    };
    match stated.wording {
        Wording::Similar if is_close(apart) => (CellStanding::Reached, -apart.unwrap_or(0.0)),
        Wording::Similar if is_close(ends) => (CellStanding::Open, -apart.unwrap_or(0.0)),
        Wording::Similar => (CellStanding::Short, -apart.unwrap_or(f64::INFINITY)),
        Wording::Slight if better == CellStanding::Reached && !is_close(ends) => {
            (CellStanding::Short, -difference)
        }
        _ => (better, difference),
    }
}

/// A range: the weakest value is the one furthest outside.
fn within(
    low: f64,
    high: f64,
    amount: Option<Amount>,
    value: f64,
    range: (f64, f64),
) -> (CellStanding, f64) {
    let half = amount.map_or(0.0, |a| a.unit / 2.0);
    let outside = (low - value).max(value - high);
    let slack = SAME * high.abs();
    let standing = match () {
        _ if outside <= slack => CellStanding::Reached,
        _ if outside <= half + slack => CellStanding::Rounded,
        _ if range.1 >= low - half && range.0 <= high + half => CellStanding::Open,
        _ => CellStanding::Short,
    };
    (standing, -outside)
}

fn reached(
    stated: &PublishedStatement,
    cell: &FigureCell,
    amount: Amount,
    value: f64,
) -> CellStanding {
    let Some(range) = cell.range(amount.kind) else { return CellStanding::Short };
    let (computed, most) = (oriented(stated, (value, value)).0, oriented(stated, range).1);
    let target = oriented(stated, (amount.value, amount.value)).0 - amount.about;
    let slack = SAME * target.abs().max(amount.unit);
    let is_a_share = matches!(amount.kind, ComputedKind::Share(_));
    // "At most 5 % lower" is not met by what is higher.
    let is_opposite =
        !is_a_share && amount.kind.of_equals().is_some_and(|equal| range.1 < equal - slack);
    if is_opposite {
        return CellStanding::Short;
    }
    let standing = match amount.bound {
        Bound::MoreThan | Bound::LessThan if computed > target + slack => CellStanding::Reached,
        Bound::MoreThan | Bound::LessThan if most > target + slack => CellStanding::Open,
        Bound::MoreThan | Bound::LessThan => CellStanding::Short,
        _ if computed >= target - slack => CellStanding::Reached,
        _ if computed >= target - rounding(stated, amount).0 - slack => CellStanding::Rounded,
        _ if most >= target - rounding(stated, amount).0 - slack => CellStanding::Open,
        _ => CellStanding::Short,
    };
    let half = amount.unit / 2.0 + slack;
    let is_beyond = amount.bound == Bound::Plain && !is_the_value(stated, cell, amount);
    match standing {
        CellStanding::Reached if stated.must_equal && is_beyond => CellStanding::Short,
        CellStanding::Rounded if stated.must_equal && (value - amount.value).abs() <= half => {
            CellStanding::Reached
        }
        standing => standing,
    }
}

/// The cell's value is the stated one times this power of ten, to at least two digits.
fn is_off_by(stated: &PublishedStatement, cell: &FigureCell, amount: Amount, power: i32) -> bool {
    let scale = 10f64.powi(power);
    let value = amount.value * scale;
    let unit = (amount.unit * scale).min(value.abs() / 20.0);
    let moved = Amount { value, unit, bound: Bound::Plain, ..amount };
    cell.value(amount.kind).is_some_and(|computed| computed > 0.0)
        && is_the_value(stated, cell, moved)
}

/// Converted so that a larger value is a stronger claim.
fn oriented(stated: &PublishedStatement, (low, high): (f64, f64)) -> (f64, f64) {
    if stated.is_bolder_upwards() { (low, high) } else { (-high, -low) }
}

/// The range of computed values that round or truncate to the stated value, converted so that a
/// larger value is a stronger claim. Truncated, 110.9 µs is 110 µs and 58.9 % is 58 %.
fn rounding(stated: &PublishedStatement, amount: Amount) -> (f64, f64) {
    let (half, cut) = (amount.unit / 2.0, amount.unit * (1.0 - 1e-6));
    match amount.bound {
        Bound::Plain if stated.is_bolder_upwards() => (half, cut),
        Bound::Plain => (cut, half),
        _ => (half, half),
    }
}

/// The stated number is, or may be, the cell's, rounded or truncated.
fn is_the_value(stated: &PublishedStatement, cell: &FigureCell, amount: Amount) -> bool {
    let Some(range) = cell.range(amount.kind) else { return false };
    let (low, high) = oriented(stated, range);
    let target = oriented(stated, (amount.value, amount.value)).0;
    let slack = SAME * target.abs().max(amount.unit);
    let (below, above) = rounding(stated, amount);
    let (below, above) = (below.max(amount.about), above.max(amount.about));
    high >= target - below - slack && low <= target + above + slack
}

/// The same cells by another formula, if all reach the value by it and the deciding one equals it.
fn by_another_formula(
    stated: &PublishedStatement,
    cells: &[Vec<FigureCell>],
    decides: &ReadCell,
    amount: Amount,
) -> Option<(FigureCell, ComputedKind)> {
    let ComputedKind::Relative(own) = amount.kind else { return None };
    if amount.high.is_some() || stated.average {
        return None;
    }
    let fits = |formula: &Formula| {
        let other = Amount { kind: ComputedKind::Relative(*formula), ..amount };
        let found = combined(stated, cells, Some(other));
        *formula != own
            && found.is_some_and(|r| r.reading.is_fine() && is_the_value(stated, &r.cell, other))
    };
    let formula = Formula::ALL.into_iter().find(|f| !decides.cell.is_worse() && fits(f))?;
    Some((decides.cell.clone(), ComputedKind::Relative(formula)))
}

/// The places where the stated value occurs: other points or other rivals, if the statement names
/// one point or one rival.
fn elsewhere(
    table: &FigureTable,
    stated: &PublishedStatement,
    amount: Amount,
) -> Vec<(FigureCell, ComputedKind)> {
    let names_a_rival = (stated.names_rivals && stated.rivals.len() == 1)
        || (amount.kind == ComputedKind::Value && stated.names_points);
    let of_one_rival = names_a_rival && !stated.every_point;
    if stated.average || amount.high.is_some() {
        return Vec::new();
    }
    if !stated.of_one_point() && !of_one_rival {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in &table.points {
        for other in table.subjects() {
            let cell = match amount.kind {
                ComputedKind::Value => table.cell(other, None, at, amount.kind, stated.towards),
                _ if *other == stated.subject => None,
                _ => table.cell(&stated.subject, Some(other), at, amount.kind, stated.towards),
            };
            let at_place = || stated.points.contains(at);
            let fits = |c: &FigureCell| match (amount.kind, *other == stated.subject) {
                (ComputedKind::Value, true) => !at_place(),
                (ComputedKind::Value, false) => at_place(),
                _ => !at_place() || !stated.rivals.contains(other),
            } && match amount.bound {
                Bound::Plain => is_the_value(stated, c, amount),
                _ => read(stated, c, Some(amount)).reading.is_fine(),
            };
            found.extend(cell.filter(fits).map(|c| (c, amount.kind)));
        }
    }
    found
}
