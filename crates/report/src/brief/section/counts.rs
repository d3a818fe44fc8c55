//! The number of comparisons by result, and their limitations.

use super::{Section, SectionBlocks};
use crate::analysis::claim::compare::{Comparison, Standing};
use crate::analysis::facts::{Comparisons, MeasuredFacts, Subjects};
use crate::analysis::keys::unordered;
use crate::brief::block::{Block, Table};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;

/// The number of comparisons by result.
pub const SECTION: Section =
    Section::appendix("counts", |l| say!(l, "section-counts"), SectionBlocks::Compared(blocks));

/// The columns' names.
fn head(l: Language) -> [String; 8] {
    [
        say!(l, "column-step"),
        say!(l, "column-figure"),
        say!(l, "column-pair"),
        say!(l, "column-comparisons"),
        say!(l, "column-first-better"),
        say!(l, "column-second-better"),
        say!(l, "column-not-distinguishable"),
        say!(l, "column-not-ranked"),
    ]
}

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    if comparisons.all.is_empty() {
        return Vec::new();
    }
    let mut keys: Vec<_> = Vec::new();
    for c in &comparisons.all {
        let key = (c.step, c.metric.clone(), unordered(c.better, c.worse));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut rows = Vec::new();
    for (step, metric, (a, b)) in keys {
        let is_own = |c: &&Comparison| c.step == step && c.metric == metric && c.is_of(a, b);
        let own = || comparisons.all.iter().filter(is_own);
        let better = |subject| own().filter(|c| c.is_claimed() && c.better == subject).count();
        let count = |standing| own().filter(|c| c.standing == standing).count();
        let title = &measured.steps[step].title;
        let pair = [a, b].map(|s| subjects[s].name.clone()).join(&say!(l, "list-comma"));
        let mut row = vec![title.text(l), wording::metric(l, &metric, &measured.steps[step]), pair];
        let counts = [
            own().count(),
            better(a),
            better(b),
            count(Standing::NotShown),
            count(Standing::NotTheDrives) + own().filter(|c| c.interval.is_none()).count(),
        ];
        row.extend(counts.map(|n| n.to_string()));
        rows.push(row);
    }
    let table = Table::of(3, &head(l), rows).block();
    // The limits of generalisation.
    let limits = Block::text(say!(l, "conclusion-limits"));
    vec![Block::text(say!(l, "conclusion-how")), table, limits]
}
