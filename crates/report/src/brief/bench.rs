//! The output of `dyno bench`: the answer to one question, in few lines. The figures always fit;
//! sentences about them follow in order of importance, and the caller shows as many as fit.

use super::lead::Lead;
use super::screens::failed_points;
use super::section::bottlenecks;
use crate::analysis::comparability::caveats::Caveat;
use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::limits::meter_facts::ProcessorUse;
use crate::analysis::points::point_summary::{
    ClassSummary, Latency, P50, P99, P999, P9999, RepeatSummary,
};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::text::bottleneck_text::{because, limit, limited};
use crate::brief::text::caveat_text;
use crate::brief::text::metric_text::class_of_latency;
use crate::brief::text::table_cell::TableCell;
use crate::language::Language;
use crate::say;
use dyno_core::plan::search::PERCENTILES;
use dyno_core::stats::Estimate;

/// The percentiles that are shown.
const SHOWN: [usize; 4] = [P50, P99, P999, P9999];

/// So many points are shown with a column each.
const MOST_COLUMNS: usize = 3;

/// More points are shown as grids of ops/s and p99, if they are of one subject.
const MOST_ROWS: usize = 8;

/// The answer.
pub struct BenchScreen {
    /// The figures.
    pub figures: Vec<Block>,
    /// Sentences about them, most important first.
    pub sentences: Vec<String>,
}

/// One class of op of one subject at one point.
struct Line<'f> {
    step: &'f StepFacts,
    cell: &'f CellFacts,
    total: &'f RepeatSummary,
    class: &'f ClassSummary,
}

impl Line<'_> {
    fn rate(&self) -> Option<&Estimate> {
        let alone = self.total.classes.len() == 1;
        if alone { &self.total.ops_per_s } else { &self.class.ops_per_s }.as_ref()
    }

    fn latency(&self) -> &Latency {
        self.class.user_latency()
    }
}

/// The answer of these facts.
pub fn bench(l: Language, facts: &Facts) -> BenchScreen {
    let Facts { subjects, measured, .. } = facts;
    let lines: Vec<Line<'_>> = measured.steps.iter().flat_map(of_step).collect();
    let mut figures = vec![Block::chapter(facts.protocol().title.text(l))];
    let is_grid = lines.len() > MOST_ROWS && subjects.len() == 1 && is_plain(measured);
    figures.extend(match lines.len() {
        0 => Vec::new(),
        1..=MOST_COLUMNS => vec![side_by_side(l, subjects, measured, &lines).block()],
        _ if is_grid => grids(l, measured),
        _ => vec![one_below_another(l, subjects, measured, &lines).block()],
    });
    let mut sentences = Vec::new();
    if subjects.len() > 1 {
        let lead = Lead::of(l, facts);
        sentences.extend([lead.sentence].into_iter().chain(lead.findings));
    }
    sentences.extend(failed_points(l, subjects, measured));
    // With several subjects, the comparison names what was not limited by the drive.
    if subjects.len() == 1 {
        sentences.extend(limits(l, subjects, measured, lines.len() <= MOST_COLUMNS));
    }
    sentences.extend(processors(l, subjects, measured));
    sentences.extend(warnings(l, subjects, measured));
    sentences.extend(missing(l, &lines));
    BenchScreen { figures, sentences }
}

fn of_step(step: &StepFacts) -> impl Iterator<Item = Line<'_>> {
    step.cells.iter().flat_map(move |cell| {
        let classes =
            cell.total.iter().flat_map(|total| total.classes.iter().map(move |c| (total, c)));
        classes.map(move |(total, class)| Line { step, cell, total, class })
    })
}

/// Whether every point has one class of op.
fn is_plain(measured: &MeasuredFacts) -> bool {
    let totals = || measured.steps.iter().flat_map(|step| &step.cells).flat_map(|c| &c.total);
    totals().all(|total| total.classes.len() == 1)
}

/// What distinguishes a line from the others: step, axis value, subject, class.
fn name(l: Language, subjects: &Subjects, measured: &MeasuredFacts, line: &Line<'_>) -> String {
    let mut parts = Vec::new();
    if measured.steps.len() > 1 {
        parts.push(short_title(l, measured, line.step));
    }
    if line.step.axis.is_some() {
        let value = line.step.values[line.cell.value].text(l);
        parts.push(format!("{} {value}", line.step.axis_text(l)));
    }
    if subjects.len() > 1 || parts.is_empty() {
        parts.push(subjects[line.cell.subject].name.clone());
    }
    if line.total.classes.len() > 1 {
        parts.push(class_of_latency(l, line.class, false));
    }
    l.sequence(&parts)
}

/// A step's title without the beginning that it shares with all others.
fn short_title(l: Language, measured: &MeasuredFacts, step: &StepFacts) -> String {
    let titles: Vec<String> = measured.steps.iter().map(|step| step.title.text(l)).collect();
    let parts = |title: &str| title.split(", ").map(str::to_string).collect::<Vec<_>>();
    let first = titles.first().map(|title| parts(title)).unwrap_or_default();
    let is_shared = |n: usize| titles.iter().all(|title| parts(title).get(n) == first.get(n));
    let shared = (0..first.len()).take_while(|n| is_shared(*n)).count();
    let own = parts(&step.title.text(l));
    own.get(shared..).filter(|rest| !rest.is_empty()).unwrap_or(&own).join(", ")
}

/// A row for each figure, with its interval; a column for each line.
fn side_by_side(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    lines: &[Line<'_>],
) -> Table {
    let mut head = vec![String::new()];
    for line in lines {
        head.extend([name(l, subjects, measured, line), say!(l, "bench-interval")]);
    }
    let mut table = Table::new(1, &head);
    let mut row = |title: String, cell: &dyn Fn(&Line<'_>) -> [String; 2]| {
        table.row(Mark::None, [title].into_iter().chain(lines.iter().flat_map(cell)).collect());
    };
    let count = |value: f64| number_format::count(l, value);
    row("IOPS".to_string(), &|line| with_interval(l, line.rate(), &count));
    let megabytes = |value: f64| number_format::megabytes(l, value);
    row("MB/s".to_string(), &|line| {
        let moved = line.class.bytes_per_s.as_ref().filter(|bytes| bytes.value != 0.0);
        with_interval(l, moved, &megabytes)
    });
    let time = |ns: f64| number_format::time(l, ns);
    row(say!(l, "bench-mean"), &|line| with_interval(l, line.latency().mean_ns.as_ref(), &time));
    for at in SHOWN {
        row(PERCENTILES[at].0.to_string(), &|line| {
            with_interval(l, line.latency().percentiles_ns[at].as_ref(), &time)
        });
    }
    table
}

fn with_interval(
    l: Language,
    estimate: Option<&Estimate>,
    print: &dyn Fn(f64) -> String,
) -> [String; 2] {
    let Some(estimate) = estimate else { return [NONE.to_string(), NONE.to_string()] };
    let value = number_format::at_least(estimate.at_least, print(estimate.value));
    let interval = match estimate.has_interval() {
        true => say!(l, "range", low = print(estimate.low), high = print(estimate.high)),
        false => NONE.to_string(),
    };
    [value, interval]
}

/// A row for each line.
fn one_below_another(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    lines: &[Line<'_>],
) -> Table {
    let mut head = vec![String::new(), "IOPS".to_string(), "±".to_string(), "MB/s".to_string()];
    head.push(say!(l, "bench-mean"));
    head.extend(SHOWN.map(|at| PERCENTILES[at].0.to_string()));
    head.push(say!(l, "column-limited-by"));
    let row = |line: &Line<'_>| {
        let mut row: Vec<TableCell> = vec![
            name(l, subjects, measured, line).into(),
            number_format::ops(l, line.rate()).into(),
            number_format::spread(l, line.rate()).into(),
            number_format::megabytes_of(l, line.class.bytes_per_s.as_ref()).into(),
            TableCell::mean(Some(line.latency())),
        ];
        row.extend(SHOWN.map(|at| TableCell::percentile(Some(line.latency()), at)));
        row.push(line.cell.limit.as_ref().map(|verdict| limit(l, verdict.limit)).into());
        (Mark::None, row)
    };
    Table::measured(l, 1, &head, lines.iter().map(row).collect())
}

/// Ops/s and p99 of one subject: a row for each step, a column for each value of the axis. A long
/// axis without other steps has a row for each value.
fn grids(l: Language, measured: &MeasuredFacts) -> Vec<Block> {
    let steps = || measured.steps.iter();
    let mut values: Vec<String> = Vec::new();
    for value in steps().flat_map(|step| step.values.iter().map(|value| value.text(l))) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let grid = |title: String, cell: &dyn Fn(&RepeatSummary) -> TableCell| {
        let of = |step: &StepFacts, value: &String| {
            let mut own = step.cells.iter().filter(|c| step.values[c.value].text(l) == *value);
            let total = own.find_map(|cell| cell.total.as_ref());
            total.map_or_else(TableCell::none, |total| cell(total))
        };
        let row = |step: &StepFacts| {
            let first = TableCell::from(short_title(l, measured, step));
            [first].into_iter().chain(values.iter().map(|value| of(step, value))).collect()
        };
        let rows: Vec<Vec<TableCell>> = steps().map(row).collect();
        let scale = super::text::table_cell::Scale::of_cells(rows.iter().flatten());
        let unit = scale.as_ref().map_or("", |scale| scale.unit);
        let title = super::text::table_cell::in_unit(l, &title, unit);
        let mut table = Table::new(1, &[&[title], &values[..]].concat());
        for row in rows {
            let print = |cell: TableCell| cell.in_scale(l, scale.as_ref());
            table.row(Mark::None, row.into_iter().map(print).collect());
        }
        table.block()
    };
    vec![
        grid("IOPS".to_string(), &|total| number_format::ops(l, total.ops_per_s.as_ref()).into()),
        grid("p99".to_string(), &|total| {
            TableCell::percentile(total.classes.first().map(ClassSummary::user_latency), P99)
        }),
    ]
}

/// What limited each point, with the evidence; of many points only how many.
fn limits(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    with_evidence: bool,
) -> Vec<String> {
    if !with_evidence {
        let cells = measured.steps.iter().flat_map(|step| &step.cells);
        return limited(l, cells).into_iter().collect();
    }
    let alone = |step: &StepFacts| match &step.cells[..] {
        [cell] if measured.steps.len() == 1 => {
            let verdict = cell.limit.as_ref()?;
            let (limit, evidence) = (limit(l, verdict.limit), because(l, verdict));
            Some(vec![say!(l, "limited-by", place = say!(l, "section-limits"), limit, evidence)])
        }
        _ => None,
    };
    let of = |step| alone(step).unwrap_or_else(|| bottlenecks::lines(l, subjects, step));
    measured.steps.iter().flat_map(of).collect()
}

/// The use of the processors: of one point with the time of an op, of several the range.
fn processors(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Option<String> {
    let cells = || measured.steps.iter().flat_map(|step| &step.cells);
    let used: Vec<(&CellFacts, ProcessorUse)> =
        cells().filter_map(|cell| Some((cell, cell.processors?))).collect();
    let share = |share: f64| number_format::share(l, share);
    let range = |of: fn(&ProcessorUse) -> f64| {
        let all = || used.iter().map(|(_, used)| of(used));
        let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
        match (share(low), share(high)) {
            (low, high) if low == high => high,
            (low, high) => say!(l, "range", low, high),
        }
    };
    let (first, processors) = used.first()?;
    let count = processors.cores.round() as u64;
    let (busy, own) = (range(|p| p.host_busy), range(|p| p.own_busy));
    let ops = first.total.as_ref().and_then(|total| total.ops_per_s.as_ref());
    let ops = ops.map(|ops| ops.value).filter(|ops| *ops > 0.0 && subjects.len() == 1);
    Some(match (ops, used.len()) {
        (Some(ops), 1) => {
            let per = processors.own_busy * processors.cores * 1e9 / ops;
            say!(l, "bench-cpu-per-op", busy, own, count, per = number_format::time(l, per))
        }
        _ => say!(l, "bench-cpu", busy, own, count),
    })
}

/// Caveats other than the bottleneck and the number of repeats.
fn warnings(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (step, cell) in measured.steps.iter().flat_map(|s| s.cells.iter().map(move |c| (s, c))) {
        let shown = |caveat: &&Caveat| !matches!(caveat, Caveat::NotTheDrive(_));
        let own = cell.caveats.iter().filter(|caveat| !caveat.is_few_repeats()).filter(shown);
        for caveat in own {
            let caveat = caveat_text::caveat(l, caveat, because);
            let (subject, at) = (&subjects[cell.subject].name, step.values[cell.value].text(l));
            let place = bottlenecks::place(l, step, subject, &at);
            let said = say!(l, "of-step", step = &place, sentence = caveat);
            if !out.contains(&said) {
                out.push(said);
            }
        }
    }
    out
}

/// Why figures that were asked for, or their intervals, are not shown.
fn missing(l: Language, lines: &[Line<'_>]) -> Vec<String> {
    let mut out = Vec::new();
    let repeats = lines.iter().map(|line| line.cell.repeats.len()).min();
    if let Some(count @ 1..=2) = repeats {
        out.push(say!(l, "bench-few-repeats", count));
    }
    let short = |at: &usize| {
        let without = |line: &&Line<'_>| line.latency().percentiles_ns[*at].is_none();
        lines.iter().find(without).is_some()
    };
    let short: Vec<String> =
        SHOWN.iter().filter(|at| short(at)).map(|at| PERCENTILES[*at].0.to_string()).collect();
    if !short.is_empty() {
        out.push(say!(l, "bench-few-samples", figures = l.list(&short)));
    }
    out
}
