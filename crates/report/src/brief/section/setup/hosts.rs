//! Load from several hosts: the offsets of their clocks, the results of each host at each point,
//! and the sum if their windows overlap.

use crate::analysis::facts::{Facts, JointFacts, MeasuredFacts, StepFacts};
use crate::analysis::hosts::{ClassOfJoint, Joint, JointHost, Sum, SumRefusal};
use crate::analysis::points::point_summary::{P50, P99, P999};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::language::{Language, Name};
use crate::say;
use dyno_core::base::units;
use dyno_core::record::ClockOffset;

/// Hosts with a common start.
pub const SECTION: Section =
    Section::main("hosts", |l| say!(l, "section-hosts"), SectionBlocks::Whole(blocks));

/// The complete section; empty without a common start.
pub fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    if facts.joint.hosts.is_empty() {
        return Vec::new();
    }
    let mut out = vec![clocks(l, &facts.joint.hosts), sums(l, &facts.measured, &facts.joint)];
    let refused =
        facts.joint.points.iter().filter_map(|joint| Some((joint, joint.sum.as_ref().err()?)));
    let mut reasons: Vec<String> =
        refused.map(|(joint, why)| reason(l, &facts.measured, &facts.joint, joint, why)).collect();
    reasons.dedup();
    out.extend(reasons.into_iter().map(Block::warning));
    out.push(Block::note(say!(l, "hosts-how")));
    out
}

fn clocks(l: Language, hosts: &[JointHost]) -> Block {
    let head = [
        say!(l, "column-host"),
        say!(l, "column-offset-before"),
        say!(l, "column-offset-after"),
        say!(l, "column-offset-limit"),
        say!(l, "column-reference"),
    ];
    let offset = |offset: Option<ClockOffset>| offset.map_or(NONE.into(), |o| offset_text(l, o));
    let row = |host: &JointHost| {
        let start = &host.start;
        let mut row = texts([host.file.clone(), offset(start.before), offset(start.after)]);
        row.push(TableCell::time(start.limit_ns as f64));
        row.push(start.reference.clone().into());
        (Mark::None, row)
    };
    Table::measured(l, 1, &head, hosts.iter().map(row).collect()).block()
}

/// "−50.0 ms ± 12 µs"
fn offset_text(l: Language, offset: ClockOffset) -> String {
    let sign = if offset.offset_ns < 0 { "−" } else { "+" };
    let time = |ns: u64| units::latency(ns as f64);
    let size = time(offset.offset_ns.unsigned_abs());
    l.number(&format!("{sign}{size} ± {}", time(offset.bound_ns)))
}

fn step<'f>(measured: &'f MeasuredFacts, joint: &Joint) -> Option<&'f StepFacts> {
    measured.steps.iter().find(|step| step.name == joint.step)
}

/// The axis value as printed in the brief.
fn at(l: Language, measured: &MeasuredFacts, joint: &Joint) -> String {
    let values = step(measured, joint).map(|step| &step.values.raw[..]).unwrap_or_default();
    let same = |number: f64| joint.value.is_some_and(|value| value == number);
    let found = values.iter().find(|value| same(value.number));
    found.map_or(String::new(), |value| value.text(l))
}

fn title(l: Language, measured: &MeasuredFacts, joint: &Joint) -> String {
    step(measured, joint).map_or_else(|| joint.step.clone(), |step| step.title.text(l))
}

/// A row for each point and class.
fn sums(l: Language, measured: &MeasuredFacts, joint: &JointFacts) -> Block {
    let mut head = vec![say!(l, "column-step"), say!(l, "column-at"), say!(l, "column-class")];
    head.extend([say!(l, "column-repeat"), say!(l, "column-common-window")]);
    head.extend(
        joint.hosts.iter().map(|host| l.sequence(&["ops/s".to_string(), host.file.clone()])),
    );
    head.extend([say!(l, "column-ops-sum"), "MB/s".to_string(), say!(l, "mean")]);
    head.extend(["p50", "p99", "p99.9"].map(String::from));
    head.push(say!(l, "column-max"));
    let mut rows = Vec::new();
    for joint in &joint.points {
        let place = |class: &str| {
            vec![title(l, measured, joint), at(l, measured, joint), class.to_string()]
        };
        let rate = |ops: &Option<f64>| ops.map_or(NONE.into(), |n| number_format::count(l, n));
        let mut left = vec![joint.repeat.to_string(), number_format::share(l, joint.common)];
        left.extend(joint.by_host.iter().map(rate));
        match &joint.sum {
            Ok(sum) => {
                for (i, ClassOfJoint { class, .. }) in sum.classes.iter().enumerate() {
                    let op = l.name(&Name::op(class.name()));
                    let left = texts([place(&op), left.clone()].concat());
                    let mark = if i == 0 { Mark::First } else { Mark::None };
                    rows.push((mark, [left, of_class(l, sum, i)].concat()));
                }
            }
            Err(_) => {
                let left = texts([place(""), left].concat());
                rows.push((Mark::Bad, [left, vec![TableCell::none(); 7]].concat()));
            }
        }
    }
    Table::measured(l, 3, &head, rows).block()
}

/// Only the first class's row has the sums, because they are for all classes.
fn of_class(l: Language, sum: &Sum, index: usize) -> Vec<TableCell> {
    let times = sum.classes[index].numbers();
    let p = |at: usize| {
        let of = |(ns, is_bound)| TableCell::time(ns).bounded_below(is_bound);
        times.percentile(at).map_or_else(TableCell::none, of)
    };
    let is_bound = times.censored.is_some();
    let (ops, megabytes) = match index {
        0 => (number_format::count(l, sum.ops_per_s), number_format::megabytes(l, sum.bytes_per_s)),
        _ => (String::new(), String::new()),
    };
    let max = TableCell::time(times.max_ns.map(|ns| ns as f64)).bounded_below(is_bound);
    let mean = TableCell::time(times.mean_ns).bounded_below(is_bound);
    vec![ops.into(), megabytes.into(), mean, p(P50), p(P99), p(P999), max]
}

/// Why a point has no sum.
pub fn reason(
    l: Language,
    measured: &MeasuredFacts,
    joint: &JointFacts,
    point: &Joint,
    why: &SumRefusal,
) -> String {
    let file = |host: &usize| joint.hosts[*host].file.clone();
    match why {
        SumRefusal::Unchecked(host) => say!(l, "hosts-unchecked", host = file(host)),
        SumRefusal::Clock(host) => {
            let start = &joint.hosts[*host].start;
            let worst = [start.before, start.after].into_iter().flatten();
            let worst = worst.max_by_key(|offset| offset.most_ns());
            let offset = worst.map_or(String::new(), |offset| offset_text(l, offset));
            let limit = number_format::time(l, start.limit_ns as f64);
            say!(l, "hosts-clock", host = file(host), offset, limit)
        }
        SumRefusal::Missing(host) => say!(
            l,
            "hosts-missing",
            host = file(host),
            step = title(l, measured, point),
            repeat = point.repeat
        ),
        SumRefusal::Apart => say!(
            l,
            "hosts-apart",
            step = title(l, measured, point),
            repeat = point.repeat,
            share = number_format::share(l, point.common)
        ),
    }
}
