//! Bundles to facts: the store reads, the analysis gathers.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::analysis::keys::RunKey;
use crate::analysis::verdicts::trend::{FigureHistory, TrendRequest, Trends};
use crate::analysis::{Facts, Gathering, Question};
use crate::language::Language;
use crate::say;
use dyno_core::base::error::{Context, Result};
use dyno_core::base::file;
use dyno_core::base::text::visible;
use dyno_core::record::{Mask, RunContents};
use dyno_core::store::{Bundle, PointRange};

/// Opened bundles, before any point has been read.
struct OpenBundles {
    bundles: Vec<Bundle>,
    runs: Vec<RunContents>,
    /// Names of all steps, in the order of the plans and as written in the bundles.
    steps: Vec<String>,
    mask: Mask,
}

fn open(l: Language, paths: &[PathBuf], question: &Question) -> Result<OpenBundles> {
    let mut bundles = paths.iter().map(|path| Bundle::open(path)).collect::<Result<Vec<_>>>()?;
    let mut runs = bundles.iter().map(Bundle::contents).collect::<Result<Vec<_>>>()?;
    let steps = step_names(&runs);
    let mask = question.mask(&runs, &|letter| say!(l, "competitor", letter));
    if !mask.is_empty() {
        let masked = bundles.into_iter().map(|bundle| bundle.masked(&mask));
        bundles = masked.collect::<Result<_>>()?;
        runs = bundles.iter().map(Bundle::contents).collect::<Result<_>>()?;
    }
    // A campaign has many bundles with the same name.
    for (run, name) in runs.iter_mut().zip(file::names(paths)) {
        run.file = mask.text(&visible(&name));
    }
    Ok(OpenBundles { bundles, runs, steps, mask })
}

fn step_names(runs: &[RunContents]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for plan in runs.iter().map(|run| &run.run.plan) {
        let own = plan.protocol.steps.iter().map(|step| &step.name);
        let imported = plan.imported.iter().flat_map(|run| &run.steps).map(|step| &step.name);
        for name in own.chain(imported) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}

/// Reads bundles: their runs, then point by point. Masked subjects have English names.
pub fn facts(paths: &[PathBuf], question: &Question) -> Result<Facts> {
    facts_in(Language::ENGLISH, paths, question)
}

/// The same for a document in a language, in which masked subjects are named.
pub fn facts_in(l: Language, paths: &[PathBuf], question: &Question) -> Result<Facts> {
    let OpenBundles { bundles, runs, mask, .. } = open(l, paths, question)?;
    let mut gathering = Gathering::new(&runs, &question.clone().masked(&mask))?;
    for (index, (bundle, path)) in bundles.iter().zip(paths).enumerate() {
        let each = bundle.each_contents(question.outliers, &mut |point| {
            gathering.point(RunKey(index), point);
            Ok(())
        });
        each.with_context(|| format!("reading {}", path.display()))?;
    }
    Ok(masked(gathering.finish(), mask))
}

fn masked(mut facts: Facts, mask: Mask) -> Facts {
    facts.statements.mask = mask;
    facts
}

/// Reads bundles and shows them step by step, with the points of one step in memory at a time.
/// Nothing is compared, and the returned facts have no steps. If power was measured, all steps are
/// shown at once, because the delay of the instrument is estimated from all points.
pub fn each_step(
    l: Language,
    paths: &[PathBuf],
    question: &Question,
    show: &mut dyn FnMut(&Facts) -> Result<()>,
) -> Result<Facts> {
    let OpenBundles { bundles, runs, steps, mask } = open(l, paths, question)?;
    let mut gathering = Gathering::new(&runs, &question.clone().masked(&mask))?;
    let mut reported = bundles.iter().map(Bundle::reported).collect::<Result<Vec<_>>>()?;
    let mut ranges = Vec::new();
    for bundle in &bundles {
        ranges.push(bundle.steps()?.into_iter().collect::<HashMap<String, Vec<PointRange>>>());
    }
    let mut watts = false;
    for bundle in &bundles {
        watts |= bundle.has_watts()?;
    }
    let parts = if watts { vec![&steps[..]] } else { steps.chunks(1).collect() };
    for part in parts {
        for (index, (bundle, path)) in bundles.iter().zip(paths).enumerate() {
            let own = part.iter().filter_map(|step| ranges[index].get(step));
            let mut own: Vec<PointRange> = own.flatten().cloned().collect();
            own.sort_by_key(|range| *range.start());
            let noted = (&mut reported[index], question.outliers);
            let each = bundle.each_contents_of(&own, noted, &mut |point| {
                gathering.point(RunKey(index), point);
                Ok(())
            });
            each.with_context(|| format!("reading {}", path.display()))?;
        }
        gathering.part(show)?;
    }
    Ok(masked(gathering.rest(), mask))
}

/// Follows figures over many runs, given as names and paths of bundles, with one in memory at a
/// time.
pub fn histories(runs: &[(String, PathBuf)], wanted: &TrendRequest) -> Result<Vec<FigureHistory>> {
    let question = Question { metrics: wanted.metrics.clone(), ..Question::default() };
    let mut trends = Trends::new(wanted.clone());
    for (name, path) in runs {
        let facts = facts(std::slice::from_ref(path), &question)?;
        trends.add(&facts.statements.mask.text(&visible(name)), &facts);
    }
    Ok(trends.finish())
}
