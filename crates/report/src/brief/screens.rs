//! The output of `dyno show`, `dyno compare` and `dyno claims`: the same tables and sentences as in
//! the brief.

use std::collections::HashMap;

use super::block::{Block, Mark, Table};
use super::fleet as words;
use super::lead::Lead;
use super::section::{bottlenecks, conclusion, results, summary};
use crate::analysis::comparison::{Claim, Crossover};
use crate::analysis::facts::{
    Comparisons, EarlyEnd, Facts, MeasuredFacts, SetupFacts, StepFacts, Subjects,
};
use crate::analysis::points::point_summary::{
    ClassSummary, Latency, P50, P99, P999, P9999, P99999, RATE_KEPT, RepeatSummary,
};
use crate::analysis::verdicts::selftest;
use crate::brief::number_format;
use crate::brief::own::options;
use crate::brief::section::setup::{database_servers, drives};
use crate::brief::section::steps::{energy, equal_load, outliers, tpcc};
use crate::brief::text::metric_text::class_of_latency;
use crate::brief::text::table_cell::{TableCell, texts};
use crate::brief::text::{
    bottleneck_text, causes, caveat_text, notes, outcome, published, wording,
};
use crate::chart::StepDrawing;
use crate::chart::step::name;
use crate::language::Language;
use crate::say;

/// All steps at once, with the three parts below.
pub fn show(l: Language, facts: &Facts) -> Vec<Block> {
    [header(l, facts), steps(l, facts), ending(l, &facts.subjects, &facts.measured)]
        .into_iter()
        .flatten()
        .collect()
}

/// Every point of some steps with its streams.
pub fn steps(l: Language, facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.measured.steps {
        out.extend([Block::chapter(step.title.text(l)), Block::note(results::describe(l, step))]);
        out.push(points(l, &facts.subjects, step).block());
        if step.cells.iter().any(|c| c.streams.iter().any(|(_, headline, _)| !headline)) {
            out.push(Block::note(say!(l, "streams-in-brackets")));
        }
        out.extend(groups(l, &facts.subjects, &facts.setup, step, true));
        out.extend(energy::table(l, &facts.subjects, step).map(Table::block));
        out.extend(limited(l, &facts.subjects, step));
        let slowest = outliers::lines(l, &facts.subjects, step);
        if !slowest.is_empty() {
            out.extend([Block::part(say!(l, "section-outliers")), Block::list(slowest)]);
        }
        out.extend(open_loop(l, &facts.subjects, step));
    }
    let notes = energy::notes(l, &facts.subjects, &facts.measured);
    out.extend(Block::titled_list(say!(l, "power-meters"), notes));
    out
}

/// The part under all steps: passed checks and failed points.
pub fn ending(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let (checks, mut out) = (tpcc::verdicts(l, subjects, measured), Vec::new());
    if !checks.is_empty() {
        out.push(Block::list(checks));
    }
    out.extend(failures(l, subjects, measured));
    out
}

/// The first page: the headline, then the findings.
pub fn headline(l: Language, facts: &Facts) -> Vec<String> {
    let lead = Lead::of(l, facts);
    [lead.sentence].into_iter().chain(lead.findings).collect()
}

/// The headline, then the subjects at each axis value, each compared with the first.
pub fn compare(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, setup, measured, comparisons, .. } = facts;
    let mut out = header(l, facts);
    out.extend(headline(l, facts).into_iter().map(Block::lead));
    if subjects.are_a_fleet() {
        out.extend(models(l, subjects, measured, comparisons));
        return out;
    }
    out.extend(summary::SECTION.blocks.of(l, facts).into_iter().filter(is_text));
    out.extend(conclusion::text(l, facts).map(Block::text));
    for step in &measured.steps {
        out.extend([Block::chapter(step.title.text(l)), Block::note(results::describe(l, step))]);
        let drawing = StepDrawing::of(l, subjects, comparisons, step);
        out.push(results::side_by_side(&drawing).block());
        if step.has_marks() {
            out.push(Block::note(say!(l, "see-caveats-marks")));
        }
        out.extend(groups(l, subjects, setup, step, false));
        out.extend(energy::table(l, subjects, step).map(Table::block));
        if let Some(table) = equal_load::table(&drawing) {
            out.extend([table.block(), Block::note(equal_load::how(l))]);
        }
        out.extend(results_of_comparisons(l, facts, step));
        out.extend(open_loop(l, subjects, step));
    }
    out.extend(caveats_and_notes(l, facts, say!(l, "section-marks")));
    out.extend(failures(l, subjects, measured));
    out.extend(wording::footnote(l, comparisons).map(Block::note));
    let of_host = |summary| wording::stopped(l, say!(l, "on-this-host", summary));
    out.extend(selftest::of_host(setup).into_iter().map(|s: String| Block::note(of_host(s))));
    out
}

/// Whether a block has no figures.
fn is_text(block: &Block) -> bool {
    !matches!(block, Block::Figures(_))
}

/// For a fleet, the models of each step instead of every subject.
fn models(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let mut out = Vec::new();
    for (step, fleet) in measured.steps.iter().zip(&comparisons.fleets) {
        let Some(fleet) = fleet else { continue };
        out.extend([Block::chapter(step.title.text(l)), Block::note(results::describe(l, step))]);
        out.extend(words::of_step(l, subjects, step, fleet));
    }
    out.push(Block::note(say!(l, "fleet-how")));
    out
}

/// Claims, strongest first, and points without claims, with the reason.
pub fn claims(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, measured, comparisons, .. } = facts;
    let claim = |claim: &Claim| {
        let step = &measured.steps[claim.comparison.step];
        let (said, basis) = wording::claim(l, subjects, step, claim);
        say!(l, "claim-with-basis", claim = said, basis)
    };
    let crossover =
        |own: &Crossover| wording::stopped(l, wording::crossover(l, subjects, measured, own));
    let mut items: Vec<String> = comparisons.claims.iter().map(claim).collect();
    items.extend(comparisons.crossovers.iter().map(crossover));
    let mut out = if items.is_empty() { Vec::new() } else { vec![Block::list(items)] };
    if comparisons.published {
        let item = |[figure, subject, with, at, calculation, result, other, step]: [String; 8]| {
            say!(
                l,
                "published-row",
                step,
                figure,
                at,
                subject,
                rival = with,
                calculation,
                result,
                other
            )
        };
        let rows = published::rows(l, subjects, measured).into_iter().map(item);
        out.extend([Block::text(published::how(l)), Block::list(rows)]);
    } else if comparisons.claims.is_empty() {
        out.push(Block::text(causes::no_claim(l, facts, &mut Vec::new())));
    }
    let barred = wording::not_comparable(l, subjects, measured, comparisons);
    out.extend(barred.into_iter().map(Block::text));
    for lead in &comparisons.leads {
        let step = &measured.steps[lead.step];
        let apart = lead.all.iter().filter(|c| c.interval.is_none());
        let said = apart.map(|c| wording::of_step(l, step, outcome::open(l, subjects, step, c)));
        out.extend(said.map(Block::text));
    }
    out.extend(caveats_and_notes(l, facts, say!(l, "caveats-of-claims")));
    out
}

/// Caveats and notes on the figures.
fn caveats_and_notes(l: Language, facts: &Facts, title: String) -> Vec<Block> {
    let Facts { subjects, statements, measured, comparisons, .. } = facts;
    let why = bottleneck_text::because;
    let caveats = caveat_text::caveats(l, subjects, statements, measured, why);
    let notes = notes::blocks(l, subjects, measured, comparisons);
    [Block::titled_list(title, caveats), notes].concat()
}

/// The title, and a line for each bundle.
pub fn header(l: Language, facts: &Facts) -> Vec<Block> {
    let moments = facts.setup.runs.iter().map(|run| run.started_unix_ns);
    let run = |run: &crate::analysis::facts::RunFacts| {
        let when = wording::when_measured(l, run);
        let (version, repeats) = (&run.dyno_version, run.repeats);
        let file = &run.file;
        match run.is_imported() {
            true => say!(l, "imported-header", file, when, version),
            false => say!(l, "run-header", file, when, repeats, version),
        }
    };
    let mut out = vec![Block::chapter(options::title(l, facts))];
    match facts.subjects.are_a_fleet() && facts.setup.runs.len() > 1 {
        true => {
            let count = facts.setup.runs.len();
            let (first, last) = (moments.clone().min(), moments.max());
            let when = |at: Option<u64>| l.moment(at.unwrap_or(0));
            let said = say!(l, "fleet-runs", count, first = when(first), last = when(last));
            out.push(Block::note(said));
        }
        false => {
            // The tests of one bundle have a run each.
            let mut lines: Vec<String> = facts.setup.runs.iter().map(run).collect();
            lines.dedup();
            out.extend(lines.into_iter().map(Block::note));
        }
    }
    out
}

fn points(l: Language, subjects: &Subjects, step: &StepFacts) -> Table {
    let mut head = vec![step.axis_text(l), say!(l, "column-subject")];
    head.extend([say!(l, "column-stream"), say!(l, "column-class")]);
    head.extend(["ops/s", "±", "MB/s"].map(String::from));
    head.push(say!(l, "mean"));
    head.extend(["p50", "p99", "p99.9", "p99.99", "p99.999"].map(String::from));
    head.push(say!(l, "column-max"));
    let (mut rows, mut ops) = (Vec::new(), HashMap::new());
    for cell in &step.cells {
        let at = &step.values[cell.value].text(l);
        for (stream, headline, summary) in &cell.streams {
            let stream =
                if *headline { stream.clone() } else { say!(l, "in-brackets", what = stream) };
            for class in summary.rows() {
                let mark = if *headline { Mark::None } else { Mark::Side };
                let (open, is_response) = (step.is_open_loop(), class.response.is_some());
                let op = || class_of_latency(l, class, open);
                let op = ops.entry((class.class, is_response)).or_insert_with(op);
                let subject = name(subjects, cell);
                rows.push((mark, show_row(l, [at, &subject, &stream, &*op], summary, class)));
            }
        }
    }
    Table::measured(l, 4, &head, rows)
}

fn show_row(
    l: Language,
    names: [&str; 4],
    summary: &RepeatSummary,
    class: &ClassSummary,
) -> Vec<TableCell> {
    let one_class = summary.classes.len() == 1;
    let times: &Latency = class.user_latency();
    let rate = if one_class { &summary.ops_per_s } else { &class.ops_per_s }.as_ref();
    let numbers = [
        number_format::ops(l, rate) + &number_format::given_up(l, class.given_up),
        number_format::spread(l, rate),
        number_format::megabytes_of(l, class.bytes_per_s.as_ref()),
    ];
    let mut row = texts(names.map(String::from).into_iter().chain(numbers));
    row.push(TableCell::mean(Some(times)));
    let shown = [P50, P99, P999, P9999, P99999];
    row.extend(shown.map(|at| TableCell::percentile(Some(times), at)));
    row.push(TableCell::largest(times));
    row
}

/// The groups of a step as a whole, and optionally drive by drive.
fn groups(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    step: &StepFacts,
    each: bool,
) -> Vec<Block> {
    if let Some(together) = database_servers::together(l, subjects, setup, step) {
        let servers = each.then(|| database_servers::each(l, subjects, setup, step)).flatten();
        let how = Block::note(database_servers::how(l));
        let tables = [Some(together), servers].into_iter().flatten();
        return tables.map(Table::block).chain([how]).collect();
    }
    let Some(whole) = drives::whole(l, subjects, step) else { return Vec::new() };
    let mut out = vec![whole.block()];
    if each {
        out.extend(drives::each(l, subjects, step).map(Table::block));
    }
    out.push(Block::note(drives::aggregation(l)));
    out
}

/// The bottleneck of each point, if known.
fn limited(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<Block> {
    let items = bottlenecks::lines(l, subjects, step);
    match items.is_empty() {
        true => Vec::new(),
        false => vec![Block::part(say!(l, "section-limits")), Block::list(items)],
    }
}

/// The results of the step's comparisons, the pairs that could not be compared, and where the
/// better subject changes.
fn results_of_comparisons(l: Language, facts: &Facts, step: &StepFacts) -> Vec<Block> {
    let Facts { subjects, measured, comparisons, .. } = facts;
    let barred = comparisons.barred.iter().filter(|bar| bar.is_in(step.test, step.key));
    let mut out: Vec<String> =
        barred.map(|bar| wording::barred(l, subjects, measured, bar)).collect();
    let own = comparisons.claims.iter().map(|c| &c.comparison).filter(|c| c.step == step.key);
    out.extend(own.map(|c| wording::stopped(l, wording::sentence(l, subjects, step, c))));
    let apart = comparisons.leads[step.key].all.iter().filter(|c| c.interval.is_none());
    out.extend(apart.map(|c| outcome::open(l, subjects, step, c)));
    let own = comparisons.crossovers.iter().filter(|c| c.step == step.key);
    out.extend(own.map(|c| wording::stopped(l, wording::crossover(l, subjects, measured, c))));
    out.into_iter().map(Block::text).collect()
}

/// The mandatory disclosure of an open loop: missed rates and late requests.
fn open_loop(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<Block> {
    let mut items = Vec::new();
    for cell in &step.cells {
        for (name, _, s) in &cell.streams {
            let missed = s.achieved().filter(|a| *a < RATE_KEPT);
            if missed.is_none() && s.late_share() < 0.01 {
                continue;
            }
            let place =
                format!("{} {}", subjects[cell.subject].name, step.values[cell.value].text(l));
            let late = number_format::share(l, s.late_share());
            let backlog = number_format::grouped(l, s.backlog_max);
            items.push(match s.achieved().map(|a| number_format::share(l, a)) {
                Some(reached) => {
                    say!(l, "stream-reached-and-late", place, stream = name, reached, late, backlog)
                }
                None => say!(l, "stream-late", place, stream = name, late, backlog),
            });
        }
    }
    (!items.is_empty()).then(|| Block::list(items))
}

fn failures(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let title = say!(l, "failed-points", count = measured.failures.len());
    Block::titled_list(title, failed_points(l, subjects, measured))
}

/// A sentence for each point that failed.
pub fn failed_points(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<String> {
    let sentence = |f: &EarlyEnd| {
        say!(
            l,
            "failed-point",
            subject = &subjects[f.subject].name,
            step = &f.step,
            at = &f.at,
            repeat = f.repeat,
            cause = &f.cause
        )
    };
    measured.failures.iter().map(sentence).collect()
}
