//! Everything that is known of the host, the drives, the engines and the plan, so that others can
//! repeat the run.

use super::Section;
use crate::analysis::facts::{Facts, RunFacts};
use crate::brief::block::Block;
use crate::brief::kernel_parameters;
use crate::record::key::Heading;
use crate::say;

/// All facts, and the plan.
pub const SECTION: Section =
    Section { id: "disclosure", title: |l| say!(l, "section-disclosure"), appendix: true, blocks };

/// Place of a heading: those that every run has first, then engines and what else the bundle has,
/// in its order.
fn place(name: &str) -> usize {
    Heading::ALL
        .iter()
        .position(|heading| name.starts_with(heading.name()))
        .unwrap_or(Heading::ALL.len())
}

fn blocks(facts: &Facts) -> Vec<Block> {
    let l = facts.language;
    let run = |run: &RunFacts| {
        let when = l.moment(run.started_unix_ns);
        let (version, repeats) = (&run.dyno_version, run.repeats);
        (run.file.clone(), say!(l, "run", when = when, version = version, repeats = repeats))
    };
    let mut out = vec![Block::Pairs(say!(l, "runs"), facts.runs.iter().map(run).collect())];
    let mut groups: Vec<_> = facts.disclosure.iter().collect();
    groups.sort_by_key(|group| place(&group.name));
    out.extend(groups.into_iter().map(|group| {
        let shown = |(name, value): &(String, String)| {
            (name.clone(), kernel_parameters::shown(facts, name, value))
        };
        Block::Pairs(group.name.clone(), group.rows.iter().map(shown).collect())
    }));
    let plan =
        |run: &RunFacts| Block::Code(say!(l, "resolved-plan", file = &run.file), run.plan.clone());
    out.extend(facts.runs.iter().map(plan));
    out
}
