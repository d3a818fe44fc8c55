//! Which of a step's figures are shown with it, which on the first page, and which in the appendix.

use super::{Chart, OF_STEP, StepDrawing, step};
use crate::analysis::facts::StepFacts;
use crate::analysis::points::metric::{Metric, PointFigure as Of};
use crate::analysis::points::point_summary::P99;
use dyno_core::plan::Field;

/// The figures printed by the step's source, or usual for its kind of sweep.
pub fn leading(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let mut all = all(drawing);
    let names = names(drawing.step);
    let of = |name: &String| all.iter().position(|figure| is(figure, name));
    let mut places: Vec<usize> = names.iter().filter_map(of).collect();
    places.dedup();
    if places.is_empty() {
        all.truncate(2);
        return all;
    }
    places.into_iter().map(|at| all[at].clone()).collect()
}

/// The figures of a section that are not shown with the step.
pub fn beside(section: &str, drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let leading = leading(drawing);
    let mut own = super::of_step(section, drawing);
    own.retain(|figure| !leading.iter().any(|led| led.is(figure)));
    own
}

/// All others, with captions that name the step.
pub fn others(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let leading = leading(drawing);
    let led = |figure: &Chart| leading.iter().any(|own| own.is(figure));
    let (step, mut own) = (drawing.step, step::figures(&drawing.titled()));
    // Added kinds of figures have their own captions. Those of power are next to its tables.
    let added = super::of_step("results", drawing).into_iter();
    let added: Vec<Chart> =
        added.filter(|figure| !own.iter().any(|known| known.is(figure))).collect();
    own.extend(added);
    // Bars by share of the own maximum would compare different loads.
    let shares = step.axis.as_ref().is_some_and(|a| a.field == Field::LoadPercent);
    let unlike = |figure: &Chart| shares && ["ops", "mb", "p99"].contains(&figure.name());
    // With one op size, MB/s show the same as ops/s; the summary has them across workloads.
    let sized = step.axis.as_ref().is_some_and(|a| a.field == Field::Block);
    let again = |figure: &Chart| !sized && figure.name() == "mb";
    let of_own = |figure: &Chart| !led(figure) && !unlike(figure) && !again(figure);
    own.into_iter().filter(of_own).collect()
}

/// The figure of the step's headline.
pub fn headline(drawing: &StepDrawing<'_>) -> Option<Chart> {
    let wanted = of_metric(drawing.step, &drawing.step.headline_metric);
    let all = all(&drawing.for_cover());
    let found = wanted.iter().find_map(|name| all.iter().find(|figure| is(figure, name)));
    found.or(all.first()).cloned()
}

/// All figures of a step.
pub fn all(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    OF_STEP.iter().flat_map(|of| (of.figures)(drawing)).collect()
}

/// Names of power figures end in the class of power.
fn is(figure: &Chart, name: &str) -> bool {
    let own = figure.name();
    own == name
        || own
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('-') && !rest.starts_with("-against"))
}

fn names(step: &StepFacts) -> Vec<String> {
    if !step.figures.is_empty() {
        return step.figures.clone();
    }
    let names: &[&str] = match step.axis.as_ref().map(|a| a.field) {
        Some(Field::LoadPercent) => &["p99-against-ops", "mean-against-ops"],
        Some(field) if field.sets_rates() => &["p99-against-rate", "mean-against-rate"],
        Some(Field::Block) => &["ops", "mb"],
        // Words are no curve.
        Some(Field::Knob) => &["ops", "p99"],
        Some(_) => &["ops", "p99-against-ops", "watts", "ops-per-watt"],
        None => &["neighbours", "per-minute", "ops", "p99"],
    };
    names.iter().map(|name| name.to_string()).collect()
}

/// Names of the figures that show a metric, most suitable first.
fn of_metric(step: &StepFacts, metric: &Metric) -> &'static [&'static str] {
    let field = step.axis.as_ref().map(|a| a.field);
    let (paced, load) = (field.is_some_and(Field::sets_rates), field == Some(Field::LoadPercent));
    match &metric.figure {
        Of::Bytes => &["mb", "ops"],
        Of::PerMinute(_) => &["per-minute", "ops"],
        Of::Mean if paced => &["mean-against-rate"],
        Of::Mean if load => &["mean-against-ops"],
        Of::Mean => &["neighbours", "mean", "ops"],
        Of::Percentile(P99) if paced => &["p99-against-rate"],
        Of::Percentile(_) if load => &["p99-against-ops"],
        Of::Percentile(P99) => &["neighbours", "p99", "ops"],
        Of::Percentile(_) => &["percentiles"],
        Of::OpsPerWatt(_) | Of::MbPerWatt(_) | Of::JoulesPerOp(_) | Of::JoulesPerTb(_) => {
            &["ops-per-watt", "ops"]
        }
        Of::Watts(_) => &["watts", "ops"],
        Of::Waf => &["waf", "waf-over-time", "ops"],
        Of::Ops if load => &["p99-against-ops"],
        Of::Ops => &["ops"],
    }
}
