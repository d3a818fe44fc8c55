//! The figures that are not shown in the results.

use crate::analysis::facts::{Comparisons, MeasuredFacts, Subjects};
use crate::brief::block::Block;
use crate::brief::section::{Section, SectionBlocks};
use crate::chart::{StepDrawing, choice};
use crate::language::Language;
use crate::say;

/// Figures that are not the headline of a step.
pub const SECTION: Section =
    Section::appendix("figures", |l| say!(l, "section-figures"), SectionBlocks::Compared(blocks));

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let drawings =
        measured.steps.iter().map(|step| StepDrawing::of(l, subjects, comparisons, step));
    let all = drawings.flat_map(|drawing| choice::others(&drawing)).collect();
    Block::figures(all).into_iter().collect()
}
