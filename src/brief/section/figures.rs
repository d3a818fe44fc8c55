//! The figures that no step leads with.

use super::Section;
use crate::analysis::facts::Facts;
use crate::brief::block::Block;
use crate::chart;

pub const SECTION: Section = Section { id: "figures", title: "Further figures", appendix: true, blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.steps {
        let others = chart::choice::others(facts, step);
        if !others.is_empty() {
            out.extend([Block::chapter(&step.title), Block::Figures(others)]);
        }
    }
    out
}
