//! Everything that is known of the host, the drives, the engines and the plan, so that others can repeat the run.

use super::Section;
use crate::analysis::facts::{Facts, RunFacts};
use crate::brief::block::Block;
use crate::brief::number_format;

pub const SECTION: Section = Section { id: "disclosure", title: "Full disclosure", appendix: true, blocks };

/// The order of the headings; what is not named here follows in the order of the bundle.
const ORDER: [&str; 8] = ["Dyno", "Host", "CPU", "Memory", "Kernel", "Drive", "Filesystem", "RocksDB"];

fn blocks(facts: &Facts) -> Vec<Block> {
    let run = |run: &RunFacts| {
        let plural = if run.repeats == 1 { "" } else { "s" };
        let when = number_format::moment(run.started_unix_ns);
        (run.file.clone(), format!("{when}, dyno {}, {} repeat{plural}", run.dyno_version, run.repeats))
    };
    let mut out = vec![Block::Pairs("Runs".to_string(), facts.runs.iter().map(run).collect())];
    let mut groups: Vec<_> = facts.disclosure.iter().collect();
    groups.sort_by_key(|g| ORDER.iter().position(|o| g.name.starts_with(o)).unwrap_or(ORDER.len()));
    out.extend(groups.into_iter().map(|group| Block::Pairs(group.name.clone(), group.rows.clone())));
    let plan = |run: &RunFacts| Block::Code(format!("Resolved plan of {}", run.file), run.plan.clone());
    out.extend(facts.runs.iter().map(plan));
    out
}
