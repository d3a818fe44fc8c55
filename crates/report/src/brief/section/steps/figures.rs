//! The figures that are not shown in the results.

use crate::analysis::facts::Facts;
use crate::brief::block::Block;
use crate::brief::section::Section;
use crate::chart::{Chart, StepDrawing, choice};
use crate::language::Language;
use crate::say;

/// Figures that are no step's headline.
pub const SECTION: Section =
    Section { id: "figures", title: |l| say!(l, "section-figures"), appendix: true, blocks };

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, measured, comparisons, .. } = facts;
    let drawings =
        measured.steps.iter().map(|step| StepDrawing::of(l, subjects, comparisons, step));
    let all: Vec<Chart> = drawings.flat_map(|drawing| choice::others(&drawing)).collect();
    if all.is_empty() { Vec::new() } else { vec![Block::Figures(all)] }
}
