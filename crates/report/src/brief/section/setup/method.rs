//! The measuring method: definitions and formulas.

use crate::analysis::facts::Facts;
use crate::analysis::verdicts::selftest;
use crate::brief::block::Block;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;
use dyno_core::base::histogram::SAMPLES_ABOVE;
use dyno_core::base::units;

/// Definitions and formulas.
pub const SECTION: Section =
    Section::appendix("method", |l| say!(l, "section-method"), SectionBlocks::Whole(blocks));

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    vec![Block::Terms(definitions(l, facts))]
}

fn definitions(l: Language, facts: &Facts) -> Vec<(String, String)> {
    let mut all = Vec::new();
    if !facts.protocol().source.written.is_empty() {
        let source = say!(
            l,
            "procedure-of",
            title = facts.protocol().title.text(l),
            protocol = &facts.protocol().name,
            source = &facts.protocol().source
        );
        all.push((say!(l, "procedure"), source));
    }
    for step in &facts.measured.steps {
        let (Some(warmup), Some(window)) = (step.warmup_ns, step.window_ns.filter(|ns| *ns > 0))
        else {
            continue;
        };
        let (warmup, window) = (units::duration(warmup), units::duration(window));
        all.push((
            say!(l, "step-named", step = &step.name),
            say!(l, "step-windows", warmup, window),
        ));
    }
    if facts.setup.is_imported() {
        all.push((say!(l, "imported-figures"), say!(l, "method-imported")));
    } else {
        all.extend(figures(l));
    }
    let formulas = formulas(l);
    match facts.comparisons.published {
        // Figures without repeats are only used in quotients.
        true => all.extend(formulas.into_iter().skip(GAIN).take(2)),
        false => all.extend(formulas),
    }
    let said = |summary: String| {
        let said = say!(l, "on-this-host", summary);
        (say!(l, "self-test"), wording::stopped(l, said))
    };
    all.extend(selftest::of_host(&facts.setup).into_iter().map(said));
    if facts.subjects.len() > 1 && !facts.comparisons.published {
        let marks = wording::footnote(l, &facts.comparisons);
        all.extend(marks.map(|marks| (say!(l, "difference"), marks)));
    }
    all
}

/// The meaning of the numbers.
fn figures(l: Language) -> [(String, String); 6] {
    [
        ("ops/s".to_string(), say!(l, "method-ops")),
        ("MB/s".to_string(), say!(l, "method-mb")),
        (say!(l, "service-time"), say!(l, "method-service-time")),
        (say!(l, "response-time-term"), say!(l, "method-response-time")),
        (say!(l, "percentiles"), say!(l, "method-percentiles", samples = SAMPLES_ABOVE)),
        (say!(l, "several-drives"), say!(l, "method-several-drives")),
    ]
}

/// The positions of the formulas for quotients among all: gain, then reduction.
const GAIN: usize = 1;

/// The computation of estimates, comparisons and claims; docs/claims.md has the sources.
fn formulas(l: Language) -> [(String, String); 8] {
    [
        (say!(l, "interval"), say!(l, "method-interval")),
        (say!(l, "gain"), say!(l, "method-gain")),
        (say!(l, "reduction"), say!(l, "method-reduction")),
        (say!(l, "comparison"), say!(l, "method-comparison")),
        (say!(l, "one-family"), say!(l, "method-one-family")),
        (say!(l, "lower-bound"), say!(l, "method-lower-bound")),
        (say!(l, "rounding"), say!(l, "method-rounding")),
        (say!(l, "section-marks"), say!(l, "method-caveats")),
    ]
}
