//! A toy section: the number of steps.

use dyno::analysis::facts::{MeasuredFacts, Subjects};
use dyno::language::Language;
use dyno::brief::Block;
use dyno::brief::section::{self, Section, SectionBlocks};

pub fn add() {
    section::ALL.add(Section {
        id: "steps-counted",
        title: |_| "Steps counted".into(),
        appendix: false,
        blocks: SectionBlocks::Figures(blocks),
    });
}

fn blocks(_: Language, _: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    vec![Block::text(format!("There were {} steps.", measured.steps.len()))]
}
