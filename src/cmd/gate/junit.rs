//! A gate as JUnit XML, which CI systems show with their tests: a suite for each step, a case for
//! each figure.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::analysis::facts::{Facts, MeasuredFacts, Subjects};
use crate::analysis::verdicts::gate::{Gate, GateVerdict, Judged};
use crate::base::error::{Context, Result};
use crate::brief::gate as text;
use crate::language::Language;

/// The report's text.
pub fn report(l: Language, facts: &Facts, gate: &Gate) -> Result<String> {
    let mut report = Report::new("dyno gate");
    let Facts { subjects, measured, .. } = facts;
    for step in &measured.steps {
        let mut suite = TestSuite::new(&*step.name);
        suite.add_test_cases(gate.rows.iter().filter(|r| r.step == step.key).map(|r| {
            let status = status(l, subjects, measured, r);
            let mut case = TestCase::new(name(l, subjects, measured, r), status);
            case.set_classname(format!("{}.{}", step.name, subjects[r.subject].own_name));
            case
        }));
        if !suite.test_cases.is_empty() {
            report.add_test_suite(suite);
        }
    }
    let text = report.to_string().context("writing JUnit XML")?;
    // The crate writes the number of skipped cases under a name that Jenkins's schema does not
    // have. Quotes within names are escaped, so this is an attribute.
    Ok(text.replace(" disabled=\"", " skipped=\""))
}

fn name(l: Language, subjects: &Subjects, measured: &MeasuredFacts, row: &Judged) -> String {
    let (metric, place) = (row.metric.short(), text::place(l, measured, row));
    format!("{}: {metric}, {place}", subjects[row.subject].own_name)
}

fn status(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    row: &Judged,
) -> TestCaseStatus {
    let mut status = match row.verdict {
        GateVerdict::NotWorse => return TestCaseStatus::success(),
        GateVerdict::Worse => TestCaseStatus::non_success(NonSuccessKind::Failure),
        // JUnit has no state for an open question; a skipped case has neither passed nor failed.
        GateVerdict::NotShown(_) => TestCaseStatus::skipped(),
    };
    let change = row.change.as_ref().map(text::change);
    let change = change.map(|(by, interval)| format!(" ({by} {interval})")).unwrap_or_default();
    let verdict = text::verdict(l, subjects, measured, row);
    status.set_message(format!("{verdict}{change}"));
    status.set_type(text::word_of(&row.verdict));
    status
}
