//! The largest multiple of a load that each subject sustains, as certified by Aerospike ACT: the
//! share of requests over 1 to 64 ms at each multiple tried, and the multiple itself.

use crate::analysis::facts::{
    CellFacts, Comparisons, MeasuredFacts, Multiple, StepFacts, Subjects,
};
use crate::analysis::keys::SubjectKey;
use crate::analysis::points::point_numbers::OVER_MS;
use crate::analysis::points::point_summary::{PERCENTILES, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks};
use crate::chart::step::name;
use crate::language::{Language, Number};
use crate::say;
use dyno_core::base::units;
use dyno_core::plan::search::Search;
use dyno_core::stats::level::Level;

/// The largest sustained multiple.
pub const SECTION: Section =
    Section::main("multiple", |l| say!(l, "section-multiple"), SectionBlocks::Compared(blocks));

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let of = |(subject, found): (SubjectKey, &Option<Multiple>)| {
        Some(Block::lead(said(l, subjects, subject, found.as_ref()?)))
    };
    let mut out: Vec<Block> = comparisons.multiples.iter_enumerated().filter_map(of).collect();
    for step in &measured.steps {
        let is_searched = step.cells.iter().any(|cell| cell.holds.is_some());
        let Some(search) = step.search.as_ref().filter(|_| is_searched) else { continue };
        let rows = table(l, subjects, step, search);
        out.extend([Block::chapter(step.title.text(l)), rows.block()]);
        let share = (1.0 - PERCENTILES[search.index()].1) * 100.0;
        out.push(Block::note(say!(
            l,
            "multiple-holds",
            share = number_format::percent(l, share, 2),
            stream = &search.stream,
            limit = number_format::time(l, search.at_most_ns as f64)
        )));
        for limit in &search.fewer {
            let share = number_format::percent(l, limit.percent, 2);
            let limit = number_format::time(l, limit.over_ms as f64 * 1e6);
            out.push(Block::note(match search.every_ns {
                None => say!(l, "multiple-holds-fewer", share, limit),
                Some(ns) => {
                    let period = l.number(&units::duration(ns));
                    say!(l, "multiple-holds-fewer-in", share, limit, period)
                }
            }));
        }
    }
    if !out.is_empty() {
        out.push(Block::note(say!(l, "multiple-how")));
    }
    out
}

fn said(l: Language, subjects: &Subjects, subject: SubjectKey, multiple: &Multiple) -> String {
    let value = &multiple.value;
    let number = |n: f64| Number(format!("{} ×", (n * 100.0).round() / 100.0));
    let (subject, low, high) = (&subjects[subject].name, number(value.low), number(value.high));
    let (value, repeats) = (number(value.value), value.n);
    match multiple.at_least {
        true => say!(l, "multiple-at-least", subject, multiple = value),
        false => say!(l, "multiple-found", subject, multiple = value, low, high, repeats),
    }
}

fn table(l: Language, subjects: &Subjects, step: &StepFacts, search: &Search) -> Table {
    let mut head = vec![step.axis_text(l), say!(l, "column-subject"), say!(l, "column-time")];
    head.extend(OVER_MS.map(|ms| l.number(&format!("≥ {ms} ms"))));
    head.push(say!(l, "column-holds"));
    let mut table = Table::new(3, &head);
    for cell in &step.cells {
        for (mark, row) in rows(l, step, search, cell) {
            let subject = name(subjects, cell);
            table.row(mark, [vec![row[0].clone(), subject], row[1..].to_vec()].concat());
        }
    }
    table
}

/// Rows for the requests of a cell: response times, which are decisive, and service times. If every
/// period is limited, the worst one is decisive.
fn rows(
    l: Language,
    step: &StepFacts,
    search: &Search,
    cell: &CellFacts,
) -> Vec<(Mark, Vec<String>)> {
    let class = cell.stream(&search.stream).and_then(RepeatSummary::limited_class);
    let Some(class) = class else { return Vec::new() };
    let at = step.values[cell.value].text(l);
    let row = |time: String, over: &[Option<Level>], holds: String| {
        let share = |level: &Option<Level>| {
            let share = level.as_ref().map(|level| level.value * 100.0);
            share.map_or(NONE.to_string(), |share| number_format::percent(l, share, 2))
        };
        let shares: Vec<String> = over.iter().map(share).collect();
        [vec![at.clone(), time], shares, vec![holds]].concat()
    };
    let holds = match cell.holds {
        Some(true) => say!(l, "holds"),
        Some(false) => say!(l, "does-not-hold"),
        None => say!(l, "not-measured"),
    };
    let user = class.user_latency();
    let service = (Mark::Side, row(say!(l, "time-service"), &class.service.over(), String::new()));
    let Some((ns, worst)) = user.worst_period() else {
        let decides = row(say!(l, "time-response"), &user.over(), holds);
        return vec![(Mark::First, decides), service];
    };
    let period = l.number(&units::duration(ns));
    let decides = row(say!(l, "time-response-worst", period), &worst, holds);
    let whole = row(say!(l, "time-response"), &user.over(), String::new());
    vec![(Mark::First, decides), (Mark::Side, whole), service]
}
