//! The brief of two drives of known write amplification whose data sheets are stated.

use std::path::Path;

use dyno::analysis::keys::{StepKey, ValueKey};

use super::run::settled;
use super::two::{Two, amplification};
use crate::support::dyno_well;

const RANDOM: &str = "[[step.stream]]\nname = \"io\"\nengine = \"uring\"\ndepth = 4\nworkload = { \
                      kind = \"random\", read = 0, block = \"4KiB\" }\nrate = \"1500/s\"\n";

/// A report's text without markup, in one of the languages.
fn report(dir: &Path, language: &str) -> String {
    let file = format!("write-cost-{language}.md");
    dyno_well(dir, &["report", "two.dyno", "-o", &file, "--language", language]);
    std::fs::read_to_string(dir.join(file)).unwrap()
}

#[test]
fn the_brief_of_two_drives_has_amplification_life_and_cost_by_the_formulas_of_its_page() {
    // The second has more spare blocks.
    let Some(two) = Two::measured([settled(3_276), settled(2_867)], RANDOM) else { return };
    let facts = two.facts();
    // To be looked at.
    for language in ["en", "ja", "pt-BR"] {
        let page = format!("{}/write-cost-{language}.html", env!("CARGO_TARGET_TMPDIR"));
        let command = ["report", "two.dyno", "-o", &page, "--language", language];
        dyno_well(two.folder(), &command);
    }
    let text = report(two.folder(), "en");
    for subject in facts.subjects.keys() {
        let cell = facts.measured.steps[StepKey(0)].cell(subject, ValueKey(0)).unwrap();
        let writes = cell.writes.as_ref().unwrap();
        let (waf, _) = writes.amplification.as_ref().unwrap();
        assert!(text.contains(&format!("{:.2}", waf.value)), "WAF {waf:?}: {text}");
        // DWPD and years at this load: capacity and rating are those of the plan.
        let capacity = facts.subjects[subject].capacity_bytes.unwrap();
        let per_day = writes.received_per_s().unwrap() * 86_400.0;
        let rated = [1e6, 3e6][subject.0] * capacity * 365.0 * 5.0;
        let years = rated / (per_day * 365.0);
        // As many decimals as the column has.
        let shown = |decimals: usize| text.contains(&format!("| {years:.decimals$} |"));
        assert!((0..3).any(shown), "{years} years: {text}");
        let dwpd = dyno::base::units::grouped((per_day / capacity).round() as u64);
        assert!(text.contains(&dwpd), "{dwpd} DWPD: {text}");
        // Price and rating of the second are three times those of the first.
        let per_tb = 100.0 / (capacity * 365.0 * 5.0 / 1e12);
        let whole = per_tb.round() as u64;
        let shown = dyno::base::units::grouped(whole);
        assert!(text.contains(&format!("{shown} EUR")), "{per_tb} EUR per TB: {text}");
    }
    assert!(text.contains("data sheet of Beta"), "{text}");
    // The drive with more spare blocks amplifies less. Whether that is claimed depends on what
    // limited the load, and so on how busy this machine is.
    let [alpha, beta] = [0, 1].map(|subject| amplification(&facts, subject));
    assert!(beta < alpha - 0.5, "{alpha} and {beta}");
    dyno_well(two.folder(), &["compare", "two.dyno", "--metric", "WAF", "--metric", "J/TB"]);
    for language in ["ja", "pt-BR"] {
        let text = report(two.folder(), language);
        assert!(text.contains("WAF"), "{language}: {text}");
    }
}
