//! The fleet: drives as samples of their models, in figures, a table and sentences.

use crate::analysis::facts::Facts;
use crate::analysis::verdicts::fleet;
use crate::brief::block::Block;
use crate::brief::fleet::of_step;
use crate::brief::section::Section;
use crate::language::Language;
use crate::{chart, say};

/// Drives as samples of their models.
pub const SECTION: Section =
    Section { id: "fleet", title: |l| say!(l, "section-fleet"), appendix: false, blocks };

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.measured.steps {
        let Some(fleet) = fleet::of_step(facts, step) else { continue };
        out.push(Block::chapter(step.title.text(l)));
        out.push(Block::Figures(chart::of_step(l, "fleet", facts, step)));
        out.extend(of_step(l, &facts.subjects, &facts.measured, &fleet));
    }
    if !out.is_empty() {
        out.push(Block::note(say!(l, "fleet-how")));
    }
    out
}
