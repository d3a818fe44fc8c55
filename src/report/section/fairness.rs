//! What differs between the subjects apart from the drive, graded.

use super::{Info, Section};
use crate::analysis::conditions::differences;
use crate::analysis::facts::Facts;
use crate::report::html::Table;

pub struct Fairness;

impl Section for Fairness {
    fn info(&self) -> Info {
        Info { id: "fairness", title: "Differences in test conditions" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        if facts.subjects.len() < 2 {
            return None;
        }
        let found = differences(facts);
        if found.is_empty() {
            return Some("<p>Nothing that is known of the subjects differs apart from the drives.</p>\n".to_string());
        }
        let mut table = Table::new(3, &["", "what", "values"]);
        for d in found {
            table.row("", &[d.grade.name().to_string(), d.what, d.values]);
        }
        Some(table.html())
    }
}
