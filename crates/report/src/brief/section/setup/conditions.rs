//! Differences in test conditions, graded.

use crate::analysis::difference::{Difference, Grade};
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Table};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::condition_text::{condition, not_given, values};
use crate::language::Language;
use crate::say;

/// Differences between subjects apart from the drive.
pub const SECTION: Section =
    Section::main("fairness", |l| say!(l, "section-fairness"), SectionBlocks::Whole(blocks));

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, comparisons, .. } = facts;
    if subjects.len() < 2 {
        return Vec::new();
    }
    let found = &comparisons.conditions;
    let unknown = comparisons.not_given.iter();
    let unknown: Vec<String> = unknown.map(|what| not_given(l, *what)).collect();
    let unknown = match unknown.is_empty() {
        true => None,
        false => Some(Block::text(say!(l, "conditions-not-given", what = l.list(&unknown)))),
    };
    if found.is_empty() {
        return vec![unknown.unwrap_or_else(|| Block::text(say!(l, "nothing-differs")))];
    }
    let rows = found
        .iter()
        .map(|d| vec![grade(l, d.grade), in_tests(l, facts, d), values(l, subjects, d)]);
    let head = [String::new(), say!(l, "column-what"), say!(l, "column-values")];
    [Some(Table::of(3, &head, rows.collect()).block()), unknown].into_iter().flatten().collect()
}

/// A condition, with the tests in which it differs, unless it does in all.
fn in_tests(l: Language, facts: &Facts, difference: &Difference) -> String {
    let what = condition(l, &difference.what);
    let titles: Vec<String> =
        difference.tests.iter().map(|test| facts.tests[*test].title.text(l)).collect();
    match titles.is_empty() {
        true => what,
        false => say!(l, "with-detail", what, detail = l.clauses(&titles)),
    }
}

fn grade(l: Language, grade: Grade) -> String {
    match grade {
        Grade::Disqualifying => say!(l, "grade-disqualifying"),
        Grade::Confounder => say!(l, "grade-confounder"),
        Grade::Harmless => say!(l, "grade-harmless"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::comparability::conditions::tests::{UNLIKE, two_alike};
    use crate::analysis::comparability::conditions::{differences, unknown};
    use crate::analysis::keys::RunKey;
    use crate::brief::block::words;

    /// Whether the page states that there are no known differences.
    fn denies(mut facts: Facts) -> bool {
        facts.comparisons.conditions = differences(&facts);
        facts.comparisons.not_given = unknown(&facts.subjects, &facts.measured, &facts.setup);
        let said = say!(Language::ENGLISH, "nothing-differs");
        let is_said = |b: &Block| matches!(b, Block::Text(_, line) if words(line) == said);
        SECTION.blocks.of(Language::ENGLISH, &facts).iter().any(is_said)
    }

    #[test]
    fn nothing_differs_is_said_only_where_nothing_that_is_known_differs_or_holds() {
        assert!(denies(two_alike()));
        for unlike in UNLIKE {
            let mut facts = two_alike();
            (unlike.put)(&mut facts);
            assert!(!denies(facts), "{} ({})", unlike.what, unlike.values);
        }
    }

    #[test]
    fn of_imported_figures_it_is_not_said_since_their_conditions_are_not_known() {
        let mut facts = two_alike();
        facts.setup.runs[RunKey(0)].resolved.imported = Some(Default::default());
        assert!(!denies(facts));
    }
}
