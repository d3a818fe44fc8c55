//! The figures that are not shown in the results.

use crate::analysis::facts::Facts;
use crate::brief::block::Block;
use crate::brief::section::Section;
use crate::language::Language;
use crate::{chart, say};

/// Figures that are no step's headline.
pub const SECTION: Section =
    Section { id: "figures", title: |l| say!(l, "section-figures"), appendix: true, blocks };

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let all: Vec<_> = facts
        .measured
        .steps
        .iter()
        .flat_map(|step| chart::choice::others(l, facts, step))
        .collect();
    if all.is_empty() { Vec::new() } else { vec![Block::Figures(all)] }
}
