//! The full data: every cell, stream and class with all its percentiles.

use super::Section;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, PERCENTILES, Summary};
use crate::base::units;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::chart::step::name;
use crate::say;

/// All cells, streams and classes.
pub const SECTION: Section =
    Section { id: "data", title: |l| say!(l, "section-data"), appendix: true, blocks };

const HOW: &str = "Every stream and class. Streams in grey ran beside the measured ones and do not \
    count in the headline. Latencies are service times, or response times (marked r) where a rate \
    was asked for. “–” means not measured: fewer than 100 samples lay above that percentile.";

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = vec![Block::note(HOW)];
    for step in &facts.steps {
        out.extend([Block::chapter(&step.title), table(facts, step).block()]);
    }
    out
}

fn table(facts: &Facts, step: &StepFacts) -> Table {
    let mut head = vec![
        step.axis_label(),
        "subject",
        "stream",
        "class",
        "repeats",
        "ops/s",
        "±",
        "MB/s",
        "mean",
    ];
    head.extend(PERCENTILES.iter().map(|(name, _)| *name));
    head.push("max");
    let mut table = Table::new(4, &head);
    for cell in &step.cells {
        for (stream, headline, summary) in &cell.streams {
            for class in &summary.classes {
                let at = step.values[cell.value].label.clone();
                let mut row = vec![at, name(facts, cell), stream.clone()];
                row.extend(numbers(cell.repeats.len(), summary, class));
                table.row(if *headline { Mark::None } else { Mark::Side }, row);
            }
        }
    }
    table
}

fn numbers(repeats: usize, summary: &Summary, class: &ClassSummary) -> Vec<String> {
    let times = class.user_latency();
    let response = if class.response.is_some() { " (r)" } else { "" };
    let one = summary.classes.len() == 1;
    let rate = if one { &summary.ops_per_s } else { &class.ops_per_s };
    let mb = number_format::megabytes(class.bytes_per_s.value);
    let mut row = vec![format!("{}{response}", class.class.name()), repeats.to_string()];
    row.extend([
        number_format::ops(rate) + &number_format::given_up(class.given_up),
        number_format::spread(rate),
        mb,
        number_format::latency(times.mean_ns.as_ref()),
    ]);
    row.extend(times.percentiles_ns.iter().map(|p| number_format::latency(p.as_ref())));
    row.push(if times.max_ns == 0 {
        number_format::NONE.to_string()
    } else {
        units::latency(times.max_ns as f64)
    });
    row
}
