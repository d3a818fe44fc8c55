//! Bundles to facts: the store reads, the analysis gathers.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::analysis::comparability::alike;
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

/// The runs of bundles, one for each of their tests, before any point has been read. No bundle
/// stays open: SQLite's memory is limited for the whole process, and there may be thousands.
struct BundleRuns {
    /// The file of each run, and its place among the file's tests.
    tests: Vec<(PathBuf, usize)>,
    runs: Vec<RunContents>,
    /// Names of all steps, in the order of the plans and as written in the bundles.
    steps: Vec<String>,
    mask: Mask,
}

impl BundleRuns {
    fn read(l: Language, paths: &[PathBuf], question: &Question) -> Result<BundleRuns> {
        let (mut tests, mut runs, mut names) = (Vec::new(), Vec::new(), Vec::new());
        // A campaign has many bundles with the same name.
        for (path, name) in paths.iter().zip(file::names(paths)) {
            for (index, test) in Bundle::open_tests(path)?.iter().enumerate() {
                tests.push((path.clone(), index));
                runs.push(test.contents()?);
                names.push(name.clone());
            }
        }
        let steps = step_names(&runs);
        alike::check_vary(&runs, &question.vary)?;
        let mask = question.mask(&runs, &|letter| say!(l, "competitor", letter));
        if !mask.is_empty() {
            let masked = |(path, index): &(PathBuf, usize)| {
                Bundle::open_test(path, *index)?.masked(&mask)?.contents()
            };
            runs = tests.iter().map(masked).collect::<Result<_>>()?;
        }
        for (run, name) in runs.iter_mut().zip(names) {
            run.file = mask.text(&visible(&name));
        }
        Ok(BundleRuns { tests, runs, steps, mask })
    }

    /// Opens the bundle of a run for its points.
    fn open(&self, (path, index): &(PathBuf, usize)) -> Result<Bundle> {
        Bundle::open_test(path, *index)?.masked(&self.mask)
    }
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
    let read = BundleRuns::read(l, paths, question)?;
    let mut gathering = Gathering::new(&read.runs, &question.clone().masked(&read.mask))?;
    for (index, test) in read.tests.iter().enumerate() {
        let each = read.open(test)?.each_contents(question.outliers, &mut |point| {
            gathering.point(RunKey(index), point);
            Ok(())
        });
        each.with_context(|| format!("reading {}", test.0.display()))?;
    }
    Ok(masked(gathering.finish(), read.mask))
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
    let read = BundleRuns::read(l, paths, question)?;
    let mut gathering = Gathering::new(&read.runs, &question.clone().masked(&read.mask))?;
    let (mut reported, mut ranges, mut watts) = (Vec::new(), Vec::new(), false);
    for test in &read.tests {
        let bundle = read.open(test)?;
        reported.push(bundle.reported()?);
        ranges.push(bundle.steps()?.into_iter().collect::<HashMap<String, Vec<PointRange>>>());
        watts |= bundle.has_watts()?;
    }
    let steps = &read.steps;
    let parts = if watts { vec![&steps[..]] } else { steps.chunks(1).collect() };
    for part in parts {
        for (index, test) in read.tests.iter().enumerate() {
            let bundle = read.open(test)?;
            let own = part.iter().filter_map(|step| ranges[index].get(step));
            let mut own: Vec<PointRange> = own.flatten().cloned().collect();
            own.sort_by_key(|range| *range.start());
            let noted = (&mut reported[index], question.outliers);
            let each = bundle.each_contents_of(&own, noted, &mut |point| {
                gathering.point(RunKey(index), point);
                Ok(())
            });
            each.with_context(|| format!("reading {}", test.0.display()))?;
        }
        gathering.part(show)?;
    }
    Ok(masked(gathering.rest(), read.mask))
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
