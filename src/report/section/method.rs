//! How it was measured and how the numbers were made: definitions and formulas.

use std::fmt::Write;

use super::{Info, Section};
use crate::base::histogram::SAMPLES_ABOVE;
use crate::base::units;
use crate::report::difference;
use crate::analysis::facts::Facts;
use crate::report::html::escape;

pub struct Method;

impl Section for Method {
    fn info(&self) -> Info {
        Info { id: "method", title: "How it was measured: definitions and formulas" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::from("<dl class=method>\n");
        for (term, meaning) in definitions(facts) {
            let _ = writeln!(out, "<dt>{}<dd>{}", escape(&term), escape(&meaning));
        }
        out.push_str("</dl>\n");
        Some(out)
    }
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
        say(&format!("Step {}", step.name), format!("{warmup} of warm-up, not counted, then {window} measured."));
    }
    say(
        "Operations a second",
        "Ops completed inside the measured window divided by its length, summed over the subject's drives and instances \
         and over the streams that count in the headline."
            .to_string(),
    );
    say("MB/s", "Bytes that those ops moved, in units of 1,000,000 bytes, divided by the window.".to_string());
    say(
        "Service time",
        "From handing the request to the engine to its completion, by one monotonic clock.".to_string(),
    );
    say(
        "Response time",
        "Where a rate was asked for: from the moment the request was due to its completion, so that waiting behind a slow \
         request is counted. A late request is counted late and never dropped."
            .to_string(),
    );
    say(
        "Percentiles",
        format!(
            "From histograms with a relative error of at most 0.1 %, merged over workers, drives and instances, never over \
             classes. The latency that the given share of the ops did not exceed. Shown only where at least \
             {SAMPLES_ABOVE} samples lie above it."
        ),
    );
    say(
        "Several drives or instances",
        "Ops and bytes are summed. Percentiles are those of the merged histograms: never a mean of percentiles. Of several \
         repeats each has its own figure, and the mean of these is shown."
            .to_string(),
    );
    all.extend(FORMULAS.iter().map(|(term, meaning)| (term.to_string(), meaning.to_string())));
    if let Some(first) = facts.subjects.first().filter(|_| facts.subjects.len() > 1) {
        all.push(("Difference".to_string(), difference::footnote(first)));
    }
    all
}

/// How estimates, comparisons and claims are made; docs/claims.md has the sources.
const FORMULAS: [(&str, &str); 11] = [
    (
        "Interval (±)",
        "Half the width of the 95 % confidence interval. With several repeats, Student's t over them: mean ± t · s ÷ √n, \
         which assumes that repeats scatter about normally. With one repeat, the same over the means of 30 batches of its \
         seconds, their number reduced to k · (1 − r) ÷ (1 + r) by the correlation r left between neighbours; this does not \
         show how runs differ.",
    ),
    (
        "Interval of a percentile",
        "With several repeats, Student's t over their percentiles. With one, the share of each second's ops that lies below \
         the percentile is a series with an interval of its own, and the latencies at its two ends are the percentile's \
         (Woodruff). A percentile that another tool told has the bounds that tool gave, or none.",
    ),
    ("Gain", "Superior ÷ inferior − 1. Used for operations a second: 1.5 times as many is a gain of 50 %."),
    (
        "Reduction",
        "1 − new ÷ old. Used for latencies: half as long is a reduction of 50 %, which as a gain would be 100 %. Where one is \
         printed, the other stands beside it under its own name.",
    ),
    (
        "Comparison",
        "Of logarithms, so that it reads the same from either side. Repeats measured in turn are compared pair by pair, \
         others by Welch's t; single repeats by their intervals, half widths added as squares, with 8 degrees of freedom.",
    ),
    (
        "Correction for many comparisons",
        "Holm: of m comparisons of one figure in a step, the clearest must be as clear as 1 in 20·m, the next as 1 in \
         20·(m − 1), until one is not. So no more than 1 in 20 such families claims a difference that is none. Each step and \
         figure is a family of its own.",
    ),
    (
        "Up to",
        "The largest difference among the points and rivals searched, which favours luck. Its interval is therefore made \
         from all intervals widened so that they hold together (Bonferroni), and is that of the largest true difference.",
    ),
    (
        "Strongest",
        "Claims are ordered by the weak end of their intervals, as a factor: what is left of a difference at its least.",
    ),
    (
        "Rounding",
        "Always towards the weaker claim: 21.9 % is printed as 21 %. Calculations use the figures as printed, so that they \
         can be done again by hand. Ends of intervals are rounded outwards.",
    ),
    (
        "Marked points",
        "Points that failed in a repeat, fell short of the asked rate by 2 % or more, lie on a drive that was to be prepared until \
         steady and was not, or drifted: where the Mann–Kendall test \
         on 12 batches of the window shows, at 1 in 100, a rise or fall of more than 2 %. Drift is looked for where a \
         point has one repeat, and at the busiest point of each step. Nothing is claimed of marked points.",
    ),
    (
        "No interval",
        "One figure without its spread, such as a published one. What such figures say is repeated, never claimed.",
    ),
];
