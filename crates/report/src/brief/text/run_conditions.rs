//! The test conditions, as a line of the first page.

use crate::analysis::facts::{Facts, SetupFacts};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;

/// Date, repeats and drives: one line.
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
        let time = dyno_core::base::units::duration;
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

/// The processor and the kernel, of a single host.
fn host(l: Language, setup: &SetupFacts) -> Vec<String> {
    let mut runs = setup.runs.iter();
    let (Some(run), None) = (runs.next(), runs.next()) else { return Vec::new() };
    let kernel = run.host.kernel_release.as_ref().map(|release| say!(l, "kernel", release));
    run.host.cpu_model.clone().into_iter().chain(kernel).collect()
}
