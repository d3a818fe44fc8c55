//! The fleet: drives as samples of their models, in figures, a table and sentences.

use crate::analysis::facts::{Comparisons, MeasuredFacts, Subjects};
use crate::brief::block::Block;
use crate::brief::fleet::of_step;
use crate::brief::section::{Section, SectionBlocks};
use crate::chart::{self, StepDrawing};
use crate::language::Language;
use crate::say;

/// Drives as samples of their models.
pub const SECTION: Section =
    Section::main("fleet", |l| say!(l, "section-fleet"), SectionBlocks::Compared(blocks));

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &measured.steps {
        let Some(fleet) = &comparisons.fleets[step.key] else { continue };
        let drawing = StepDrawing::of(l, subjects, comparisons, step);
        out.push(Block::chapter(step.title.text(l)));
        out.push(Block::Figures(chart::of_step("fleet", &drawing)));
        out.extend(of_step(l, subjects, step, fleet));
    }
    if !out.is_empty() {
        out.push(Block::note(say!(l, "fleet-how")));
    }
    out
}
