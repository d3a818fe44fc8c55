//! Differences in test conditions, graded.

use super::Section;
use crate::analysis::conditions::{Grade, differences};
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Table};
use crate::language::Language;
use crate::say;

/// What differs between subjects apart from the drive.
pub const SECTION: Section =
    Section { id: "fairness", title: |l| say!(l, "section-fairness"), appendix: false, blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    if facts.subjects.len() < 2 {
        return Vec::new();
    }
    let (l, found) = (facts.language, differences(facts));
    if found.is_empty() {
        return vec![Block::text(say!(l, "nothing-differs"))];
    }
    let rows =
        found.into_iter().map(|d| vec![grade(l, d.grade), l.text(&d.what), l.text(&d.values)]);
    let head = [String::new(), say!(l, "column-what"), say!(l, "column-values")];
    vec![Table::of(3, &head, rows.collect()).block()]
}

fn grade(l: Language, grade: Grade) -> String {
    match grade {
        Grade::Disqualifying => say!(l, "grade-disqualifying"),
        Grade::Confounder => say!(l, "grade-confounder"),
        Grade::Harmless => say!(l, "grade-harmless"),
    }
}
