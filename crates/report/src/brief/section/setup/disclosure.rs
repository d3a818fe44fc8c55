//! All facts about the host, the drives, the engines and the plan, so that others can repeat the
//! run.

use crate::analysis::facts::{DisclosureGroup, Facts, ReportStatements, RunFacts};
use crate::brief::block::Block;
use crate::brief::kernel_parameters;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::wording;
use crate::language::Language;
use crate::record::key::{FactHeading, devices};
use crate::say;
use crate::terms::names;

/// All facts, and the plan.
pub const SECTION: Section = Section::appendix(
    "disclosure",
    |l| say!(l, "section-disclosure"),
    SectionBlocks::Whole(blocks),
);

/// Sort position of a heading: those of every run first, then engines and others, in the bundle's
/// order.
fn place(name: &str) -> usize {
    FactHeading::ALL
        .iter()
        .position(|heading| name.starts_with(heading.name()))
        .unwrap_or(FactHeading::ALL.len())
}

fn rows(
    l: Language,
    statements: &ReportStatements,
    group: &DisclosureGroup,
) -> Vec<(String, String)> {
    let shown = |(name, value): &(String, String)| {
        let label = names::fact(l, name);
        let of_import =
            group.name == "Imported" && ["measured by", "missing"].contains(&name.as_str());
        match name.as_str() {
            _ if of_import => (label, names::of_import(l, value)),
            devices::SHARED => {
                let pairs = value.split("; ").map(|pair| names::shared_device(l, pair));
                (label, l.clauses(&pairs.collect::<Vec<_>>()))
            }
            _ => {
                let shown = kernel_parameters::shown(l, statements, name, value);
                (label, names::said(l, &shown))
            }
        }
    };
    group.rows.iter().map(shown).collect()
}

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let run = |run: &RunFacts| {
        let when = wording::when_measured(l, run);
        let (version, repeats) = (&run.dyno_version, run.repeats);
        if run.is_imported() {
            let said = say!(l, "imported-run", when, version);
            return (run.file.clone(), said);
        }
        (run.file.clone(), say!(l, "run", when, version, repeats))
    };
    let mut out = vec![Block::Pairs(say!(l, "runs"), facts.setup.runs.iter().map(run).collect())];
    let mut groups: Vec<_> = facts.setup.disclosure.iter().collect();
    groups.sort_by_key(|group| place(&group.name));
    out.extend(groups.into_iter().map(|group| {
        Block::Pairs(names::heading(l, &group.name), rows(l, &facts.statements, group))
    }));
    let plan =
        |run: &RunFacts| Block::Code(say!(l, "resolved-plan", file = &run.file), run.plan.clone());
    // Imported figures have no plan that could be run again.
    out.extend(facts.setup.runs.iter().filter(|run| !run.is_imported()).map(plan));
    out
}
