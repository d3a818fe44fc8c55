//! The conclusion: how all comparisons ended, counted, and what they cannot say.

use super::Section;
use crate::analysis::compare::Standing;
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Table};
use crate::brief::wording;

/// How the comparisons ended, counted.
pub const SECTION: Section =
    Section { id: "conclusion", title: "Conclusion", appendix: true, blocks };

const HEAD: [&str; 8] = [
    "step",
    "figure",
    "pair",
    "comparisons",
    "first better",
    "second better",
    "not distinguishable",
    "not ranked",
];

fn blocks(facts: &Facts) -> Vec<Block> {
    if facts.comparisons.is_empty() {
        return Vec::new();
    }
    let mut keys: Vec<_> = Vec::new();
    for c in &facts.comparisons {
        let key = (c.step, c.metric.clone(), c.better.min(c.worse), c.better.max(c.worse));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut rows = Vec::new();
    for (step, metric, a, b) in keys {
        let own = || {
            facts
                .comparisons
                .iter()
                .filter(|c| c.step == step && c.metric == metric && c.is_of(a, b))
        };
        let better = |subject| own().filter(|c| c.is_claimed() && c.better == subject).count();
        let count = |standing| own().filter(|c| c.standing == standing).count();
        let title = &facts.steps[step].title;
        let pair = format!("{}, {}", facts.subjects[a], facts.subjects[b]);
        let mut row = vec![title.clone(), wording::metric(&metric, &facts.steps[step]), pair];
        let counts = [
            own().count(),
            better(a),
            better(b),
            count(Standing::NotShown),
            count(Standing::NotTheDrives),
        ];
        row.extend(counts.map(|n| n.to_string()));
        rows.push(row);
    }
    let table = Table::of(3, &HEAD, rows).block();
    vec![Block::text("How every comparison ended:"), table, Block::text(LIMITS)]
}

/// What must be known before any of it is taken further than it goes.
const LIMITS: &str = "Every interval is of the scatter between repeats on this host and these \
drives. The findings hold for these drives, with this firmware, on this host and software, under \
these loads; the section Full disclosure lists them. One drive of a model does not stand for all \
of its kind.";
