//! Fleets as text: the table of a step's models, their differences, and outlying drives.

use super::block::{Block, Table};
use crate::analysis::facts::{StepFacts, Subjects};
use crate::analysis::notes::models::{DriveModel, Fleet, FleetDrive, ModelRatio};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::brief::number_format::{self, NONE};
use crate::brief::text::condition_text::condition;
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;
use dyno_core::stats::percent::in_interval;
use dyno_core::stats::spread::spread;

/// Maximum number of outlying drives listed per model; more indicate another problem.
const MOST_NAMED: usize = 10;

/// The table of a step's models, and the conclusions.
pub fn of_step(l: Language, subjects: &Subjects, step: &StepFacts, fleet: &Fleet) -> Vec<Block> {
    let mut out = vec![table(l, step, fleet).block()];
    let said = sentences(l, subjects, step, fleet);
    out.extend((!said.is_empty()).then(|| Block::list(said)));
    out
}

/// The differences between models, and outlying drives; for groups of drives these are in the
/// notes.
pub fn sentences(l: Language, subjects: &Subjects, step: &StepFacts, fleet: &Fleet) -> Vec<String> {
    if !subjects.are_a_fleet() {
        return Vec::new();
    }
    let mut all: Vec<String> = fleet.ratios.iter().map(|r| ratio(l, step, fleet, r)).collect();
    for (first, other) in &fleet.confounded {
        let [first, other] = [first, other].map(|model| &fleet.models[*model]);
        let [hosts, others] = [first, other].map(|model| {
            let hosts: Vec<String> = model.hosts().iter().map(|h| h.to_string()).collect();
            l.list(&hosts)
        });
        let (first, other) = (&first.name, &other.name);
        all.push(say!(l, "fleet-confounded", first, other, hosts, others));
    }
    if !fleet.barred.is_empty() {
        let what: Vec<String> = fleet.barred.iter().map(|d| condition(l, &d.what)).collect();
        all.push(say!(l, "fleet-barred", what = l.list(&what)));
    }
    for model in &fleet.models {
        let named = model.apart.iter().take(MOST_NAMED);
        all.extend(named.map(|at| apart(l, step, fleet, model, &model.specimens[*at])));
        if model.apart.len() > MOST_NAMED {
            let count = model.apart.len() - MOST_NAMED;
            all.push(say!(l, "fleet-more-apart", model = &model.name, count));
        }
    }
    all
}

/// "ops/s at depth 8", and the printed form of its values.
fn place(l: Language, step: &StepFacts, fleet: &Fleet) -> String {
    format!("{}{}", fleet.metric.text(l), wording::place(l, step, &[fleet.value]))
}

fn printed(l: Language, metric: &Metric, value: f64) -> String {
    match metric.figure {
        PointFigure::Mean | PointFigure::Percentile(_) => number_format::time(l, value),
        PointFigure::Bytes => number_format::megabytes(l, value),
        _ => number_format::count(l, value),
    }
}

fn table(l: Language, step: &StepFacts, fleet: &Fleet) -> Table {
    let scatter = |what: String| say!(l, "column-scatter", of = what);
    let head = [
        say!(l, "column-model"),
        say!(l, "column-firmware"),
        say!(l, "column-drives"),
        say!(l, "column-hosts"),
        place(l, step, fleet),
        say!(l, "column-min"),
        say!(l, "column-median"),
        say!(l, "column-max"),
        scatter(say!(l, "column-drives")),
        scatter(say!(l, "column-repeats")),
        scatter(say!(l, "column-hosts")),
        say!(l, "column-apart"),
    ];
    let rows = fleet.models.iter().map(|model| row(l, &fleet.metric, model)).collect();
    Table::of(2, &head, rows)
}

fn row(l: Language, metric: &Metric, model: &DriveModel) -> Vec<String> {
    let levels: Vec<f64> = model.specimens.iter().map(|s| s.level).collect();
    let value = |value: f64| printed(l, metric, value);
    let percent = |share: Option<f64>| {
        share.map_or(NONE.to_string(), |share| number_format::percent(l, share * 100.0, 1))
    };
    let counted = |n: usize| if n == 0 { NONE.to_string() } else { n.to_string() };
    let unknown = || say!(l, "fleet-unknown-model");
    let name = if model.name.is_empty() { unknown() } else { model.name.clone() };
    let ends = spread(&levels).map(|s| [s.min, s.median, s.max]);
    let mut row =
        vec![name, l.list(&model.firmware().iter().map(|f| f.to_string()).collect::<Vec<_>>())];
    row.extend([counted(levels.len()), counted(model.hosts().len()), value(model.level())]);
    row.extend(ends.map_or([(); 3].map(|()| NONE.to_string()), |ends| ends.map(value)));
    let several = (levels.len() > 1).then_some(model.scatter.drives);
    row.extend([percent(several), percent(model.scatter.repeats), percent(model.hosts)]);
    row.push(counted(model.apart.len()));
    row
}

/// "ops/s at depth 8: drive for drive, A is 5.1 % [2.0, 8.3] better than B, 134 and 66 drives; …"
fn ratio(l: Language, step: &StepFacts, fleet: &Fleet, one: &ModelRatio) -> String {
    let (better, worse) = (&fleet.models[one.pair.0].name, &fleet.models[one.pair.1].name);
    let percent = |factor: f64| (factor - 1.0) * 100.0;
    let found = &one.found;
    let by = in_interval(percent(found.ratio), percent(found.low), percent(found.high));
    let by = wording::with_interval(l, by, "%");
    let (a, b) =
        (fleet.models[one.pair.0].specimens.len(), fleet.models[one.pair.1].specimens.len());
    let drives = match a == b {
        true => say!(l, "drives-each", count = a),
        false => say!(l, "drives-of-two", first = a, other = b),
    };
    let sentence = match (found.low > 1.0, one.hosts) {
        (true, None) => say!(l, "fleet-better", better, by, worse, drives),
        (false, None) => say!(l, "fleet-open", first = better, other = worse, by, drives),
        (true, Some(hosts)) => say!(l, "fleet-better-here", better, by, worse, drives, hosts),
        (false, Some(hosts)) => {
            say!(l, "fleet-open-here", first = better, other = worse, by, drives, hosts)
        }
    };
    say!(l, "of-step", step = place(l, step, fleet), sentence)
}

fn apart(
    l: Language,
    step: &StepFacts,
    fleet: &Fleet,
    model: &DriveModel,
    one: &FleetDrive,
) -> String {
    let serial = one.serial.as_ref().map_or(String::new(), |serial| format!(" ({serial})"));
    let mut sentence = say!(
        l,
        "fleet-apart",
        drive = format!("{}{serial}", one.name),
        model = &model.name,
        others = model.specimens.len() - 1,
        value = printed(l, &fleet.metric, one.level),
        usual = printed(l, &fleet.metric, model.level())
    );
    if let Some(log) = &one.health {
        sentence = say!(l, "fleet-apart-health", sentence, log = log.to_string());
    }
    say!(l, "of-step", step = place(l, step, fleet), sentence)
}
