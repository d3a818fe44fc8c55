//! Bottlenecks: what limited each point, as rows of a table and as a mark beside names.

use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::stats::limit::Verdict;

/// Stands beside whatever the drive is known not to have limited.
pub const MARK: &str = "†";

/// Heading of `rows`, after the axis.
pub const HEAD: [&str; 3] = ["subject", "limited by", "because"];

pub const NOTE: &str = "† Not limited by the drive: see “Bottleneck”.";

impl CellFacts {
    /// Something other than the drive is known to have set its numbers.
    pub fn is_not_the_drives(&self) -> bool {
        self.not_the_drive().is_some()
    }

    /// `text` with the mark where it is called for.
    pub fn marked(&self, text: String) -> String {
        if self.is_not_the_drives() { format!("{text} {MARK}") } else { text }
    }
}

impl StepFacts {
    pub fn has_marks(&self) -> bool {
        self.cells.iter().any(CellFacts::is_not_the_drives)
    }
}

/// A row for each cell that something watched.
pub fn rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let row = |cell: &CellFacts| {
        let verdict = cell.limit.as_ref()?;
        let at = step.values[cell.value].label.clone();
        Some(vec![at, facts.name(cell), verdict.limit.name().to_string(), because(verdict)])
    };
    step.cells.iter().filter_map(row).collect()
}

/// The evidence, and what to change where it was not the drive.
pub fn because(verdict: &Verdict) -> String {
    match &verdict.remedy {
        Some(remedy) => format!("{}. To measure the drive: {remedy}", verdict.evidence),
        None => verdict.evidence.clone(),
    }
}

/// How many cells each limit holds, as a sentence; nothing where nothing watched.
pub fn sum(facts: &Facts) -> Option<String> {
    let all = || facts.steps.iter().flat_map(|s| &s.cells).filter_map(|c| c.limit.as_ref());
    let total = all().count();
    let by_drive = all().filter(|v| v.limit.is_drive()).count();
    let barred = all().filter(|v| v.limit.bars_ranking()).count();
    (total > 0).then(|| {
        format!(
            "The drive limited {by_drive} of {total} points. {barred} were limited by something else and are marked {MARK}: \
             they rank no drives. The rest ran at the rate asked for, or it could not be told."
        )
    })
}
