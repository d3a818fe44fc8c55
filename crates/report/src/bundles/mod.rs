//! Bundles to facts: the store reads, the analysis gathers.

use std::path::PathBuf;

use crate::analysis::verdicts::trend::{FigureHistory, TrendRequest, Trends};
use crate::analysis::{Facts, Gathering, Question};
use crate::base::error::{Context, Result};
use crate::base::file;
use crate::base::text::visible;
use crate::language::Language;
use crate::say;
use crate::store::Bundle;

/// Reads bundles: their runs, then point by point. Masked subjects have English names.
pub fn facts(paths: &[PathBuf], question: &Question) -> Result<Facts> {
    facts_in(Language::ENGLISH, paths, question)
}

/// The same for a document in a language, in which masked subjects are named.
pub fn facts_in(l: Language, paths: &[PathBuf], question: &Question) -> Result<Facts> {
    let mut bundles = paths.iter().map(|path| Bundle::open(path)).collect::<Result<Vec<_>>>()?;
    let mut runs = bundles.iter().map(Bundle::contents).collect::<Result<Vec<_>>>()?;
    let mask = question.mask(&runs, &|letter| say!(l, "competitor", letter = letter));
    if !mask.is_empty() {
        let masked = bundles.into_iter().map(|bundle| bundle.masked(&mask));
        bundles = masked.collect::<Result<_>>()?;
        runs = bundles.iter().map(Bundle::contents).collect::<Result<_>>()?;
    }
    // A campaign has many bundles with the same name.
    for (run, name) in runs.iter_mut().zip(file::names(paths)) {
        run.file = mask.text(&visible(&name));
    }
    let mut gathering = Gathering::new(&runs, &question.clone().masked(&mask))?;
    for (index, (bundle, path)) in bundles.iter().zip(paths).enumerate() {
        let each = bundle.each_contents(question.outliers, &mut |point| {
            gathering.point(index, point);
            Ok(())
        });
        each.with_context(|| format!("reading {}", path.display()))?;
    }
    Ok(Facts { mask, ..gathering.finish() })
}

/// Follows figures over many runs, with one in memory at a time: names and paths of bundles.
pub fn histories(runs: &[(String, PathBuf)], wanted: &TrendRequest) -> Result<Vec<FigureHistory>> {
    let question = Question { metrics: wanted.metrics.clone(), ..Question::default() };
    let mut trends = Trends::new(wanted.clone());
    for (name, path) in runs {
        trends.add(name, &facts(std::slice::from_ref(path), &question)?);
    }
    Ok(trends.finish())
}
