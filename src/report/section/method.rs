//! How it was measured and how the numbers were made: definitions and formulas.

use std::fmt::Write;

use super::{Info, Section};
use crate::base::histogram::SAMPLES_ABOVE;
use crate::base::units;
use crate::report::difference;
use crate::report::facts::Facts;
use crate::report::html::escape;

pub struct Method;

impl Section for Method {
    fn info(&self) -> Info {
        Info { id: "method", title: "Method" }
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
        "Interval (±)",
        "Half the width of the 95 % confidence interval. With several repeats, of their mean; with one repeat, of the \
         mean over its seconds, which does not show how runs differ."
            .to_string(),
    );
    if let Some(first) = facts.subjects.first().filter(|_| facts.subjects.len() > 1) {
        say("Difference", difference::footnote(first));
    }
    all
}
