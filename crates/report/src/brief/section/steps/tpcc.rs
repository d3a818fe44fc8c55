//! TPC-C figures: New-Orders per minute, the mix, response times by transaction compared with the
//! limits of the specification, and departures from it.

use crate::analysis::facts::{MeasuredFacts, StepFacts, Subjects};
use crate::analysis::points::metric::NEW_ORDER;
use crate::analysis::points::point_summary::{P90, P95, RepeatSummary};
use crate::brief::block::{Block, Mark, Role, Table, plain, strong};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::brief::text::wording;
use crate::language::{Language, Name};
use crate::say;
use dyno_core::record::Class;

/// TPC-C's results and limits.
pub const SECTION: Section =
    Section::main("tpcc", |l| say!(l, "section-tpcc"), SectionBlocks::Figures(blocks));

/// The class as declared by the workload.
const PAYMENT: Class = Class::new("payment");
const ORDER_STATUS: Class = Class::new("order-status");
const DELIVERY: Class = Class::new("delivery");
const DEFERRED: Class = Class::new("deferred-delivery");
const STOCK_LEVEL: Class = Class::new("stock-level");

/// Clause 5.2.5.3: 90 % of each kind must be answered in this time; a deferred Delivery within 80 s
/// (clause 2.7.2.2).
const LIMITS_S: [(Class, u32); 6] = [
    (NEW_ORDER, 5),
    (PAYMENT, 5),
    (ORDER_STATUS, 5),
    (DELIVERY, 5),
    (DEFERRED, 80),
    (STOCK_LEVEL, 20),
];

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &measured.steps {
        for cell in &step.cells {
            for (name, _, summary) in &cell.streams {
                if summary.classes.iter().any(|c| c.class == NEW_ORDER) {
                    let at = step.values[cell.value].text(l);
                    let parts = [&subjects[cell.subject].name, &at, name]
                        .map(String::as_str)
                        .into_iter()
                        .filter(|part| !part.is_empty());
                    let parts = parts.collect::<Vec<_>>().join(", ");
                    out.push(Block::chapter(wording::of_step(l, step, parts)));
                    out.extend(account(l, summary));
                }
            }
        }
    }
    if !out.is_empty() {
        out.extend(verdicts(l, subjects, measured).into_iter().map(Block::text));
        out.push(Block::note(say!(l, "tpcc-limits")));
        out.push(Block::note(say!(l, "tpcc-deviations")));
    }
    out
}

/// The checks that passed, and the longest duration; a failed check is a failed point, which is
/// listed among these.
pub fn verdicts(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<String> {
    let sentence = |step: &StepFacts| {
        let kept = step.cells.iter().map(|cell| {
            let (subject, times) = (&subjects[cell.subject].name, cell.repeats.len());
            match times {
                1 => subject.clone(),
                _ => say!(l, "subject-times", subject, count = times),
            }
        });
        let kept = l.list(&kept.collect::<Vec<_>>());
        let classes = step.cells.iter().filter_map(|c| c.total.as_ref()).flat_map(|t| &t.classes);
        let longest_ns = classes.filter_map(|class| class.service.max_ns).max().unwrap_or(0);
        let time = number_format::time(l, longest_ns as f64);
        say!(l, "tpcc-conditions-kept", step = &step.title, subjects = kept, time)
    };
    measured.checks.iter().map(sentence).collect()
}

fn account(l: Language, summary: &RepeatSummary) -> [Block; 2] {
    let asked: u64 =
        summary.classes.iter().filter(|c| c.class != DEFERRED).filter_map(|c| c.ops).sum();
    let head = [
        say!(l, "column-transaction"),
        say!(l, "column-number"),
        say!(l, "column-share"),
        say!(l, "column-rolled-back"),
        "p90".to_string(),
        say!(l, "column-limit-90"),
        String::new(),
        say!(l, "mean"),
        "p95".to_string(),
        say!(l, "column-slowest"),
    ];
    let (mut rows, mut rate) = (Vec::new(), String::new());
    for (class, limit_s) in LIMITS_S {
        let Some(c) = summary.classes.iter().find(|c| c.class == class) else { continue };
        let ops = c.ops.unwrap_or(0);
        let committed = 1.0 - c.misses as f64 / ops.max(1) as f64;
        if let (true, Some(done)) = (class == NEW_ORDER, &c.done_per_minute) {
            rate = say!(l, "new-orders", rate = number_format::count(l, done.value));
            if done.has_interval() {
                rate = format!("{rate} {}", number_format::spread(l, Some(done)));
            }
        }
        let times = c.user_latency();
        let p90 = times.percentiles_ns[P90].as_ref();
        let limit_ns = f64::from(limit_s) * 1e9;
        let kept = match p90 {
            _ if ops == 0 => NONE.to_string(),
            _ if times.max_ns.is_some_and(|ns| ns as f64 <= limit_ns) && !times.censored => {
                say!(l, "kept-by-all")
            }
            Some(p) if p.value <= limit_ns && p.at_least => NONE.to_string(),
            Some(p) if p.value <= limit_ns => say!(l, "kept"),
            Some(_) => say!(l, "p90-above"),
            None => NONE.to_string(),
        };
        let share =
            |part: u64| number_format::percent(l, part as f64 / asked.max(1) as f64 * 100.0, 2);
        let mut row = texts([
            l.name(&Name::op(class.name())),
            number_format::grouped(l, ops),
            if class == DEFERRED { String::new() } else { share(ops) },
            if class == NEW_ORDER {
                number_format::percent(l, (1.0 - committed) * 100.0, 2)
            } else {
                String::new()
            },
        ]);
        row.push(TableCell::latency(p90));
        row.extend(texts([format!("{limit_s} s"), kept]));
        row.extend([TableCell::mean(Some(times)), TableCell::percentile(Some(times), P95)]);
        row.push(TableCell::largest(times));
        rows.push((Mark::None, row));
    }
    // Keying and think times set the rate on any drive.
    let timed = summary.classes.iter().any(|class| class.response.is_some());
    let rate = match timed {
        true => plain([rate, say!(l, "committed-by-terminals")].concat()),
        false => [vec![strong(rate)], plain(say!(l, "committed"))].concat(),
    };
    let times = Table::measured(l, 1, &head, rows).block();
    match timed {
        true => [times, Block::Text(Role::Plain, rate)],
        false => [Block::Text(Role::Plain, rate), times],
    }
}
