//! What differs between the subjects apart from the drive, graded.

use super::Section;
use crate::analysis::conditions::differences;
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Table};
use crate::say;

/// What differs between subjects apart from the drive.
pub const SECTION: Section =
    Section { id: "fairness", title: |l| say!(l, "section-fairness"), appendix: false, blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    if facts.subjects.len() < 2 {
        return Vec::new();
    }
    let found = differences(facts);
    if found.is_empty() {
        return vec![Block::text(
            "Nothing that is known of the subjects differs apart from the drives.",
        )];
    }
    let rows = found.into_iter().map(|d| vec![d.grade.name().to_string(), d.what, d.values]);
    vec![Table::of(3, &["", "what", "values"], rows.collect()).block()]
}
