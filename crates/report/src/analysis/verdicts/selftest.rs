//! Results of a self-test: false claims, known differences that were found, scatter, and the
//! generator's ceilings.

use crate::analysis::claim::compare::{Standing, StepPlace};
use crate::analysis::facts::{Comparisons, MeasuredFacts, SetupFacts};
use crate::analysis::keys::SubjectKey;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::analysis::verdicts::scatter;
use dyno_core::record::selftest::{MeasuredCeiling, Same, Scatter, SetDifference};
use dyno_core::stats::detectable::{PlannedBrief, detectable};

/// The brief for which a scatter is evaluated.
const USUAL: PlannedBrief =
    PlannedBrief { repeats: 5, points: 10, pairs: 1, steps: 1, measures: 2 };

/// Adds a brief of the same subject measured twice. An interval that excludes "no difference" is
/// false, even if a caveat would have prevented the claim.
pub fn same(so_far: Same, comparisons: &Comparisons) -> Same {
    let judged = || comparisons.all.iter().filter(|c| c.standing.has_interval());
    let claimed = judged().filter(|c| c.standing != Standing::NotShown).count();
    let compared = usize::from(judged().next().is_some());
    Same {
        briefs: so_far.briefs + compared,
        comparisons: so_far.comparisons + judged().count(),
        claimed: so_far.claimed + claimed,
        false_briefs: so_far.false_briefs + usize::from(claimed > 0),
    }
}

/// A brief whose second subject has this many percent more latency than its first.
pub fn known(comparisons: &Comparisons, percent: f64) -> SetDifference {
    let ops = Metric::total(PointFigure::Ops);
    let claimed = || comparisons.all.iter().filter(|c| c.is_claimed());
    let right = || claimed().filter(|c| c.metric == ops && c.better == SubjectKey(0));
    let at_points = |at: &StepPlace| matches!(at, StepPlace::Value(_));
    SetDifference {
        percent,
        points: comparisons.all.iter().filter(|c| c.metric == ops && at_points(&c.at)).count(),
        found: right().filter(|c| at_points(&c.at)).count(),
        in_mean: right().any(|c| c.at == StepPlace::Mean),
        wrong: claimed().filter(|c| c.better != SubjectKey(0)).count(),
    }
}

/// The scatter of a load's runs, and the difference that this number of repeats shows.
pub fn scatter(measured: &MeasuredFacts, of: &str, repeats: u32) -> Scatter {
    let of_metric = |metric: Metric| scatter::of_all(measured, &metric);
    let ops = of_metric(Metric::total(PointFigure::Ops));
    let planned = PlannedBrief { repeats: repeats as usize, ..USUAL };
    let shows = ops.and_then(|scatter| detectable(scatter, planned));
    Scatter {
        of: of.to_string(),
        ops,
        p99: of_metric(Metric::p99()),
        shows_percent: shows.map(|d| d.point.exp_m1() * 100.0),
    }
}

/// The first subject's maximum ops/s in each step.
pub fn ceilings(measured: &MeasuredFacts, engine: &str) -> Vec<MeasuredCeiling> {
    let of_step = |step: &crate::analysis::facts::StepFacts| {
        let cells = step.cells.iter().filter(|c| c.subject == SubjectKey(0));
        let most = cells
            .filter_map(|c| Some(c.total.as_ref()?.ops_per_s.as_ref()?.value))
            .max_by(f64::total_cmp)?;
        Some(MeasuredCeiling {
            engine: engine.to_string(),
            shape: step.title.written.to_lowercase(),
            ops_per_s: most,
        })
    };
    measured.steps.iter().filter_map(of_step).collect()
}

/// The resolution of the runs' hosts, from the self-test in their bundles: "5 repeats …".
pub fn of_host(setup: &SetupFacts) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for own in setup.runs.iter().flat_map(|run| &run.self_tests) {
        if !all.contains(own) {
            all.push(own.clone());
        }
    }
    all
}
