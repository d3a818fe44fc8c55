//! How it was measured and how the numbers were made: definitions and formulas.

use super::Section;
use crate::analysis::facts::Facts;
use crate::analysis::selftest;
use crate::base::histogram::SAMPLES_ABOVE;
use crate::base::units;
use crate::brief::block::Block;
use crate::brief::wording;
use crate::say;

/// Definitions and formulas.
pub const SECTION: Section =
    Section { id: "method", title: |l| say!(l, "section-method"), appendix: true, blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    vec![Block::Terms(definitions(facts))]
}

fn definitions(facts: &Facts) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut say = |term: &str, meaning: String| all.push((term.to_string(), meaning));
    if !facts.source.is_empty() {
        say("Procedure", format!("{} ({}). Source: {}", facts.title, facts.protocol, facts.source));
    }
    for step in facts.steps.iter().filter(|s| s.window_ns > 0) {
        let warmup = units::duration(step.warmup_ns);
        let window = units::duration(step.window_ns);
        say(
            &format!("Step {}", step.name),
            format!("{warmup} of warm-up, not counted, then {window} measured."),
        );
    }
    say(
        "ops/s",
        "Ops completed inside the measured window divided by its length, summed over the subject's \
         drives and instances and over the streams that count in the headline."
            .to_string(),
    );
    say(
        "MB/s",
        "Bytes that those ops moved, in units of 1,000,000 bytes, divided by the window."
            .to_string(),
    );
    say(
        "Service time",
        "From handing the request to the engine to its completion, by one monotonic clock."
            .to_string(),
    );
    say(
        "Response time",
        "Where a rate was asked for: from the moment the request was due to its completion, so \
         that waiting behind a slow request is counted. A late request is counted late and never \
         dropped."
            .to_string(),
    );
    say(
        "Percentiles",
        format!(
            "From histograms with a relative error of at most 0.1 %, merged over workers, drives \
             and instances, never over classes. The latency that the given share of the ops did \
             not exceed. Shown only where at least {SAMPLES_ABOVE} samples lie above it."
        ),
    );
    say(
        "Several drives or instances",
        "Ops and bytes are summed. Percentiles are those of the merged histograms: never a mean of \
         percentiles. Of several repeats each has its own figure, and the geometric mean of these \
         is shown."
            .to_string(),
    );
    all.extend(FORMULAS.iter().map(|(term, meaning)| (term.to_string(), meaning.to_string())));
    all.extend(
        selftest::of_host(facts)
            .into_iter()
            .map(|said| ("Self-test".to_string(), format!("{said}."))),
    );
    if facts.subjects.len() > 1 {
        all.push(("Difference".to_string(), wording::footnote()));
    }
    all
}

/// How estimates, comparisons and claims are made; docs/claims.md has the sources.
const FORMULAS: [(&str, &str); 8] = [
    (
        "Interval (±)",
        "Half the width of the 95 % confidence interval of a level: Student's t over the \
         logarithms of three or more repeats. With one or two repeats there is none, only the \
         least and the most.",
    ),
    (
        "Gain",
        "Superior ÷ inferior − 1. Used where higher is better: 1.5 times as many is a gain of 50 \
         %.",
    ),
    ("Reduction", "1 − new ÷ old. Used for latencies: half as long is a reduction of 50 %."),
    (
        "Comparison",
        "The ratio of geometric means over repeats, from a model of logarithms with the repeat as \
         block and the place in the order of measurement as a factor. Variances of points are \
         moderated (Smyth 2004).",
    ),
    (
        "One family",
        "All comparisons of this brief, over all steps, subjects, figures and points, share one 5 \
         % chance that any interval misses the truth: 4 % for single points, 1 % for step means \
         (Bonferroni). Decision and interval are one and the same.",
    ),
    (
        "Lower bound (≥)",
        "The better subject was limited by the host and not by its drive, the other by its drive: \
         the difference is at least the lower end of the interval.",
    ),
    (
        "Rounding",
        "Towards the weaker claim, to two digits of the interval's half-width; ends of intervals \
         are rounded outwards.",
    ),
    (
        "Caveats",
        "Points that failed in a repeat, fell short of the asked rate by 2 % or more, submitted 1 \
         % or more of an open loop's requests late, lie on a drive that was to be prepared until \
         steady and was not, or drifted in any repeat (see docs/claims.md) support no claim.",
    ),
];
