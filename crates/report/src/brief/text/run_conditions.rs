//! The test conditions, as a line of the first page.

use crate::analysis::facts::{Facts, SetupFacts};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;

/// When, how often, on what: one line.
pub fn line(l: Language, facts: &Facts) -> String {
    let mut parts = Vec::new();
    let most = facts
        .measured
        .steps
        .iter()
        .flat_map(|s| &s.cells)
        .map(|c| c.repeats.len())
        .max()
        .unwrap_or(0);
    if facts.setup.is_imported() {
        return match facts.comparisons.published {
            true => say!(l, "conditions-published"),
            false => say!(l, "conditions-imported"),
        };
    }
    parts.push(say!(l, "measured-times", count = most));
    let windows: Vec<u64> =
        facts.measured.steps.iter().filter_map(|s| s.window_ns).filter(|ns| *ns > 0).collect();
    if let (Some(least), Some(longest)) = (windows.iter().min(), windows.iter().max()) {
        let time = crate::base::units::duration;
        let window = match least == longest {
            true => time(*least),
            false => say!(l, "range", low = time(*least), high = time(*longest)),
        };
        parts.push(say!(l, "window-a-point", window));
    }
    parts.extend(host(l, &facts.setup));
    if !facts.comparisons.all.is_empty() {
        parts.push(say!(l, "brackets-are-intervals"));
    }
    wording::stopped(l, l.clauses(&parts))
}

/// The processor and the kernel, if there is a single known one.
fn host(l: Language, setup: &SetupFacts) -> Vec<String> {
    use crate::record::key::{cpu, kernel};
    let of = |(group, key): (&str, crate::record::key::FactKey)| {
        let found = setup.disclosure.iter().filter(|g| g.name == group).flat_map(|g| &g.rows);
        found.filter(|(name, _)| name == key.name).map(|(_, value)| value.clone()).next()
    };
    [
        of(("CPU", cpu::MODEL)),
        of(("Kernel", kernel::RELEASE)).map(|r| say!(l, "kernel", release = r)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
