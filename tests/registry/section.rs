//! A toy section: the number of steps.

use dyno::analysis::Facts;
use dyno::language::Language;
use dyno::brief::Block;
use dyno::brief::section::{self, Section};

pub fn add() {
    section::ALL.add(Section {
        id: "steps-counted",
        title: |_| "Steps counted".into(),
        appendix: false,
        blocks,
    });
}

fn blocks(_l: Language, facts: &Facts) -> Vec<Block> {
    vec![Block::text(format!("There were {} steps.", facts.measured.steps.len()))]
}
